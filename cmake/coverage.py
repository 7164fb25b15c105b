#!/usr/bin/env python3
"""Line, branch and toggle coverage of the RTL by block (docs/regressions.md).

The counts of verilated models are FOLDER/*.dat. A point is a line (a case item, a block), a branch (of an if
or a condition) or a toggle (a bit of a signal), in any instance and with any parameters. The points are those
of the core; test benches of single blocks add their hits. The exit status is 1 below a limit.
FOLDER/missing.txt lists points without a hit, FOLDER/waived.txt those that waivers leave out.
"""

import argparse
import collections
import pathlib
import re
import sys

POINT = re.compile(r"^C '(.*)' (\d+)$")
KINDS = {"v_line": "line", "v_branch": "branch", "v_toggle": "toggle"}  # by Verilator's page
LIMITS = {"line": 95, "branch": 95, "toggle": 90}  # percent, unless an option says otherwise
HERE = pathlib.Path(__file__).resolve().parent
CORE = "core"  # the top of the hierarchy of a core (model/core/rtl/adapter.cpp)

Point = collections.namedtuple("Point", "kind file line column what")


def fields(name):
    return dict(part.split("\x02", 1) for part in name.split("\x01") if "\x02" in part)


def read(folder, rtl):
    """Returns the counts of the core's points, by Point; file is the path below rtl."""
    counts, core = collections.Counter(), set()
    for path in sorted(folder.glob("*.dat")):
        with path.open(encoding="latin-1") as file:
            for line in file:
                match = POINT.match(line)
                point = fields(match[1]) if match else {}
                kind = KINDS.get(point.get("page", "").split("/")[0])
                if kind is None or not point["f"].startswith(f"{rtl}/"):
                    continue
                key = Point(
                    kind,
                    point["f"][len(str(rtl)) + 1 :],
                    int(point["l"]),
                    int(point.get("n", 0)),
                    point.get("o", ""),
                )
                counts[key] += int(match[2])
                if re.split(r"[.*]", point.get("h", ""))[0] == CORE:
                    core.add(key)
    if not core:
        sys.exit(f"{folder}: has no counts of a core")
    return {key: counts[key] for key in sorted(core)}


def pattern(text):
    """Compiles a pattern: * and ? match any text and character, [5-12] numbers from 5 to 12 in brackets."""

    def translate(match):
        if match[1]:
            return (
                r"\[(?:"
                + "|".join(str(number) for number in range(int(match[1]), int(match[2]) + 1))
                + r")\]"
            )
        return {"*": ".*", "?": "."}.get(match[0], re.escape(match[0]))

    return re.compile(re.sub(r"\[(\d+)-(\d+)\]|.", translate, text))


class Waiver:
    def __init__(self, text, place):
        parts = re.split(r"\s{2,}", text.strip())
        if len(parts) != 4 or parts[0] not in (*LIMITS, "*"):
            sys.exit(f"{place}: found '{text.strip()}', expected KIND  FILES  WHAT  REASON")
        self.kind, self.files, self.what, self.reason = parts
        self.place = place
        self.points = self.hits = 0
        self.file_pattern, self.what_pattern = pattern(self.files), pattern(self.what)

    def takes(self, point, text):
        return (
            self.kind in (point.kind, "*")
            and self.file_pattern.fullmatch(point.file) is not None
            and self.what_pattern.fullmatch(text) is not None
        )

    def __str__(self):
        return "  ".join((self.kind, self.files, self.what))


def read_waivers(path):
    """A waiver: KIND FILES WHAT REASON, in columns two blanks apart.

    KIND is line, branch, toggle or *; FILES is a pattern of paths below rtl/, WHAT one of signals or
    "BLOCK: source line".
    """
    lines = enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    return [
        Waiver(line, f"{path}:{number}:1")
        for number, line in lines
        if line.strip() and not line.startswith("#")
    ]


class Source:
    """The lines of the sources, for waivers and for the list of missing points."""

    def __init__(self, rtl):
        self.rtl = rtl
        self.files = {}

    def line(self, point):
        if point.file not in self.files:
            self.files[point.file] = (self.rtl / point.file).read_text(encoding="utf-8").splitlines()
        lines = self.files[point.file]
        return lines[point.line - 1].strip() if point.line <= len(lines) else ""


class Share:
    def __init__(self):
        self.hit = self.all = 0

    def add(self, count):
        self.all += 1
        self.hit += count > 0

    def percent(self):
        return 100 * self.hit / self.all if self.all else 100.0

    def __str__(self):
        return f"{self.percent():.1f} % of {self.all}" if self.all else "-"


def print_table(table):
    """Prints shares by (block, kind), the total last."""
    print(f"{'block':<16} {'lines':>18} {'branches':>18} {'toggles':>22}")
    for block in sorted({block for block, _ in table}, key=lambda name: (name.startswith("total"), name)):
        line, branch, toggle = (str(table[block, kind]) for kind in LIMITS)
        print(f"{block:<16} {line:>18} {branch:>18} {toggle:>22}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=pathlib.Path)
    for kind, limit in LIMITS.items():
        parser.add_argument(
            f"--{kind}",
            type=float,
            default=limit,
            metavar="PERCENT",
            help=f"least {kind} coverage (%(default)s)",
        )
    parser.add_argument("--rtl", type=pathlib.Path, default=HERE.parent / "rtl", help="the sources")
    parser.add_argument("--waivers", type=pathlib.Path, default=HERE / "coverage-waivers.txt")
    options = parser.parse_args()

    waivers = read_waivers(options.waivers)
    source = Source(options.rtl)
    table = collections.defaultdict(Share)
    missing = []
    for point, count in read(options.folder, options.rtl).items():
        text = point.what if point.kind == "toggle" else f"{point.what}: {source.line(point)}"
        table["total, no waiver", point.kind].add(count)
        waiver = next((waiver for waiver in waivers if waiver.takes(point, text)), None)
        if waiver:
            waiver.points += 1
            waiver.hits += count > 0
            continue
        table[point.file.split("/")[0], point.kind].add(count)
        table["total", point.kind].add(count)
        if count == 0:
            missing.append(f"rtl/{point.file}:{point.line}:{point.column}: {point.kind} {text}")
    print_table(table)
    print(
        f"waived: {sum(waiver.points for waiver in waivers)} points, "
        f"{sum(waiver.hits for waiver in waivers)} of them hit"
    )
    (options.folder / "missing.txt").write_text("".join(f"{line}\n" for line in missing), encoding="utf-8")
    (options.folder / "waived.txt").write_text(
        "".join(
            f"{waiver.points:6} points, {waiver.hits:6} hit: {waiver}  {waiver.reason}\n"
            for waiver in waivers
        ),
        encoding="utf-8",
    )
    for waiver in waivers:
        if waiver.points == waiver.hits:
            print(f"{waiver.place}: waiver without a point that needs it: {waiver}")
    failed = False
    for kind in LIMITS:
        limit = getattr(options, kind)
        if table["total", kind].percent() < limit:
            print(
                f"{kind} coverage {table['total', kind].percent():.1f} % is below {limit:g} %",
                file=sys.stderr,
            )
            failed = True
    sys.exit(failed)


if __name__ == "__main__":
    main()
