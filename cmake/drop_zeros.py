#!/usr/bin/env python3
"""Drops zeroes that nothing reads from a verilated model: drop_zeros.py FOLDER PREFIX

Verilator 5.006 clears every wide local variable at the start of its function: results of all calls, taken or
not, operands of inlined functions, values on their way to registers. For rows that is tens of kilobytes at
each edge of a clock. Here a variable is not cleared if on each way through the function all of its words are
written before one is read:

  * by an assignment of the whole, or of its words one by one,
  * by a loop over its elements,
  * by a call of a function that writes all of that result before it reads it,
  * or if it is read only under a flag that is set after such a write (__Vdlyvval, __Vdlyvset).

Variables and functions of other forms stay as they are.
"""

import bisect
import re
import sys
from pathlib import Path

from lane_loops import CALL, NUMBER, parts, squeezed

TOKEN = re.compile(r"/\*.*?\*/|//[^\n]*|^#[^\n]*|[(){};]", re.DOTALL | re.MULTILINE)
FUNCTION = re.compile(
    r"^(?:VL_\w+ )*void \w+?(?:::(?P<name>\w+))?\((?P<parameters>[^;{]*)\) \{\n(?P<body>.*?)^\}",
    re.DOTALL | re.MULTILINE,
)
STRING = re.compile(r'"(?:\\.|[^"\\])*"')
OTHER_JUMP = re.compile(r"\b(?:return|break|continue|switch|do)\b")
DECLARED = re.compile(
    r"VlWide<(?P<words>\d+)>/\*\d+:0\*/ (?P<name>\w+);\s*(?P<zero>VL_ZERO_W\(\d+, (?P=name)\);)"
)
RESULTS = re.compile(r"\A[^{]*VlWide<\d+>/\*\d+:0\*/ &")
RESULT = re.compile(r"VlWide<(?P<words>\d+)>/\*\d+:0\*/ &(?:__restrict )?(?P<name>\w+)$")


class Unwritten(Exception):
    """A word may be read that has not been written."""


class Node:
    """A statement, or a block with the text before its brace and its contents."""

    def __init__(self, start, text, children=None):
        self.start, self.end, self.text, self.children = start, start, text, children
        self.jumps = False  # True if it has, or is, a goto or a label


def parse(body):
    """Parses the statements of a body without strings; returns None if there is something else."""
    top = Node(0, "", [])
    stack, start, depth = [top], 0, 0
    for token in TOKEN.finditer(body):
        kind, before = token[0], body[start : token.start()].strip()
        depth += (kind == "(") - (kind == ")")
        if kind[0] in "#/":
            if kind[0] == "#" or not before:
                if before:
                    return None
                start = token.end()
        elif depth or kind in "()":
            continue
        elif kind == "}":
            if before or len(stack) == 1:
                return None
            stack.pop().end = start = token.end()
        else:
            node = Node(start, before, [] if kind == "{" else None)
            node.end = start = token.end()
            if before.startswith("goto ") or before.endswith(":"):
                for block in [*stack, node]:
                    block.jumps = True
            stack[-1].children.append(node)
            if kind == "{":
                stack.append(node)
    return None if depth or len(stack) > 1 or body[start:].strip() else top.children


class Uses:
    """The positions of the names of a body."""

    def __init__(self, body):
        self.positions = {}
        for word in re.finditer(r"\w+", body):
            self.positions.setdefault(word[0], []).append(word.start())

    def are_in(self, name, node, left_out=range(0)):
        positions = self.positions.get(name, ())
        first = bisect.bisect_left(positions, node.start)
        while first < len(positions) and positions[first] in left_out:
            first += 1
        return first < len(positions) and positions[first] < node.end


