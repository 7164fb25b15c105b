"""Tests cmake/gpsimd_vlen.py: it finds the value of arch/config for every file.

usage: gpsimd_vlen_test.py TREE
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

TREE = pathlib.Path(sys.argv.pop(1))
CONFIGS = TREE / "configs"


class GpsimdVlen(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def found(self, path):
        """Returns the value and the files that it depends on."""
        out = subprocess.run(
            [sys.executable, TREE / "cmake/gpsimd_vlen.py", path, CONFIGS],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        value, *files = out.split("\n")[:-1]
        return value, files

    def test_shipped(self):
        for path in CONFIGS.glob("*.yaml"):
            self.assertEqual(self.found(path)[0], "512", path)
        self.assertEqual(
            self.found(CONFIGS / "small16.yaml")[1],
            [str(CONFIGS / "small16.yaml"), str(CONFIGS / "trn1.yaml")],
        )

    def test_what_is_written_nearer_to_the_top_wins(self):
        bottom = self.write("bottom.yaml", "extends: small16\ncore: { gpsimd: { vlen: 256 } }\n")
        middle = self.write(
            "middle.yaml", "extends: bottom.yaml\nname: middle\ncore:\n  gpsimd: { issue_latency: 100 }\n"
        )
        top = self.write("top.yaml", "extends: middle.yaml\ncore:\n  gpsimd:\n    vlen: 128  # bits\n")
        self.assertEqual(self.found(bottom)[0], "256")
        self.assertEqual(self.found(middle)[0], "256")
        self.assertEqual(
            self.found(top),
            ("128", [str(p) for p in (top, middle, bottom, CONFIGS / "small16.yaml", CONFIGS / "trn1.yaml")]),
        )

    def test_bad_files_have_none(self):
        for text in (
            "",
            "[1, 2]\n",
            "core: 3\n",
            "extends: bad.yaml\n",
            "extends: nowhere\n",
            "core: { gpsimd: { vlen: [128] } }\n",
        ):
            self.assertEqual(self.found(self.write("bad.yaml", text))[0], "", text)


if __name__ == "__main__":
    unittest.main()
