"""./trnsim on a tree of a few files, with programs in place of cmake, ninja, ctest and dpkg-query that note that they were called."""
import os
import pty
import re
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOBODY = 65534

FAKES = {
    "cmake": 'while (($#)); do case $1 in -B) build=$2; shift ;; esac; shift; done; mkdir -p "$build"; touch "$build/build.ninja"\n',
    # Its steps and how long each takes are in the environment; the program it builds says where it is and what it was given.
    "ninja": 'cd "$2"\n'
             'mkdir running || { echo broken >>"$LOG.broken"; exit 1; }\n'
             'for ((i = 1; i <= ${STEPS:-1}; ++i)); do echo "[$i/${STEPS:-1}] step"; sleep "${PAUSE:-0}"; done\n'
             'rmdir running\n'
             '[[ -z ${NINJA_FAILS:-} ]] || { echo "what the compiler said"; exit 1; }\n'
             'mkdir -p bin lib/cores\n'
             'printf "#!/bin/sh\\necho program \\"\\$@\\"\\n[ ! -e /proc/self/fd/9 ] || echo holds the lock\\n" >bin/trnsim\n'
             'chmod +x bin/trnsim; touch lib/cores/core_trn1.so\n',
    "ctest": "",
    "dpkg-query": 'shift 2; for p; do echo "$p install ok installed"; done\n',
}


