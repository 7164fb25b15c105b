#!/usr/bin/env python3
"""`trnsim run --wave` adds the DMA's signals to the recording of the core, and nothing is lost or changed for
them.

usage: dma_test.py TRNSIM_PROGRAM
"""

import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "common"))

from lacking import end_without
from recording import Recording

CORE = "core,tensor,vector,scalar,rounding,gpsimd,sync,memory"
ENGINES = 4  # DMA engines of small16
TRNSIM = sys.argv.pop() if len(sys.argv) > 1 else None


class Dma(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.run_it(
            "kernel",
            "build",
            "layernorm",
            "--rows",
            "16",
            "--cols",
            "64",
            "--config",
            "small16",
            "-o",
            "k.neff",
        )
        cls.core = cls.record("core.fst", "--wave-scope", CORE)
        cls.both = cls.record("both.fst")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def run_it(cls, *words):
        subprocess.run([TRNSIM, *words], check=True, cwd=cls.folder.name, stdout=subprocess.DEVNULL)

    @classmethod
    def record(cls, name, *options):
        cls.run_it("run", "k.neff", "--config", "small16", "--random-inputs", "1", "--wave", name, *options)
        return Recording(Path(cls.folder.name) / name)

    def test_the_core_is_as_it_was(self):
        of_core = {
            name: changes for name, changes in self.both.changes.items() if not name.startswith("dma.")
        }
        self.assertGreater(len(of_core), 100)
        self.assertTrue(of_core == self.core.changes)  # a difference would be megabytes of text
        self.assertEqual(self.both.times[0], self.core.times[0])
        self.assertGreaterEqual(self.both.times[-1], self.core.times[-1])
        self.assertTrue(self.both.times == sorted(set(self.both.times)))

    def test_enums_are_whole(self):
        def enums(name):
            header = subprocess.run(
                ["fst2vcd", "-e", Path(self.folder.name) / name], check=True, capture_output=True, text=True
            )
            return [line for line in header.stdout.splitlines() if line.startswith("$attrbegin")]

        self.assertGreater(max(map(len, enums("core.fst"))), 512, "the reader's limit")
        self.assertTrue(enums("both.fst") == enums("core.fst"))

    def test_queues_show_their_transfers(self):
        for queue, name, transfers in (
            (0, "qSyncLoad", ["load x[16, 64]", "load gamma[16, 64]", "load beta[16, 64]"]),
            (1, "qGpSimdStore", ["store y[16, 64]"]),
        ):
            scope = f"dma.queue[{queue}]"
            self.assertEqual([value for _, value in self.both.changes[f"{scope}.name"]], [name])
            self.assertEqual(
                [value for _, value in self.both.changes[f"{scope}.transfer"]], ["-", *transfers, "-"]
            )
            pending = [value for _, value in self.both.changes[f"{scope}.pending"]]
            self.assertEqual((max(pending), pending[-1]), (len(transfers), 0))

    def test_a_transfer_is_pending_while_its_packets_move(self):
        for queue in (0, 1):
            scope = f"dma.queue[{queue}]"
            for time, packets in self.both.changes[f"{scope}.packets"]:
                if packets:
                    self.assertGreater(self.both.at(f"{scope}.pending", time), 0, time)
                    self.assertGreater(self.both.at(f"{scope}.bytes", time), 0, time)
                    self.assertNotEqual(self.both.at(f"{scope}.transfer", time), "-", time)
            self.assertEqual(self.both.changes[f"{scope}.packets"][-1][1], 0)

    def test_completion_is_what_the_core_sees(self):
        """The last engine's increment of the store's semaphore ends the store."""
        idle = self.both.changes["dma.queue[1].pending"][-1][0]
        updates = [
            time for time, value in self.both.changes["core.neuron_core.core.semaphore_update"] if value
        ]
        self.assertLess(abs(updates[-1] - idle), 100_000, "within 100 ns")

    def test_totals(self):
        queues = [f"dma.queue[{queue}].bytes" for queue in (0, 1)]
        for time, total in self.both.changes["dma.bytes"]:
            self.assertEqual(total, sum(self.both.at(name, time) for name in queues), time)
            self.assertEqual(total != 0, self.both.at("dma.engines", time) != 0, time)
        seen = 0
        for _, engines in self.both.changes["dma.engines"]:
            seen |= engines
        self.assertEqual(seen, 2**ENGINES - 1)

    def test_windows(self):
        part = self.record("part.fst", "--wave-window", "4180ns:4190ns", "--wave-scope", "sync,dma")
        self.assertGreaterEqual(part.times[0], 4_180_000)
        self.assertLessEqual(part.times[-1], 4_190_000)
        first, last = part.times[0], part.times[-1]
        self.assertEqual(part.changes["dma.queue[0].transfer"], [(first, "load x[16, 64]")])
        for name in ("dma.bytes", "dma.queue[0].packets"):
            self.assertEqual(part.at(name, first), self.both.at(name, first))
            self.assertEqual(
                [c for c in part.changes[name] if c[0] > first],
                [c for c in self.both.changes[name] if first < c[0] <= last],
            )

    def test_windows_go_on_while_the_core_rests(self):
        """The DMA's last changes follow the last edge of the core, the window ends after the run."""
        part = self.record("late.fst", "--wave-window", "4us:100us")
        first = part.times[0]
        for name, changes in self.both.changes.items():
            if name.startswith("dma."):
                self.assertEqual(
                    [c for c in part.changes[name] if c[0] > first],
                    [c for c in changes if c[0] > first],
                    name,
                )
        self.assertEqual(part.changes["dma.bytes"][-1][1], 0)

    def test_without(self):
        self.assertEqual([name for name in self.core.changes if name.startswith("dma.")], [])
        alone = self.record("alone.fst", "--wave-scope", "dma")
        self.assertEqual(
            {name.split(".")[2] for name in alone.changes if not name.startswith("dma.")}, {"core"}
        )

    def test_the_view_names_what_is_there(self):
        self.run_it("wave", "both.fst", "--view", "dma")
        lines = (Path(self.folder.name) / "both.dma.gtkw").read_text().splitlines()
        names = [line.partition("} ")[2] for line in lines if line.startswith("+{")]
        self.assertEqual(len([name for name in names if name.startswith("dma.queue[")]), 10)
        self.assertNotIn("-Queue 2", lines)
        for name in names:
            self.assertIn(re.sub(r"\[\d+:0\]$", "", name), self.both.changes)


if __name__ == "__main__":
    if TRNSIM is None:
        sys.exit(__doc__)
    if shutil.which("fst2vcd") is None:
        end_without("fst2vcd, which the package gtkwave has")
    unittest.main()
