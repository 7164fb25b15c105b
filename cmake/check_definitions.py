#!/usr/bin/env python3
"""Finds second definitions of things that have one: check_definitions.py [ROOT]

Each row is a pattern for a definition and the file that has it. Tests may repeat what they expect.
"""

import re
import subprocess
import sys
from pathlib import Path

DEFINITIONS = [
    ("femtoseconds of a second", r"\b1e15\b|\b1'000'000'000'000'000\b|FsPerSecond =", "base/time/time.hpp"),
    (
        "time of cycles",
        r"__int128>[^;]*(PerSecond|[cC]lock)|Wide\{\w+\} \* (to|[fF]requency_?|\w*[cC]lock_?|\w*PerSecond)\b",
        "base/time/cycles.hpp",
    ),
    ("system address of a core", r"0xfffc'?0000'?000\b", "arch/addresses/addresses.hpp"),
    ("distance of HBM stacks", r"0x10'?0000'?0000\b", "arch/addresses/addresses.hpp"),
    (
        "sizes of element types",
        r"case (isa::)?Dtype::Fp8E3m4:(\s*case [^\n]*)*\s*return \d;",
        "isa/element_type.hpp",
    ),
    ("fields of operands", r"\bfield::(Dst|A|B)Step1\b|\bdst_step1:", "isa/isa.yaml"),
    ("distance of SBUF partitions", r"SbufWindow (=|/)|\b1u? << 18\b", "isa/core_window.hpp"),
    (
        "least cycles of a matmul",
        r'"pass_interval", 64|\bLeast = 64\b|Min\w*Cycles = 64\b',
        "arch/cost/figures.hpp",
    ),
]


def check(root, files):
    faults = []
    for path in files:
        if path.startswith("tests/"):
            continue
        code = "\n".join(line.split("//")[0] for line in (root / path).read_text().splitlines())
        faults += [
            f"{path}:{code.count(chr(10), 0, found.start()) + 1}: {what}: defined in {home}"
            for what, form, home in DEFINITIONS
            if path != home
            for found in re.finditer(form, code)
        ]
    return faults


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    names = subprocess.run(
        ["git", "-C", str(root), "-c", f"safe.directory={root.resolve()}", "ls-files", "*.cpp", "*.hpp"],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout.split()
    faults = check(root, names)
    print("\n".join(faults), end="\n" if faults else "")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