class Launcher(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="trnsim-launcher.")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.folder.chmod(0o755)
        self.tree = self.make_tree("tree")
        (self.folder / "bin").mkdir()
        (self.folder / "calls").mkdir()
        (self.folder / "calls").chmod(0o777)
        self.log = self.folder / "calls/log"
        for name, text in FAKES.items():
            fake = self.folder / "bin" / name
            fake.write_text(f'#!/bin/bash\nset -e\necho {name} "$@" >>"$LOG"\n' + text)
            fake.chmod(0o755)
        self.environment = {"PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "LOG": str(self.log), "TMPDIR": "/tmp",
                            "HOME": str(self.folder / "home")}

    def make_tree(self, name):
        tree = self.folder / name
        (tree / "testbench").mkdir(parents=True)
        (tree / "configs").mkdir()
        (tree / "testbench/a.cpp").write_text("a")
        (tree / "configs/trn1.yaml").write_text("b")
        (tree / "CMakeLists.txt").write_text("c")
        shutil.copy(ROOT / "trnsim", tree)
        return tree

    def start(self, *arguments, script=None, user=None, **environment):
        command = [str(script or self.tree / "trnsim"), *arguments]
        if user is not None:
            command = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *command]
        return subprocess.Popen(command, env=self.environment | environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, cwd="/")

    def run_it(self, *arguments, status=0, **more):
        process = self.start(*arguments, **more)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, status, err)
        return out, err

    def builds(self):
        """How often ninja was called."""
        return self.log.read_text().count("ninja ") if self.log.exists() else 0

    def wait_for_build(self, process):
        while self.builds() == 0 and process.poll() is None:
            time.sleep(0.01)
        self.assertIsNone(process.poll(), "it has ended")

    def test_builds_and_then_hands_over_to_the_program(self):
        out, err = self.run_it("run", "a b", "--wave", "w.fst")
        self.assertEqual(out, "program run a b --wave w.fst\n")
        self.assertNotIn("\033", err, "no colours in a pipe")

    def test_calls_nothing_when_nothing_changed(self):
        self.run_it("run")
        self.assertEqual(self.builds(), 1)
        (self.tree / "m.neff").write_text("what a user leaves there")
        before = self.log.read_text()
        _, err = self.run_it("run")
        self.assertEqual(self.log.read_text(), before)
        self.assertEqual(err, "")

    def test_notices_every_change(self):
        source = self.tree / "testbench/a.cpp"
        core = self.tree / "build/release/lib/cores/core_trn1.so"
        old = source.stat()

        def restore_times():
            source.write_text("z")  # as long as before
            os.utime(source, ns=(old.st_atime_ns, old.st_mtime_ns))

        changes = {
            "edited": lambda: source.write_text("aa"),
            "older": lambda: os.utime(source, (1, 1)),
            "added": lambda: (self.tree / "testbench/new.cpp").write_text(""),
            "deleted": lambda: (self.tree / "testbench/new.cpp").unlink(),
            "renamed": lambda: source.rename(source.with_name("b.cpp")),
            "renamed back": lambda: source.with_name("b.cpp").rename(source),
            "other text, time restored": restore_times,
            "core removed": core.unlink,
            "program removed": lambda: (self.tree / "build/release/bin/trnsim").unlink(),
            "build folder removed": lambda: shutil.rmtree(self.tree / "build"),
        }
        self.run_it("run")
        for name, change in changes.items():
            with self.subTest(name):
                before = self.builds()
                change()
                self.run_it("run")
                self.assertEqual(self.builds(), before + 1)
                self.run_it("run")
                self.assertEqual(self.builds(), before + 1, "and then it is up to date")

    def test_a_change_during_the_build_is_built_the_next_time(self):
        process = self.start("run", STEPS="4", PAUSE="0.5")
        self.wait_for_build(process)
        (self.tree / "testbench/a.cpp").write_text("edited meanwhile")
        process.communicate(timeout=60)
        self.run_it("run")
        self.assertEqual(self.builds(), 2)

    def test_tests_run_without_what_cannot_be_installed(self):
        query = self.folder / "bin/dpkg-query"
        query.write_text('#!/bin/bash\nshift 2; for p; do [ $p = chromium ] || echo "$p install ok installed"; done\n')
        apt = self.folder / "bin/apt-get"
        apt.write_text('#!/bin/bash\necho apt-get "$@" >>"$LOG"; exit 100\n')
        apt.chmod(0o755)
        _, err = self.run_it("test")
        self.assertRegex(self.log.read_text(), "(?m)^apt-get .*install -y --no-install-recommends chromium$")
        self.assertIn("ctest ", self.log.read_text())
        self.assertIn("chromium cannot be installed: the tests that need it are skipped", err)

    def test_a_failed_build_is_shown_and_tried_again(self):
        _, err = self.run_it("run", status=2, NINJA_FAILS="1")
        self.assertIn("what the compiler said\n", err)
        self.assertTrue(err.endswith("[trnsim] the build failed\n"), err)
        self.assertEqual(self.run_it("run")[0], "program run\n")
        self.run_it("run")
        self.assertEqual(self.builds(), 2)

    def test_one_build_at_a_time(self):
        first = self.start("run", STEPS="10", PAUSE="0.1")
        self.wait_for_build(first)
        others = [self.start("run"), self.start("build", "trnsim")]
        self.assertEqual(first.communicate(timeout=60)[0], "program run\n")
        for process in others:
            out, err = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 0, err)
            self.assertEqual(err, f"[trnsim] another build is at work in {self.tree}/build/release, waiting for it\n")
            self.assertNotIn("holds the lock", out)
        self.assertFalse(Path(f"{self.log}.broken").exists(), "two at a time")
        self.assertEqual(self.builds(), 2, "what waited to run found it built")

    def test_a_killed_script_leaves_the_lock_to_its_build(self):
        first = self.start("run", STEPS="10", PAUSE="0.1")
        self.wait_for_build(first)
        first.kill()
        self.run_it("run")
        first.communicate()
        self.assertFalse(Path(f"{self.log}.broken").exists(), "two at a time")

    def test_through_links_from_anywhere(self):
        link = self.folder / "link"
        link.symlink_to("tree/trnsim")
        far = self.folder / "bin/far"
        far.symlink_to("../link")
        self.assertEqual(self.run_it("run", script=link)[0], "program run\n")
        self.assertEqual(self.run_it("run", script="far")[0], "program run\n")
        self.assertEqual(self.builds(), 1)
        self.assertIn(f"-B {self.tree}/build/release", self.log.read_text())

    def read_only(self):
        """The user for whom the tree is read-only."""
        if os.geteuid() == 0:
            return NOBODY
        for path in [self.tree, *self.tree.rglob("*")]:
            path.chmod(path.stat().st_mode & ~0o222)
        self.addCleanup(lambda: [p.chmod(p.stat().st_mode | 0o200) for p in [self.tree, *self.tree.rglob("*")]])
        return None

    def test_a_read_only_tree_is_built_in_the_cache(self):
        cache = self.folder / "cache"
        cache.mkdir()
        cache.chmod(0o777)
        user = self.read_only()
        out, err = self.run_it("run", user=user, XDG_CACHE_HOME=str(cache))
        self.assertEqual(out, "program run\n")
        builds = list(cache.glob("trnsim/trees/*/build/release"))
        self.assertEqual(len(builds), 1)
        self.assertIn(f"{self.tree} cannot be written to: building in {builds[0]}\n", err)
        self.assertEqual((builds[0].parents[1] / "configs/trn1.yaml").read_text(), "b", "found above the program")
        self.assertEqual(self.run_it("run", user=user, XDG_CACHE_HOME=str(cache))[1], "")
        self.assertEqual(self.builds(), 1)
        self.assertFalse((self.tree / "build").exists())

    def test_nowhere_to_build_is_one_line(self):
        user = self.read_only()
        cache = "/proc/nowhere"
        _, err = self.run_it("run", status=2, user=user, XDG_CACHE_HOME=cache)
        self.assertRegex(err, rf"^\[trnsim\] neither {self.tree} nor {cache}/trnsim/trees/\w+ can be written to, expected .*\n$")

    def test_paths_that_cannot_be_built_are_refused_at_once(self):
        for name in ("with space", "hash#", "dollar$x", "colon:x"):
            with self.subTest(name):
                tree = self.make_tree(name)
                for command in ("run", "test", "build", "lint", "help"):
                    _, err = self.run_it(command, script=tree / "trnsim", status=2)
                    self.assertRegex(err, r"^\[trnsim\] '.*' cannot be built: its path has a space or [^\n]*\n$")
        self.assertFalse(self.log.exists(), "nothing was started")

    def test_the_first_build_says_how_far_it_is(self):
        _, err = self.run_it("run", STEPS="200")
        said = re.findall(r"building: (\d+) of 200 steps\n", err)
        self.assertEqual(said, [str(20 * i) for i in range(1, 11)], err)
        (self.tree / "testbench/a.cpp").write_text("edited")
        _, err = self.run_it("run", STEPS="200")
        self.assertEqual(err, "", "later ones are quiet")

    def test_on_a_terminal_ninja_speaks_itself(self):
        master, slave = pty.openpty()
        process = subprocess.Popen([str(self.tree / "trnsim"), "run"], env=self.environment | {"STEPS": "3"},
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=slave)
        os.close(slave)
        text = b""
        while True:
            try:
                text += os.read(master, 4096)
            except OSError:
                break
        self.assertEqual(process.wait(timeout=60), 0)
        self.assertIn(b"[3/3] step", text)
        self.assertNotIn(b"building:", text)


if __name__ == "__main__":
    unittest.main()
