"""Single faults in SystemVerilog text: their places and their changes.

A site is a place in a file, a fault one change there. Faults are of four kinds: `operator` (another one),
`constant` (one bit, or plus one), `condition` (inverted, always, never) and `stuck` (a bit of an assigned
value held at 0 or 1). Text that is no logic stays as it is: comments, declarations, assertions and signals
for them alone, loop headers, widths.
"""

import re
from dataclasses import dataclass

OPERATORS = {
    "+": ["-"],
    "-": ["+"],
    "*": ["+"],
    "&": ["|"],
    "|": ["&"],
    "^": ["|", "&"],
    "&&": ["||"],
    "||": ["&&"],
    "==": ["!="],
    "!=": ["=="],
    "<": ["<=", ">="],
    ">": [">=", "<="],
    ">=": [">", "<"],
    "<=": ["<", ">"],
    "<<": [">>"],
    ">>": ["<<"],
    ">>>": [">>"],
    "~": [""],
    "!": [""],
}
TOKEN = re.compile(
    r"""
    (?P<literal>(?:\d+)?'[sS]?[bdhoBDHO][0-9a-fA-F_]+|'[01](?![0-9a-zA-Z(]))
  | (?P<number>\d[\d_]*)
  | (?P<word>[$`]?[A-Za-z_][A-Za-z0-9_$]*)
  | (?P<operator>->|<->|<<<|>>>|===|!==|==|!=|<=|>=|&&|\|\||<<|>>|\+\+|--|[-+*/&|^]=|\+:|-:|::
    |[-+*/%&|^~!<>=?:;,.(){}\[\]'\#@])
""",
    re.VERBOSE,
)
# Lines of declarations and others without logic; assertions are under `if (rst_ni)`, registers under
# `if (!rst_ni)`.
DECLARATION = re.compile(
    r"^\s*(if \(rst_ni\)|(typedef|input|output|inout|import|module|endmodule|package|endpackage|function|"
    r"endfunction|logic|genvar|parameter|enum|struct|u_\w+|`)\b)"
)
ASSERTION = re.compile(r"\b(assert|assume|cover)\b|\$(error|fatal|display|isunknown)")
# Signals for properties, and checks of parameters.
CHECKS = re.compile(
    r"`ifndef SYNTHESIS(?:(?!`else).)*?`endif|\bif \([^;]*?\) begin : \w+\s+\$error\b[^;]*;\s*end", re.DOTALL
)
BOUNDARY = {";", "begin", "end", "else"}


@dataclass(frozen=True)
class Token:
    text: str
    kind: str
    begin: int
    depth: int  # depth of round brackets and braces
    square: int  # start of the square bracket around it, -1 outside

    @property
    def end(self):
        return self.begin + len(self.text)


