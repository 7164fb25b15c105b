"""cmake/check_includes.py on small trees: what the table allows passes, everything else is found with file and line."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "cmake/check_includes.py"
TABLE = """# Page

## Folders

| folder | what | may include |
|---|---|---|
| `isa` | root of `everything` | - |
| `lib/base`, `lib/config` | two rows in one | `isa` |
| `tlm/core` | | `lib/config` |
| `tlm/core/rtl` | | `tlm/core` |
| `lib/runtime` | | `tlm/core/rtl` |

## Other

| `lib/late` | not of this table | - |
"""


class CheckIncludes(unittest.TestCase):
    def check(self, files, table=TABLE):
        """What the tool says of a tree with these files: path to the included headers."""
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "docs").mkdir()
            (root / "docs/architecture.md").write_text(table)
            for name, includes in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text("#pragma once\n" + "".join(f'#include "{header}"\n' for header in includes))
            subprocess.run("git init -q && git add .", shell=True, cwd=root, check=True)
            done = subprocess.run([sys.executable, TOOL, root], capture_output=True, text=True)
            self.assertEqual(done.stderr, "")
            self.assertEqual(done.returncode, 1 if done.stdout else 0)
            return done.stdout.splitlines()

    def test_downwards(self):
        self.assertEqual(self.check({
            "isa/a.hpp": [],
            "lib/config/a.hpp": ["isa/a.hpp", "lib/config/b.hpp"],
            "lib/config/b.hpp": [],
            "tlm/core/rtl/a.cpp": ["tlm/core/b.hpp", "lib/config/a.hpp", "c.hpp", "Vmodel.h", "system/other.hpp"],
            "tlm/core/rtl/c.hpp": [],
            "tlm/core/b.hpp": ["isa/generated.hpp"],
            "tests/a.cpp": ["lib/runtime/a.hpp", "tests/b.hpp"],
            "tests/b.hpp": [],
        }), [])

    def test_upwards(self):
        self.assertEqual(self.check({"isa/a.hpp": ["lib/base/a.hpp"], "lib/base/a.hpp": []}),
                         ["isa/a.hpp:2: includes lib/base/a.hpp, which lies above: isa may not use lib/base"])

    def test_neighbours_in_a_row(self):
        self.assertEqual(len(self.check({"lib/base/a.hpp": ["lib/config/a.hpp"], "lib/config/a.hpp": []})), 1)

    def test_folder_inside_a_folder(self):
        self.assertEqual(self.check({"tlm/core/a.hpp": ["isa/a.hpp", "tlm/core/rtl/a.hpp"], "tlm/core/rtl/a.hpp": []}),
                         ["tlm/core/a.hpp:3: includes tlm/core/rtl/a.hpp, which lies above: tlm/core may not use tlm/core/rtl"])

    def test_generated_header(self):
        self.assertEqual(len(self.check({"isa/a.hpp": ["lib/runtime/generated.hpp"]})), 1)

    def test_tests(self):
        self.assertEqual(self.check({"isa/a.hpp": ["common/a.hpp", "tests/common/a.hpp"], "tests/common/a.hpp": []}),
                         [f"isa/a.hpp:{line}: includes {name}, which lies above: isa may not use tests"
                          for line, name in ((2, "common/a.hpp"), (3, "tests/common/a.hpp"))])

    def test_unknown_folder(self):
        self.assertEqual(self.check({"lib/late/a.hpp": []}), ["lib/late/a.hpp: lies in no folder of the table in docs/architecture.md"])

    def test_row_that_names_a_later_one(self):
        table = TABLE.replace("| root of `everything` | - |", "| root | `lib/base` |")
        self.assertEqual(self.check({}, table),
                         ["docs/architecture.md: the row of isa names lib/base, expected a folder of a row before it"])

    def test_no_table(self):
        self.assertEqual(self.check({}, "# Page\n"), ["docs/architecture.md: no table of folders"])


if __name__ == "__main__":
    unittest.main()
