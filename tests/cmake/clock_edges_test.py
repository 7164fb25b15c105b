"""Tests cmake/clock_edges.py: equal results, and refusals.

usage: clock_edges_test.py VERILATOR RTL PLAIN EDGES
"""

import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
TOOL = HERE.parents[1] / "cmake/clock_edges.py"
FLAGS = ["--cc", "-Wno-fatal", "--x-assign", "fast", "--x-initial", "fast"]
LAST = "endmodule\n"

# Text before the end of the module, and the name in the refusal.
REFUSED = {
    "data": ("  assign extra_o = near_clk ^ data_i[0];\n", "near_clk serves as data"),
    "no gate": (
        (
            "  logic odd_clk;\n  assign odd_clk = clk_i ^ en_i[0];\n  always_ff @(posedge odd_clk) extra_o <= "
            "~extra_o;\n"
        ),
        "odd_clk",
    ),
    "falling edge": ("  always_ff @(negedge clk_i) extra_o <= en_i[1];\n", "falling edge"),
}


class ClockEdges(unittest.TestCase):
    verilator = rtl = plain = edges = ""  # set below

    def test_same_results(self):
        seed = random.randrange(1 << 32)
        print("seed", seed)
        digests = {
            subprocess.run([program, str(seed), "20000"], check=True, capture_output=True, text=True).stdout
            for program in (self.plain, self.edges)
        }
        self.assertEqual(len(digests), 1, f"seed {seed}: {digests}")

    def refusal(self, addition):
        """Runs the tool on the module with an output extra_o and an addition, and returns its message."""
        with tempfile.TemporaryDirectory() as folder:
            text = (
                (HERE / "clock_edges_tb.sv")
                .read_text()
                .replace("mixed_o\n)", "mixed_o,\n    output logic extra_o\n)")
            )
            source = pathlib.Path(folder) / "clock_edges_tb.sv"
            source.write_text(text[: text.rindex(LAST)] + addition + LAST)
            subprocess.run(
                [
                    self.verilator,
                    *FLAGS,
                    "--prefix",
                    "Vt",
                    "--Mdir",
                    folder,
                    "--top-module",
                    "clock_edges_tb",
                    f"{self.rtl}/common/clock_gate.sv",
                    source,
                ],
                check=True,
                capture_output=True,
            )
            return subprocess.run(
                [sys.executable, TOOL, folder, "Vt", "clk_i"], capture_output=True, text=True, check=False
            )

    def test_refusals(self):
        self.assertEqual(self.refusal("  assign extra_o = 1'b0;\n").stderr, "")
        for name, (addition, said) in REFUSED.items():
            with self.subTest(name):
                result = self.refusal(addition)
                self.assertNotEqual(result.returncode, 0)
                self.assertIn(said, result.stderr)
                self.assertEqual(result.stderr.count("\n"), 1)


if __name__ == "__main__":
    ClockEdges.verilator, ClockEdges.rtl, ClockEdges.plain, ClockEdges.edges = sys.argv[1:5]
    unittest.main(argv=sys.argv[:1])
