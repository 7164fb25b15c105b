#!/usr/bin/env python3
"""Lets the processor's floating point unit do what rows of a verilated model work out bit by bit: host_floats.py FOLDER PREFIX

The functions below add and multiply fp32 on all lanes, with one rounding. What they do is known, and the same as what the processor
does in a certain mode (host_floats.hpp), so that a model calls that instead where the processor has it. A function is replaced only
if its C++, as Verilator 5.006 and lane_loops.py leave it, is what was compared: any change of the RTL, and what is simulated is the
RTL once more, slower. After an intended change host_floats_test says whether the results are still the same, and this tool, called
without a prefix, the marks for the table. Comes behind the passes that change calls."""

import hashlib
import re
import shutil
import sys
from pathlib import Path

from lane_loops import parts, squeezed

HEADER = Path(__file__).resolve().parents[1] / "tlm/core/rtl/host_floats.hpp"
# Package and function, what stands for it, the mark of its C++.
KNOWN = {
    ("vector_lane_pkg", "add_row"): ("add", "3b005cc476567bcd"),
    ("vector_lane_pkg", "sub_row"): ("subtract", "014eb880ac0f5f94"),
    ("vector_lane_pkg", "mul_row"): ("multiply", "db34789c741b06ac"),
    ("psum_lane_pkg", "psum_add_row"): ("add", "5aed07cbfb454634"),
    ("fma32_lane_pkg", "fma_row"): ("multiply_add", "68d7b912e4d84df4"),
}
FUNCTION = re.compile(r"^void (?P<class>\w+)::__VnoInFunc_(?P<name>\w+?)_TOP__(?P<package>\w+)\((?P<parameters>[^;{]*)\) \{\n(?P<body>.*?)^\}",
                      re.DOTALL | re.MULTILINE)
BOUND = re.compile(r"while\(\((?P<lanes>\w+)U>(?P<index>\w+)\)\)")
NUMBERED = re.compile(r"(?<=__)\d+(?=__)")


def mark(function):
    """A digest of the function, which does not depend on the number of lanes, nor on how many calls there are elsewhere."""
    body = squeezed(re.sub(r"VL_DEBUG_IF\(.*\n", "", function["body"]))
    if bound := BOUND.search(body):
        body = body.replace(bound[0], "LOOP")
        body = re.sub(rf"\((?:0x)?{int(bound['lanes'], 0) - 1:x}U&{bound['index']}\)", "LANE", body)
    numbers = {}
    body = NUMBERED.sub(lambda number: str(numbers.setdefault(number[0], len(numbers))), body)
    return hashlib.sha256(body.encode()).hexdigest()[:16]


def names_of(parameters):
    return [re.search(r"(\w+)$", parameter)[1] for parameter in parts(parameters, "<>")[1:]]


def replaced(function):
    operation, expected = KNOWN.get((function["package"], function["name"]), (None, None))
    if operation is None or mark(function) != expected:
        return function[0]
    call = f"    trnsim::host_floats::{operation}({', '.join(names_of(function['parameters']))});\n"
    start = function.start("body") - function.start()
    return f"{function[0][:start]}#ifdef TRNSIM_HOST_FLOATS\n{call}#else\n{function['body']}#endif\n}}"


def main():
    folder, prefix = Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "V"
    for path in sorted(folder.glob(f"{prefix}*.cpp")):
        text = path.read_text()
        if len(sys.argv) == 2:
            for function in FUNCTION.finditer(text):
                if (function["package"], function["name"]) in KNOWN:
                    print(function["package"], function["name"], mark(function))
        elif (changed := FUNCTION.sub(replaced, text)) != text:
            path.write_text('#include "host_floats.hpp"\n' + changed)
    if len(sys.argv) > 2:
        shutil.copy(HEADER, folder)


if __name__ == "__main__":
    main()
