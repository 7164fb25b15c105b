#!/usr/bin/env python3
"""Makes loops over lanes in a verilated model what a C++ compiler turns into vector code: lane_loops.py FOLDER PREFIX

Works on FOLDER/PREFIX*.cpp and .h as Verilator 5.006 writes them. Each change stands for the same value:

  words       An element of a packed row (`row[k]` of 32 bits) is read as parts of two words and written by a function that takes
              any position. k << 5 is a multiple of 32, so what is read or written is one word of the array.
  references  Functions that are not inlined take rows by value. A row that the function does not write comes by const
              reference instead. Results go to variables of the caller that are no other argument (checked at each call), so all
              references are marked `__restrict`.
  zeros       fp32_lane_pkg::leading_zeros becomes the instruction for it, if there is one for vectors.

Stops the build where a function of a package accesses elements of rows in a way not known here, or where a call or
leading_zeros looks unexpected: the model would be slow, or a change not be safe."""

import re
import sys
from pathlib import Path

NUMBER = r"(?:0x[0-9a-f]+|\d+)U"
VARIABLE = r"(?:vlSelf->)?\w+"
KINDS = {"BITS": r"\d+", "K": VARIABLE, "LAST": NUMBER, "OFFSET": NUMBER, "ROW": rf"\b{VARIABLE}(?:\s*\[[^][]*\])?", "WORDS": NUMBER}


class Unexpected(Exception):
    pass


def template(text):
    """A regular expression for C++ however it is wrapped. Names in KINDS are what varies; the same name is the same text."""
    parts, seen = [], set()
    for token in re.findall(r"\w+|[^\s\w]", text):
        if token in seen:
            parts.append(f"(?P={token})")
        elif token in KINDS:
            parts.append(f"(?P<{token}>{KINDS[token]})")
            seen.add(token)
        else:
            parts.append(re.escape(token))
    return re.compile(r"\s*".join(parts))


READ = template("""
    (((0U == (0x1fU & (K << 5U))) ? 0U
      : (ROW[(((IData)(OFFSET) + (LAST & (K << 5U))) >> 5U)] << ((IData)(0x20U) - (0x1fU & (K << 5U)))))
     | (ROW[(WORDS & K)] >> (0x1fU & (K << 5U))))""")
READ_BITS = template("(ROW[(WORDS & (((IData)(OFFSET) + (K << 5U)) >> 5U))] >> (0x1fU & ((IData)(OFFSET) + (K << 5U))))")
WRITE = template("VL_ASSIGNSEL_WI(BITS,32,(LAST & (K << 5U)), ROW,")
# What a function with rows as results has no more of, but where the lowest bit of a value becomes bit 5 of another.
OTHER = re.compile(r"VL_ASSIGNSEL_W\w\(|<<\s*5U")
BIT_5 = re.compile(r"\(0x20U\s*&\s*\((?:\w+\[\d+U\]|\(IData\)\(\w+\))\s*<<\s*5U\)\)")

ZEROS = re.compile(r"(?P<call>__Vfunc_leading_zeros__\d+__)count\s*=\s*\(.*?(?P=call)Vfuncout\s*=\s*[^;]*;", re.DOTALL)
ZEROS_CALL = re.compile(r"__Vfunc_leading_zeros__\d+__(?=Vfuncout)")
ZEROS_STEPS = """
    count = (0x10U & (- (IData)((0x10000U > value))));
    shifted = ((0x1fU >= (0x1fU & count)) ? (value << (0x1fU & count)) : 0U);
    step = (8U & (- (IData)((0x1000000U > shifted))));
    shifted = ((0x1fU >= (0x1fU & step)) ? (shifted << (0x1fU & step)) : 0U);
    count = (count + step);
    step = (4U & (- (IData)((0x10000000U > shifted))));
    shifted = ((0x1fU >= (0x1fU & step)) ? (shifted << (0x1fU & step)) : 0U);
    count = (count + step);
    step = (2U & (- (IData)((0x40000000U > shifted))));
    shifted = ((0x1fU >= (0x1fU & step)) ? (shifted << (0x1fU & step)) : 0U);
    Vfuncout = ((count + step) + (1U & (- (IData)((0x80000000U > shifted)))));"""

FUNCTION = re.compile(r"^void \w+::(?P<name>__VnoInFunc_\w+)\((?P<parameters>[^;{]*)\) \{\n(?P<body>.*?)^\}",
                      re.DOTALL | re.MULTILINE)
DECLARATION = re.compile(r"\b(?P<name>__VnoInFunc_\w+)\((?P<parameters>\w+__Syms\* __restrict vlSymsp[^;{]*)\)(?=;| \{)")
CALL = re.compile(r"(?:\.|->)(?P<name>__VnoInFunc_\w+)\(vlSymsp,(?P<arguments>[^;]*)\);")
WIDE = re.compile(r"(?P<const>const )?(?P<type>VlWide<\d+>/\*\d+:0\*/) (?P<reference>&)?(?P<name>\w+)$")


