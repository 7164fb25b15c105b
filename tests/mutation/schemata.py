"""Many faults in one source, at most one of them active; a number in the C++ around the model says which.

The smallest whole expression around a fault becomes a choice, `((number == 7) ? (with the fault) :
(without))`. Expressions lie within each other or apart, so a choice within another one is in its last branch
only: every fault alone changes the plain text. Where the language wants a constant, Verilator refuses a
choice.
"""

import re

from faults import assignments, closing, logic_only, tokenize

NUMBER = "trnsim_fault"  # a constant of the C++ around the model
ACTIVE = f'$c32("{NUMBER}")'
BEFORE = {
    "(",
    "[",
    "{",
    ",",
    ";",
    "?",
    ":",
    "return",
    "begin",
    "end",
    "else",
    "=",
    "+=",
    "-=",
    "*=",
    "|=",
    "&=",
    "^=",
}
AFTER = {")", "]", "}", ",", ";", "?", ":"}


def ends_of_heads(tokens):
    """Returns indices of tokens before an expression that could be operators or brackets of one."""
    return assignments(tokens) | {
        closing(tokens, i + 1) for i, token in enumerate(tokens) if token.text == "case"
    }


def expression(tokens, heads, fault):
    """Returns begin and end of the smallest whole expression around the fault."""
    first = next(i for i, t in enumerate(tokens) if t.begin >= fault.begin)
    last = next(i for i in range(len(tokens) - 1, -1, -1) if tokens[i].end <= fault.end)
    depth = 0
    while first > 0:
        before = tokens[first - 1]
        if depth == 0 and (before.text in BEFORE or first - 1 in heads):
            break
        depth += (before.text in ")]}") - (before.text in "([{")
        first -= 1
    depth = 0
    while last + 1 < len(tokens):
        after = tokens[last + 1]
        if depth == 0 and after.text in AFTER:
            break
        depth += (after.text in "([{") - (after.text in ")]}")
        last += 1
    return tokens[first].begin, tokens[last].end


def one_line(text):
    """Removes line ends, so that messages about the result name the lines of the source."""
    return " ".join(re.sub(r"//[^\n]*", "", text).split())


class Node:
    """An expression with faults of its own, and expressions within it."""

    def __init__(self, begin, end):
        self.begin, self.end, self.faults, self.inner = begin, end, [], []

    def text(self, source):
        plain = source[self.begin : self.end]
        result, at = "", self.begin
        for node in self.inner:
            result += source[at : node.begin] + node.text(source)
            at = node.end
        result += source[at : self.end]
        for number, fault in self.faults:
            changed = one_line(
                plain[: fault.begin - self.begin] + fault.new + plain[fault.end - self.begin :]
            )
            result = f"(({ACTIVE} == 32'd{number}) ? ({changed}) : ({result}))"
        return result


def with_choices(source, numbered):
    """Returns the source with a choice of faults, given as (number, fault)."""
    tokens = tokenize(logic_only(source))
    heads = ends_of_heads(tokens)
    nodes = {}
    for number, fault in numbered:
        place = expression(tokens, heads, fault)
        nodes.setdefault(place, Node(*place)).faults.append((number, fault))
    whole = Node(0, len(source))
    open_nodes = [whole]
    for place in sorted(nodes, key=lambda p: (p[0], -p[1])):
        while open_nodes[-1].end <= place[0]:
            open_nodes.pop()
        if place[1] > open_nodes[-1].end:
            raise ValueError(f"expressions overlap at {place}")
        open_nodes[-1].inner.append(nodes[place])
        open_nodes.append(nodes[place])
    return whole.text(source)
