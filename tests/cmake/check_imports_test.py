"""Tests cmake/check_imports.py on small packages.

An order passes; circles, and imports at other places, are found with file and line.
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]
TOOL = TREE / "cmake/check_imports.py"
TYPES = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    "


class CheckImports(unittest.TestCase):
    def check(self, files):
        """Returns the tool's output for a package trnsim with these modules: path to text."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {"__init__.py": "", **files}.items():
                path = Path(folder, "trnsim", name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            done = subprocess.run(
                [sys.executable, TOOL, "trnsim"], cwd=folder, capture_output=True, text=True, check=False
            )
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.returncode, 1 if done.stdout else 0)
        return done.stdout.splitlines()

    def test_order(self):
        self.assertEqual(
            self.check(
                {
                    "__init__.py": "from . import a\nfrom ._trnsim import Config\nimport numpy as np",
                    "a.py": "import ast, trnsim.c\nfrom . import _trnsim\n"
                    "from .b import *\nfrom .nki.d import name as other",
                    "b.py": "",
                    "c.py": "from .nki import d",
                    "nki/__init__.py": "from . import d, e",
                    "nki/d.py": "",
                    "nki/e.py": "from ..b import thing\nfrom .d import thing as another\nfrom . import d\n"
                    "try:\n    import trnsim.nki.f\nexcept ImportError:\n    pass",
                    "nki/f.py": "",
                }
            ),
            [],
        )

    def test_circles(self):
        """A circle is found for any way to name a module, and any number of modules."""
        for statement in (
            "from . import a",
            "from .a import x",
            "from ..nki import a",
            "from ..nki.a import x",
            "import trnsim.nki.a",
            "from trnsim.nki import y, a",
        ):
            with self.subTest(statement):
                found = self.check(
                    {
                        "nki/__init__.py": "",
                        "nki/a.py": "from . import b",
                        "nki/b.py": "\nfrom .c import d",
                        "nki/c.py": statement,
                    }
                )
                self.assertEqual(
                    found,
                    [
                        (
                            "trnsim.nki.a: a circle of modules, expected none: trnsim/nki/a.py:1 imports "
                            "trnsim.nki.b, "
                            "trnsim/nki/b.py:2 imports trnsim.nki.c, trnsim/nki/c.py:1 imports trnsim.nki.a"
                        )
                    ],
                )

    def test_circle_through_a_package(self):
        found = self.check({"nki/__init__.py": "from .a import x", "nki/a.py": "from . import x"})
        self.assertEqual(
            found,
            [
                (
                    "trnsim.nki: a circle of modules, expected none: trnsim/nki/__init__.py:1 imports "
                    "trnsim.nki.a, "
                    "trnsim/nki/a.py:1 imports trnsim.nki"
                )
            ],
        )

    def test_functions(self):
        """An import within a function is refused, and is part of a circle even where it is allowed."""
        found = self.check(
            {
                "a.py": "def f():\n    if f:\n        from .b import x",
                "b.py": "class B:\n    def g(self):\n        import trnsim.a",
            }
        )
        self.assertEqual(
            found[:2],
            [
                "trnsim/a.py:3: imports trnsim.b within a function, expected an import at the top",
                "trnsim/b.py:3: imports trnsim.a within a function, expected an import at the top",
            ],
        )
        self.assertTrue(found[2].startswith("trnsim.a: a circle of modules"), found[2])
        self.assertEqual(
            self.check(
                {
                    "nki/a.py": "def f():\n    from .lowering import g\n    import trnsim\n    import json",
                    "nki/lowering/__init__.py": "",
                }
            ),
            [],
        )
        found = self.check(
            {
                "nki/a.py": "def f():\n    from .lowering import g",
                "nki/lowering/__init__.py": "from ..a import f",
            }
        )
        self.assertTrue(found[0].startswith("trnsim.nki.a: a circle of modules"), found)

    def test_types(self):
        """An import that never runs makes no circle within a folder, and must not leave the folder."""
        self.assertEqual(
            self.check({"nki/a.py": TYPES + "from .b import B", "nki/b.py": "from .a import A"}), []
        )
        self.assertEqual(
            self.check(
                {
                    "nki/a.py": "import typing\nif typing.TYPE_CHECKING:\n    from ..b import B",
                    "b.py": "from .nki.a import A",
                }
            ),
            ["trnsim/nki/a.py:3: imports trnsim.b for its types, expected a module of trnsim.nki"],
        )
        found = self.check(
            {"a.py": TYPES.rstrip() + " pass\nelse:\n    from . import b", "b.py": "from . import a"}
        )
        self.assertTrue(found[0].startswith("trnsim.a: a circle of modules"), found)

    def test_tree(self):
        """The tree passes, and one more circle is noticed: its lowest module imports one that uses it."""
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["cp", "-r", TREE / "python/trnsim", folder], check=True)
            self.assertEqual(
                subprocess.run(
                    [sys.executable, TOOL, "trnsim"], cwd=folder, capture_output=True, text=True, check=False
                ).stdout,
                "",
            )
            with Path(folder, "trnsim/nki/tensor.py").open("a") as file:
                file.write("\n\ndef seeded():\n    from .language import math\n")
            found = subprocess.run(
                [sys.executable, TOOL, "trnsim"], cwd=folder, capture_output=True, text=True, check=False
            ).stdout.splitlines()
        self.assertEqual(len(found), 2, found)
        self.assertIn("imports trnsim.nki.language.math within a function", found[0])
        self.assertIn("a circle of modules, expected none", found[1])


if __name__ == "__main__":
    unittest.main()
