#!/usr/bin/env python3
"""Recordings are what another reader of FST files, pywellen, finds in them: every name stands for one signal,
and what it names is what GTKWave's reader names.

usage: second_reader.sh ENVIRONMENT RECORD_WAVE_PROGRAM TRNSIM_PROGRAM
"""

import collections
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import pywellen

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "common"))

from lacking import end_without

TRNSIM = sys.argv.pop() if len(sys.argv) > 2 else None
RECORDER = sys.argv.pop() if len(sys.argv) > 1 else None


def names_of_gtkwave(path):
    """Returns the signals without their ranges."""
    vcd = subprocess.run(["fst2vcd", "-f", path], check=True, capture_output=True, text=True).stdout
    names, place = set(), []
    for line in vcd.partition("$enddefinitions")[0].splitlines():
        words = line.split()
        if words[:1] == ["$scope"]:
            place.append(words[2])
        elif words[:1] == ["$upscope"]:
            place.pop()
        elif words[:1] == ["$var"]:
            names.add(".".join([*place, words[4]]))
    return names


class SecondReader(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = Path(cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def check(self, path):
        signals = collections.defaultdict(set)
        for var in pywellen.Waveform(str(path)).all_vars():
            signals[var.full_name].add((var.signal_id, var.bitwidth))
        self.assertGreater(len(signals), 10, path)
        self.assertEqual({name: ids for name, ids in signals.items() if len(ids) > 1}, {}, path)
        # pywellen makes one signal of the elements of an array that have a bit each.
        gtkwave = names_of_gtkwave(path)
        gtkwave |= {re.sub(r"\[\d+\]$", "", name) for name in gtkwave}
        self.assertLessEqual({name.replace(".[", "[") for name in signals}, gtkwave, path)

    def run_it(self, *words):
        subprocess.run([*words], check=True, cwd=self.path, stdout=subprocess.DEVNULL)

    def test_of_the_core(self):
        for scopes in ([], ["tensor", "sync"], ["all"]):
            path = self.path / "core.fst"
            self.run_it(RECORDER, "small16", "2", path, *scopes)
            with self.subTest(scopes=scopes):
                self.check(path)

    def test_of_a_run(self):
        kernel = ("kernel", "build", "layernorm", "--rows", "16", "--cols", "16", "--config", "small16")
        self.run_it(TRNSIM, *kernel, "-o", "k.neff")
        run = (TRNSIM, "run", "k.neff", "--config", "small16", "--random-inputs", "1", "--wave")
        for name, options in {
            "all.fst": ["--wave-scope", "all", "--wave-element", "y[3,5]"],
            "probes.fst": [],
            "fast.fst": ["--fidelity", "fast", "--wave-scope", "core,vector,sync"],
        }.items():
            self.run_it(*run, name, *options)
            with self.subTest(name=name):
                self.check(self.path / name)

    def test_of_a_server(self):
        self.run_it(
            TRNSIM,
            *("nccom-test", "allr", "-r", "4", "-b", "1K", "-e", "1K", "--config", "trn1-4"),
            *("--wave", "links.fst"),
        )
        self.check(self.path / "links.fst")


if __name__ == "__main__":
    if RECORDER is None:
        sys.exit(__doc__)
    if shutil.which("fst2vcd") is None:
        end_without("fst2vcd, which the package gtkwave has")
    unittest.main()
