#!/usr/bin/env python3
"""`trnsim run --wave --wave-scope hbm` adds commands and data of the pseudo channels to the recording.

usage: hbm_test.py TRNSIM_PROGRAM
"""

import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "common"))

from lacking import end_without
from recording import Recording

TRNSIM = sys.argv.pop() if len(sys.argv) > 1 else None
CK = 625  # ps
# The timings are preset A with another CK; read and write latency differ much, so that a mistake shows.
CL, CWL, RCDRD, RCDWR, RP, BURST = 23, 8, 23, 20, 23, 2
COLUMN = {"RD", "RDA", "WR", "WRA"}
PSEUDO_CHANNELS = 16  # bytes of a stack
CONFIG = """extends: small16
name: banked16
hbm: { model: banked, banked: { preset: A, page_policy: closed } }
"""


class Hbm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = Path(cls.folder.name)
        (cls.path / "banked16.yaml").write_text(CONFIG)
        cls.run_it(
            "kernel",
            "build",
            "layernorm",
            "--rows",
            "16",
            "--cols",
            "192",
            "--config",
            "banked16.yaml",
            "-o",
            "k.neff",
        )
        cls.core = cls.record("core.fst", "--wave-scope", "core")
        cls.both = cls.record("both.fst", "--wave-scope", "core,dma,hbm", "--stats", "s.json")
        cls.dram = [stack["dram"] for stack in json.loads((cls.path / "s.json").read_text())["hbm"]]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def run_it(cls, *words):
        subprocess.run([TRNSIM, *words], check=True, cwd=cls.folder.name, stdout=subprocess.DEVNULL)

    @classmethod
    def record(cls, name, *options, config="banked16.yaml"):
        cls.run_it("run", "k.neff", "--config", config, "--random-inputs", "1", "--wave", name, *options)
        return Recording(cls.path / name)

    def signal(self, pseudo, name):
        return self.both.changes[f"hbm.pseudo_channel[{pseudo}].{name}"]

    def pseudo_channels(self):
        return range(len(self.dram) * PSEUDO_CHANNELS)

    def commands(self, pseudo, bus):
        """Returns [(ps, name, bank, row or column)] of a bus."""
        place = f"hbm.pseudo_channel[{pseudo}]."
        return [
            (time, name, self.both.at(place + f"{bus}_bank", time), self.both.at(place + bus, time))
            for time, name in self.both.changes[place + f"{bus}_command"]
            if name != "-"
        ]

    def test_the_core_is_as_it_was(self):
        of_core = {name: changes for name, changes in self.both.changes.items() if name.startswith("core.")}
        self.assertGreater(len(of_core), 10)
        self.assertTrue(of_core == self.core.changes)
        self.assertTrue(any(name.startswith("dma.queue") for name in self.both.changes))

    def test_as_many_as_the_statistics_say(self):
        for stack, dram in enumerate(self.dram):
            for channel, counts in enumerate(dram["channels"]):
                first = stack * PSEUDO_CHANNELS + 2 * channel
                names = [
                    name
                    for pseudo in (first, first + 1)
                    for bus in ("row", "column")
                    for _, name, _, _ in self.commands(pseudo, bus)
                ]
                place = f"stack {stack}, channel {channel}"
                self.assertEqual(names.count("ACT"), counts["activates"], place)
                self.assertEqual(names.count("RD") + names.count("RDA"), counts["read_bursts"], place)
                self.assertEqual(names.count("WR") + names.count("WRA"), counts["write_bursts"], place)
                self.assertEqual(names.count("REFab"), counts["refreshes"]["all_bank"], place)
        self.assertGreater(
            sum(counts["read_bursts"] for dram in self.dram for counts in dram["channels"]), 100
        )

    def test_a_column_command_finds_its_row_open(self):
        for pseudo in self.pseudo_channels():
            opened = {}
            both = sorted(self.commands(pseudo, "row") + self.commands(pseudo, "column"))
            for time, name, bank, place in both:
                if name == "ACT":
                    self.assertNotIn(bank, opened)
                    opened[bank] = time
                elif name in COLUMN:
                    self.assertGreaterEqual(
                        time - opened[bank], CK * (RCDRD if name.startswith("RD") else RCDWR)
                    )
                    self.assertLess(place, 32)
                    if name.endswith("A"):
                        del opened[bank]
                elif name == "PRE":
                    del opened[bank]
                elif name == "PREA":
                    opened = {}
                else:
                    self.assertEqual((name, opened), ("REFab", {}))

    def test_data_follow_their_commands(self):
        moved = 0
        for pseudo in self.pseudo_channels():
            wanted = [
                (
                    time + CK * (CL if name.startswith("RD") else CWL),
                    "read" if name.startswith("RD") else "write",
                )
                for time, name, _, _ in self.commands(pseudo, "column")
            ]
            for time, way in wanted:
                self.assertEqual(self.both.at(f"hbm.pseudo_channel[{pseudo}].data", time), way)
                self.assertEqual(
                    self.both.at(f"hbm.pseudo_channel[{pseudo}].data", time + BURST * CK - 1), way
                )
            busy = sum(
                until - time
                for (time, way), (until, _) in zip(
                    self.signal(pseudo, "data"), self.signal(pseudo, "data")[1:]
                )
                if way != "-"
            )
            self.assertEqual(busy, len(wanted) * BURST * CK)
            moved += len(wanted)
        self.assertGreater(moved, 100)

    def test_windows(self):
        reads = [
            time for pseudo in self.pseudo_channels() for time, name, _, _ in self.commands(pseudo, "column")
        ]
        first, last = min(reads) // 1000, min(reads) // 1000 + 60
        part = self.record("part.fst", "--wave-window", f"{first}ns:{last}ns", "--wave-scope", "hbm")
        for name, changes in part.changes.items():
            if not name.startswith("hbm."):
                continue
            begin, end = part.times[0], part.times[-1]
            self.assertEqual(part.at(name, begin), self.both.at(name, begin), name)
            self.assertEqual(
                [c for c in changes if c[0] > begin],
                [c for c in self.both.changes[name] if begin < c[0] <= end],
                name,
            )

    def test_without(self):
        plain = self.record("plain.fst")
        self.assertEqual([name for name in plain.changes if name.startswith("hbm.")], [])

    def test_a_model_without_banks_is_refused(self):
        done = subprocess.run(
            [
                TRNSIM,
                "run",
                "k.neff",
                "--config",
                "small16",
                "--random-inputs",
                "1",
                "--wave",
                "no.fst",
                "--wave-scope",
                "hbm",
            ],
            cwd=self.folder.name,
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("hbm.model is 'simple'", done.stderr)
        self.assertFalse((self.path / "no.fst").exists())

    def test_the_view_names_what_is_there(self):
        self.run_it("wave", "both.fst", "--view", "hbm")
        lines = (self.path / "both.hbm.gtkw").read_text().splitlines()
        names = [line.partition("} ")[2].partition("[31:0]")[0] for line in lines if line.startswith("+{")]
        self.assertEqual(
            len([name for name in names if name.startswith("hbm.")]), 7 * len(list(self.pseudo_channels()))
        )


if __name__ == "__main__":
    if TRNSIM is None:
        sys.exit(__doc__)
    if shutil.which("fst2vcd") is None:
        end_without("fst2vcd, which the package gtkwave has")
    unittest.main()
