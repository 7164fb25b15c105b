"""The text of a value from its bits, and the loop of a GTKWave process filter."""

import contextlib
import struct
import sys


def text(value):
    return f"{value:.6g}"


def fp32(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def narrow(bits, exponent_bits, fraction_bits):
    """Returns a float of 1 sign, `exponent_bits` and `fraction_bits` bits.

    Its highest exponent is infinity and NaN.
    """
    sign = -1.0 if bits >> (exponent_bits + fraction_bits) & 1 else 1.0
    exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1)
    fraction = bits & ((1 << fraction_bits) - 1)
    bias = (1 << (exponent_bits - 1)) - 1
    if exponent == (1 << exponent_bits) - 1:
        return float("nan") if fraction else sign * float("inf")
    if exponent == 0:
        return sign * fraction * 2.0 ** (1 - bias - fraction_bits)
    return sign * (fraction + (1 << fraction_bits)) * 2.0 ** (exponent - bias - fraction_bits)


def integer(bits, width, signed):
    return bits - (1 << width) if signed and bits >> (width - 1) & 1 else bits


def run(convert):
    """Answers every line of hexadecimal digits by one line. A line that is no number (x, z) comes back
    unchanged.
    """
    for line in sys.stdin:
        word = line.strip()
        with contextlib.suppress(ValueError):
            word = convert(int(word, 16))
        print(word, flush=True)
