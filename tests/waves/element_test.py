#!/usr/bin/env python3
"""`trnsim where` and `--wave-element` give the cycle in which an element is written: that in which the probe
of its engine writes its row.

usage: element_test.py TRNSIM_PROGRAM
"""

import json
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

ROWS, COLUMNS = 16, 192
PS_PER_SECOND = 10**12
WORD = 4  # bytes of a row of SBUF
LATER = 5  # core cycles after the write in which the memory has the value, at most
TRNSIM = sys.argv.pop() if len(sys.argv) > 1 else None


class Element(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = Path(cls.folder.name)
        shape = ("--rows", str(ROWS), "--cols", str(COLUMNS), "--dtype", "fp32")
        cls.run_it("kernel", "build", "layernorm", *shape, "--config", "small16", "-o", "k.neff")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def run_it(cls, *words):
        run = subprocess.run([TRNSIM, *words], check=True, cwd=cls.path, capture_output=True, text=True)
        return run.stdout

    def where(self, element, *options):
        """Returns the cycle of the write, the instruction's issue and completion, and the text."""
        text = self.run_it("where", "k.neff", element, "--config", "small16", *options)
        match = re.search(r"  cycle +(?:about )?(\d+).*?\(issued in (\d+), complete in (\d+)\)", text)
        self.assertTrue(match, text)
        return *(int(number) for number in match.groups()), text

    def recorded(self, element):
        options = ("--config", "small16", "--random-inputs", "0", "--wave", "w.fst")
        self.run_it("run", "k.neff", *options, "--wave-element", element)
        return Recording(self.path / "w.fst"), json.loads((self.path / "w.wave/run.json").read_text())

    def test_the_cycle_is_that_of_the_write(self):
        for row, column in ((0, 0), (3, 40), (ROWS - 1, COLUMNS - 1)):
            name = f"y[{row},{column}]"
            with self.subTest(element=name):
                recording, run = self.recorded(name)
                element = run["element"]
                place = re.fullmatch(rf"sbuf\[{row}\+0x([0-9a-f]+)\] of {re.escape(name)}", element["name"])
                self.assertTrue(place, element)
                self.assertEqual(element["found"], element["expected"])
                self.assertEqual(element["lane"], row)
                cycle, issue, completion, text = self.where(name)
                self.assertEqual(cycle, element["cycle"], text)
                engine = re.search(r"computed by +(\w+) instruction", text)[1]
                scope = f"core.neuron_core.{engine}"
                writes = [
                    time * run["clock"] // PS_PER_SECOND
                    for time, pulse in recording.changes[f"{scope}.sbuf_write"]
                    if pulse and recording.at(f"{scope}.write_row", time) == int(place[1], 16) // WORD
                ]
                # A pulse stays up over writes that follow each other; the row changes with each.
                writes += [
                    time * run["clock"] // PS_PER_SECOND
                    for time, at in recording.changes[f"{scope}.write_row"]
                    if at == int(place[1], 16) // WORD and recording.at(f"{scope}.sbuf_write", time)
                ]
                after = [cycle - write for write in writes if issue <= write <= completion]
                self.assertTrue(any(0 <= late <= LATER for late in after), f"{name}: {after}")

    def test_elements_are_written_in_their_order(self):
        first, issue, completion, _ = self.where("y[2,0]")
        last, *same, _ = self.where(f"y[2,{COLUMNS - 1}]")
        self.assertEqual(same, [issue, completion])
        self.assertGreater(last - first, 2 * (COLUMNS - 1), "two edges of Vector in five cycles")
        self.assertLessEqual(last, completion)

    def test_costs_tell_it_without_the_rtl(self):
        for column in (0, COLUMNS // 2, COLUMNS - 1):
            cycle, issue, completion, _ = self.where(f"y[2,{column}]")
            about, *same, text = self.where(f"y[2,{column}]", "--fidelity", "fast")
            self.assertEqual(same, [issue, completion])
            self.assertIn("about", text)
            self.assertLess(abs(about - cycle), 64, text)

    def test_the_view_opens_there(self):
        recording, run = self.recorded("y[5,100]")
        clock, cycle = run["clock"], run["element"]["cycle"]
        at = cycle * PS_PER_SECOND // clock
        self.assertEqual(recording.at("element.found", at - 1), "-")
        self.assertEqual(recording.at("element.found", at + 1), run["element"]["found"])
        self.assertEqual(recording.at("element.expected", at + 1), run["element"]["expected"])
        for view in ("core", "vector"):
            self.run_it("wave", "w.fst", "--view", view)
            text = (self.path / f"w.{view}.gtkw").read_text()
            self.assertRegex(text, rf"(?m)^\*-?[\d.]+ {at} ")
            self.assertIn("+{expected} element.expected\n", text)


if __name__ == "__main__":
    if TRNSIM is None:
        sys.exit(__doc__)
    if shutil.which("fst2vcd") is None:
        end_without("fst2vcd, which the package gtkwave has")
    unittest.main()
