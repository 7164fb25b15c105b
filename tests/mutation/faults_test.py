"""Tests which faults faults.py seeds, and which sources schemata.py makes of them."""

import json
import random
import re
import unittest
from pathlib import Path

from bench import ToolError
from faults import faults
from mutate import HERE, ROOT, change_of, plan, read_equivalent
from schemata import ACTIVE, with_choices

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
  if (N % 4 != 0) begin : g_check
    $error("N; a multiple of 4");
  end
  `ifndef SYNTHESIS
  logic [7:0] old_q;
  always_ff @(posedge clk_i) old_q <= sum + 8'd1;
  always_ff @(posedge clk_i) Moves: assert (old_q != sum);
  `endif
endmodule
"""


class Faults(unittest.TestCase):
    def changes(self, seed=1):
        return [(f.kind, *change_of(SAMPLE, f)) for f in faults(SAMPLE, random.Random(seed))]

    def test_sites(self):
        lines = {}
        for kind, before, _ in self.changes():
            lines.setdefault(before, []).append(kind)
        self.assertEqual(
            lines,
            {
                "assign sum = a_i + {4{2'd1}};": ["stuck", "operator", "constant"],
                "if (sum[7:4] == 4'd3) y_q <= sum <= 8'd9 ? ~a_i : '0;": [
                    "condition",
                    "operator",
                    "constant",
                    "operator",
                    "constant",
                    "condition",
                    "operator",
                    "constant",
                ],
            },
        )

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


def chosen(text, number):
    """Returns the source for a simulator while the fault of that number is active: each choice becomes one
    branch.
    """
    while (at := text.find(f"(({ACTIVE}")) >= 0:
        which = int(re.match(r" == 32'd(\d+)\) \? ", text[at + 2 + len(ACTIVE) :]).group(1))
        first = text.index(" ? (", at) + 3
        second = end_of(text, first) + 3
        last = end_of(text, second)
        begin, end = (first, second - 3) if which == number else (second, last)
        text = text[:at] + text[begin:end] + text[last + 1 :]
    return text


def end_of(text, at):
    """Returns the place after the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] in "([{") - (text[i] in ")]}")
        if depth == 0:
            return i + 1
    raise ValueError("an open bracket")


def bare(text):
    """Removes comments, layout and round brackets, because a choice adds some of these."""
    return re.sub(r"[\s()]", "", re.sub(r"//[^\n]*", "", text))


class Choices(unittest.TestCase):
    def test_smallest_expression_and_inner_ones_in_the_last_branch(self):
        source = "assign y = a[0] + (b & c) ? d : e;"
        found = [f for f in faults(source, random.Random(1)) if f.kind == "operator"]
        self.assertEqual(
            with_choices(source, enumerate(found, 1)).replace(ACTIVE, "n"),
            "assign y = ((n == 32'd1) ? (a[0] - (b & c)) : (a[0] + (((n == 32'd2) ? (b | c) : (b & c))))) ? "
            "d : e;",
        )

    def test_every_number_gives_its_fault_alone(self):
        blocks = json.loads((HERE / "blocks.json").read_text())
        sources = [SAMPLE] + [(ROOT / name).read_text() for files in blocks.values() for name in files]
        for source in sources:
            some = random.Random(5).sample(found := faults(source, random.Random(4)), min(40, len(found)))
            text = with_choices(source, enumerate(some, 1))
            self.assertEqual(text.count("\n"), source.count("\n"))
            self.assertEqual(bare(chosen(text, 0)), bare(source))
            for number, fault in enumerate(some, 1):
                self.assertEqual(bare(chosen(text, number)), bare(fault.apply(source)))


class Messages(unittest.TestCase):
    def test_lines_of_refusals(self):
        error = ToolError(
            "%Error: src/rtl/a.sv:7:1: no\n%Error-UNSUPPORTED: src/rtl/b_pkg.sv:12:3: no\n  ... "
            "src/rtl/c.sv:1:1\n"
            "%Error: Internal Error: src/rtl/d_pkg.sv:22:59: ../V3Simulate.h:312: No value found for node.\n"
            "%Error: Exiting due to 3 error(s)"
        )
        self.assertEqual(error.lines(), {("rtl/a.sv", 7), ("rtl/b_pkg.sv", 12), ("rtl/d_pkg.sv", 22)})


class Lists(unittest.TestCase):
    def test_at_least_300_sites_of_every_block_in_turn(self):
        blocks = json.loads((HERE / "blocks.json").read_text())
        items, sites = plan(blocks, 1, 300)
        self.assertEqual(len(items), 300)
        self.assertGreater(sites, 1000)
        self.assertEqual({item[0] for item in items[: sum(map(len, blocks.values()))]}, set(blocks))

    def test_equivalent_faults_are_of_lines_that_are_there(self):
        for name, before, after in read_equivalent():
            lines = {" ".join(line.split()) for line in Path(ROOT / name).read_text().split("\n")}
            self.assertIn(before, lines, name)
            self.assertNotEqual(before, after)


if __name__ == "__main__":
    unittest.main()
