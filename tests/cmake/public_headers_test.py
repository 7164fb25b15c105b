"""Tests cmake/public_headers.py on small trees: which headers it copies, their includes, which it writes
again.
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "cmake/public_headers.py"
TREE = {
    "arch/a/a.hpp": '#pragma once\n#include <vector>\n#include "base/b.hpp"\n  # include "isa/tables.hpp"\n#include "beside.hpp"\n',
    "arch/a/beside.hpp": '// include "no.hpp"\n',
    "arch/a/a.cpp": '#include "arch/a/none.hpp"\n',
    "arch/a/inner/c.hpp": "",
    "base/b.hpp": '#include "firmware/include/trnsim/map.h"\n',
    "base/unused.hpp": "",
    "firmware/include/trnsim/map.h": '#include "trnsim/type.hpp"\n',
    "firmware/include/trnsim/type.hpp": "",
    "build/isa/tables.hpp": "",
}
COPIED = {
    "arch/a/a.hpp": '#pragma once\n#include <vector>\n#include "trnsim/base/b.hpp"\n  # include "trnsim/isa/tables.hpp"\n'
    '#include "trnsim/arch/a/beside.hpp"\n',
    "arch/a/beside.hpp": '// include "no.hpp"\n',
    "base/b.hpp": '#include "trnsim/firmware/include/trnsim/map.h"\n',
    "firmware/include/trnsim/map.h": '#include "trnsim/firmware/include/trnsim/type.hpp"\n',
    "firmware/include/trnsim/type.hpp": "",
    "isa/tables.hpp": "",
}


class PublicHeaders(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name) / "a tree"
        for name, text in TREE.items():
            self.write(name, text)

    def write(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    @staticmethod
    def in_make(path):
        return str(path).replace(" ", "\\ ")

    def run_tool(self, *paths):
        return subprocess.run(
            [
                sys.executable,
                TOOL,
                self.root,
                self.root / "out",
                "--generated",
                self.root / "build",
                "--also",
                self.root / "firmware/include",
                "--stamp",
                self.root / "stamp",
                *paths,
            ],
            capture_output=True,
            text=True,
            check=False,
        )

    def copied(self, *paths):
        """Returns the headers after a run, by path in the tree."""
        done = self.run_tool(*paths)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return {
            path.relative_to(self.root / "out/trnsim").as_posix(): path
            for path in (self.root / "out").rglob("*")
            if path.is_file()
        }

    def texts(self, *paths):
        return {name: path.read_text() for name, path in self.copied(*paths).items()}

    def test_a_folder_and_what_it_includes(self):
        self.assertEqual(self.texts("arch/a"), COPIED)

    def test_named_headers(self):
        self.assertEqual(
            sorted(self.texts("base/unused.hpp", "arch/a/inner")), ["arch/a/inner/c.hpp", "base/unused.hpp"]
        )

    def test_only_what_changed_is_written(self):
        before = {name: path.stat().st_mtime_ns for name, path in self.copied("arch/a").items()}
        self.write("arch/a/beside.hpp", "// other")
        self.write("arch/a/new.hpp", "")
        after = {name: path.stat().st_mtime_ns for name, path in self.copied("arch/a").items()}
        self.assertEqual(
            {name for name in after if after[name] != before.get(name)},
            {"arch/a/beside.hpp", "arch/a/new.hpp"},
        )

    def test_what_is_gone_is_removed(self):
        self.copied("arch/a")
        self.write("arch/a/a.hpp", "")
        self.assertEqual(sorted(self.texts("arch/a")), ["arch/a/a.hpp", "arch/a/beside.hpp"])
        self.assertEqual(sorted(path.name for path in (self.root / "out/trnsim").iterdir()), ["arch"])

    def test_an_include_that_leads_nowhere(self):
        self.write("base/b.hpp", '\n#include "base/none.hpp"\n')
        done = self.run_tool("arch/a")
        self.assertEqual(
            (done.returncode, done.stderr),
            (1, "base/b.hpp:2: includes base/none.hpp, expected a header of the tree\n"),
        )
        self.assertFalse((self.root / "stamp").exists())

    def test_what_was_read_is_named_for_make(self):
        self.copied("arch/a")
        target, inputs = (self.root / "stamp.d").read_text().rstrip("\n").split(": ")
        read = ["arch/a", *(name for name in TREE if name.replace("build/", "") in COPIED)]
        self.assertEqual(target, self.in_make(self.root / "stamp"))
        self.assertEqual(
            sorted(inputs.split(" \\\n  ")),
            sorted(self.in_make((self.root / name).resolve()) for name in read),
        )


if __name__ == "__main__":
    unittest.main()
