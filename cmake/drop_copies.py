#!/usr/bin/env python3
"""Drops copies of wide values that a verilated model only reads: drop_copies.py FOLDER PREFIX

Verilator 5.006 copies a wide value before it reads an element of an array, chooses between values or passes
on a result. So moving a row costs more than computing with it. Works on FOLDER/PREFIX*.cpp, after
lane_loops.py and drop_zeros.py:

  aliases  A local variable that is written once, as a copy or as one of two values, becomes a reference to
           the original, if nothing writes that, or the condition, before the last read of the variable.
  results  The result of an operation or of a function that the next statement copies to its place, and that
           is not read otherwise, is written there at once, if no operand is part of that place. The element
           before it in an array is no such operand.

Statements, variables and functions of other forms stay as they are.
"""

import re
import sys
from pathlib import Path

from drop_zeros import FUNCTION, STRING, Uses, parse
from lane_loops import NUMBER, parts, squeezed

DECLARED = re.compile(r"VlWide<(?P<words>\d+)>/\*\d+:0\*/ (?P<name>\w+);")
SIGNATURE = re.compile(r"^void \w+::(?P<name>__VnoInFunc_\w+)\((?P<parameters>[^;{]*)\) \{", re.MULTILINE)
CALL = re.compile(
    r"(?:vlSymsp->)?\w+(?:\.|->)(?P<name>__VnoInFunc_\w+)\(vlSymsp,(?P<arguments>.*)\)", re.DOTALL
)
OPERATION = re.compile(r"(?P<name>VL_\w+)\((?P<arguments>.*)\)", re.DOTALL)
# The index of the result among the arguments of operations that write all of it.
RESULTS = {"VL_ASSIGN_W": 1, "VL_COND_WIWW": 1, "VL_CONCAT_WWW": 3, "VL_SEL_WWII": 2}
ASSIGNMENT = re.compile(r"(?P<to>[\w>.\-]+\s*(?:\[[^;]*?\])*)\s*=(?!=)(?P<value>.*)", re.DOTALL)
OTHER = re.compile(r"\(vlSelf[,)]|vlSymsp->TOP|VL_ASSIGN")  # functions that write
PLACE = re.compile(r"(?:vlSelf->)?\w+(?:\s*\[.*\])?", re.DOTALL)
NAMES = re.compile(r"(?<![\w.])(?!0x)[A-Za-z_]\w*")
NO_VARIABLES = {
    "vlSelf",
    "vlSymsp",
    "IData",
    "CData",
    "SData",
    "QData",
    "VL_UNLIKELY",
    "VL_LIKELY",
    "if",
    "while",
    "else",
}


def names_in(text):
    return set(NAMES.findall(text)) - NO_VARIABLES


def base(place):
    return re.match(r"(?:vlSelf->)?(\w+)", place.strip())[1]


def is_element_before(one, other):
    """Returns whether the first of two elements of an array is the one before the second, in a ring.

    The array has more than one element, and their number is a power of two.
    """
    element = re.fullmatch(
        rf"(?P<array>(?:vlSelf->)?\w+)\[\((?P<last>{NUMBER})&(?P<index>[\w>.\-]+)\)\]", squeezed(other)
    )
    if not element or int(element["last"][:-1], 0) == 0:
        return False
    return squeezed(one) == f"{element['array']}[({element['last']}&({element['index']}-(IData)(1U)))]"


class Statement:
    """The base names that a statement writes, and its values; `written` is None if it may write anything."""

    def __init__(self, text, signatures):
        self.text, self.written, self.kind, self.arguments, self.results = text, None, None, [], []
        if re.match(r"(?:if|else|while)\b", text) or not text:
            self.kind, self.written = "control", set()
        elif match := CALL.fullmatch(text):
            self.arguments = parts(match["arguments"])
            if match["name"] in signatures:
                self.kind, self.results = "call", signatures[match["name"]]
                if all(PLACE.fullmatch(self.arguments[place]) for place in self.results):
                    self.written = {base(self.arguments[place]) for place in self.results}
        elif (match := OPERATION.fullmatch(text)) and match["name"] in RESULTS:
            self.kind, self.arguments, self.results = (
                match["name"],
                parts(match["arguments"]),
                [RESULTS[match["name"]]],
            )
            if PLACE.fullmatch(self.arguments[self.results[0]]):
                self.written = {base(self.arguments[self.results[0]])}
        elif (match := ASSIGNMENT.fullmatch(text)) and not OTHER.search(text):
            self.kind, self.written = "assignment", {base(match["to"])}

    def may_write(self, names):
        return self.written is None or bool(self.written & names)

    def reads_only(self, name):
        """Returns whether each use of a name in it is a read."""
        return self.written is not None and name not in self.written


