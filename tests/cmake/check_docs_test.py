"""cmake/check_docs.py on small trees: pages whose paths, links and anchors lead somewhere pass, every other one is found with its line."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]
TOOL = TREE / "cmake/check_docs.py"
FILES = [
    "rtl/core/memory.sv",
    "rtl/core/memory_pkg.sv",
    "arch/config/schema.cpp",
    "arch/config/schema.hpp",
    "configs/trn1.yaml",
    "CMakeLists.txt",
]


class CheckDocs(unittest.TestCase):
    def check(self, text, page="docs/a.md", **others):
        """The lines that the tool prints for a tree with this page and other pages of docs."""
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name, content in {
                **dict.fromkeys(FILES, ""),
                page: text,
                **{f"docs/{name}.md": other for name, other in others.items()},
            }.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(content)
            subprocess.run("git init -q && git add .", shell=True, cwd=root, check=True)
            done = subprocess.run([sys.executable, TOOL, root], capture_output=True, text=True, check=False)
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.returncode, 1 if done.stdout else 0)
        return done.stdout.splitlines()

    def test_paths(self):
        codes = [
            "rtl/core/memory.sv",
            "rtl/core",
            "rtl/core/",
            "./rtl/core",
            "rtl/*/memory.sv",
            "rtl/core/memory{,_pkg}.sv",
            "rtl/core/NAME_pkg.sv",
            "configs/<config>.yaml",
            "arch/config/schema",
            "arch/config/schema.cpp:12",
            "core/memory.sv",
            "schema.hpp",
            "NAME.sv",
            "trnsim/arch/config/schema.hpp",
            "tool --config configs/trn1.yaml,rtl/core",
            "isa_pkg.sv",
            "out/mine.py",
            "/usr/lib/a.py",
            "mine.yaml",
            "read/write",
            "a.b.c",
            "DIR/results.jsonl",
            "rtl",
        ]
        self.assertEqual(self.check("\n".join(f"A line with `{code}`." for code in codes)), [])
        self.assertEqual(self.check("A page.\n\n" + "\n".join(f"    {code}" for code in codes)), [])

    def test_paths_that_are_not_there(self):
        codes = [
            "rtl/core/memori.sv",
            "rtl/cores",
            "./rtl/cores/",
            "rtl/*/memory.cpp",
            "rtl/core/memory{,_pkg,_tb}.sv",
            "rtl/core/NAME_package.sv",
            "configs/<config>.yml",
            "arch/config/schem",
            "configs/CMakeLists.txt",
        ]
        fault = "{0}:{1}: found {2}, expected a path of the tree"
        self.assertEqual(
            self.check("\n".join(f"A line with `{code}`." for code in codes)),
            [fault.format("docs/a.md", number, code) for number, code in enumerate(codes, 1)],
        )
        self.assertEqual(
            self.check("\n".join(f"`rtl/core` and `tool -x {code}:12`" for code in codes), "README.md"),
            [fault.format("README.md", number, code) for number, code in enumerate(codes, 1)],
        )
        self.assertEqual(
            self.check("A page.\n\n" + "\n".join(f"    tool {code}" for code in codes), "CONTRIBUTING.md"),
            [fault.format("CONTRIBUTING.md", number, code) for number, code in enumerate(codes, 3)],
        )
        self.assertEqual(
            self.check("```\n" + "\n".join(f"tool {code}" for code in codes) + "\n```\n"),
            [fault.format("docs/a.md", number, code) for number, code in enumerate(codes, 2)],
        )

    def test_ends_of_paths_that_are_not_there(self):
        codes = ["memori.sv", "cores/memory.sv", "config/schema.py"]
        self.assertEqual(
            self.check("\n".join(f"A line with `{code}`." for code in codes)),
            [
                f"docs/a.md:{number}: found {code}, expected the end of a path of the tree"
                for number, code in enumerate(codes, 1)
            ],
        )
        self.assertEqual(self.check("A page.\n\n" + "\n".join(f"    {code}" for code in codes)), [])

    def test_links(self):
        self.assertEqual(
            self.check(
                "# A\n[b](b.md) ![c](../rtl/core) [d](https://example.org/x#y) [`e`](#a) `[f](nothing.md)` [two\nlines](b.md)\n\n"
                "    [g](nothing.md)\n",
                b="",
            ),
            [],
        )
        self.assertEqual(self.check("[a](docs/a.md) [b](rtl/)", "README.md", a=""), [])
        self.assertEqual(
            self.check("[a\nb](c.md) [d](../rtl/c)\n"),
            [
                "docs/a.md:2: found a link to c.md, expected a path of the tree",
                "docs/a.md:2: found a link to ../rtl/c, expected a path of the tree",
            ],
        )

    def test_anchors(self):
        headings = "# On `a_b`, c-d: *E* and [f](b.md)!\n## Same\n## Same ##\n### 7. In C++\n## _x_ y  z\n\n    # code\n\n```\n# fence\n```\n"
        anchors = ["on-a_b-c-d-e-and-f", "same", "same-1", "7-in-c", "x-y--z"]
        self.assertEqual(self.check("\n".join(f"[a](b.md#{anchor})" for anchor in anchors), b=headings), [])
        self.assertEqual(
            self.check(headings + "\n" + "\n".join(f"[a](#{anchor})" for anchor in anchors), b=""), []
        )
        anchors = ["on-a_b", "Same", "same-2", "code", "fence"]
        self.assertEqual(
            self.check("\n".join(f"[a](b.md#{anchor})" for anchor in anchors), b=headings),
            [
                f"docs/a.md:{number}: found a link to b.md#{anchor}, expected a heading of docs/b.md"
                for number, anchor in enumerate(anchors, 1)
            ],
        )

    def test_pages(self):
        """Other pages of the tree say what they like."""
        self.assertEqual(self.check("`rtl/no` [a](no.md)", "rtl/README.md"), [])
        self.assertEqual(self.check("`rtl/no` [a](no.md)", "docs/more/a.md"), [])

    def test_tree(self):
        done = subprocess.run([sys.executable, TOOL, TREE], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))


if __name__ == "__main__":
    unittest.main()