@dataclass(frozen=True)
class Fault:
    begin: int
    end: int
    new: str
    kind: str

    def apply(self, text):
        return text[: self.begin] + self.new + text[self.end :]


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def logic_only(text):
    """Returns the text with everything blanked that gets no fault."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\n])*\"", blank, text, flags=re.DOTALL)
    text = CHECKS.sub(blank, text)
    lines = []
    skipping = False  # in an assertion that continues
    for line in text.split("\n"):
        skipping = skipping or bool(ASSERTION.search(line))
        lines.append(" " * len(line) if skipping or DECLARATION.match(line) else line)
        skipping = skipping and ";" not in line
    text = "\n".join(lines)
    return re.sub(r"\bfor\s*\([^;]*;[^;]*;[^)]*\)", blank, text)


def tokenize(text):
    tokens, depth, squares = [], 0, []
    for match in TOKEN.finditer(text):
        word = match.group()
        if word in BOUNDARY:  # brackets of declarations may be missing
            depth = 0
        if word in ")}":
            depth -= 1
        if word == "]" and squares:
            squares.pop()
        tokens.append(Token(word, match.lastgroup, match.start(), depth, squares[-1] if squares else -1))
        if word in "({":
            depth += 1
        if word == "[":
            squares.append(match.start())
    return tokens


def widths(text):
    """Returns the width of the variables declared with one packed dimension or none."""
    found = {}
    for dimension, names in re.findall(r"\blogic\s*(?:\[(\d+):0\])?\s+([A-Za-z_][\w, \n]*?)\s*[;,)=]", text):
        for name in re.split(r"[,\s]+", names):
            found[name] = int(dimension) + 1 if dimension else 1
    return found


def changed_literal(token, random):
    """Returns the literal with one bit changed or one added."""
    if token.text in ("'0", "'1"):
        return "'1" if token.text == "'0" else "'0"
    if token.kind == "number":
        return str(int(token.text.replace("_", "")) + 1)
    width, base, digits = re.match(r"(\d*)'[sS]?([bdhoBDHO])([0-9a-fA-F_]+)", token.text).groups()
    radix = {"b": 2, "o": 8, "d": 10, "h": 16}[base.lower()]
    bits = int(width or 32)
    value = int(digits.replace("_", ""), radix)
    value = (value + 1) % (1 << bits) if random.random() < 0.5 else value ^ 1 << random.randrange(bits)
    return f"{width}'h{value:x}"


def ranges(tokens):
    """Returns the starts of the square brackets that hold a range; its numbers are widths."""
    return {t.square for t in tokens if t.square >= 0 and t.text in (":", "+:", "-:")}


def condition_begin(tokens, at, assigns):
    """Returns the index of the first token of the condition of the `?` at `at`, or None.

    `assigns` are the assignments.
    """
    depth = 0
    for i in range(at - 1, -1, -1):
        text = tokens[i].text
        if text in ")]}":
            depth += 1
        elif text in "([{":
            if depth == 0:
                return i + 1
            depth -= 1
        elif depth == 0 and (i in assigns or text in ("=", "?", ":", ",", "return") or text in BOUNDARY):
            return i + 1
    return None


def closing(tokens, at):
    """Returns the index of the bracket that closes the one at `at`, or None."""
    depth = 0
    for i in range(at, len(tokens)):
        depth += (tokens[i].text in "([{") - (tokens[i].text in ")]}")
        if depth == 0:
            return i
    return None


def assignments(tokens):
    """Returns the indices of the tokens `=` and `<=` that assign: the first of a statement."""
    found, assigned = set(), False
    for i, token in enumerate(tokens):
        if token.text in BOUNDARY:
            assigned = False
        elif token.text == "return":
            assigned = True  # a value follows, in which `<=` compares
        elif token.text in ("=", "<=") and not assigned and token.depth == 0 and token.square < 0:
            assigned = True
            found.add(i)
    return found


def stuck(source, tokens, at, known, random):
    """Holds a bit of the value that the assignment at `at` gives."""
    lhs = tokens[at - 1] if at else None
    last = next(
        (i for i in range(at, len(tokens)) if tokens[i].text == ";" and tokens[i].depth <= tokens[at].depth),
        None,
    )
    before = tokens[at - 2].text if at > 1 else ";"
    if (
        lhs is None or last is None or (last == at + 2 and tokens[at + 1].kind == "literal")
    ):  # those are changed as constants
        return None
    if lhs.kind != "word" or lhs.text not in known or before in (".", "]", ","):
        return None
    width, bit = known[lhs.text], random.randrange(known[lhs.text])
    begin, end = tokens[at + 1].begin, tokens[last - 1].end
    value = source[begin:end]
    if random.random() < 0.5:
        return Fault(begin, end, f"({value}) | {width}'h{1 << bit:x}", "stuck")
    return Fault(begin, end, f"({value}) & {width}'h{(1 << width) - 1 - (1 << bit):x}", "stuck")


def faults(source, random):
    """Returns one fault for every site of the file, in the order of the text.

    `random` chooses among a site's possibilities.
    """
    text = logic_only(source)
    tokens, known, found = tokenize(text), widths(source), []
    in_range, assigns = ranges(tokens), assignments(tokens)
    for i, token in enumerate(tokens):
        before = tokens[i - 1] if i else token
        after = tokens[i + 1] if i + 1 < len(tokens) else token
        if token.kind in ("literal", "number"):
            width = token.kind == "number" and (
                after.text in ("{", "'") or text[token.end : token.end + 1] == "'"
            )
            if not width and token.square not in in_range:
                found.append(Fault(token.begin, token.end, changed_literal(token, random), "constant"))
        elif token.text == "if" and after.text == "(" and (last := closing(tokens, i + 1)) is not None:
            inside = source[after.end : tokens[last].begin]
            new = random.choice([f"!({inside})", "1'b1", "1'b0"])
            found.append(Fault(after.end, tokens[last].begin, new, "condition"))
        elif token.text == "?" and (first := condition_begin(tokens, i, assigns)) is not None:
            begin = tokens[first].begin
            new = random.choice([f"!({source[begin : before.end]})", "1'b1", "1'b0"])
            found.append(Fault(begin, before.end, new, "condition"))
        elif i in assigns:
            if (fault := stuck(source, tokens, i, known, random)) is not None:
                found.append(fault)
        elif token.kind == "operator" and token.text in OPERATORS and token.square not in in_range:
            binary = before.kind in ("word", "number", "literal") or before.text in (")", "]", "}")
            if binary != (token.text in "~!"):
                found.append(Fault(token.begin, token.end, random.choice(OPERATORS[token.text]), "operator"))
    return found
