"""Tests cmake/check_rtl.py: a clean design passes, each thing that it refuses is found at its line.

usage: check_rtl_test.py ROOT BUILD
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "common"))

from lacking import end_without

ROOT, BUILD = Path(sys.argv.pop(1)), Path(sys.argv.pop(1))

GOOD = """module clock_gate (input logic clk_i, input logic en_i, output logic clk_o);
  logic en_q;
  always_latch if (!clk_i) en_q = en_i;
  assign clk_o = clk_i & en_q;
endmodule

module top (input logic clk_i, input logic rst_ni, input logic d_i, output logic q_o);
  logic clk, q_q;
  clock_gate u_gate (.clk_i, .en_i(d_i), .clk_o(clk));
  assign q_o = q_q;
  always_ff @(posedge clk or negedge rst_ni) begin
    if (!rst_ni) q_q <= 1'b0;
    else         q_q <= d_i;
  end
  // HERE
  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) if (rst_ni) Known: assert (!$isunknown(q_o));
  logic gated;
  assign gated = top.u_gate.en_q;
  `endif
endmodule
"""

# Text that replaces HERE, and the message about it.
BAD = {
    "use before declaration": ("assign early = q_q; logic early;", "used before its declaration"),
    "constant by reference": (
        """localparam logic [3:0] Table [2] = '{4'd1, 4'd2};
  function automatic logic [3:0] first(const ref logic [3:0] t [2]); return t[0]; endfunction
  logic [3:0] x; always_comb x = first(Table);""",
        "pass by reference",
    ),
    "two drivers": ("assign q_q = d_i;", "q_q"),
    "implicit net": ("clock_gate u_other (.clk_i, .en_i(d_i), .clk_o(nowhere));", "implicit net"),
    "assertion": ("always_comb Q: assert (q_o == q_q);", "an assertion outside of `ifndef SYNTHESIS"),
    "property": (
        "Q: assert property (@(posedge clk_i) q_o |-> q_q);",
        "an assertion outside of `ifndef SYNTHESIS",
    ),
    "no reset branch": (
        "logic r; always_ff @(posedge clk_i or negedge rst_ni) if (rst_ni) r <= d_i;",
        "two edges",
    ),
    "reset after something": (
        (
            "logic r, s; always_ff @(posedge clk_i or negedge rst_ni) begin r <= d_i; if (!rst_ni) s <= 1'b0; "
            "else s <= d_i; end"
        ),
        "two edges",
    ),
    "reset of the other edge": (
        "logic r; always_ff @(posedge clk_i or posedge rst_ni) if (!rst_ni) r <= 1'b0; else r <= d_i;",
        "two edges",
    ),
    "hierarchical name": ("logic h; assign h = top.u_gate.en_q;", "a hierarchical name"),
    "latch": ("logic l; always_latch if (clk_i) l = d_i;", "a latch outside of clock_gate"),
    "inferred latch": ("logic l; always_comb if (clk_i) l = d_i;", "latch"),
    "initial": ("logic i; initial i = 1'b0;", "a process that synthesis leaves out"),
    "wait": (
        "logic w; always @(posedge clk_i) begin w <= d_i; #1 w <= 1'b0; end",
        "waits after its beginning",
    ),
}


class CheckRtl(unittest.TestCase):
    def check(self, text):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "top.sv"
            source.write_text(text)
            return subprocess.run(
                [PYTHON, ROOT / "cmake/check_rtl.py", "top", source],
                capture_output=True,
                text=True,
                check=False,
            )

    def test_clean_design_passes(self):
        done = self.check(GOOD)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_each_fault_is_found_at_its_line(self):
        line = GOOD[: GOOD.index("// HERE")].count("\n") + 1
        for name, (fault, text) in BAD.items():
            with self.subTest(name):
                done = self.check(GOOD.replace("// HERE", fault))
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                said = [found for found in (done.stdout + done.stderr).split("\n") if text in found]
                self.assertTrue(said, done.stdout + done.stderr)
                last = line + fault.count("\n")
                self.assertTrue(
                    any(f"top.sv:{at}:" in found for found in said for at in range(line, last + 1)), said
                )

    def test_what_synthesis_does_not_see_is_checked_as_well(self):
        done = self.check(GOOD.replace("logic gated;", "").replace("assign gated", "assign q_q"))
        self.assertEqual(done.returncode, 1)


if __name__ == "__main__":
    made = subprocess.run(
        [ROOT / "cmake/lint_python.sh", BUILD], stdout=subprocess.PIPE, text=True, check=False
    )
    if made.returncode != 0:
        end_without("environment with the packages of cmake/lint-requirements.txt")
    PYTHON = made.stdout.strip()
    unittest.main()
