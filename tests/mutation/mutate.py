#!/usr/bin/env python3
"""Seeds single faults in the RTL and sees whether the tests of the block notice.

usage: tests/mutation/mutate.py --out DIR

The blocks, their files and their test programs are in blocks.json; these programs must be built in the build
folder. A program holds all the faults of its sources that it can (schemata.py) and runs with one after the
other. Faults that no test notices and that equivalent.txt does not have, or that cannot share a program, each
get programs of their own. Every outcome becomes one line of DIR/results.jsonl at once; the same command
continues where it was stopped. At the end, or with --summary, a table and the survivors are printed.

  killed          a test failed or hung
  survived        every test passed
  no effect       Verilator makes the same model of it
  does not build  Verilator or the compiler refuses it
  equivalent      survived, and equivalent.txt says why no test can notice
"""

import argparse
import json
import os
import random
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from bench import Bench, ToolError
from faults import faults
from schemata import with_choices

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
OUTCOMES = ["killed", "survived", "equivalent", "no effect", "does not build"]


def line_of(text, at):
    return text.count("\n", 0, at) + 1


def change_of(source, fault):
    """Returns the lines before and after, as equivalent.txt names a fault."""
    begin = source.rfind("\n", 0, fault.begin) + 1
    end = source.find("\n", fault.end)
    before = source[begin:end]
    after = source[begin : fault.begin] + fault.new + source[fault.end : end]
    return " ".join(before.split()), " ".join(after.split())


def plan(blocks, seed, count):
    """Returns the chosen faults: blocks and files in turn, sites of a file in random order."""
    queues = []
    for block, files in blocks.items():
        for name, tests in files.items():
            source = (ROOT / name).read_text()
            chance = random.Random(f"{seed} {name}")
            sites = faults(source, chance)
            chance.shuffle(sites)
            queues.append([(block, name, tests, source, fault) for fault in sites])
    chosen, level = [], 0
    while len(chosen) < count and any(len(q) > level for q in queues):
        chosen += [q[level] for q in queues if len(q) > level]
        level += 1
    return chosen[:count], sum(map(len, queues))


def read_equivalent(path=HERE / "equivalent.txt"):
    """Reads (file, before, after) -> reason.

    Entries are "file", "- before", "+ after" or "+ any", and "= reason" lines.
    """
    reasons, entry = {}, {}
    for line in path.read_text().split("\n"):
        if line[:2] in ("- ", "+ ", "= "):
            entry[line[0]] = " ".join(line[2:].split())
            if line[0] == "=":
                reasons[entry["file"], entry["-"], entry["+"]] = entry["="]
        elif line and not line.startswith("#"):
            entry = {"file": line.strip()}
    return reasons


def reason_of(name, before, after, reasons):
    return reasons.get((name, before, after)) or reasons.get((name, before, "any"))


def key_of(item):
    _, name, _, source, fault = item
    return f"{name}:{line_of(source, fault.begin)}:{fault.begin}:{fault.new}"


