#!/usr/bin/env python3
"""Seeds single faults in the fast core and sees whether parity with the RTL notices.

usage: tests/mutation/fast_core/mutate.py --out DIR

Run `./trnsim build fast_core_replay lockstep_test` first. Both programs are linked once with all the chosen
faults; a variable of the environment chooses one. They run with each: lockstep_test, then the small kernels
and random programs in the whole system, compared with the results of the RTL, which are recorded once in
DIR/recording. Every outcome becomes one line of DIR/results.jsonl at once; the same command continues where
it was stopped.

  killed      another bit, time or count than the RTL's, a crash, a hang
  survived    everything is the RTL's; `not reached`: no program reaches the place
  equivalent  survived, and equivalent.txt says why nothing can differ
"""

import argparse
import json
import os
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(HERE.parent))
from mutate import read_equivalent, summarise  # noqa: E402
from sites import Finder  # noqa: E402

REPLAY, LOCKSTEP = "fast_core_replay", "lockstep_test"
FOLDERS = ("model/core/fast/", "model/values/", "arch/cost/element_operation.", "arch/cost/tensor_command.")
BLOCKS = {
    "costs": "rows of the table of figures, wherever they are used",
    "values": "model/values",
    "time": "everything else of model/core/fast",
}
# Code with other tests: waveforms (LockstepWaves), checkpoints (checkpoint_test), refusals (refusals_test).
OTHERS = re.compile(r"wave|probe|architectural_state|/check")
CHECKPOINTS = ("CoreState", "SequencerState")
FLAGS = ["-O1", "-w", "-Wno-narrowing"]
# All of the fast core needs SystemC's library, which wants its main function; lockstep_test has no
# simulation.
MORE = {
    REPLAY: [],
    LOCKSTEP: ["-std=c++20", "-DSC_CPLUSPLUS=201703L", str(ROOT / "tests/runtime/session/sc_main.cpp")],
}
HANGS_AFTER = 5  # limit in multiples of the time without a fault


def set_limits(seconds):
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))


