#!/usr/bin/env python3
"""The Debian package and the wheel of a build, in a root of Debian that has no compiler.

usage: packages_test.py TREE BUILD [PACKAGES]

PACKAGES is a folder with packages; without it cmake/package.sh makes them of BUILD. The test is part of the
full set; it needs root, the index of Python packages, and the Debian package mmdebstrap. The root has the
release of this machine, whose libraries the packages were linked with.
"""

import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "common"))

from lacking import end_without

SKIPPED = 77  # where the test is not asked for, or has not the rights
TREE, BUILD = (Path(sys.argv.pop(1)).absolute() for _ in range(2))
GIVEN = len(sys.argv) > 1 and not sys.argv[1].startswith("-")
PACKAGES = Path(sys.argv.pop(1)).absolute() if GIVEN else BUILD / "packages"
MOST_SECONDS = 15  # of the first command after the installation

NKI = """
import numpy as np
import trnsim.nki
trnsim.nki.install()
from neuronxcc import nki
from neuronxcc.nki import language as nl

@nki.jit
def double(a):
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(a) + nl.load(a))
    return out

a = np.arange(128 * 64, dtype=np.float32).reshape(128, 64)
assert (double(a) == 2 * a).all()
print("cycles", double.result.statistics["cycles"])
"""

SWEEP = """
name: built
base: {base}
seed: 1
axes:
  - dma.engines: [1, 4]
kernels:
  - matmul: {{ M: 40, K: 24, N: 50 }}
"""


def run(*command, **options):
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, check=False, **options
    )
    if done.returncode != 0:
        raise AssertionError(f"{shlex.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


class Root:
    """A root of Debian without a compiler, with the packages in /packages and Python's wheels in /wheels."""

    def __init__(self, folder):
        self.folder = folder
        release = platform.freedesktop_os_release()["VERSION_CODENAME"]
        run(
            "mmdebstrap",
            "--quiet",
            "--variant=apt",
            "--include=python3-venv,ca-certificates",
            release,
            folder,
        )
        shutil.copytree(PACKAGES, folder / "packages")
        shutil.copy("/etc/resolv.conf", folder / "etc")
        pip = [BUILD / "package-python/bin/python", "-m", "pip", "download", "--quiet"]
        run(*pip, "--only-binary", ":all:", "--dest", folder / "wheels", "numpy", "ml_dtypes")
        run("mount", "-t", "proc", "proc", folder / "proc")

    def close(self):
        run("umount", self.folder / "proc")

    def start(self, text):
        """Runs shell commands in the root; returns the finished process."""
        environment = {
            "PATH": "/venv/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": "/root",
            "LC_ALL": "C.UTF-8",
        }
        return subprocess.run(
            ["chroot", self.folder, "sh", "-euc", f"mkdir -p /tmp/here; cd /tmp/here\n{text}"],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def run(self, text):
        done = self.start(text)
        if done.returncode != 0:
            raise AssertionError(f"{text}\n{done.stdout}{done.stderr}")
        return done.stdout

    def leftovers(self):
        """Returns the files that are called trnsim, but for those that the test itself has put there."""
        found = self.run(
            "find / -xdev -path /packages -prune -o -path /proc -prune -o -path /tmp -prune"
            " -o -path /var/cache -prune -o -iname '*trnsim*' -print"
        )
        return [line for line in found.splitlines() if "/var/lib/dpkg/info" not in line]


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="trnsim-root.")
        cls.root = Root(Path(cls.temporary.name) / "root")

    @classmethod
    def tearDownClass(cls):
        cls.root.close()
        cls.temporary.cleanup()

    def check_program(self):
        self.root.run("rm -rf /tmp/here")
        begin = time.monotonic()
        text = self.root.run("trnsim demo")
        seconds = time.monotonic() - begin
        print(f"trnsim demo: {seconds:.1f} s")
        self.assertLess(seconds, MOST_SECONDS)
        self.assertIn("1797 of 1797 equal to the host's, outputs equal bit for bit", text)
        version = (TREE / "CMakeLists.txt").read_text().split("project(trnsim VERSION ")[1].split()[0]
        self.assertEqual(self.root.run("trnsim --version").split()[:2], ["trnsim", version])
        self.root.run(
            f"cat > built.yaml <<'TXT'\n{SWEEP.format(base='small16')}\nTXT\ntrnsim sweep built.yaml -o built"
        )
        # Another core has to be compiled, which needs the tree.
        done = self.root.start(
            f"cat > other.yaml <<'TXT'\n{SWEEP.format(base='small32')}\nTXT\ntrnsim sweep other.yaml -o other"
        )
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        # Projects of one's own need CMake's package.
        done = self.root.start("trnsim new project")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no lib/cmake/trnsim", done.stderr)

    def test_there_is_no_compiler(self):
        for name in ("cc", "c++", "gcc", "g++", "clang", "make", "cmake", "verilator"):
            self.assertNotEqual(self.root.start(f"command -v {name}").returncode, 0, name)

    def test_wheel(self):
        self.root.run(
            "python3 -m venv /venv; pip install --quiet --no-index --find-links /wheels /packages/*.whl"
        )
        try:
            self.check_program()
            self.root.run(f"cat > double.py <<'TXT'\n{NKI}\nTXT\npython double.py")
            for path in (
                "man/man1/trnsim.1",
                "bash-completion/completions/trnsim",
                "zsh/site-functions/_trnsim",
                "fish/vendor_completions.d/trnsim.fish",
            ):
                self.assertTrue((self.root.folder / "venv/share" / path).is_file(), path)
            metadata = self.root.run("pip show --verbose trnsim")
            self.assertIn("Apache", metadata)
        finally:
            self.root.run("pip uninstall --quiet --yes trnsim")
        self.assertEqual(self.root.leftovers(), [])
        shutil.rmtree(self.root.folder / "venv")

    def test_debian_package(self):
        self.root.run(
            "apt-get -qq update\n"
            "apt-get -qq install --no-install-recommends /packages/trnsim_*.deb >/dev/null"
        )
        try:
            self.check_program()
            for path in (
                "man/man1/trnsim.1",
                "bash-completion/completions/trnsim",
                "fish/vendor_completions.d/trnsim.fish",
                "doc/trnsim/copyright",
            ):
                self.assertTrue((self.root.folder / "usr/share" / path).is_file(), path)
        finally:
            self.root.run("dpkg --purge trnsim")
        self.assertEqual(self.root.leftovers(), [])


if __name__ == "__main__":
    if int(os.environ.get("TRNSIM_TEST_SCALE") or 1) <= 1:
        print("skipped: minutes long, in the full set")
        sys.exit(SKIPPED)
    if os.geteuid() != 0:
        print("skipped: only root can make a root of Debian")
        sys.exit(SKIPPED)
    for program in ("mmdebstrap", "chroot"):
        if shutil.which(program) is None:
            end_without(program)
    if not GIVEN:
        run("cmake", "--build", BUILD, "--target", "packages")
    unittest.main()
