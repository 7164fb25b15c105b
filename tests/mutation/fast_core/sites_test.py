"""Tests the places that sites.py finds, and that a program with all the faults does what the source says, or
differs in one thing.
"""

import os
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "common"))

from lacking import end_without

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]

try:
    from sites import Finder
except ImportError as missing:
    end_without(f"package python3-clang-19: {missing}")

SOURCE = """\
#include <cstdio>
#include <vector>
enum Figure { Depth };
constexpr unsigned Table[] = {3 + 1};
constexpr unsigned figure(Figure f) { return Table[f]; }
struct Queue {
    unsigned held = 0;
    bool full() const { return held == figure(Depth); }
    void push() { ++held; }
};
static_assert(figure(Depth) == 4);
unsigned run(unsigned n) {
    Queue queue;
    unsigned refused = 0;
    for (unsigned i = 0; i < n; ++i) {
        if (!queue.full() && (i != 2 || n < 3)) queue.push();
        else refused += 10;
    }
    return queue.held | refused << 8;
}
int main() {
    for (unsigned n = 0; n < 9; ++n) std::printf("%u ", run(n));
}
"""


class Sites(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        (self.root / "code").mkdir()
        self.path = self.root / "code/queue.cpp"
        self.path.write_text(SOURCE)
        self.finder = Finder(self.root, ("code/",), random.Random(1))
        self.finder.read(self.path, ["-std=c++20"])
        self.sites = list(self.finder.sites.values())

    def test_kinds_by_line(self):
        lines = {}
        for site in self.sites:
            lines.setdefault(SOURCE.split("\n")[site.line - 1].strip(), []).append(
                f"{site.kind} {site.what.split(' to ')[0]}"
            )
        self.assertEqual(
            {line: sorted(found) for line, found in lines.items()},
            {
                "unsigned held = 0;": ["constant one more"],
                "bool full() const { return held == figure(Depth); }": ["constant one more", "operator =="],
                "void push() { ++held; }": ["statement left out"],
                "unsigned refused = 0;": ["constant one more"],
                "for (unsigned i = 0; i < n; ++i) {": ["constant one more", "operator <"],
                "if (!queue.full() && (i != 2 || n < 3)) queue.push();": [
                    "clause && 0",
                    "clause && 1",
                    "clause || 0",
                    "clause || 1",
                    "condition inverted",
                    "constant one more",
                    "constant one more",
                    "negation !",
                    "operator !=",
                    "operator <",
                    "statement left out",
                ],
                "else refused += 10;": ["constant one more", "statement left out"],
                "return queue.held | refused << 8;": ["constant one more", "operator <<", "operator |"],
                'for (unsigned n = 0; n < 9; ++n) std::printf("%u ", run(n));': [
                    "constant one more",
                    "constant one more",
                    "operator <",
                    "statement left out",
                ],
            },
        )

    def test_left_out(self):
        finder = Finder(self.root, ("code/",), random.Random(1), ("run(unsigned",))
        finder.read(self.path, ["-std=c++20"])
        lines = {site.line for site in self.sites} - {site.line for site in finder.sites.values()}
        self.assertEqual(lines, {14, 15, 16, 17, 19})

    def test_faults_do_what_they_say(self):
        numbered = list(enumerate(self.sites, 1))
        self.path.write_bytes(next(iter(self.finder.sources.values())).with_faults(numbered))
        program = self.root / "program"
        subprocess.run(["g++", "-std=c++20", "-w", f"-I{ROOT}", "-o", program, self.path], check=True)

        def output(number):
            return subprocess.run(
                [program],
                env=dict(os.environ, TRNSIM_FAULT=str(number)),
                capture_output=True,
                text=True,
                check=True,
            ).stdout

        plain = "0 1 2 2562 2563 2564 5124 7684 10244 "
        self.assertEqual(output(0), plain)
        same = [
            f"{site.line} {site.kind} {site.what}" for number, site in numbered if output(number) == plain
        ]
        # No n below 3 reaches i == 2; the bits are not the same ones.
        self.assertEqual(same, ["16 clause || 1", "19 operator | to ^"])


if __name__ == "__main__":
    unittest.main()
