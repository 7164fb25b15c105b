"""Converts the RTL for Yosys: text to text, without a change of meaning.

Yosys' SystemVerilog front end takes the RTL except for two things:
  * `inout` and `const ref` arguments of functions. `f(inout a, input b)` becomes
    `f(output a__new, input b, input a__old)`, and every call passes the argument for `a` twice; a `const ref`
    becomes an `input`.
  * processes that hold only assertions (`if (rst_ni) Name: assert ...`). They are left out, as
    in any synthesis.
"""

import re

_FUNCTION = re.compile(r"\bfunction automatic void (\w+)\(([^;]*?)\);(.*?)endfunction", re.DOTALL)
_DECLARATION = re.compile(r"\s*(//.*|/\*.*\*/|(logic|int unsigned|\w+_t)\b[^=]*;.*)?$")
_ASSERTING = re.compile(
    r"^( *)always_ff @\([^)]*\)( begin)?\s*if \(rst_ni\)( begin)?\s*\w+: assert", re.MULTILINE
)


def split_arguments(text):
    """Splits at the commas outside of brackets."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    return [*parts, text[start:].strip()]


def _closing(text, start):
    """Returns the index after the bracket that closes the one just before `start`."""
    depth = 1
    while depth:
        depth += (text[start] in "([{") - (text[start] in ")]}")
        start += 1
    return start


def _package(text):
    found = re.search(r"^package (\w+);", text, re.MULTILINE)
    return found.group(1) if found else ""


def _inout_functions(texts):
    """Returns {(package, name): positions of the inout arguments}."""
    found = {}
    for text in texts:
        for name, arguments, _ in _FUNCTION.findall(text):
            places = [i for i, a in enumerate(split_arguments(arguments)) if a.startswith("inout ")]
            if places:
                found[_package(text), name] = places
    return found


def _function(match):
    name, arguments, body = match.group(1), split_arguments(match.group(2)), match.group(3)
    arguments = [re.sub(r"^const ref ", "input ", a) for a in arguments]
    inout = [a[len("inout ") :].rsplit(" ", 1) for a in arguments if a.startswith("inout ")]
    if inout:
        arguments = [re.sub(r"^inout (.*)", r"output \1__new", a) for a in arguments]
        arguments += [f"input {kind} {variable}__old" for kind, variable in inout]
        lines = body.split("\n")
        first = next(i for i, line in enumerate(lines) if not _DECLARATION.match(line))
        lines.insert(first, "    " + " ".join(f"{v} = {v}__old;" for _, v in inout))
        lines.insert(0, " " + " ".join(f"{kind} {v};" for kind, v in inout))
        body = "\n".join(lines) + "  " + " ".join(f"{v}__new = {v};" for _, v in inout) + "\n  "
    return f"function automatic void {name}({', '.join(arguments)});{body}endfunction"


def _calls(text, functions):
    own = {name for name, _, _ in _FUNCTION.findall(text)}
    for (package, name), places in functions.items():
        bare = package == _package(text) or (f"import {package}::*" in text and name not in own)
        pattern = re.compile(rf"(?<!void )(?<![\w:])((?:{package}::){'?' if bare else ''}{name})\(")
        position = 0
        while match := pattern.search(text, position):
            end = _closing(text, match.end())
            arguments = split_arguments(text[match.end() : end - 1])
            call = f"{match.group(1)}({', '.join(arguments + [arguments[i] for i in places])})"
            text = text[: match.start()] + call + text[end:]
            position = match.start() + len(call)
    return text


def _without_assertions(text):
    while match := _ASSERTING.search(text):
        if match.group(2) or match.group(3):
            end = re.search(rf"^{match.group(1)}end\n", text[match.start() :], re.MULTILINE).end()
        else:
            end = re.search(r";\n", text[match.start() :]).end()
        text = text[: match.start()] + text[match.start() + end :]
    return text


def convert(texts):
    """Converts {name: source} to {name: source}."""
    functions = _inout_functions(texts.values())
    return {
        name: _without_assertions(_FUNCTION.sub(_function, _calls(text, functions)))
        for name, text in texts.items()
    }
