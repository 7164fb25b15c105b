"""Tests cmake/check_includes.py on small trees.

Includes that the order allows pass, all others are found with file and line.
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "cmake/check_includes.py"


class CheckIncludes(unittest.TestCase):
    def run_tool(self, files, *options):
        """Returns the tool's output for a tree with these files: path to the included headers."""
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name, includes in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(
                    "#pragma once\n" + "".join(f'#include "{header}"\n' for header in includes)
                )
            subprocess.run("git init -q && git add .", shell=True, cwd=root, check=True)
            done = subprocess.run(
                [sys.executable, TOOL, root, *options], capture_output=True, text=True, check=False
            )
            self.assertEqual(done.stderr, "")
            return done

    def check(self, files):
        done = self.run_tool(files)
        self.assertEqual(done.returncode, 1 if done.stdout else 0)
        return done.stdout.splitlines()

    def test_downwards(self):
        self.assertEqual(
            self.check(
                {
                    "isa/a.hpp": [],
                    "base/text/a.hpp": [],
                    "arch/config/a.hpp": ["isa/a.hpp", "base/text/a.hpp", "arch/config/b.hpp"],
                    "arch/config/b.hpp": [],
                    "model/core/rtl/a.cpp": [
                        "model/core/b.hpp",
                        "arch/config/a.hpp",
                        "c.hpp",
                        "Vmodel.h",
                        "system/other.hpp",
                    ],
                    "model/core/rtl/c.hpp": [],
                    "model/core/b.hpp": ["isa/generated.hpp"],
                    "compiler/neff/a.hpp": ["arch/config/b.hpp"],
                    "tools/cli/a.hpp": ["compiler/neff/a.hpp", "model/core/b.hpp"],
                    "tests/a.cpp": ["tools/cli/a.hpp", "tests/b.hpp"],
                    "tests/b.hpp": [],
                }
            ),
            [],
        )

    def test_every_layer_may_not_use_what_is_above_it(self):
        order = ["isa", "base", "arch", "model", "runtime", "testbench", "tools"]
        for low, high in ((low, high) for i, low in enumerate(order) for high in order[i + 1 :]):
            with self.subTest(low=low, high=high):
                self.assertEqual(
                    self.check({f"{low}/x/a.hpp": [f"{high}/x/a.hpp"], f"{high}/x/a.hpp": []}),
                    [f"{low}/x/a.hpp:2: includes {high}/x/a.hpp: {low} may not use {high}"],
                )
                self.assertEqual(
                    self.check({f"{high}/x/a.hpp": [f"{low}/x/a.hpp"], f"{low}/x/a.hpp": []}), []
                )

    def test_neighbours_of_a_layer(self):
        for a, b in (("compiler", "model"), ("model", "compiler"), ("tools", "python")):
            with self.subTest(a=a, b=b):
                self.assertEqual(
                    self.check({f"{a}/x/a.hpp": [f"{b}/x/b.hpp"], f"{b}/x/b.hpp": []}),
                    [f"{a}/x/a.hpp:2: includes {b}/x/b.hpp: {a} may not use {b}"],
                )

    def test_leaf_that_stands_on_a_few_folders(self):
        leaf, allowed = (
            "testbench/functional",
            ["isa/x", "firmware/include/x", "base/x", "arch/x", "compiler/neff", "model/rv32"],
        )
        for folder in [*allowed, leaf]:
            with self.subTest(folder=folder):
                self.assertEqual(
                    self.check(
                        {f"{leaf}/a.cpp": [f"{folder}/b.hpp", "vector", "Vmodel.h"], f"{folder}/b.hpp": []}
                    ),
                    [],
                )
        for folder in [
            "compiler/builder",
            "compiler/neff_more",
            "model/values",
            "runtime/session",
            "testbench/trial",
        ]:
            with self.subTest(folder=folder):
                self.assertEqual(
                    self.check({f"{leaf}/a.cpp": [f"{folder}/b.hpp"], f"{folder}/b.hpp": []}),
                    [
                        (
                            f"{leaf}/a.cpp:2: includes {folder}/b.hpp: {leaf} stands on isa, firmware, base, "
                            "arch, compiler/neff, model/rv32 alone"
                        )
                    ],
                )
                self.assertEqual(
                    self.check({"testbench/other/a.cpp": [f"{folder}/b.hpp"], f"{folder}/b.hpp": []}), []
                )

    def test_leaves_that_do_not_see_each_other(self):
        for a, b in (("model/core/fast", "model/core/rtl"), ("model/core/rtl", "model/core/fast")):
            with self.subTest(a=a, b=b):
                self.assertEqual(
                    self.check(
                        {
                            f"{a}/a.cpp": [f"{b}/b.hpp", "model/core/c.hpp"],
                            f"{b}/b.hpp": [],
                            "model/core/c.hpp": [],
                        }
                    ),
                    [f"{a}/a.cpp:2: includes {b}/b.hpp: {a} may not use {b}"],
                )

    def test_the_loader_does_without_the_model(self):
        self.assertEqual(
            self.check(
                {
                    "runtime/loader/a.hpp": ["model/x/b.hpp", "compiler/x/c.hpp"],
                    "model/x/b.hpp": [],
                    "compiler/x/c.hpp": [],
                    "runtime/x/d.hpp": ["model/x/b.hpp", "runtime/loader/a.hpp"],
                }
            ),
            ["runtime/loader/a.hpp:2: includes model/x/b.hpp: runtime/loader may not use model/x"],
        )

    def test_circle_of_leaves(self):
        found = self.check(
            {
                "model/a/a.hpp": ["model/b/b.hpp"],
                "model/b/b.hpp": ["model/c/c.hpp"],
                "model/c/c.hpp": ["model/a/other.hpp"],
                "model/a/other.hpp": [],
            }
        )
        self.assertEqual(
            found,
            [
                (
                    "model/a: a circle of folders, expected none: model/a/a.hpp:2 includes model/b, "
                    "model/b/b.hpp:2 includes model/c, model/c/c.hpp:2 includes model/a"
                )
            ],
        )

    def test_circle_of_a_folder_and_one_inside_it(self):
        found = self.check(
            {
                "model/core/a.hpp": ["model/core/rtl/a.hpp"],
                "model/core/rtl/a.hpp": ["model/core/b.hpp"],
                "model/core/b.hpp": [],
            }
        )
        self.assertEqual(len(found), 1)

    def test_generated_header(self):
        self.assertEqual(len(self.check({"isa/a.hpp": ["runtime/session/generated.hpp"]})), 1)

    def test_tests(self):
        self.assertEqual(
            self.check({"isa/a.hpp": ["common/a.hpp", "tests/common/a.hpp"], "tests/common/a.hpp": []}),
            [f"isa/a.hpp:{line}: includes tests/common/a.hpp: isa may not use tests" for line in (2, 3)],
        )

    def test_unknown_folder(self):
        found = self.check({"late/a.hpp": []})
        self.assertEqual(len(found), 1)
        self.assertTrue(
            found[0].startswith("late/a.hpp: lies in no folder of the order, expected one of isa, "), found
        )

    def test_arrows(self):
        done = self.run_tool(
            {
                "isa/a.hpp": [],
                "arch/x/a.hpp": ["isa/a.hpp"],
                "model/x/a.hpp": ["isa/a.hpp", "arch/x/a.hpp"],
                "model/x/b.hpp": ["arch/x/a.hpp"],
            },
            "--print",
        )
        self.assertEqual(done.returncode, 0)
        self.assertEqual(
            [line.split() for line in done.stdout.splitlines()[1:]],
            [
                ["arch", "->", "isa", "1"],
                ["model", "->", "isa", "1"],
                ["model", "->", "arch", "2"],
                ["arrows", "up:", "0"],
            ],
        )
        self.assertIn(
            "arrows up: 1", self.run_tool({"base/a.hpp": ["arch/b.hpp"], "arch/b.hpp": []}, "--print").stdout
        )


if __name__ == "__main__":
    unittest.main()
