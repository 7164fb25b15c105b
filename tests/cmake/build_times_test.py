"""cmake/build_times.py on logs of a few steps: sums, the last of several builds, and what it refuses."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "cmake/build_times.py"
HEADER = "# ninja log v5\n"
UNIT = "tools/cli/CMakeFiles/trnsim_cli.dir/Unity/unity_0_cxx.cxx.o"


def row(begin, end, output, command):
    return f"{begin}\t{end}\t0\t{output}\t{command}\n"


class BuildTimes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = Path(folder.name)

    def run_it(self, log, *options, status=0):
        if log is not None:
            (self.build / ".ninja_log").write_text(log)
        done = subprocess.run(
            [sys.executable, SCRIPT, self.build, *options], capture_output=True, text=True, check=False
        )
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout if status == 0 else done.stderr

    def test_sums_by_folder_and_kind(self):
        log = row(0, 1500, UNIT, "a") + row(100, 400, "tools/cli/CMakeFiles/trnsim.dir/main.cpp.o", "b")
        log += row(1500, 1700, "bin/trnsim", "c") + row(0, 2000, "generated/isa/isa_pkg.sv", "d")
        lines = [line.split() for line in self.run_it(HEADER + log).splitlines()]
        self.assertIn(["tools/cli", "2", "1.8"], lines)
        self.assertIn(["compile", "2", "1.8"], lines)
        self.assertIn(["link", "1", "0.2"], lines)
        self.assertIn(["generate", "1", "2.0"], lines)
        self.assertEqual(lines[-1], ["4", "steps,", "4.0", "s"])

    def test_a_step_with_two_outputs_counts_once(self):
        log = HEADER + row(0, 900, "a/x.cpp", "same") + row(0, 900, "a/x.hpp", "same")
        self.assertTrue(self.run_it(log).endswith("1 steps, 0.9 s\n"))

    def test_of_two_builds_the_last_counts(self):
        log = HEADER + row(0, 5000, "a/x.cpp.o", "old") + row(0, 200, "a/x.cpp.o", "new")
        self.assertTrue(self.run_it(log).endswith("1 steps, 0.2 s\n"))

    def test_depth_and_longest_steps(self):
        log = HEADER + row(0, 200, UNIT, "a") + row(0, 700, "model/hbm/CMakeFiles/h.dir/b.cpp.o", "b")
        out = self.run_it(log, "--depth", "1", "--steps", "1")
        self.assertRegex(out, r"(?m)^model +1 +0\.7$")
        self.assertRegex(out, r"(?m)^model/hbm/CMakeFiles/h\.dir/b\.cpp\.o +0\.7$")
        self.assertNotIn(UNIT, out)

    def test_what_is_no_log_is_refused_by_file_and_line(self):
        log = self.build / ".ninja_log"
        self.assertEqual(
            self.run_it("hello\n", status=1),
            f"build_times: {log}:1: found 'hello', expected # ninja log vN\n",
        )
        broken = HEADER + row(0, 1, "a", "b") + "1\t2\n"
        self.assertEqual(self.run_it(broken, status=1), f"build_times: {log}:3: found 2 fields, expected 5\n")
        wrong = HEADER + row("x", 1, "a", "b")
        self.assertEqual(
            self.run_it(wrong, status=1),
            f"build_times: {log}:2: found times 'x' and '1', expected milliseconds\n",
        )

    def test_without_a_log_it_says_so(self):
        self.assertIn("No such file", self.run_it(None, status=1))


unittest.main()