class Runner:
    """Runs faults and keeps their results."""

    def __init__(self, options):
        self.options, self.lock, self.free = options, Lock(), list(range(options.jobs))
        self.benches = [{} for _ in self.free]
        self.reasons = read_equivalent()
        self.decided = set()  # keys of this run
        self.passed = Counter()  # programs with other faults that did not notice
        self.path = options.out / "results.jsonl"
        options.out.mkdir(parents=True, exist_ok=True)
        self.results = {}
        if self.path.exists():
            for line in self.path.read_text().split("\n"):
                if line:
                    result = json.loads(line)
                    self.results[result["key"]] = result

    def bench(self, worker, target):
        if target not in self.benches[worker]:
            self.benches[worker][target] = Bench(
                target, ROOT, self.options.build, self.options.out / f"worker_{worker}"
            )
        return self.benches[worker][target]

    def outcome(self, worker, name, tests, mutated):
        """Returns (outcome, by which test or why)."""
        seen = set()
        for target in tests:
            bench = self.bench(worker, target)
            if not bench.uses(Path(name)):
                raise SystemExit(f"{target} does not contain {name}")
            try:
                result = bench.try_fault(Path(name), mutated)
            except ToolError as error:
                return "does not build", str(error)
            if result in ("failed", "hung"):
                return "killed", f"{target} {result}"
            seen.add(result)
        return ("no effect", "") if seen == {"same"} else ("survived", "")

    @contextmanager
    def worker(self):
        with self.lock:
            number = self.free.pop()
        try:
            yield number
        finally:
            with self.lock:
                self.free.append(number)

    def record(self, item, outcome, detail, seconds):
        block, name, _, source, fault = item
        before, after = change_of(source, fault)
        result = {
            "key": key_of(item),
            "block": block,
            "file": name,
            "line": line_of(source, fault.begin),
            "kind": fault.kind,
            "before": before,
            "after": after,
            "outcome": outcome,
            "detail": detail,
            "seconds": round(seconds, 1),
        }
        with self.lock, self.path.open("a") as file:
            file.write(json.dumps(result) + "\n")
            file.flush()
            os.fsync(file.fileno())
            self.results[result["key"]] = result
            self.decided.add(result["key"])
            print(
                f"{len(self.results):>5} {outcome:<14} {name}:{result['line']} {fault.kind} {detail} "
                f"{seconds:.1f} s",
                flush=True,
            )

    def program_of(self, bench, items):
        """Returns a program with the items' faults, and those it has, by number.

        Faults of lines that are refused are left out.
        """
        left = dict(enumerate(items, 1))
        while left:
            texts = {Path(item[1]): item[3] for item in left.values()}
            for name, source in texts.items():
                texts[name] = with_choices(source, [(n, i[4]) for n, i in left.items() if i[1] == str(name)])
            try:
                return bench.with_choices(texts), left
            except ToolError as error:
                wrong = error.lines()
                right = {n: i for n, i in left.items() if (i[1], line_of(i[3], i[4].begin)) not in wrong}
                if len(right) == len(left):  # an error of constant folding names the use, in the same file
                    right = {n: i for n, i in left.items() if i[1] not in {name for name, _ in wrong}}
                if len(right) == len(left):
                    raise SystemExit(f"{bench.target}: {error}") from error
                left = right
        return None, {}

    def together(self, target, items):
        """Tries faults in one program.

        Those it notices are killed. Those that no such program notices have survived if equivalent.txt has
        them; otherwise nothing is known yet.
        """
        with self.worker() as worker:
            bench = self.bench(worker, target)
            begin = time.monotonic()
            program, numbered = self.program_of(bench, items)
            print(
                f"{target}: {len(numbered)} of {len(items)} faults in one program, "
                f"{time.monotonic() - begin:.0f} s",
                flush=True,
            )
            for number, item in numbered.items():
                begin = time.monotonic()
                result = bench.execute(program, number)
                seconds = time.monotonic() - begin
                if result != "passed":
                    self.record(item, "killed", f"{target} {result}, one program", seconds)
                    continue
                self.passed[key_of(item)] += 1
                if self.passed[key_of(item)] == len(item[2]) and reason_of(
                    item[1], *change_of(item[3], item[4]), self.reasons
                ):
                    self.record(item, "survived", "one program", seconds)

    def alone(self, item):
        """Tries a fault in programs of its own."""
        _, name, tests, source, fault = item
        begin = time.monotonic()
        with self.worker() as worker:
            outcome, detail = self.outcome(worker, name, tests, fault.apply(source))
        self.record(item, outcome, detail, time.monotonic() - begin)

    def run(self, chosen):
        wanted = [
            i for i in chosen if self.results.get(key_of(i), {}).get("outcome") in (None, self.options.again)
        ]

        def is_open(item):
            return key_of(item) not in self.decided

        with ThreadPoolExecutor(self.options.jobs) as pool:
            for level in range(max((len(item[2]) for item in wanted), default=0)):
                groups = {}
                for item in filter(is_open, wanted):
                    if level < len(item[2]):
                        groups.setdefault(item[2][level], []).append(item)
                for _ in pool.map(lambda group: self.together(*group), groups.items()):
                    pass
            for _ in pool.map(self.alone, filter(is_open, wanted)):
                pass

    def check(self, chosen, count):
        """Tries some of the faults killed in one program alone; returns how many were not killed."""
        killed = [
            item
            for item in chosen
            if self.results.get(key_of(item), {}).get("detail", "").endswith(", one program")
        ]
        wrong = 0
        for item in random.Random(self.options.seed).sample(killed, min(count, len(killed))):
            _, name, tests, source, fault = item
            outcome, detail = self.outcome(0, name, tests, fault.apply(source))
            print(f"alone: {outcome} {key_of(item)} {detail}", flush=True)
            wrong += outcome != "killed"
        return wrong


