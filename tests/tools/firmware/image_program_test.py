"""Tests trnsim-image. usage: image_program_test.py TRNSIM_IMAGE RELU.elf"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM, ELF = sys.argv[1:3]


class Image(unittest.TestCase):
    def test_makes_an_image_and_keeps_what_it_reads(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            shutil.copy(ELF, path / "x.elf")

            def run(*words):
                return subprocess.run(
                    [PROGRAM, *words], cwd=path, capture_output=True, text=True, check=False
                )

            self.assertEqual(run("x.elf", "-o", "x.gpsimd").returncode, 0)
            self.assertIn("operation 0: relu", run("x.gpsimd").stdout)
            (path / "link").symlink_to("x.elf")
            for output in ("x.elf", "./x.elf", "link"):
                done = run("x.elf", "-o", output)
                self.assertEqual(
                    (done.returncode, done.stderr), (1, f"-o {output}: the same file as FILE.elf\n")
                )
            self.assertEqual((path / "x.elf").read_bytes(), pathlib.Path(ELF).read_bytes())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