def squeezed(text):
    return re.sub(r"\s+", "", text)


def read(match):
    return f"{match['ROW']}[({match['WORDS']} & {match['K']})]"


def read_bits(match):
    if int(match["OFFSET"][:-1], 0) > 31:
        return match[0]
    return f"({match['ROW']}[({match['WORDS']} & {match['K']})] >> {match['OFFSET']})"


def write(match):
    bits, last = int(match["BITS"]), int(match["LAST"][:-1], 0)
    if bits != last + 1 or bits & last:
        return match[0]
    return f"{match['ROW']}[({hex(last >> 5)}U & {match['K']})] = ("


def count_zeros(match):
    steps, call = match[0], match["call"]
    if squeezed(steps.replace(call, "")) != squeezed(ZEROS_STEPS):
        return steps
    return f"""
#ifdef __AVX512CD__
    {call}Vfuncout = __builtin_clz({call}value | 1U);
#else
    {steps}
#endif
"""


def parts(text, brackets="()[]"):
    """What commas separate, but for those in brackets."""
    found, depth, start = [], 0, 0
    for position, character in enumerate(text):
        depth += (character in brackets[::2]) - (character in brackets[1::2])
        if character == "," and depth == 0:
            found.append(text[start:position].strip())
            start = position + 1
    return [*found, text[start:].strip()]


def is_only_read(name, body, results):
    """Whether each use of a row in a function is one that reads it."""
    body = re.sub(r'"[^"]*"', "", body)
    uses = len(re.findall(rf"\b{name}\b", body))
    reads = len(re.findall(rf"\b{name}\s*\[[^][]*\](?!\s*=[^=])", body))
    copies = len(re.findall(rf"VL_ASSIGN_W\(\d+,[^;]*,\s*{name}\);", body))
    passed = sum(argument == name and position not in results.get(call["name"], ())
                 for call in CALL.finditer(body) for position, argument in enumerate(parts(call["arguments"])))
    return uses == reads + copies + passed


def with_references(parameters, body, results):
    """A function's parameters, rows that it only reads as references."""
    changed = []
    for parameter in parts(parameters, "<>"):
        row = WIDE.match(parameter)
        if row and row["reference"]:
            parameter = f"{row['const'] or ''}{row['type']} &__restrict {row['name']}"
        elif row and is_only_read(row["name"], body, results):
            parameter = f"const {row['type']} &__restrict {row['name']}"
        changed.append(parameter)
    return ", ".join(changed)


def results_of(parameters):
    """Positions of the rows that a function writes, among the arguments after the first."""
    rows = [WIDE.match(parameter) for parameter in parts(parameters, "<>")[1:]]
    return [position for position, row in enumerate(rows) if row and row["reference"] and not row["const"]]


def check_calls(path, text, results):
    for call in CALL.finditer(text):
        arguments = parts(call["arguments"])
        for result in [arguments[position] for position in results.get(call["name"], ())]:
            if not re.fullmatch(VARIABLE, result) or len(re.findall(rf"(?<!\w){result}(?!\w)", call["arguments"])) != 1:
                raise Unexpected(f"{path}: found '{result}' as a result of {call['name']}, expected a variable that is no other argument")


def main():
    folder, prefix = Path(sys.argv[1]), sys.argv[2]
    before = {path: path.read_text() for path in sorted(folder.glob(f"{prefix}*")) if path.suffix in (".cpp", ".h")}
    files = {}
    for path, text in before.items():
        for pattern, change in ((READ, read), (READ_BITS, read_bits), (WRITE, write), (ZEROS, count_zeros)):
            text = pattern.sub(change, text)
        for call in set(ZEROS_CALL.findall(text)):
            if f"{call}Vfuncout = __builtin_clz(" not in text:
                raise Unexpected(f"{path}: found other steps in {call} than those known here")
        files[path] = text

    functions = [(path, function) for path, text in files.items() for function in FUNCTION.finditer(text)]
    results = {function["name"]: results_of(function["parameters"]) for _, function in functions}
    signatures = {function["name"]: with_references(function["parameters"], function["body"], results) for _, function in functions}
    for path, function in functions:
        if results[function["name"]] and (other := OTHER.search(BIT_5.sub("", function["body"]))):
            raise Unexpected(f"{path}: found '{other[0]}' in {function['name']}, expected another way to access elements of rows")

    for path, text in files.items():
        check_calls(path, text, results)
        text = DECLARATION.sub(lambda found: f"{found['name']}({signatures.get(found['name'], found['parameters'])})", text)
        if text != before[path]:
            path.write_text(text)


if __name__ == "__main__":
    try:
        main()
    except Unexpected as surprise:
        sys.exit(f"lane_loops.py: {surprise}")