class Function:
    def __init__(self, body, nodes, signatures):
        self.body, self.uses, self.changes = body, Uses(body), []
        self.blocks, self.statements, self.order = {}, {}, []
        self.aliases = {}  # the names that a reference depends on, by its name
        self.visit(nodes, signatures, ())
        self.declared = {}
        for declared in DECLARED.finditer(body):
            self.declared.setdefault(declared["name"], []).append(declared)

    def visit(self, nodes, signatures, above):
        for at, node in enumerate(nodes):
            node.block, node.at, node.above = nodes, at, above
            node.statement = Statement(node.text, signatures)
            self.order.append(node)
            if node.children is not None:
                self.visit(node.children, signatures, (*above, node))

    def words(self, name):
        """Returns the words of a variable with one declaration, before the statements; None for others."""
        declared = self.declared.get(name, [])
        return int(declared[0]["words"]) if len(declared) == 1 else None

    def positions(self, name):
        return [
            position
            for position in self.uses.positions.get(name, ())
            if position != self.declared[name][0].start("name")
        ]

    def alias(self, node):
        """Makes a reference of the variable that a statement writes, if it may be one."""
        statement, part = node.statement, ""
        if statement.kind not in ("VL_ASSIGN_W", "VL_COND_WIWW", "VL_SEL_WWII"):
            return False
        name, values = (
            statement.arguments[RESULTS[statement.kind]],
            statement.arguments[RESULTS[statement.kind] + 1 :],
        )
        operands = values[1:] if statement.kind == "VL_COND_WIWW" else values[:1]
        if self.words(name) != (int(statement.arguments[0]) + 31) // 32 or not all(
            map(PLACE.fullmatch, operands)
        ):
            return False
        if statement.kind == "VL_SEL_WWII":
            if (part := whole_words(statement.arguments)) is None:
                return False
            values = operands
        looked_at = set().union(*(names_in(value) for value in values))
        if name in looked_at:
            return False
        for other in list(looked_at):
            looked_at |= self.aliases.get(other, set())
        others = [position for position in self.positions(name) if not node.start <= position < node.end]
        end = max(others, default=0)
        if not others or min(others) < node.end or end >= (node.block[-1].end):
            return False
        if any(follower.jumps and follower.children is None for follower in node.block[node.at + 1 :]):
            return False
        for follower in self.order:
            if (
                follower.start < node.end
                or follower.start > end
                or follower.text == ""
                or (follower.children is not None and not follower.text)
            ):
                continue
            used = bool(re.search(rf"\b{name}\b", follower.text))
            if used and not follower.statement.reads_only(name):
                return False
            if not follower.statement.may_write(looked_at):
                continue
            # An assignment reads before it writes; no later statement may read once more.
            loops = any(block.text.startswith("while") for block in follower.above[len(node.above) :])
            if not (used and follower.statement.kind == "assignment" and not loops and end < follower.end):
                return False
        self.aliases[name] = looked_at
        kind = f"const VlWide<{self.words(name)}>"
        if part:
            value = f"*reinterpret_cast<{kind}*>(&{operands[0]}[{part}])"
        else:
            value = operands[0] if len(operands) == 1 else f"({values[0]}) ? {operands[0]} : {operands[1]}"
        self.replace(node, f"{kind}& {name} = {value}")
        self.drop_declaration(name)
        return True

    def forwarded(self, node):
        """Returns the result that the next statement copies and its destination, if it may be written there
        at once.
        """
        if not node.statement.results or node.children is not None or node.at + 1 == len(node.block):
            return None
        copy, statement = node.block[node.at + 1].statement, node.statement
        if copy.kind != "VL_ASSIGN_W" or copy.written is None or statement.written is None:
            return None
        bits, place, name = copy.arguments
        used = set().union(
            *(
                names_in(argument) - ({base(place)} if is_element_before(argument, place) else set())
                for argument in statement.arguments
            )
        )
        if (
            self.words(name) != (int(bits) + 31) // 32
            or name in self.aliases
            or len(re.findall(rf"\b{name}\b", node.text)) != 1
        ):
            return None
        if (
            name not in (statement.arguments[result] for result in statement.results)
            or names_in(place) & statement.written
        ):
            return None
        if base(place) in used.union(*(self.aliases.get(name, set()) for name in used)):
            return None
        return name, place

    def forward(self):
        """Writes results to the destinations of the copies in the next statements."""
        found, changed = {}, set()
        for node in self.order:
            if forwarded := self.forwarded(node):
                found.setdefault(forwarded[0], []).append((node, forwarded[1]))
        for name, uses in found.items():
            pairs = {id(statement) for node, _ in uses for statement in node.block[node.at : node.at + 2]}
            if (
                len(self.positions(name)) != 2 * len(uses)
                or pairs & changed
                or any(base(place) in self.aliases for _, place in uses)
            ):
                continue
            changed |= pairs
            for node, place in uses:
                follower = node.block[node.at + 1]
                self.replace(node, re.sub(rf"\b{name}\b", lambda _, place=place: place, node.text))
                self.changes.append((follower.start, follower.end, ""))
            self.drop_declaration(name)

    def replace(self, node, text):
        self.changes.append((node.start, node.end, f"\n    {text};"))

    def drop_declaration(self, name):
        self.changes.append((*self.declared[name][0].span(), ""))

    def changed(self):
        for node in self.order:
            if node.children is None and not node.jumps:
                self.alias(node)
        self.forward()
        text, at = [], 0
        for start, end, new in sorted(self.changes):
            text += [self.body[at:start], new]
            at = end
        return "".join([*text, self.body[at:]])