class Program:
    """The test programs with faults in the fast core's sources."""

    def __init__(self, build, out):
        self.build, self.out, self.tree = build, out, out / "tree"
        commands = json.loads((build / "compile_commands.json").read_text())
        self.units = {}
        for entry in commands:
            name = os.path.relpath(entry["file"], ROOT)
            if name.startswith(FOLDERS):
                words = shlex.split(entry["command"])
                self.units[name] = words[1 : words.index("-o")]
        self.link, self.original = {}, {}
        for target in (REPLAY, LOCKSTEP):
            commands = subprocess.run(
                ["ninja", "-C", build, "-t", "commands", target], check=True, capture_output=True, text=True
            ).stdout
            words = shlex.split(
                next(c for c in commands.split("\n") if re.search(rf" -o \S*/{target} ", c))
                .removeprefix(": && ")
                .split("&&")[0]
            )
            self.link[target], self.original[target] = words, build / words[words.index("-o") + 1]
            if not self.original[target].exists():
                raise SystemExit(f"{self.original[target]} is not there: ./trnsim build {REPLAY} {LOCKSTEP}")

    def sites(self, seed):
        finder = Finder(ROOT, FOLDERS, random.Random(seed), CHECKPOINTS)
        for name, arguments in self.units.items():
            finder.read(ROOT / name, [a for a in arguments if a != "-Wno-restrict"])
        self.sources = finder.sources
        return [site for site in finder.sites.values() if not OTHERS.search(site.file)]

    def compile(self, name):
        """Returns the object of a source; None and the compiler's messages if it refuses the source."""
        source = self.tree / name if (self.tree / name).exists() else ROOT / name
        output = self.tree / (name + ".o")
        output.parent.mkdir(parents=True, exist_ok=True)
        command = [
            "ccache",
            "g++",
            f"-I{self.tree}",
            *self.units[name],
            *FLAGS,
            "-o",
            str(output),
            "-c",
            str(source),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return (output, "") if done.returncode == 0 else (None, done.stderr)

    def make(self, numbered, jobs):
        """Builds the programs with the faults, given as number -> site.

        Faults of lines that are refused are removed from `numbered`.
        """
        while True:
            shutil.rmtree(self.tree, ignore_errors=True)
            for name, source in self.sources.items():
                chosen = [(n, s) for n, s in numbered.items() if s.file == name]
                if chosen:
                    (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
                    (self.tree / name).write_bytes(source.with_faults(chosen))
            with ThreadPoolExecutor(jobs) as pool:
                made = list(pool.map(self.compile, self.units))
            messages = "".join(message for _, message in made)
            if not messages:
                break
            wrong = {
                (f, int(line))
                for f, line in re.findall(
                    r"((?:tlm|lib)/[\w/.-]+):(\d+):\d+:\s+(?:error|  required|note)", messages
                )
            }
            refused = [n for n, s in numbered.items() if (s.file, s.line) in wrong]
            if not refused:
                raise SystemExit(messages)
            for number in refused:
                del numbered[number]
            print(f"{len(refused)} faults do not compile", flush=True)
        firmware = self.out / "firmware"  # a program looks for it in the folders above its own
        if not firmware.is_symlink():
            firmware.symlink_to(self.build / "firmware")
        for target, words in self.link.items():
            at = words.index("-o")
            link = [
                *words[:at],
                *MORE[target],
                *(str(output) for output, _ in made),
                "-o",
                str(self.out / target),
                *words[at + 2 :],
            ]
            done = subprocess.run(link, cwd=self.build, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise SystemExit(f"{target}: {done.stderr}")


class Runner:
    def __init__(self, options, program):
        self.options, self.program, self.lock = options, program, Lock()
        self.environment = dict(
            os.environ,
            TRNSIM_CONFIG_PATH=str(ROOT / "configs"),
            SYSTEMC_DISABLE_COPYRIGHT_MESSAGE="1",
            TRNSIM_CORE_PATH=str(options.build / "lib/cores"),
        )
        self.recording = options.out / "recording"
        self.arguments = {
            REPLAY: ["check", str(self.recording)],
            LOCKSTEP: ["--gtest_break_on_failure", "--gtest_brief=1"],
        }
        self.limit = dict.fromkeys(self.arguments, 3600)  # seconds

    def record(self):
        original = self.program.original[REPLAY]
        if not self.recording.exists() or self.recording.stat().st_mtime < original.stat().st_mtime:
            new = self.recording.with_suffix(".new")
            command = [original, "record", new, "0", str(self.options.batches - 1)]
            subprocess.run(command, env=self.environment, check=True)
            new.rename(self.recording)

    def execute(self, target, number=0, reached=None):
        """Runs a program; returns "passed", or how the fault was noticed."""
        environment = dict(self.environment, TRNSIM_FAULT=str(number))
        if reached is not None:
            environment["TRNSIM_FAULTS_REACHED"] = str(reached)
        limit = self.limit[target]
        child = subprocess.Popen(
            [self.options.out / target, *self.arguments[target]],
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=lambda: set_limits(limit),  # noqa: PLW1509  # takes no lock
        )
        try:
            text, _ = child.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)  # its children as well
            child.wait()
            return f"{target} hung"
        if child.returncode == 0:
            return "passed"
        return f"{target}: " + (text.strip().split("\n")[0] or f"status {child.returncode}")

    def baseline(self, count):
        """Returns the numbers of the sites that each target reaches without a fault; it has to pass."""
        all_reached = {}
        for target in (LOCKSTEP, REPLAY):
            reached = self.options.out / "reached"
            reached.write_bytes(bytes(1 << 16))
            begin = time.monotonic()
            result = self.execute(target, reached=reached)
            if result != "passed":
                raise SystemExit(f"without a fault: {result}")
            self.limit[target] = 20 + int(HANGS_AFTER * (time.monotonic() - begin))
            marks = reached.read_bytes()
            all_reached[target] = {number for number in range(1, count + 1) if marks[number]}
        return all_reached


def block_of(source, site):
    if source.text(site.begin, site.end).startswith("figure("):
        return "costs"
    return "values" if site.file.startswith("model/values/") else "time"


def describe(source, site):
    """Returns the line and the change to it, as equivalent.txt names a fault."""
    text = source.bytes.decode().split("\n")[site.line - 1]
    expression = source.text(site.begin, site.end)
    return " ".join(text.split()), " ".join(f"{site.kind} {site.what}: {expression}".split())


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, required=True, help="folder of results and working files")
    parser.add_argument(
        "--build", type=Path, default=ROOT / "build/release", help="build folder with the two programs"
    )
    parser.add_argument(
        "--block", choices=BLOCKS, help="; ".join(f"{name}: {what}" for name, what in BLOCKS.items())
    )
    parser.add_argument("--sample", type=int, default=400, help="faults to try (400)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--batches", type=int, default=400, help="of five random programs each (400)")
    parser.add_argument(
        "--again", action="store_true", help="those that survived once more: after a test has changed"
    )
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--minimum",
        type=float,
        default=95,
        help="percent of real faults to be killed, else the run fails (95)",
    )
    options = parser.parse_args()
    options.out, options.build = options.out.resolve(), options.build.resolve()
    options.out.mkdir(parents=True, exist_ok=True)

    program = Program(options.build, options.out)
    runner = Runner(options, program)
    runner.record()
    sites = [
        s
        for s in program.sites(options.seed)
        if options.block in (None, block_of(program.sources[s.file], s))
    ]
    chosen = random.Random(options.seed).sample(sites, min(options.sample, len(sites)))
    numbered = dict(enumerate(chosen, 1))
    path = options.out / "results.jsonl"
    results = {}
    if path.exists():
        results = {r["key"]: r for r in map(json.loads, path.read_text().splitlines())}
        if options.again:
            results = {key: r for key, r in results.items() if r["outcome"] != "survived"}
    program.make(numbered, options.jobs)
    reached = runner.baseline(len(chosen))

    def key_of(site):
        return f"{site.file}:{site.begin}:{site.end}:{site.kind}:{site.what}"

    def try_site(item):
        number, site = item
        begin = time.monotonic()
        found = "not reached"
        for target, numbers in reached.items():
            if number in numbers and found in ("passed", "not reached"):
                found = runner.execute(target, number)
        before, after = describe(program.sources[site.file], site)
        survived = found in ("passed", "not reached")
        result = {
            "key": key_of(site),
            "block": block_of(program.sources[site.file], site),
            "file": site.file,
            "line": site.line,
            "kind": site.kind,
            "before": before,
            "after": after,
            "outcome": "survived" if survived else "killed",
            "detail": found,
            "seconds": round(time.monotonic() - begin, 1),
        }
        with runner.lock, path.open("a") as file:
            file.write(json.dumps(result) + "\n")
            results[result["key"]] = result
            print(
                f"{len(results):>5} {result['outcome']:<9} {site.file}:{site.line} {after} | {found} "
                f"{result['seconds']} s",
                flush=True,
            )

    with ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(try_site, [(n, s) for n, s in numbered.items() if key_of(s) not in results]))
    print(
        f"\nseed {options.seed}: {len(numbered)} faults of {len(sites)} sites, {len(chosen) - len(numbered)} "
        "do not compile"
    )
    wanted = [results[key_of(site)] for site in numbered.values()]
    return 0 if summarise(wanted, read_equivalent(HERE / "equivalent.txt")) >= options.minimum else 1


if __name__ == "__main__":
    sys.exit(main())
