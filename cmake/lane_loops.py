#!/usr/bin/env python3
"""Rewrites loops over lanes in a verilated model for a C++ compiler to vectorize: lane_loops.py FOLDER PREFIX

Works on FOLDER/PREFIX*.cpp and .h as Verilator 5.006 writes them. No change alters a value:

  words       An element of a packed row (`row[k]` of 32 bits) is read as parts of two words and written by a
              function that takes any position. k << 5 is a multiple of 32, so it is one word of the array.
  references  Functions that are not inlined take rows by value. A row that the function does not write is
              passed by const reference instead. Results go to variables of the caller that are no other
              argument (checked at each call), so all references are marked `__restrict`.
  instructions
              Functions that vector units have as an instruction become that instruction: the leading zeros of a
              word, and the conversion of an integer to fp32, which rounds as the host does by default, to nearest
              even.

Stops the build if a function of a package accesses elements of rows in a way not known here, or if a call or
one of those functions looks unexpected: the model would be slow, or a change would not be safe.
"""

import re
import sys
from pathlib import Path

NUMBER = r"(?:0x[0-9a-f]+|\d+)U"
VARIABLE = r"(?:vlSelf->)?\w+"
KINDS = {
    "BITS": r"\d+",
    "K": VARIABLE,
    "LAST": NUMBER,
    "OFFSET": NUMBER,
    "ROW": rf"\b{VARIABLE}(?:\s*\[[^][]*\])?",
    "WORDS": NUMBER,
}


class Unexpected(Exception):
    pass


def template(text):
    """Returns a regular expression for C++ with any wrapping. Names in KINDS vary; the same name is the same
    text.
    """
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
READ_BITS = template(
    "(ROW[(WORDS & (((IData)(OFFSET) + (K << 5U)) >> 5U))] >> (0x1fU & ((IData)(OFFSET) + (K << 5U))))"
)
WRITE = template("VL_ASSIGNSEL_WI(BITS,32,(LAST & (K << 5U)), ROW,")
# Accesses that a function with rows as results no longer has, except where the lowest bit of a value becomes
# bit 5 of another.
OTHER = re.compile(r"VL_ASSIGNSEL_W\w\(|<<\s*5U")
BIT_5 = re.compile(r"\(0x20U\s*&\s*\((?:\w+\[\d+U\]|\(IData\)\(\w+\))\s*<<\s*5U\)\)")

# Parts of lines that are counted.
COUNTER = re.compile(r"\bvlSymsp->__Vcoverage\[[^;]*;")

