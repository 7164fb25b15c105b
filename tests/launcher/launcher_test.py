"""./trnsim on a tree of a few files.

Programs in place of cmake, ninja, ctest, dpkg-query, apt-get and sudo note that they were called.
"""

import json
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
    "cmake": "march=native; while (($#)); do case $1 in -B) build=$2; shift ;;"
    " -DTRNSIM_RTL_MARCH=*) march=${1#*=} ;; esac; shift; done\n"
    'mkdir -p "$build"; touch "$build/build.ninja"\n'
    'echo "TRNSIM_RTL_MARCH:STRING=$march" >"$build/CMakeCache.txt"\n',
    # Its steps and how long each takes are in the environment. A program that it builds prints its arguments.
    "ninja": 'cd "$2"\n'
    'mkdir running || { echo broken >>"$LOG.broken"; exit 1; }\n'
    'for ((i = 1; i <= ${STEPS:-1}; ++i)); do echo "[$i/${STEPS:-1}] step"; sleep "${PAUSE:-0}"; done\n'
    "rmdir running\n"
    '[[ -z ${NINJA_FAILS:-} ]] || { echo "what the compiler said"; exit 1; }\n'
    "mkdir -p bin lib/cores\n"
    "program() {\n"
    '  printf "#!/bin/sh\\necho $1 \\"\\$@\\"\\n" >"bin/$2"\n'
    '  printf "[ ! -e /proc/self/fd/9 ] || echo holds the lock\\n" >>"bin/$2"\n'
    '  chmod +x "bin/$2"\n'
    "}\n"
    '[[ " $* " != *" trnsim_demo_program "* ]] || program demo trnsim-demo\n'
    '[[ " $* " == *" trnsim_demo_program "* ]] || program program trnsim\n'
    "touch lib/cores/core_trn1.so\n",
    "ctest": "",
    # MISSING: packages that are not installed until apt-get has been called for them.
    "dpkg-query": 'there=$(paste -sd " " "$LOG.installed" 2>/dev/null) || true; shift 2\n'
    'for p; do [[ " ${MISSING:-} " == *" $p "* && " $there " != *" $p "* ]] ||\n'
    '  echo "$p install ok installed"; done\n',
    "apt-get": "[[ -z ${APT_FAILS:-} ]] || exit 100\nall=$*\n"
    '[[ $all != *" install "* ]] || echo "${all#* --no-install-recommends }" >>"$LOG.installed"\n',
    "sudo": "exit 1\n",  # so that nothing is done as root
}

