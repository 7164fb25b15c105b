"""Projects that use trnsim, from the build folder, from an installation and as a part of them; and `trnsim
new`.

usage: package_test.py CMAKE TREE BUILD PYTHON (PYTHON has NumPy)
"""

import concurrent.futures
import itertools
import json
import os
import random
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CMAKE, TREE, BUILD, PYTHON = (str(Path(sys.argv.pop(1)).absolute()) for _ in range(4))
CONSUMER = Path(TREE, "tests/cmake/consumer")
FILES = [".gitignore", "CMakeLists.txt", "README.md", "check.py"]  # and the kernel, named after the folder
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("TRNSIM_")}
SEED = int(os.environ.get("TRNSIM_TEST_SEED", "1"))
HEADERS_ALONE = min(6 * int(os.environ.get("TRNSIM_TEST_SCALE") or 1), 60)  # headers that are compiled alone
MOST_BYTES = 2000  # bytes of a file on a full disk: less than the kernel has


class Package(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="trnsim-package.")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_it(self, *command, status=0, cwd=None, limit=None):
        result = subprocess.run(
            [str(word) for word in command],
            cwd=cwd or self.folder,
            env=ENVIRONMENT,
            text=True,
            capture_output=True,
            preexec_fn=limit,
            check=False,
        )
        self.assertEqual(result.returncode, status, f"{command}\n{result.stdout}\n{result.stderr}")
        return result

    def build(self, source, *options, target="all"):
        """Returns the build folder of a project."""
        build = self.folder / "build"
        self.run_it(CMAKE, "-S", source, "-B", build, "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *options)
        self.run_it(CMAKE, "--build", build, "-j", "2", "--target", target)
        return build

    def consumer(self):
        """Makes a project that uses trnsim."""
        project = shutil.copytree(CONSUMER, self.folder / "consumer")
        (project / "CMakeLists.txt.in").rename(project / "CMakeLists.txt")
        return project

    def new(self, folder, program=f"{BUILD}/bin/trnsim", **more):
        return self.run_it(program, "new", folder, **more)

    def ctest(self, build, status=0):
        """Returns standard output, including that of the tests."""
        ctest = Path(CMAKE).with_name("ctest")
        return self.run_it(ctest, "--test-dir", build, "-V", status=status).stdout

    def names(self, folder=None):
        return sorted(path.name for path in (folder or self.folder).iterdir())

    def commands(self, build):
        """Returns the words of the compiler's command for each source of the project itself, by the source's
        name.
        """
        entries = json.loads((build / "compile_commands.json").read_text())
        return {
            Path(entry["file"]).name: shlex.split(entry["command"])
            for entry in entries
            if self.folder / "consumer" in Path(entry["file"]).parents
        }

    def check_headers(self, build, include):
        """The include path has nothing of trnsim except the folder `include`, which has only the name trnsim."""
        self.assertEqual(self.names(include), ["trnsim"])
        for source, words in self.commands(build).items():
            folders = [
                word[2:] or following
                for word, following in itertools.pairwise(words)
                if word.startswith("-I")
            ]
            folders += [
                following
                for word, following in itertools.pairwise(words)
                if word in ("-isystem", "-iquote", "-idirafter")
            ]
            of_trnsim = {
                folder
                for folder in folders
                for place in (TREE, BUILD, self.folder)
                if Path(folder).is_relative_to(place)
            }
            self.assertEqual(of_trnsim, {str(include)}, source)

    def programs(self, build):
        for name, vlen in {"twice": 512, "twice_vlen128": 128}.items():
            self.assertEqual((build / f"{name}.lib").read_bytes()[:8], b"TGS2" + vlen.to_bytes(4, "little"))
        return [self.run_it(build / name).stdout.split("\n")[-2] for name in ("sizes", "interpret", "memory")]

    def test_a_new_project_runs_on_the_rtl(self):
        project = self.folder / "my kernel"
        self.assertIn("my kernel: a kernel with its build and tests", self.new("my kernel").stdout)
        self.assertEqual(self.names(project), [*FILES, "my_kernel.cpp"])
        for file in project.iterdir():
            self.assertNotIn("glu", file.read_text().replace("gated linear", ""), file)
        (self.folder / "other").mkdir()
        self.assertEqual(project.stat().st_mode, (self.folder / "other").stat().st_mode)
        build = self.build(project, f"-DPYTHON={PYTHON}")
        out = self.ctest(build)
        self.assertIn("100% tests passed, 0 tests failed out of 2", out)
        self.assertIn("outputs equal to the interpreter's bit for bit", out)
        self.assertRegex(out, "largest relative error: [1-9]")
        self.assertNotIn("kipped", out)

        # Its tests notice mistakes in it.
        self.assertTrue((build / "my_kernel.neff").is_file())
        kernel = project / "my_kernel.cpp"
        good = kernel.read_text()
        kernel.write_text(good.replace("AluOp::Multiply", "AluOp::Add"))
        self.run_it(CMAKE, "--build", build)
        self.assertRegex(self.ctest(build, status=8), r"interpreter \.+ +Passed(.|\n)*numpy \.+\*+Failed")
        kernel.write_text(good.replace('"", target)', '"", target, builder::Waits::Explicit)'))
        self.run_it(CMAKE, "--build", build)
        self.assertRegex(self.ctest(build, status=8), r"interpreter \.+\*+Failed")

    def test_without_numpy_its_check_is_skipped(self):
        self.new("k")
        out = self.run_it(PYTHON, "-S", "k/check.py", "trnsim", "k.neff", "small16", status=77).stdout
        self.assertIn("skipped: this Python has no NumPy", out)

    def test_a_new_project_takes_an_empty_folder_only(self):
        folder = self.folder / "k"
        folder.mkdir()
        self.new(".", cwd=folder)
        self.assertEqual(self.names(folder), [*FILES, "k.cpp"])
        for path in folder.iterdir():
            if path.name != "README.md":
                path.unlink()
        (folder / "README.md").write_text("mine")
        (self.folder / "file").touch()
        for name, why in {
            "k": "is not empty",
            "file": "is a file",
            "none/k": "cannot write",
            "": "expected a value",
        }.items():
            with self.subTest(name):
                err = self.new(name, status=2).stderr
                self.assertRegex(err, rf"^trnsim: [^\n]*{why}[^\n]*\n$")
        self.assertEqual(self.names(), ["file", "k"])
        self.assertEqual(self.names(folder), ["README.md"])
        self.assertEqual((folder / "README.md").read_text(), "mine")

    def test_a_new_project_is_whole_or_not_there(self):
        (self.folder / "empty").mkdir()

        def full_disk():
            resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_BYTES, MOST_BYTES))

        for name in ("k", "empty"):
            with self.subTest(name):
                self.assertIn("File too large", self.new(name, status=2, limit=full_disk).stderr)
                self.assertEqual(self.names(), ["empty"])
                self.assertEqual(self.names(self.folder / "empty"), [])

    def test_the_build_folder_is_a_package(self):
        project = self.consumer()
        build = self.build(project, f"-DCMAKE_PREFIX_PATH={BUILD}")
        self.check_headers(build, Path(BUILD, "include"))
        self.assertEqual(self.programs(build), ["small16", "123456", "04030201"])

        # Operators are compiled again only when one of their headers changes.
        library = build / "twice.lib"
        first, times = library.read_bytes(), [library.stat().st_mtime_ns]

        def again():
            self.run_it(CMAKE, "--build", build, "--target", "twice")
            times.append(library.stat().st_mtime_ns)

        again()
        self.assertEqual(times[0], times[1])
        header = project / "factor.hpp"
        header.write_text(header.read_text().replace("2", "3"))
        again()
        self.assertNotEqual(times[1], times[2])
        self.assertNotEqual(first, library.read_bytes())

    def test_an_installation_is_a_package_wherever_it_lies(self):
        self.run_it(CMAKE, "--install", BUILD, "--prefix", self.folder / "first")
        prefix = (self.folder / "first").rename(self.folder / "prefix")
        for path in prefix.rglob("*.cmake"):
            for place in (TREE, BUILD, self.folder):
                self.assertNotIn(str(place), path.read_text(), path)
        build = self.build(self.consumer(), f"-DCMAKE_PREFIX_PATH={prefix}")
        self.check_headers(build, prefix / "include")
        self.assertEqual(self.programs(build), ["small16", "123456", "04030201"])
        self.new("k", program=prefix / "bin/trnsim")
        self.folder /= "k"
        self.assertIn(
            "100% tests passed, 0 tests failed out of 2",
            self.ctest(self.build(self.folder, f"-DPYTHON={PYTHON}")),
        )

    def test_a_header_needs_no_other_before_it(self):
        build = self.folder / "build"
        self.run_it(
            CMAKE,
            "-S",
            self.consumer(),
            "-B",
            build,
            "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
            f"-DCMAKE_PREFIX_PATH={BUILD}",
        )
        words = self.commands(build)["memory.cpp"]  # with the flags of trnsim::runtime
        compiler = words[: words.index("-o")]
        headers = sorted(
            path.relative_to(Path(BUILD, "include")) for path in Path(BUILD, "include/trnsim").rglob("*.hpp")
        )
        print(f"TRNSIM_TEST_SEED={SEED}")
        chosen = random.Random(SEED).sample(headers, min(HEADERS_ALONE, len(headers)))

        def compile_alone(header):
            return header, subprocess.run(
                [*compiler, "-fsyntax-only", "-x", "c++", "-"],
                input=f"#include <{header}>\n",
                text=True,
                capture_output=True,
                check=False,
            )

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for header, done in pool.map(compile_alone, chosen):
                self.assertEqual(done.returncode, 0, f"{header}\n{done.stderr}")

    def test_a_project_may_add_the_tree(self):
        self.folder = self.folder / "with"
        self.folder.mkdir()
        # Its operator needs the whole program, which takes minutes to build.
        build = self.build(self.consumer(), f"-DTRNSIM_TREE={TREE}", target="sizes")
        self.check_headers(build, build / "trnsim/include")
        self.assertEqual(self.run_it(build / "sizes").stdout, "small16\n")


if __name__ == "__main__":
    unittest.main()