# Functions that are an instruction: the variable that they assign first, their steps, the macro that tells of
# the vector instruction, and the replacement of the steps. ZEROS stands for the steps of leading_zeros.
LEADING_ZEROS = """
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
FROM_SIGNED = """
    negative = (- (IData)((value >> 0x1fU)));
    mag = ((value ^ negative) - negative);
    ZEROS_value = mag; ZEROS; zeros = ZEROS_Vfuncout;
    mag = ((0x1fU >= (0x1fU & zeros)) ? (mag << (0x1fU & zeros)) : 0U);
    kept = (mag >> 8U);
    rounded = (kept + (((IData)(0x7fU) + ((0xffU & mag) + (1U & kept))) >> 8U));
    rounded = ((rounded + (((IData)(0x9dU) - zeros) << 0x17U)) & (- (IData)((0U != mag))));
    Vfuncout = (rounded | (0x80000000U & value));"""
FROM_SIGNED64 = """
    negative = (- (QData)((IData)((1U & (IData)((value >> 0x3fU))))));
    mag = ((value ^ negative) - negative);
    field = ((0x100000000ULL > mag) ? 0x9dU : 0xbdU);
    mag = ((0x100000000ULL > mag) ? (mag << 0x20U) : mag);
    ZEROS_value = (IData)((mag >> 0x20U)); ZEROS; zeros = ZEROS_Vfuncout;
    mag = ((0x3fU >= (0x1fU & zeros)) ? (mag << (0x1fU & zeros)) : 0ULL);
    kept = (IData)((mag >> 0x28U));
    rounded = (kept + (IData)(((0x7fffffffffULL + ((0xffffffffffULL & mag) + (QData)((IData)((1U & kept))))) >> 0x28U)));
    rounded = ((rounded + ((field - zeros) << 0x17U)) & (- (IData)((0ULL != mag))));
    Vfuncout = (rounded | (0x80000000U & (IData)((value >> 0x20U))));"""
INSTRUCTIONS = {
    "from_signed": (
        "negative",
        FROM_SIGNED,
        "__SSE2__",
        "__builtin_bit_cast(IData, static_cast<float>(static_cast<int>(value)))",
    ),
    "from_signed64": (
        "negative",
        FROM_SIGNED64,
        "__AVX512DQ__",
        "__builtin_bit_cast(IData, static_cast<float>(static_cast<long long>(value)))",
    ),
    "leading_zeros": ("count", LEADING_ZEROS, "__AVX512CD__", "__builtin_clz(value | 1U)"),
}

FUNCTION = re.compile(
    r"^void \w+::(?P<name>__VnoInFunc_\w+)\((?P<parameters>[^;{]*)\) \{\n(?P<body>.*?)^\}",
    re.DOTALL | re.MULTILINE,
)
DECLARATION = re.compile(
    r"\b(?P<name>__VnoInFunc_\w+)\((?P<parameters>\w+__Syms\* __restrict vlSymsp[^;{]*)\)(?=;| \{)"
)
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


def with_instructions(path, text):
    """Replaces the calls of functions that are an instruction, first of those that call others."""
    inner = re.sub(r"\b(count|shifted|step|value|Vfuncout)\b", r"ZEROS_\1", LEADING_ZEROS)
    for name, (first, steps, macro, instruction) in INSTRUCTIONS.items():
        known = squeezed(steps.replace("ZEROS;", inner))

        def change(found, known=known, macro=macro, instruction=instruction):
            call = found["call"]
            steps = re.sub(
                r"__Vfunc_leading_zeros__\d+__", "ZEROS_", COUNTER.sub("", found[0].replace(call, ""))
            )
            if squeezed(steps) != known:
                raise Unexpected(f"{path}: found other steps in {call} than those known here")
            result = " ".join(
                [
                    f"{call}Vfuncout = {instruction.replace('value', f'{call}value')};",
                    *COUNTER.findall(found[0]),
                ]
            )
            return f"\n#ifdef {macro}\n    {result}\n#else\n    {found[0]}\n#endif\n"

        calls = set(re.findall(rf"__Vfunc_{name}__\d+__(?=Vfuncout)", text))
        text = re.sub(
            rf"(?P<call>__Vfunc_{name}__\d+__){first}\s*=\s*\(.*?(?P=call)Vfuncout\s*=\s*[^;]*;",
            change,
            text,
            flags=re.DOTALL,
        )
        for call in calls:
            if f"#ifdef {macro}\n    {call}Vfuncout" not in text:
                raise Unexpected(f"{path}: found other steps in {call} than those known here")
    return text


def parts(text, brackets="()[]"):
    """Splits at commas outside of brackets."""
    found, depth, start = [], 0, 0
    for position, character in enumerate(text):
        depth += (character in brackets[::2]) - (character in brackets[1::2])
        if character == "," and depth == 0:
            found.append(text[start:position].strip())
            start = position + 1
    return [*found, text[start:].strip()]


def is_only_read(name, body, results):
    """Returns whether each use of a row in a function is a read."""
    body = re.sub(r'"[^"]*"', "", body)
    uses = len(re.findall(rf"\b{name}\b", body))
    reads = len(re.findall(rf"\b{name}\s*\[[^][]*\](?!\s*=[^=])", body))
    copies = len(re.findall(rf"VL_ASSIGN_W\(\d+,[^;]*,\s*{name}\);", body))
    passed = sum(
        argument == name and position not in results.get(call["name"], ())
        for call in CALL.finditer(body)
        for position, argument in enumerate(parts(call["arguments"]))
    )
    return uses == reads + copies + passed


def with_references(parameters, body, results):
    """Returns a function's parameters, with rows that it only reads as references."""
    changed = []
    for parameter in parts(parameters, "<>"):
        row = WIDE.match(parameter)
        if row and row["reference"]:
            changed.append(f"{row['const'] or ''}{row['type']} &__restrict {row['name']}")
        elif row and is_only_read(row["name"], body, results):
            changed.append(f"const {row['type']} &__restrict {row['name']}")
        else:
            changed.append(parameter)
    return ", ".join(changed)


def results_of(parameters):
    """Returns the positions of the rows that a function writes, among the arguments after the first."""
    rows = [WIDE.match(parameter) for parameter in parts(parameters, "<>")[1:]]
    return [position for position, row in enumerate(rows) if row and row["reference"] and not row["const"]]


def check_calls(path, text, results):
    for call in CALL.finditer(text):
        arguments = parts(call["arguments"])
        for result in [arguments[position] for position in results.get(call["name"], ())]:
            if (
                not re.fullmatch(VARIABLE, result)
                or len(re.findall(rf"(?<!\w){result}(?!\w)", call["arguments"])) != 1
            ):
                raise Unexpected(
                    f"{path}: found '{result}' as a result of {call['name']}, expected a variable that is no "
                    "other argument"
                )


def main():
    folder, prefix = Path(sys.argv[1]), sys.argv[2]
    before = {
        path: path.read_text() for path in sorted(folder.glob(f"{prefix}*")) if path.suffix in (".cpp", ".h")
    }
    files = {}
    for path, text in before.items():
        changed = text
        for pattern, change in ((READ, read), (READ_BITS, read_bits), (WRITE, write)):
            changed = pattern.sub(change, changed)
        files[path] = with_instructions(path, changed)

    functions = [(path, function) for path, text in files.items() for function in FUNCTION.finditer(text)]
    results = {function["name"]: results_of(function["parameters"]) for _, function in functions}
    signatures = {
        function["name"]: with_references(function["parameters"], function["body"], results)
        for _, function in functions
    }
    for path, function in functions:
        if results[function["name"]] and (other := OTHER.search(BIT_5.sub("", function["body"]))):
            raise Unexpected(
                f"{path}: found '{other[0]}' in {function['name']}, expected another way to access elements "
                "of rows"
            )

    for path, text in files.items():
        check_calls(path, text, results)
        changed = DECLARATION.sub(
            lambda found: f"{found['name']}({signatures.get(found['name'], found['parameters'])})", text
        )
        if changed != before[path]:
            path.write_text(changed)


if __name__ == "__main__":
    try:
        main()
    except Unexpected as surprise:
        sys.exit(f"lane_loops.py: {surprise}")
