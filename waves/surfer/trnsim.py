"""Translators of the viewer Surfer (built with Python) with the text of GTKWave's filters: elements with
their type, fp32 and fractions of 2^32. `trnsim wave --viewer surfer` puts the folder of the filters into it.
"""

import sys

try:
    import surfer  # the module that Surfer gives its translators
except ImportError:
    import surfer_waveform as surfer  # its name in other versions

sys.path.insert(0, "@FILTERS@")

import element
import fp32
import fraction

translators = ["Element", "Fp32", "Fraction"]


def translate(convert, value):
    try:
        return convert(int(value)), surfer.ValueKind.Normal()
    except ValueError:  # x, z
        return value, surfer.ValueKind.Warn()


class Element(surfer.BasicTranslator):
    name = "trnsim_element"

    @staticmethod
    def basic_translate(num_bits, value):
        return translate(element.convert, value)


class Fp32(surfer.BasicTranslator):
    name = "trnsim_fp32"

    @staticmethod
    def basic_translate(num_bits, value):
        return translate(fp32.convert, value)


class Fraction(surfer.BasicTranslator):
    name = "trnsim_fraction"

    @staticmethod
    def basic_translate(num_bits, value):
        return translate(fraction.convert, value)
