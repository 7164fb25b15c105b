"""One verilated test program, rebuilt quickly for a changed source.

Its Verilator command and link command are taken from the build folder, and so are its objects of the test
itself, which do not depend on the logic. Sources are copied, Verilator runs in a folder of the worker, and
only generated files that differ from those of the unchanged sources are compiled, at -O1 with the headers of
Verilator precompiled. The unchanged rest is one object for each set of changed files, of which there are few.

A program can also hold many faults; an environment variable chooses one (schemata.py).
"""

import hashlib
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
from pathlib import Path

import schemata

CXX_FLAGS = [
    "-std=c++20",
    "-O1",
    "-fPIC",
    "-w",
    "-DVM_COVERAGE=0",
    "-DVM_SC=0",
    "-DVM_TRACE=1",
    "-DVM_TRACE_FST=1",
    "-DVM_TRACE_VCD=0",
]
MUTANT_FLAGS = ["-Wno-fatal", "-Wno-lint", "-Wno-style"]
TOOL_LIMIT = 900  # seconds for Verilator, the compiler or a test, on a busy machine
TEST_LIMIT = 60  # seconds of processor time for a test; the slowest takes 10
CHOICE = f"""#include <cstdlib>
inline const unsigned {schemata.NUMBER} =
    std::getenv("{schemata.NUMBER}") ? std::atoi(std::getenv("{schemata.NUMBER}")) : 0;
"""


def set_limits():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (TEST_LIMIT, TEST_LIMIT + 5))


class ToolError(Exception):
    """A tool refused the sources; the text is its messages."""

    def __str__(self):
        return self.args[0].split("\n")[0]

    def lines(self):
        """Returns (file, line) of the sources that the tool finds wrong."""
        return {
            (file, int(line))
            for file, line in re.findall(
                r"^%Error[\w-]*: (?:Internal Error: )?src/([^:]+):(\d+):", self.args[0], re.MULTILINE
            )
        }


def run(command, folder):
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=TOOL_LIMIT, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise ToolError(f"{command[0]}: no end") from error
    if done.returncode != 0:
        raise ToolError((done.stderr or done.stdout).strip())