def whole_words(arguments):
    """Returns the first word that VL_SEL_WWII selects, if the selection is a number of whole words."""
    bits, _, _, _, first, width = arguments
    if not (re.fullmatch(NUMBER, first) and re.fullmatch(NUMBER, width)) or int(width[:-1], 0) != int(bits):
        return None
    return f"{int(first[:-1], 0) // 32}U" if int(first[:-1], 0) % 32 == int(bits) % 32 == 0 else None


def signatures_of(texts):
    """Returns for each function the positions of its written arguments after the first."""
    found = {}
    for text in texts:
        for function in SIGNATURE.finditer(text):
            parameters = parts(function["parameters"], "<>")[1:]
            found[function["name"]] = [
                place
                for place, parameter in enumerate(parameters)
                if "&" in parameter and not parameter.startswith("const ")
            ]
    return found


def without_copies(text, signatures):
    kept, start = [], 0
    for function in FUNCTION.finditer(text):
        body = function["body"]
        if not any(f"{name}(" in body for name in RESULTS) or '"' in STRING.sub("", body):
            continue
        nodes = parse(STRING.sub(lambda string: " " * len(string[0]), body))
        if nodes is None:
            continue
        kept += [text[start : function.start("body")], Function(body, nodes, signatures).changed()]
        start = function.end("body")
    return "".join([*kept, text[start:]])


def main():
    folder, prefix = Path(sys.argv[1]), sys.argv[2]
    files = {path: path.read_text() for path in sorted(folder.glob(f"{prefix}*.cpp"))}
    signatures = signatures_of(files.values())
    for path, text in files.items():
        if (
            "__Slow" not in path.name
            and "__Trace" not in path.name
            and (changed := without_copies(text, signatures)) != text
        ):
            path.write_text(changed)


if __name__ == "__main__":
    main()
