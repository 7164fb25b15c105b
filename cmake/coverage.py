#!/usr/bin/env python3
"""Adds up coverage files of verilated cores and tells line and toggle coverage by block.

    coverage.py merge FOLDER          all FOLDER/*.dat into FOLDER/merged.dat, which they are removed for
    coverage.py report FOLDER         table of FOLDER/merged.dat; what is missing goes to FOLDER/missing.txt

A point is a line (a branch of an if, a case item, a block) or a toggle (a bit of a signal), whatever instance or set of
parameters it is in. Waivers: coverage-waivers.txt beside this program.
"""
import collections
import fnmatch
import pathlib
import re
import sys

POINT = re.compile(r"^C '(.*)' (\d+)$")
KINDS = {"v_line": "line", "v_branch": "line", "v_toggle": "toggle"}
HERE = pathlib.Path(__file__).resolve().parent
MERGED = "merged.dat"


def read(path, points):
    """Adds the counts of a file to points, by the text that names them."""
    with open(path, encoding="latin-1") as file:
        for line in file:
            match = POINT.match(line)
            if match:
                points[match[1]] += int(match[2])


def merge(folder):
    points = collections.Counter()
    merged = folder / MERGED
    parts = sorted(path for path in folder.glob("*.dat") if path != merged)
    for path in ([merged] if merged.exists() else []) + parts:
        read(path, points)
    with open(folder / "merged.tmp", "w", encoding="latin-1") as file:
        file.write("# SystemC::Coverage-3\n")
        file.writelines(f"C '{name}' {count}\n" for name, count in points.items())
    (folder / "merged.tmp").rename(merged)
    for path in parts:
        path.unlink()


def fields(name):
    return dict(part.split("\x02", 1) for part in name.split("\x01") if "\x02" in part)


def read_waivers(path):
    """KIND  FILES  WHAT  REASON, columns two blanks apart: kind line, toggle or *; globs of paths below rtl/ and of
    signals or source lines."""
    waivers = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = re.split(r"\s{2,}", line.strip())
        if len(parts) != 4 or parts[0] not in ("line", "toggle", "*"):
            sys.exit(f"{path}:{number}:1: found '{line.strip()}', expected KIND  FILES  WHAT  REASON")
        waivers.append([*parts, 0])
    return waivers


class Source:
    """Lines of the sources, for waivers and for the list of what is missing."""

    def __init__(self):
        self.files = {}

    def line(self, path, number):
        if path not in self.files:
            self.files[path] = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
        lines = self.files[path]
        return lines[number - 1].strip() if number <= len(lines) else ""


def report(folder):
    points = collections.Counter()
    read(folder / MERGED, points)
    merged = collections.Counter()
    for name, count in points.items():
        point = fields(name)
        kind = KINDS.get(point.get("page", "").split("/")[0])
        if kind and "/rtl/" in point["f"]:
            merged[kind, point["f"], int(point["l"]), int(point.get("n", 0)), point.get("o", "")] += count
    waivers = read_waivers(HERE / "coverage-waivers.txt")
    source = Source()
    table = collections.defaultdict(lambda: [0, 0])  # (block, kind): hit, all
    missing = []
    waived = 0
    for (kind, path, line, _, what), count in sorted(merged.items()):
        name = path.split("/rtl/", 1)[1]
        text = what if kind == "toggle" else source.line(path, line)
        waiver = next((w for w in waivers if w[0] in (kind, "*") and fnmatch.fnmatch(name, w[1])
                       and fnmatch.fnmatchcase(text, w[2])), None)
        if waiver:
            waiver[4] += 1
            waived += 1
            continue
        for block in (name.split("/")[0], "total"):
            table[block, kind][1] += 1
            table[block, kind][0] += count > 0
        if count == 0:
            missing.append(f"rtl/{name}:{line}: {kind} {what}: {text}" if kind == "line" else
                           f"rtl/{name}:{line}: {kind} {what}")
    print(f"{'block':<12} {'lines':>18} {'toggles':>22}")
    blocks = sorted({block for block, _ in table} - {"total"}) + ["total"]
    for block in blocks:
        row = f"{block:<12}"
        for kind, width in (("line", 18), ("toggle", 22)):
            hit, every = table[block, kind]
            share = f"{100 * hit / every:.1f} %" if every else "-"
            row += " " + f"{share} of {every}".rjust(width)
        print(row)
    print(f"waived: {waived} points by {len(waivers)} rules; missing points: {folder / 'missing.txt'}")
    for waiver in waivers:
        if waiver[4] == 0:
            print(f"waiver without a point: {'  '.join(waiver[:3])}")
    (folder / "missing.txt").write_text("".join(line + "\n" for line in missing))


def main():
    commands = {"merge": merge, "report": report}
    if len(sys.argv) != 3 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    commands[sys.argv[1]](pathlib.Path(sys.argv[2]))


main()