def summarise(results, reasons):
    """Prints the table and the survivors; returns the percentage of real faults that were killed."""
    table, survivors = {}, []
    for result in results:
        outcome = result["outcome"]
        if outcome == "survived" and reason_of(result["file"], result["before"], result["after"], reasons):
            outcome = "equivalent"
        elif outcome == "survived":
            survivors.append(result)
        table.setdefault(result["block"], Counter())[outcome] += 1
    table["all"] = sum(table.values(), Counter())
    print(f"{'block':<18}{'faults':>8}" + "".join(f"{o:>16}" for o in OUTCOMES) + f"{'killed of real':>16}")
    for block, counts in table.items():
        real = counts["killed"] + counts["survived"]
        rate = f"{100 * counts['killed'] / real:.1f} %" if real else "-"
        print(
            f"{block:<18}{sum(counts.values()):>8}"
            + "".join(f"{counts[o]:>16}" for o in OUTCOMES)
            + f"{rate:>16}"
        )
    for result in survivors:
        print(
            f"\n{result['file']}:{result['line']} survived ({result['kind']})\n- {result['before']}\n+ "
            f"{result['after']}"
        )
    real = table["all"]["killed"] + table["all"]["survived"]
    return 100 * table["all"]["killed"] / real if real else 100


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, help="folder of results and working files")
    parser.add_argument(
        "--build", type=Path, default=ROOT / "build/release", help="build folder with the tests of the blocks"
    )
    parser.add_argument("--sample", type=int, default=320, help="faults to try (320)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--block", action="append", help="only faults of this block; may be given again")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument(
        "--again",
        choices=OUTCOMES[:2],
        help="run those again that had this outcome: after a test has changed",
    )
    parser.add_argument("--list", action="store_true", help="print the faults and run nothing")
    parser.add_argument("--targets", action="store_true", help="print the test programs that are needed")
    parser.add_argument("--summary", action="store_true", help="print the results there are")
    parser.add_argument(
        "--check", type=int, default=0, metavar="N", help="try N of those killed in one program alone as well"
    )
    parser.add_argument(
        "--minimum",
        type=float,
        default=95,
        help="percent of real faults to be killed, else the run fails (95)",
    )
    options = parser.parse_args()
    if not (options.out or options.targets or options.list):
        parser.error("--out is missing: the folder of results and working files")

    blocks = json.loads((HERE / "blocks.json").read_text())
    for name in options.block or []:
        if name not in blocks:
            parser.error(f"no block '{name}'; there are {', '.join(blocks)}")
    if options.block:
        blocks = {name: blocks[name] for name in options.block}
    if options.targets:
        print(*sorted({t for files in blocks.values() for tests in files.values() for t in tests}))
        return 0
    chosen, sites = plan(blocks, options.seed, options.sample)
    if options.list:
        for _, name, _, source, fault in chosen:
            before, after = change_of(source, fault)
            print(f"{name}:{line_of(source, fault.begin)} {fault.kind}\n- {before}\n+ {after}")
        print(f"{len(chosen)} of {sites} sites")
        return 0
    options.out, options.build = options.out.resolve(), options.build.resolve()
    runner = Runner(options)
    if not options.summary:
        runner.run(chosen)
    if runner.check(chosen, options.check) != 0:
        raise SystemExit("killed only in a program with other faults")
    keys = [key_of(c) for c in chosen]
    results = [runner.results[k] for k in keys if k in runner.results]
    print(f"\nseed {options.seed}: {len(results)} of {len(chosen)} chosen faults of {sites} sites")
    return 0 if summarise(results, runner.reasons) >= options.minimum else 1


if __name__ == "__main__":
    sys.exit(main())
