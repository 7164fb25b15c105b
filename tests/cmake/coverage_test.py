"""Tests cmake/coverage.py: counts of models are added, waivers leave points out, limits decide the exit
status.
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "cmake/coverage.py"
SOURCE = """module m (input logic a_i);
  if (a_i) go();
  else stop();
endmodule
"""


def point(page, file, line, what, hierarchy, count):
    parts = {"f": file, "l": line, "n": 3, "page": f"{page}/m", "o": what, "h": hierarchy}
    return "C '" + "".join(f"\x01{key}\x02{value}" for key, value in parts.items()) + f"' {count}\n"


class Coverage(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name in ("rtl/block", "tests/rtl/block", "counts"):
            (self.root / name).mkdir(parents=True)
        self.file = self.root / "rtl/block/m.sv"
        self.file.write_text(SOURCE)
        self.counts(
            "core",
            [
                ("v_line", 1, "block", 4),
                ("v_branch", 2, "if", 4),
                ("v_branch", 2, "else", 0),
                ("v_toggle", 1, "a_i", 0),
            ],
            "core.neuron_core.m*",
        )
        self.waivers("")

    def counts(self, name, points, hierarchy):
        (self.root / f"counts/{name}.dat").write_text(
            "# SystemC::Coverage-3\n"
            + "".join(
                point(page, self.file, line, what, hierarchy, count) for page, line, what, count in points
            )
        )

    def waivers(self, text):
        (self.root / "waivers.txt").write_text(text)

    def report(self, status, *options):
        done = subprocess.run(
            [
                sys.executable,
                TOOL,
                self.root / "counts",
                "--rtl",
                self.root / "rtl",
                "--waivers",
                self.root / "waivers.txt",
                *options,
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def row(self, text, block):
        """The shares of lines, branches and toggles."""
        row = [line for line in text.splitlines() if line.startswith(f"{block} ")][-1]
        return re.findall(r"[0-9.]+ % of [0-9]+|-$", row.removeprefix(block))

    def missing(self):
        return (self.root / "counts/missing.txt").read_text().splitlines()

    def test_counts_the_core(self):
        text = self.report(1)
        self.assertEqual(self.row(text, "block"), ["100.0 % of 1", "50.0 % of 2", "0.0 % of 1"])
        self.assertEqual(
            self.missing(),
            ["rtl/block/m.sv:2:3: branch else: if (a_i) go();", "rtl/block/m.sv:1:3: toggle a_i"],
        )

    def test_adds_what_benches_have_hit(self):
        self.counts("m", [("v_branch", 2, "else", 1), ("v_toggle", 1, "a_i", 2)], "TOP.m")
        text = self.report(0)
        self.assertEqual(self.row(text, "total"), ["100.0 % of 1", "100.0 % of 2", "100.0 % of 1"])
        self.assertEqual(self.missing(), [])

    def test_leaves_out_what_only_benches_have(self):
        self.counts("m", [("v_toggle", 1, "wide_i[31]", 0), ("v_branch", 3, "if", 1)], "TOP.m")
        self.assertEqual(self.row(self.report(1), "total"), ["100.0 % of 1", "50.0 % of 2", "0.0 % of 1"])

    def test_leaves_out_sources_of_benches(self):
        inside, self.file = self.file, self.root / "tests/rtl/block/m_tb.sv"
        self.counts("tb", [("v_branch", 2, "if", 0)], "core.m")
        self.file = inside
        self.assertEqual(self.row(self.report(1), "total"), ["100.0 % of 1", "50.0 % of 2", "0.0 % of 1"])

    def test_same_point_of_several_instances(self):
        self.counts("more", [("v_branch", 2, "else", 3)], "core.neuron_core.other")
        self.assertEqual(
            self.row(self.report(1, "--toggle", "0", "--branch", "100.1"), "total")[1], "100.0 % of 2"
        )

    def test_waivers(self):
        self.waivers(
            "# a comment\n\ntoggle  block/*.sv  a_?  tied\nbranch  block/m.sv  *: if (a_i)*  never\n"
        )
        text = self.report(0)
        self.assertEqual(self.row(text, "total, no waiver"), ["100.0 % of 1", "50.0 % of 2", "0.0 % of 1"])
        self.assertIn("waived: 3 points, 1 of them hit", text)
        self.assertNotIn("needs it", text)

    def test_waivers_name_a_kind_a_file_and_a_signal(self):
        self.waivers("branch  block/m.sv  a_i  r\ntoggle  block/n.sv  a_i  r\ntoggle  block/m.sv  b_i  r\n")
        text = self.report(1)
        self.assertIn("waived: 0 points", text)
        self.assertEqual(text.count("waiver without a point that needs it: "), 3)

    def test_waivers_of_bits(self):
        bits = [f"b_i[{bit}]" for bit in range(14)]
        self.counts("bits", [("v_toggle", 1, bit, 0) for bit in bits], "core.m")
        self.waivers("toggle  block/m.sv  ?_i[2-12]  tied\n")
        self.report(1)
        self.assertEqual(
            {line for line in self.missing() if "b_i" in line},
            {f"rtl/block/m.sv:1:3: toggle {bits[bit]}" for bit in (0, 1, 13)},
        )

    def test_a_waiver_of_hit_points_is_not_needed(self):
        self.counts("m", [("v_toggle", 1, "a_i", 2)], "TOP.m")
        self.waivers("toggle  block/m.sv  a_i  tied\n")
        self.assertIn(
            "waivers.txt:1:1: waiver without a point that needs it: toggle  block/m.sv  a_i", self.report(1)
        )

    def test_limits(self):
        self.counts("other", [("v_line", 3, "block", 0)], "core.m")
        least = {"line": 50, "branch": 50, "toggle": 0}
        for kind in (None, *least):
            options = [
                word for of, percent in least.items() for word in (f"--{of}", str(percent + (of == kind)))
            ]
            text = self.report(int(kind is not None), *options)
            self.assertEqual(
                re.findall("(.*) coverage .* is below", text), [] if kind is None else [kind], options
            )

    def test_bad_input(self):
        self.waivers("toggle block/m.sv a_i tied\n")
        self.assertIn("waivers.txt:1:1: found 'toggle block/m.sv a_i tied', expected", self.report(1))
        self.waivers("")
        (self.root / "counts/core.dat").unlink()
        self.assertIn("has no counts of a core", self.report(1))


unittest.main()
