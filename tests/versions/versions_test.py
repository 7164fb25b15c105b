"""Files that earlier versions have written: what docs/versions.md says of them is so.

usage: versions_test.py TRNSIM

Each folder here has the name of a version and its files: a container, a checkpoint of its run, the
configuration of both, and the result. A format that changes gets the text of its refusal into the table
below, and a folder of the version that changes it.
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TRNSIM = sys.argv.pop() if len(sys.argv) > 1 else None
HERE = Path(__file__).resolve().parent

# By version, how container and checkpoint are refused; None: they run, and give the same bits.
REFUSED = {"0.1.0": (None, None)}


class Versions(unittest.TestCase):
    def check(self, folder, refused, *arguments):
        config = ["--config", str(folder / "small16.yaml")]
        with tempfile.TemporaryDirectory() as out:
            result = Path(out) / "c.npy"
            done = subprocess.run(
                [TRNSIM, "run", folder / "matmul.neff", *config, *arguments, "--output", f"c={result}"],
                capture_output=True,
                text=True,
                check=False,
            )
            if refused is not None:
                self.assertEqual((done.returncode, done.stderr), (2, f"trnsim: {refused}\n"))
                return
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(result.read_bytes(), (folder / "c.npy").read_bytes())

    def test_every_version_has_files_and_an_entry(self):
        folders = {path.name for path in HERE.iterdir() if path.is_dir() and path.name[0].isdigit()}
        self.assertEqual(folders, set(REFUSED))

    def test_files_are_read_or_refused(self):
        for version, (container, checkpoint) in REFUSED.items():
            for fidelity in ("rtl", "fast"):
                with self.subTest(version=version, fidelity=fidelity):
                    folder = HERE / version
                    with_inputs = ["--random-inputs", "1", "--fidelity", fidelity]
                    self.check(folder, container, *with_inputs)
                    resumed = ["--resume", str(folder / "matmul.ck"), "--fidelity", fidelity]
                    self.check(folder, container or checkpoint, *resumed)

    def test_a_later_version_is_refused(self):
        folder = HERE / max(REFUSED)
        with tempfile.TemporaryDirectory() as out:
            bytes_ = bytearray((folder / "matmul.ck").read_bytes())
            bytes_[8] += 1  # the version, after the magic word
            later = Path(out) / "later.ck"
            later.write_bytes(bytes_)
            found, expected = bytes_[8], bytes_[8] - 1
            text = f"{later}: a checkpoint of version {found}, expected {expected}"
            self.check(folder, text, "--resume", str(later))


if __name__ == "__main__":
    if TRNSIM is None:
        sys.exit(__doc__)
    unittest.main()