as_root = unittest.skipUnless(os.geteuid() == 0, "for root alone")


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
        self.environment = {
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
            "LOG": str(self.log),
            "TMPDIR": "/tmp",
            "HOME": str(self.folder / "home"),
        }

    def make_tree(self, name):
        tree = self.folder / name
        (tree / "testbench").mkdir(parents=True)
        (tree / "configs").mkdir()
        (tree / "testbench/a.cpp").write_text("a")
        (tree / "configs/trn1.yaml").write_text("b")
        (tree / "CMakeLists.txt").write_text("project(trnsim VERSION 1.2.3 LANGUAGES C CXX)\n")
        (tree / "tools/cli").mkdir(parents=True)
        (tree / "tools/cli/commands.cpp").write_text(
            '    Command{"demo", "what", declare_demo},\n    Command{"run", "what", declare_run},\n'
            '    Command{"nccom-test",\n            "what", declare_nccom_test},\n'
            '    Command{"completion", "what", declare_completion},\n'
        )
        shutil.copy(ROOT / "trnsim", tree)
        return tree

    def command(self, arguments, script, user):
        command = [str(script or self.tree / "trnsim"), *arguments]
        return (
            command
            if user is None
            else ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *command]
        )

    def start(self, *arguments, script=None, user=None, **environment):
        return subprocess.Popen(
            self.command(arguments, script, user),
            env=self.environment | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd="/",
        )

    def on_a_terminal(self, *arguments, script=None, user=None, **environment):
        """The exit status, and what it has written to the terminal."""
        master, slave = pty.openpty()
        process = subprocess.Popen(
            self.command(arguments, script, user),
            env=self.environment | environment,
            stdin=slave,
            stdout=subprocess.DEVNULL,
            stderr=slave,
        )
        os.close(slave)
        text = b""
        while True:
            try:
                text += os.read(master, 4096)
            except OSError:
                break
        os.close(master)
        return process.wait(timeout=60), text.decode()

    def run_it(self, *arguments, status=0, **more):
        process = self.start(*arguments, **more)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, status, err)
        return out, err

    def builds(self):
        """How often ninja was called."""
        return self.log.read_text().count("ninja ") if self.log.exists() else 0

    def installed(self):
        """The packages of each installation by apt-get."""
        file = Path(f"{self.log}.installed")
        return file.read_text().splitlines() if file.exists() else []

    def forget(self):
        for file in (self.log, Path(f"{self.log}.installed")):
            file.unlink(missing_ok=True)

    def a_user(self):
        """A user who is not root, for setpriv, whom the build folder belongs to; None: the one at work."""
        if os.geteuid() != 0:
            return None
        (self.tree / "build").mkdir(exist_ok=True)
        os.chown(self.tree / "build", NOBODY, NOBODY)
        return NOBODY

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

    def test_builds_for_the_processors_that_are_asked_for(self):
        def configured():
            return re.findall(r"-DTRNSIM_RTL_MARCH=(\S+)", self.log.read_text())

        self.run_it("run", TRNSIM_RTL_MARCH="x86-64-v3")
        self.assertEqual(configured(), ["x86-64-v3"])
        self.run_it("run", TRNSIM_RTL_MARCH="x86-64-v3")
        self.run_it("run")
        self.assertEqual((configured(), self.builds()), (["x86-64-v3"], 1), "the folder stays what it is")
        self.run_it("run", TRNSIM_RTL_MARCH="native")
        self.assertEqual((configured(), self.builds()), (["x86-64-v3", "native"], 2))

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

    @as_root
    def test_tests_run_without_what_cannot_be_installed(self):
        _, err = self.run_it("test", MISSING="chromium", APT_FAILS="1")
        self.assertEqual(self.installed(), [])
        self.assertIn("apt-get ", self.log.read_text())
        self.assertIn("ctest ", self.log.read_text())
        self.assertIn("chromium cannot be installed: the tests that need it are skipped", err)

    def test_tests_run_without_what_must_not_be_installed(self):
        _, err = self.run_it("test", MISSING="chromium", TRNSIM_SETUP="no")
        self.assertNotIn("apt-get ", self.log.read_text())
        self.assertIn("ctest ", self.log.read_text())
        self.assertEqual(
            err.splitlines()[-1],
            "[trnsim] the tests that need chromium are skipped: ./trnsim setup installs them",
        )

    @as_root
    def test_root_has_packages_installed_by_the_first_commands(self):
        for command in ("demo", "test", "build"):
            with self.subTest(command):
                self.run_it(command, MISSING="cmake lld-19")
                self.assertEqual(self.installed(), ["cmake lld-19"])
                self.forget()

    def test_other_commands_install_nothing(self):
        yaml = self.tree / "configs/trn1.yaml"
        commands = [["run"], ["-q", "run"], ["nccom-test"], ["lint"], ["core", str(yaml)]]
        cases = [(command, setup) for command in commands for setup in ({}, {"TRNSIM_SETUP": "yes"})]
        cases += [([command], {"TRNSIM_SETUP": "no"}) for command in ("demo", "test", "build")]
        for command, setup in cases:
            with self.subTest(command=command, **setup):
                _, err = self.run_it(*command, status=2, MISSING="cmake lld-19", **setup)
                self.assertEqual(
                    err,
                    "[trnsim] needs packages, which ./trnsim setup installs, or: "
                    "apt-get install cmake lld-19\n",
                )
                self.assertRegex(self.log.read_text(), r"\A(dpkg-query .*\n)+\Z")
                self.forget()

    def test_a_user_installs_on_a_terminal_or_where_told_to(self):
        user = self.a_user()
        for command, setup in (
            ("demo", {}),
            ("test", {}),
            ("build", {"TRNSIM_SETUP": "yes"}),
            ("demo", {"TRNSIM_SETUP": "yes"}),
        ):
            with self.subTest(command=command, **setup):
                status, text = self.on_a_terminal(command, user=user, MISSING="cmake", **setup)
                self.assertEqual(status, 2)
                self.assertRegex(self.log.read_text(), "(?m)^sudo env .* apt-get .* update$")
                self.assertIn("installing cmake", text)
                self.assertTrue(text.endswith("apt-get failed\r\n"), text)
                self.forget()
        self.run_it("build", user=user, status=2, MISSING="cmake", TRNSIM_SETUP="yes")
        self.assertIn("sudo ", self.log.read_text(), "without a terminal as well")

    def test_a_user_is_not_asked_for_a_password_elsewhere(self):
        user = self.a_user()
        for command in ("demo", "test", "build"):
            with self.subTest(command):
                _, err = self.run_it(command, user=user, status=2, MISSING="cmake")
                self.assertEqual(
                    err, "[trnsim] needs packages, which ./trnsim setup installs, or: apt-get install cmake\n"
                )
                self.assertNotIn("sudo ", self.log.read_text())
        status, text = self.on_a_terminal("build", user=user, MISSING="cmake")
        self.assertEqual(status, 2)
        self.assertNotIn("sudo ", self.log.read_text(), text)

    @as_root
    def test_setup_installs_and_does_nothing_else(self):
        for arguments, missing, installed in (
            ([], "cmake shellcheck chromium clang-14", ["cmake shellcheck", "chromium"]),
            (["build"], "cmake shellcheck chromium clang-14", ["cmake"]),
            (["test"], "cmake chromium iproute2", ["chromium", "iproute2"]),
            (["fuzz", "lint"], "cmake shellcheck clang-14", ["clang-14 shellcheck"]),
            ([], "clang-14", []),
        ):
            with self.subTest(arguments=arguments, missing=missing):
                self.run_it("setup", *arguments, MISSING=missing, TRNSIM_SETUP="no")
                self.assertEqual(self.installed(), installed)
                self.assertEqual(self.builds(), 0)
                self.assertFalse((self.tree / "build").exists())
                self.forget()

    def test_setup_says_what_is_wrong(self):
        _, err = self.run_it("setup", "tests", status=2)
        parts = "build test lint fuzz package docs"
        self.assertEqual(err, f"[trnsim] setup: no part 'tests'; there are: {parts}\n")
        user = self.a_user()
        _, err = self.run_it("setup", user=user, status=2, MISSING="cmake")
        self.assertIn("sudo ", self.log.read_text())
        self.assertTrue(err.endswith("[trnsim] apt-get failed\n"), err)
        _, err = self.run_it("run", status=2, TRNSIM_SETUP="maybe")
        self.assertEqual(err, "[trnsim] TRNSIM_SETUP: found 'maybe', expected yes or no\n")

    def test_setup_lists_packages(self):
        out, _ = self.run_it("setup", "--list", "fuzz", "lint")
        self.assertEqual(
            out.split(), ["clang-14", "clang-format", "libclang-rt-14-dev", "python3-venv", "shellcheck"]
        )
        self.assertFalse(self.log.exists(), "nothing was started")

    def test_help_builds_nothing(self):
        for arguments in (
            [],
            ["help"],
            ["--help"],
            ["-h"],
            ["-q", "-h"],
            ["setup", "-h"],
            ["build", "--help"],
        ):
            with self.subTest(arguments):
                out, err = self.run_it(*arguments, MISSING="cmake")
                self.assertIn("./trnsim test ", out)
                self.assertTrue(out.endswith("Its commands:\n\n  demo run nccom-test completion\n"), out)
                self.assertEqual(err, "")
        self.assertFalse(self.log.exists(), "nothing was started")
        self.assertFalse((self.tree / "build").exists())
        self.run_it("run")
        self.forget()
        (self.tree / "testbench/a.cpp").write_text("edited")
        out, _ = self.run_it("help", MISSING="cmake")
        self.assertIn("./trnsim test ", out)
        self.assertTrue(out.endswith("program --help\n"), out)
        self.assertFalse(self.log.exists(), "nothing was started")

    def test_help_and_version_of_a_tree_that_cannot_be_built(self):
        tree = self.make_tree("with space")
        self.assertIn("./trnsim test ", self.run_it("help", script=tree / "trnsim")[0])
        self.assertEqual(self.run_it("--version", script=tree / "trnsim")[0], "trnsim 1.2.3\n")
        user = self.read_only()
        self.assertIn("./trnsim test ", self.run_it("help", user=user, XDG_CACHE_HOME="/proc/nowhere")[0])

    def test_version(self):
        self.assertEqual(self.run_it("--version", MISSING="cmake"), ("trnsim 1.2.3\n", ""))
        git = ["git", "-C", str(self.folder), "-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run([*git, "init", "--quiet"], check=True)
        subprocess.run([*git, "commit", "--quiet", "--allow-empty", "--message", "a"], check=True)
        self.assertEqual(
            self.run_it("--version")[0],
            "trnsim 1.2.3\n",
            "the commit of a repository around the tree is not its own",
        )
        git[2] = str(self.tree)
        subprocess.run([*git, "init", "--quiet"], check=True)
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "--quiet", "--message", "a"], check=True)
        commit = subprocess.run(
            [*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True
        ).stdout
        found = re.fullmatch(
            r"trnsim 1\.2\.3 \((\w{7,})\)\n", self.run_it("--version", user=self.a_user())[0]
        )
        self.assertTrue(found and commit.startswith(found[1]), found)
        (self.tree / "testbench/a.cpp").write_text("edited")
        self.assertEqual(self.run_it("-v", "--version")[0], f"trnsim 1.2.3 ({found[1]}-dirty)\n")
        self.assertFalse(self.log.exists(), "nothing was started")

    def test_an_unknown_command_is_one_line(self):
        own = "setup demo test lint build core help run nccom-test completion"
        for arguments, what, commands in (
            (["rnu"], "'rnu'", own),
            (["-q", "rnu", "x"], "'rnu'", "demo run nccom-test completion"),
            ([""], "in ''", own),
            (["--quiet"], "in '--quiet'", "demo run nccom-test completion"),
            (["-q", "test"], "'test'", "demo run nccom-test completion"),
            (["ru"], "'ru'", own),
            (["r.n"], "'r.n'", own),
            (["neuron-ls"], "'neuron-ls', docs/arriving.md says what is here in place of it", own),
        ):
            with self.subTest(arguments):
                out, err = self.run_it(*arguments, status=2, MISSING="cmake")
                self.assertEqual((out, err), ("", f"[trnsim] no command {what}; there are: {commands}\n"))
        self.assertFalse(self.log.exists(), "nothing was started")

    def test_every_command_of_the_program_is_known(self):
        text = (ROOT / "tools/cli/commands.cpp").read_text()
        table = text[text.index("Commands{") : text.index("};", text.index("Commands{"))]
        names = re.findall(r'Command\s*\{\s*"([^"]+)"', table)
        self.assertIn("demo", names)
        self.assertEqual(table.count("declare_"), len(names))
        shutil.copy(ROOT / "tools/cli/commands.cpp", self.tree / "tools/cli")
        for name in names:
            with self.subTest(name):
                self.assertEqual(self.run_it("-q", name)[0], f"program -q {name}\n")

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
            self.assertEqual(
                err, f"[trnsim] another build is at work in {self.tree}/build/release, waiting for it\n"
            )
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
        self.addCleanup(
            lambda: [p.chmod(p.stat().st_mode | 0o200) for p in [self.tree, *self.tree.rglob("*")]]
        )
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
        self.assertEqual(
            (builds[0].parents[1] / "configs/trn1.yaml").read_text(), "b", "found above the program"
        )
        self.assertEqual(self.run_it("run", user=user, XDG_CACHE_HOME=str(cache))[1], "")
        self.assertEqual(self.builds(), 1)
        self.assertFalse((self.tree / "build").exists())

    @as_root
    def test_a_finished_read_only_tree_runs_for_other_users(self):
        cache = self.folder / "cache"
        cache.mkdir()
        cache.chmod(0o777)
        for command in ("run", "build"):
            with self.subTest(command):
                self.run_it(command)
                count = self.builds()
                for arguments in (("run",), ("help",)):
                    out, err = self.run_it(*arguments, user=NOBODY, XDG_CACHE_HOME=str(cache))
                    end = "program run\n" if arguments == ("run",) else "program --help\n"
                    self.assertTrue(out.endswith(end), out)
                    self.assertEqual(err, "")
                self.assertEqual(self.builds(), count)
                self.assertEqual(list(cache.iterdir()), [])
                shutil.rmtree(self.tree / "build")
        # One that is out of date is not run, and what builds needs a folder of its own.
        self.run_it("run")
        self.forget()  # the log of another user
        _, err = self.run_it("build", user=NOBODY, XDG_CACHE_HOME=str(cache))
        self.assertIn("cannot be written to: building in ", err)
        shutil.rmtree(cache / "trnsim")
        (self.tree / "testbench/a.cpp").write_text("edited")
        _, err = self.run_it("run", user=NOBODY, XDG_CACHE_HOME=str(cache))
        self.assertIn("cannot be written to: building in ", err)

    def test_a_core_says_how_long_it_takes_and_where_its_log_is(self):
        yaml = str(self.tree / "configs/trn1.yaml")
        log = self.tree / "build/release/core_trn1.log"
        _, err = self.run_it("core", yaml, STEPS="30", PAUSE="0.1")
        self.assertIn(f"building core_trn1, log: {log}\n", err)
        self.assertIn(
            "building: 15 of 30 steps\n", err, "also in a pipe, also when it is not the first build"
        )
        seconds = int(re.search(r"core_trn1 built in (\d+) s\n$", err)[1])
        self.assertGreaterEqual(seconds, 3)
        self.assertIn("[30/30] step\n", log.read_text())
        _, err = self.run_it("core", yaml)
        self.assertIn(f"building core_trn1, the last core took {seconds} s, log: {log}\n", err)
        _, err = self.run_it("core", yaml)
        self.assertIn(f"the last core took {seconds} s", err, "nothing was to be built: no time to remember")
        _, err = self.run_it("core", yaml, status=2, NINJA_FAILS="1")
        self.assertIn("what the compiler said\n", err)

    def test_completion_builds_nothing(self):
        (self.tree / "tools/cli/completion").mkdir()
        (self.tree / "tools/cli/completion/trnsim.bash").write_text("the script\n")

        def answers(*words):
            return self.run_it("completion", "answer", *(f"={word}" for word in words))[0].split()

        self.assertEqual(self.run_it("completion", "bash")[0], "the script\n")
        self.assertEqual(answers("./trnsim", "l"), ["lint"])
        self.assertEqual(answers("./trnsim", "nc"), ["nccom-test"], "before the program is built")
        self.assertEqual(answers("./trnsim", "setup", "l"), ["lint"])
        self.assertEqual(answers("./trnsim", "core", ""), [":files"])
        self.assertEqual(answers("./trnsim", "run", "k"), [])
        self.assertFalse((self.tree / "build").exists())
        self.run_it("run")
        (self.tree / "testbench/a.cpp").write_text("edited")
        self.forget()
        self.assertEqual(
            answers("./trnsim", "d"), ["demo", "program", "completion", "answer", "=./trnsim", "=d"]
        )
        self.assertFalse(self.log.exists(), "nothing was started")
        self.run_it("completion", "csh", status=2)

    def test_nowhere_to_build_is_one_line(self):
        user = self.read_only()
        cache = "/proc/nowhere"
        _, err = self.run_it("run", status=2, user=user, XDG_CACHE_HOME=cache)
        self.assertRegex(
            err,
            rf"^\[trnsim\] neither {self.tree} nor {cache}/trnsim/trees/\w+ can be written to, expected .*$",
        )

    def test_paths_that_cannot_be_built_are_refused_at_once(self):
        for name in ("with space", "hash#", "dollar$x", "colon:x"):
            with self.subTest(name):
                tree = self.make_tree(name)
                for command in ("run", "test", "build", "lint"):
                    _, err = self.run_it(command, script=tree / "trnsim", status=2)
                    self.assertRegex(
                        err, r"^\[trnsim\] '.*' cannot be built: its path has a space or [^\n]*\n$"
                    )
        self.assertFalse(self.log.exists(), "nothing was started")

    def test_the_first_build_says_how_far_it_is(self):
        _, err = self.run_it("run", STEPS="200")
        said = re.findall(r"building: (\d+) of 200 steps\n", err)
        self.assertEqual(said, [str(20 * i) for i in range(1, 11)], err)
        (self.tree / "testbench/a.cpp").write_text("edited")
        _, err = self.run_it("run", STEPS="200")
        self.assertEqual(err, "", "later ones are quiet")

    def test_the_demo_comes_from_a_part_of_the_build(self):
        out, _ = self.run_it("demo", "--hidden", "64")
        self.assertEqual(out, "demo demo --hidden 64\n")
        self.assertRegex(self.log.read_text(), "(?m)^ninja .* trnsim_demo_program core_trn1$")
        self.forget()
        out, _ = self.run_it("run")
        self.assertEqual(out, "program run\n", "the rest is built at its first use")
        self.forget()
        out, _ = self.run_it("demo")
        self.assertEqual(out, "program demo\n", "of a whole build nothing is built again")
        self.assertFalse(self.log.exists(), "nothing has been called")

    def test_the_demo_of_another_configuration_needs_its_core(self):
        for option in ("--config", "--config=small16"):
            with self.subTest(option):
                out, _ = self.run_it("demo", option)
                self.assertEqual(out, f"program demo {option}\n")

    def test_on_a_terminal_ninja_speaks_itself(self):
        status, text = self.on_a_terminal("run", STEPS="3")
        self.assertEqual(status, 0)
        self.assertIn("[3/3] step", text)
        self.assertNotIn("building:", text)


class Nightly(unittest.TestCase):
    """The list of jobs in .ci/nightly."""

    def run_it(self, *arguments):
        return subprocess.run([ROOT / ".ci/nightly", *arguments], capture_output=True, text=True, check=False)

    def test_names_are_those_of_the_list(self):
        names = json.loads(self.run_it("--json").stdout)
        self.assertIn("lint", names)
        self.assertEqual([line.split()[0] for line in self.run_it().stdout.splitlines()], names)
        done = self.run_it("nope")
        self.assertEqual(
            (done.returncode, done.stderr), (2, f"no job 'nope'; there are: {' '.join(names)}\n")
        )

    def test_parts_of_the_set_up_are_known(self):
        rows = re.findall(r'(?m)^    "([\w-]+)\|([a-z ]+)\|.+"$', (ROOT / ".ci/nightly").read_text())
        self.assertEqual([name for name, _ in rows], json.loads(self.run_it("--json").stdout))
        for name, parts in rows:
            with self.subTest(name):
                done = subprocess.run(
                    [ROOT / "trnsim", "setup", "--list", *parts.split()],
                    capture_output=True,
                    text=True,
                    check=False,
                )
                self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
