#!/usr/bin/env python3
"""Makes the GTKWave save files waves/<view>.gtkw from views.yaml.

usage:

    make_views.py                     write the views and their translate tables
    make_views.py --check             exit 1 when one of them is out of date
    make_views.py --print VIEW FROM:TO:PIXELS
                                      the view with a time window, in ps, over that many pixels of waveform
"""

import argparse
import itertools
import math
import re
import sys
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
CORE = "core.neuron_core."
# scopes that are recorded beside the core, or without one
BESIDE = ("collectives.", "dma.", "hbm.", "links.")

# Trace flags of GTKWave: radix, right-justified, translated by a file or by a process; groups.
HEX, DEC, BIN, RIGHT, FILE, PROCESS = 0x2, 0x4, 0x8, 0x20, 0x2000, 0x4000
GROUP_BEGIN, GROUP_END, CLOSED, BLANK, COLLAPSED = 0x800000, 0x1000000, 0x400000, 0x200, 0x1000
RADIX = {"bit": BIN, "hex": HEX, "dec": DEC, "text": HEX}
NONE = 0xFFFFFFFF  # the index that the probes show while nothing executes
FILTERS = {
    "fp32": "waves/filters/fp32.py",
    "number": "waves/filters/element.py",
    "fraction": "waves/filters/fraction.py",
}


def groups(view):
    """Yields (title, collapsed, [(signal, label, format)]) with every repetition written out."""
    for group in view:
        levels = group.get("repeat", {"": ""})
        for chosen in itertools.product(
            *(level.items() for level in (levels if isinstance(levels, list) else [levels]))
        ):
            place = {
                "scope": ".".join(str(scope) for scope, _ in chosen),
                "title": ", ".join(str(title) for _, title in chosen),
            }
            names = [(s.format(**place), label, form) for s, label, form in group["signals"]]
            signals = [
                (name if name.startswith(BESIDE) else CORE + name, label, form) for name, label, form in names
            ]
            yield group["title"].format(**place), group.get("collapsed", False), signals


def table_path(form):
    return f"waves/translate/{form}.txt"


class SaveFile:
    def __init__(self, window):
        start, end, pixels = window
        zoom = -math.log2((end - start) / pixels * 200)
        self.lines = [
            (
                "[*] Made by waves/make_views.py from waves/views.yaml. Start GTKWave in the root of the "
                "repository."
            ),
            f"[timestart] {start}",
            f"*{zoom:.6f} -1" + " -1" * 26,
            "[sst_expanded] 0",
            "[signals_width] 250",
        ]
        self.tables, self.processes = {}, {}

    def signal(self, name, label, form):
        flags = RIGHT | RADIX.get(form, DEC if form == "index" else HEX)
        if form == "program":  # trnsim later puts the table of the recorded program there
            form = f"program_{name.removeprefix(CORE).split('.')[0]}"
        if form == "instruction":  # the same, for GpSimd cores
            form = "program_cores"
        translator = None
        if form in FILTERS:
            flags |= PROCESS
            translator = f"^>{self.processes.setdefault(form, len(self.processes) + 1)} {FILTERS[form]}"
        elif form not in RADIX:
            flags |= FILE
            translator = f"^{self.tables.setdefault(form, len(self.tables) + 1)} {table_path(form)}"
        self.lines.append(f"@{flags:x}")
        if translator:
            self.lines.append(translator)
        self.lines.append(f"+{{{label}}} {name}")

    def group(self, title, collapsed, signals):
        begin, end = GROUP_BEGIN | BLANK, GROUP_END | BLANK
        if collapsed:
            begin, end = begin | CLOSED, end | CLOSED | COLLAPSED
        self.lines += [f"@{begin:x}", f"-{title}"]
        for signal in signals:
            self.signal(*signal)
        self.lines += [f"@{end:x}", f"-{title}"]

    def text(self):
        return "\n".join(self.lines) + "\n"


def save_file(view, window=(0, 1_000_000, 1000)):
    save = SaveFile(window)
    for group in groups(view):
        save.group(*group)
    return save.text()


def tables(description):
    enums = yaml.safe_load((ROOT / "isa/isa.yaml").read_text())["enums"]
    for name, labels in description["tables"].items():
        enum = enums[name]
        digits = (enum["bits"] + 3) // 4
        if labels.keys() != enum["values"].keys():
            sys.exit(f"views.yaml: table {name} and the enum of isa.yaml name different values")
        yield (
            table_path(name),
            "".join(f"{enum['values'][v]:0{digits}x} {text}\n" for v, text in labels.items()),
        )


def index_tables():
    """Writes tables of values that are not in a program; trnsim writes those of a program beside its
    recording.
    """
    yield table_path("index"), f"{NONE} -\n"
    for engine in yaml.safe_load((ROOT / "isa/isa.yaml").read_text())["enums"]["engine"]["values"]:
        yield table_path(f"program_{engine}"), f"{NONE:08x} -\n"
    yield table_path("program_cores"), f"{0:08x} -\n"


def rtl_enum(path, name):
    """Returns the values of a SystemVerilog enum as words, without their common prefix."""
    text = re.search(r"enum logic[^{]*\{([^}]*)\}\s*" + name, (ROOT / path).read_text())[1]
    words = [re.findall("[A-Z][a-z0-9]*", value) for value in text.split(",")]
    return ["_".join(value[1:]).lower() for value in words]


def rtl_tables(description):
    for name, sources in description["rtl_tables"].items():
        values = []
        for path, enum in zip(sources[::2], sources[1::2]):
            values = values[:-1] + rtl_enum(path, enum)
        yield table_path(name), "".join(f"{code:x} {value}\n" for code, value in enumerate(values))


def files(description):
    for name, view in description["views"].items():
        yield f"waves/{name}.gtkw", save_file(view)
    yield from tables(description)
    yield from rtl_tables(description)
    yield from index_tables()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--print", nargs=2, metavar=("VIEW", "WINDOW"))
    args = parser.parse_args()
    description = yaml.safe_load((HERE / "views.yaml").read_text())
    if args.print:
        view, window = args.print
        print(save_file(description["views"][view], tuple(int(n) for n in window.split(":"))), end="")
        return
    for name, text in files(description):
        path = ROOT / name
        if args.check and (not path.exists() or path.read_text() != text):
            sys.exit(f"{name} is out of date: run waves/make_views.py")
        if not args.check:
            path.write_text(text)


if __name__ == "__main__":
    main()