class Variable:
    """The words of a variable that are written as a function goes on. States are sets of words."""

    def __init__(self, name, words, uses, writers, declaration=range(0)):
        self.name, self.all, self.writers = name, frozenset(range(words)), writers
        self.uses, self.declaration = uses, declaration
        self.use = re.compile(rf"\b{name}\b(?:\[({NUMBER})\])?")
        self.whole = re.compile(rf"VL_(?:ASSIGN|ZERO)_W\((\d+),{name}(?:,(.*))?\)")
        self.word = re.compile(rf"{name}\[({NUMBER})\]=(?!=)(.*)")
        self.element = re.compile(rf"{name}\[[^][]*\]=(?!=)")
        self.waiting = {}  # states at jumps, by label

    def is_in(self, node):
        return self.uses.are_in(self.name, node, self.declaration)

    def read(self, text, state):
        for use in self.use.finditer(text):
            if state != self.all and (use[1] is None or int(use[1][:-1], 0) not in state):
                raise Unwritten

    def after_statement(self, text, state):
        squeezed_text = squeezed(text)
        if (whole := self.whole.fullmatch(squeezed_text)) and (int(whole[1]) + 31) // 32 == len(self.all):
            self.read(whole[2] or "", state)
            return self.all
        if call := CALL.search(text + ";"):
            arguments = parts(call["arguments"])
            written = [
                position
                for position in self.writers.get(call["name"], ())
                if arguments[position] == self.name
            ]
            if written and len(self.use.findall(text)) == 1:
                return self.all
        if word := self.word.fullmatch(squeezed_text):
            self.read(word[2], state)
            return state | {int(word[1][:-1], 0)}
        if not (self.element.match(squeezed_text) and len(self.use.findall(squeezed_text)) == 1):
            self.read(squeezed_text, state)
        return state

    def is_loop_over_elements(self, before, loop):
        head = re.fullmatch(rf"while\(\(({NUMBER})>(\w+)\)\)", squeezed(loop.text))
        if (
            not head
            or int(head[1][:-1], 0) != len(self.all)
            or any(node.children is not None for node in loop.children)
        ):
            return False
        index, statements = head[2], [squeezed(node.text) for node in loop.children]
        if squeezed(before) != f"{index}=0U" or statements.pop() != f"{index}=((IData)(1U)+{index})":
            return False
        element = f"{self.name}[({hex(len(self.all) - 1)}U&{index})]"
        if any(text.startswith(f"{index}=") for text in statements):
            return False
        used = [text.replace(element, "ELEMENT") for text in statements if self.use.search(text)]
        return (
            used[0].startswith("ELEMENT=(")
            and used[0].count("ELEMENT") == 1
            and not any(map(self.use.search, used))
        )

    def after_jump(self, text, state):
        if text.startswith("goto "):
            label = text.split()[1]
            self.waiting[label] = self.waiting.get(label, self.all) & state
            return self.all
        return state & self.waiting.pop(text[:-1].strip(), self.all)

    def after_block(self, nodes, state):
        at = 0
        while at < len(nodes):
            node, before = nodes[at], nodes[at - 1].text if at else ""
            at += 1
            if not (node.jumps or self.is_in(node)):
                continue
            if node.children is None:
                state = (
                    self.after_jump(node.text, state)
                    if node.jumps
                    else self.after_statement(node.text, state)
                )
            elif node.text.startswith("if"):
                ends = []
                while True:
                    self.read(node.text, state)
                    ends.append(self.after_block(node.children, state))
                    if node.text == "else" or at == len(nodes) or not nodes[at].text.startswith("else"):
                        break
                    node = nodes[at]
                    at += 1
                state = frozenset.intersection(*ends, *([] if node.text == "else" else [state]))
            elif not node.jumps and self.is_loop_over_elements(before, node):
                state = self.all
            else:
                self.read(node.text, state)
                end = self.after_block(node.children, state)
                state = end if not node.text else state
        return state

    def is_read_under_flag(self, nodes, flag):
        """Returns whether it is read only in blocks under a flag that is set after a write of all words."""
        state = frozenset()
        for node in nodes:
            if node.children is not None:
                if (
                    (self.is_in(node) or self.uses.are_in(flag, node))
                    and squeezed(node.text) != f"if({flag})"
                    and not self.is_read_under_flag(node.children, flag)
                ):
                    return False
            elif node.jumps:
                state = frozenset()
            elif self.uses.are_in(flag, node):
                if squeezed(node.text) not in (f"CData/*0:0*/{flag}", f"{flag}=0", f"{flag}=0U") and (
                    squeezed(node.text) != f"{flag}=1U" or state != self.all
                ):
                    return False
            elif self.is_in(node):
                state = self.after_statement(node.text, state)
        return True

    def needs_no_zero(self, nodes):
        try:
            self.after_block(nodes, frozenset())
            return not self.waiting
        except Unwritten:
            pass
        try:
            flag = self.name.replace("__Vdlyvval__", "__Vdlyvset__", 1)
            return flag != self.name and self.is_read_under_flag(nodes, flag)
        except Unwritten:
            return False

    def is_written(self, nodes):
        try:
            return self.after_block(nodes, frozenset()) == self.all and not self.waiting
        except Unwritten:
            return False


def functions(text, which):
    """Yields functions with such variables: their match, body without strings, statements, uses of names."""
    for function in FUNCTION.finditer(text):
        if which.search(function[0]):
            body = STRING.sub(lambda string: " " * len(string[0]), function["body"])
            nodes = None if OTHER_JUMP.search(body) else parse(body)
            if nodes is not None:
                yield function, body, nodes, Uses(body)


def find_writers(texts):
    """Returns for each function the positions of the rows among its arguments that it writes first."""
    candidates = []
    for text in texts:
        for function, _, nodes, uses in functions(text, RESULTS):
            for position, parameter in enumerate(parts(function["parameters"], "<>")[1:]):
                if (result := RESULT.match(parameter)) and function["name"]:
                    candidates.append(
                        (function["name"], position, result["name"], int(result["words"]), uses, nodes)
                    )
    writers = {}
    while True:  # as long as one more is found: a function may pass a result on to another
        found = [
            candidate
            for candidate in candidates
            if candidate[1] not in writers.get(candidate[0], ())
            and Variable(*candidate[2:5], writers).is_written(candidate[5])
        ]
        if not found:
            return writers
        for name, position, *_ in found:
            writers.setdefault(name, set()).add(position)


def without_zeros(text, writers):
    kept, start = [], 0
    for function, body, nodes, uses in functions(text, DECLARED):
        for declared in DECLARED.finditer(body):
            if len(re.findall(rf"/ {declared['name']};", body)) > 1:
                continue
            variable = Variable(
                declared["name"], int(declared["words"]), uses, writers, range(*declared.span())
            )
            if variable.needs_no_zero(nodes):
                kept.append(text[start : function.start("body") + declared.start("zero")])
                start = function.start("body") + declared.end("zero")
    return "".join([*kept, text[start:]])


def main():
    folder, prefix = Path(sys.argv[1]), sys.argv[2]
    files = {path: path.read_text() for path in sorted(folder.glob(f"{prefix}*.cpp"))}
    writers = find_writers(files.values())
    for path, text in files.items():
        if (changed := without_zeros(text, writers)) != text:
            path.write_text(changed)


if __name__ == "__main__":
    main()