class Bench:
    """A test target of the build folder in a worker's folder."""

    def __init__(self, target, root, build, worker):
        self.target, self.root, self.build = target, root, build
        self.worker, self.folder = worker, worker / target
        self.read_commands()
        self.files = None  # files generated from the unchanged sources

    def read_commands(self):
        commands = subprocess.run(
            ["ninja", "-C", self.build, "-t", "commands", self.target],
            check=True,
            capture_output=True,
            text=True,
        ).stdout.split("\n")
        models = [c for c in commands if "verilator" in c and "--Mdir" in c]
        if len(models) != 1:
            raise SystemExit(f"{self.target}: {len(models)} verilated models, expected one")
        words = shlex.split(next(part for part in models[0].split("&&") if "--Mdir" in part))
        self.verilator, self.sources, self.original = [], [], None
        at = iter(words)
        for word in at:
            if word == "--Mdir":
                self.original = Path(next(at))
            elif word.endswith((".sv", ".vlt")):
                self.sources.append(Path(os.path.relpath(word, self.root)))
            elif word != "--no-skip-identical":
                self.verilator.append(word)
        for source in self.sources:
            if source.suffix == ".vlt" and "public" in (self.root / source).read_text():
                raise SystemExit(
                    f"{self.target}: {source} makes variables public, which lie elsewhere in a model with "
                    "faults; expected ports"
                )
        self.prefix = self.verilator[self.verilator.index("--prefix") + 1]
        link = shlex.split(
            next(c for c in commands if re.search(rf"-o \S*/{self.target}\b", c) and "model.a" in c)
            .removeprefix(": && ")
            .removesuffix(" && :")
        )
        archive = next(w for w in link if w.endswith("model.a"))
        self.link_before, self.link_after = link[: link.index(archive)], link[link.index(archive) + 1 :]
        output = self.link_before.index("-o")
        self.program = self.build / self.link_before[output + 1]
        del self.link_before[output : output + 2]

    def uses(self, source):
        return source in self.sources

    def verilate(self, name):
        """Returns the generated files of the sources as they are in the worker's folder."""
        folder = self.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        run(
            self.verilator + MUTANT_FLAGS + ["--Mdir", name] + [f"src/{s}" for s in self.sources], self.folder
        )
        return {
            p.name: hashlib.sha1(p.read_bytes()).hexdigest()
            for p in sorted(folder.iterdir())
            if p.suffix in (".cpp", ".h")
        }

    def compiler(self):
        root = subprocess.run(
            ["verilator", "--getenv", "VERILATOR_ROOT"], check=True, capture_output=True, text=True
        ).stdout.strip()
        return ["g++", *CXX_FLAGS, "-I.", f"-I{root}/include", f"-I{root}/include/vltstd"]

    def precompile(self):
        header = self.worker / "common.h"
        if not header.with_suffix(".h.gch").exists():
            header.write_text('#include "verilated.h"\n#include "verilated_fst_c.h"\n' + CHOICE)
            run([*self.compiler(), "-x", "c++-header", "-o", f"{header}.gch", str(header)], self.worker)
        return ["-include", str(header)]

    def compile(self, folder, files, name):
        """Makes one object from several generated files."""
        (folder / f"{name}.cpp").write_text("".join(f'#include "{f}"\n' for f in files))
        run([*self.compiler(), *self.precompile(), "-c", "-o", f"{name}.o", f"{name}.cpp"], folder)
        return folder / f"{name}.o"

    def rest(self, files):
        """Makes one object from files of the unchanged model."""
        name = "rest_" + hashlib.sha1(" ".join(files).encode()).hexdigest()[:12]
        if not (self.folder / "base" / f"{name}.o").exists():
            self.compile(self.folder / "base", files, name)
        return self.folder / "base" / f"{name}.o"

    def link(self, objects, program):
        run([*self.link_before, *map(str, objects), *self.link_after, "-o", str(program)], self.build)

    def execute(self, program, number=0):
        """Runs the test with the fault of that number and returns "passed", "failed" or "hung"."""
        environment = dict(
            os.environ,
            TRNSIM_TEST_SCALE="1",
            TRNSIM_SPIKE=str(self.build / "spike/bin/spike"),
            **{schemata.NUMBER: str(number)},
        )
        environment.pop("TRNSIM_TEST_SEED", None)
        try:
            done = subprocess.run(
                [program, "--gtest_break_on_failure", "--gtest_brief=1"],
                cwd=self.folder,
                env=environment,
                timeout=TOOL_LIMIT,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                preexec_fn=set_limits,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return "hung"
        if done.returncode == -signal.SIGXCPU:
            return "hung"
        return "passed" if done.returncode == 0 else "failed"

    def prepare(self):
        """Takes over the unchanged sources and their results from the build folder; the first time only."""
        if self.files is not None:
            return
        for source in self.sources:
            to = self.folder / "src" / source
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.root / source, to)
        self.files = self.verilate("base")
        header = f"{self.prefix}.h"
        if (self.folder / "base" / header).read_bytes() != (self.original / header).read_bytes():
            raise SystemExit(f"{self.target}: its model is not up to date, build it first")
        if self.execute(self.program) != "passed":
            raise SystemExit(f"{self.target}: fails without a fault")

    def with_choices(self, texts):
        """Returns the program with the text of each source that has choices. Raises ToolError."""
        self.prepare()
        try:
            for source, text in texts.items():
                (self.folder / "src" / source).write_text(text)
            files = self.verilate("choices")
        finally:
            for source in texts:
                shutil.copyfile(self.root / source, self.folder / "src" / source)
        program = self.folder / "choices_program"
        self.link(
            [self.compile(self.folder / "choices", [f for f in files if f.endswith(".cpp")], "choices")],
            program,
        )
        if self.execute(program) != "passed":
            raise SystemExit(f"{self.target}: fails with choices and no fault")
        return program

    def try_fault(self, source, text):
        """Returns "same" (the same model), "passed", "failed" or "hung". Raises ToolError."""
        self.prepare()
        place = self.folder / "src" / source
        try:
            place.write_text(text)
            files = self.verilate("mutant")
        finally:
            shutil.copyfile(self.root / source, place)
        changed = [f for f in files if self.files.get(f) != files[f]]
        if not changed and files.keys() == self.files.keys():
            return "same"
        sources = [f for f in files if f.endswith(".cpp")]
        again = (
            sources if any(f.endswith(".h") for f in changed) else [f for f in changed if f.endswith(".cpp")]
        )
        if f"{self.prefix}.h" in changed:
            raise ToolError("other ports")
        kept = [f for f in sources if f not in again]
        objects = [self.rest(kept)] if kept else []
        if again:
            objects.append(self.compile(self.folder / "mutant", again, "mutant"))
        program = self.folder / "mutant_program"
        self.link(objects, program)
        return self.execute(program)
