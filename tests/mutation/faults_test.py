"""What faults.py seeds and what it leaves alone; blocks.json and equivalent.txt name what there is."""
import json
import random
import unittest
from pathlib import Path

from faults import faults
from mutate import HERE, ROOT, change_of, plan, read_equivalent

SAMPLE = """\
// a comment: 1 + 2
module sample #(parameter int unsigned N = 8) (
  input  logic [7:0] a_i,
  output logic [7:0] y_o
);
  logic [7:0] sum;
  assign sum = a_i + {4{2'd1}};
  always_ff @(posedge clk_i) begin
    for (int unsigned k = 0; k < N; k++) y_q[k] <= sum[k];
    if (sum[7:4] == 4'd3) y_q <= sum <= 8'd9 ? ~a_i : '0;
    Known: assert (y_q != 8'd7);
  end
endmodule
"""


class Faults(unittest.TestCase):
    def changes(self, seed=1):
        return [(f.kind, *change_of(SAMPLE, f)) for f in faults(SAMPLE, random.Random(seed))]

    def test_sites(self):
        lines = {}
        for kind, before, _ in self.changes():
            lines.setdefault(before, []).append(kind)
        self.assertEqual(lines, {
            "assign sum = a_i + {4{2'd1}};": ["stuck", "operator", "constant"],
            "if (sum[7:4] == 4'd3) y_q <= sum <= 8'd9 ? ~a_i : '0;":
                ["condition", "operator", "constant", "operator", "constant", "condition", "operator", "constant"],
        })

    def test_every_fault_changes_one_line(self):
        for seed in range(20):
            for _, before, after in self.changes(seed):
                self.assertNotEqual(before, after)

    def test_seed_decides(self):
        self.assertEqual(self.changes(3), self.changes(3))
        self.assertNotEqual(self.changes(3), self.changes(4))

    def test_stuck_bits_keep_the_width(self):
        for seed in range(20):
            stuck = [after for kind, _, after in self.changes(seed) if kind == "stuck"]
            self.assertRegex(stuck[0], r"^assign sum = \(a_i \+ \{4\{2'd1\}\}\) [&|] 8'h[0-9a-f]{1,2};$")


class Lists(unittest.TestCase):
    def test_at_least_300_sites_of_every_block_in_turn(self):
        blocks = json.loads((HERE / "blocks.json").read_text())
        chosen, sites = plan(blocks, 1, 300)
        self.assertEqual(len(chosen), 300)
        self.assertGreater(sites, 1000)
        self.assertEqual({c[0] for c in chosen[:40]}, set(blocks))

    def test_equivalent_faults_are_of_lines_that_are_there(self):
        for name, before, after in read_equivalent():
            lines = {" ".join(line.split()) for line in Path(ROOT / name).read_text().split("\n")}
            self.assertIn(before, lines, name)
            self.assertNotEqual(before, after)


if __name__ == "__main__":
    unittest.main()
