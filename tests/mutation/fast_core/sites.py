"""Places for faults in C++ sources, and sources with a choice of faults.

libclang finds the places: Debian's python3-clang-19. A fault is one of

  operator    another comparison or arithmetic operator
  condition   of an `if` or `?:`, inverted
  clause      an operand of && or || left out
  negation    a ! left out
  constant    a literal, or a row of the table of figures at a use, plus one
  statement   an assignment, increment or call left out

Code that the language needs at compile time stays as it is: constant expressions, types, declarations.
"""

from dataclasses import dataclass
from pathlib import Path

from clang.cindex import Config, Cursor, CursorKind, Index, TypeKind

Config.set_library_file("libclang-19.so.1")

NAMESPACE = "::trnsim::mutation"
FUNCTORS = {
    "+": "std::plus<>",
    "-": "std::minus<>",
    "*": "std::multiplies<>",
    "&": "std::bit_and<>",
    "|": "std::bit_or<>",
    "^": "std::bit_xor<>",
    "<": "std::less<>",
    "<=": "std::less_equal<>",
    ">": "std::greater<>",
    ">=": "std::greater_equal<>",
    "==": "std::equal_to<>",
    "!=": "std::not_equal_to<>",
    "<<": f"{NAMESPACE}::Left",
    ">>": f"{NAMESPACE}::Right",
}
OTHER = {
    "+": ["-"],
    "-": ["+"],
    "*": ["+"],
    "&": ["|"],
    "|": ["&", "^"],
    "^": ["|"],
    "<": ["<=", ">="],
    "<=": ["<", ">"],
    ">": [">=", "<="],
    ">=": [">", "<"],
    "==": ["!="],
    "!=": ["=="],
    "<<": [">>"],
    ">>": ["<<"],
}
ARITHMETIC = {"+", "-", "*", "&", "|", "^", "<<", ">>"}
NUMBERS = {
    TypeKind.BOOL,
    TypeKind.CHAR_U,
    TypeKind.UCHAR,
    TypeKind.USHORT,
    TypeKind.UINT,
    TypeKind.ULONG,
    TypeKind.ULONGLONG,
    TypeKind.CHAR_S,
    TypeKind.SCHAR,
    TypeKind.SHORT,
    TypeKind.INT,
    TypeKind.LONG,
    TypeKind.LONGLONG,
    TypeKind.FLOAT,
    TypeKind.DOUBLE,
}
FIXED = {
    CursorKind.STATIC_ASSERT,
    CursorKind.ENUM_DECL,
    CursorKind.CASE_STMT,
    CursorKind.TEMPLATE_NON_TYPE_PARAMETER,
    CursorKind.TYPE_ALIAS_DECL,
    CursorKind.TYPE_REF,
    CursorKind.TEMPLATE_REF,
}
LOOPS = {CursorKind.FOR_STMT, CursorKind.WHILE_STMT, CursorKind.DO_STMT, CursorKind.CXX_FOR_RANGE_STMT}
STATEMENTS = {
    CursorKind.BINARY_OPERATOR,
    CursorKind.COMPOUND_ASSIGNMENT_OPERATOR,
    CursorKind.UNARY_OPERATOR,
    CursorKind.CALL_EXPR,
}


@dataclass(frozen=True)
class Edit:
    """Replaces the text from begin to end.

    At one place, ends of expressions come first, inner ones before outer ones, then operators, then starts,
    outer ones before inner ones.
    """

    begin: int
    end: int
    text: str
    place: int  # 0: after an expression, 1: an operator, 2: before an expression
    length: int  # length of the expression

    def key(self, number):
        sign = -1 if self.place == 2 else 1
        return self.begin, self.place, sign * self.length, -sign * number


@dataclass(frozen=True)
class Site:
    file: str
    line: int
    begin: int
    end: int
    kind: str
    what: str
    make: object  # number -> edits


class Source:
    """A file of the project, as bytes, because libclang counts bytes."""

    def __init__(self, root, name):
        self.name, self.bytes = name, (root / name).read_bytes()

    def text(self, begin, end):
        return self.bytes[begin:end].decode()

    def line(self, at):
        return self.bytes.count(b"\n", 0, at) + 1

    def with_faults(self, numbered):
        """Returns the text with a choice of the sites, given as (number, site)."""
        edits = sorted(
            ((number, edit) for number, site in numbered for edit in site.make(number)),
            key=lambda e: e[1].key(e[0]),
        )
        result, at = b'#include "tests/mutation/fast_core/choices.hpp"\n#include <functional>\n#line 1\n', 0
        for _, edit in edits:
            result += self.bytes[at : edit.begin] + edit.text.encode()
            at = edit.end
        return result + self.bytes[at:]


def around(begin, end, before, after):
    return [Edit(begin, begin, before, 2, end - begin), Edit(end, end, after, 0, end - begin)]


class Finder:
    def __init__(self, root, folders, chance, left_out=()):
        """`left_out` has names in the signatures of functions without faults."""
        self.root, self.folders, self.chance, self.left_out = root, folders, chance, left_out
        self.sources, self.sites, self.index = {}, {}, Index.create()

    def source_of(self, cursor):
        file = cursor.extent.start.file
        if file is None:
            return None
        path = Path(file.name)
        if not path.is_relative_to(self.root) or not str(path.relative_to(self.root)).startswith(
            tuple(self.folders)
        ):
            return None
        name = str(path.relative_to(self.root))
        if name not in self.sources:
            self.sources[name] = Source(self.root, name)
        return self.sources[name]

    def read(self, path, arguments):
        unit = self.index.parse(str(path), args=arguments)
        errors = [d for d in unit.diagnostics if d.severity >= 3]
        if errors:
            raise SystemExit(f"{path}: {errors[0]}")
        for child in unit.cursor.get_children():
            if self.source_of(child) is not None:
                self.visit(child, None)

    def add(self, source, cursor, kind, what, make):
        begin, end = cursor.extent.start.offset, cursor.extent.end.offset
        key = (source.name, begin, end, kind, what)
        if key not in self.sites:
            self.sites[key] = Site(source.name, source.line(begin), begin, end, kind, what, make)

    def visit(self, cursor: Cursor, parent):
        source = self.source_of(cursor)
        if source is None or cursor.kind in FIXED:
            if cursor.kind == CursorKind.CASE_STMT:  # the statement after the constant
                for child in list(cursor.get_children())[1:]:
                    self.visit(child, cursor)
            return
        if cursor.kind in (
            CursorKind.VAR_DECL,
            CursorKind.FIELD_DECL,
            CursorKind.FUNCTION_DECL,
            CursorKind.CXX_METHOD,
            CursorKind.FUNCTION_TEMPLATE,
            CursorKind.CONVERSION_FUNCTION,
            CursorKind.CONSTRUCTOR,
        ):
            if any(name in cursor.displayname for name in self.left_out):
                return
            head = (
                source.text(cursor.extent.start.offset, cursor.extent.end.offset).split("{")[0].split("(")[0]
            )
            if "constexpr" in head.split():
                return
        self.look_at(source, cursor, parent)
        for child in cursor.get_children():
            self.visit(child, cursor)

    def look_at(self, source, cursor, parent):
        begin, end = cursor.extent.start.offset, cursor.extent.end.offset
        children = list(cursor.get_children())
        if cursor.kind == CursorKind.BINARY_OPERATOR and len(children) == 2:
            self.binary(source, cursor, children)
        elif cursor.kind == CursorKind.UNARY_OPERATOR and source.text(begin, begin + 1) == "!":
            self.add(
                source,
                cursor,
                "negation",
                "!",
                lambda n: around(begin, end, f"({NAMESPACE}::on<{n}>() != (", "))"),
            )
        elif cursor.kind == CursorKind.INTEGER_LITERAL or (
            cursor.kind == CursorKind.CALL_EXPR and cursor.spelling == "figure"
        ):
            self.constant(source, cursor)
        elif (
            cursor.kind in (CursorKind.IF_STMT, CursorKind.CONDITIONAL_OPERATOR)
            and children[0].kind.is_expression()
        ):
            condition = children[0]
            if "constexpr" not in source.text(begin, condition.extent.start.offset):
                first, last = condition.extent.start.offset, condition.extent.end.offset
                self.add(
                    source,
                    condition,
                    "condition",
                    "inverted",
                    lambda n: around(first, last, f"({NAMESPACE}::on<{n}>() != static_cast<bool>(", "))"),
                )
        is_whole = self.is_statement(parent) and source.bytes[end : end + 1] == b";"
        if (
            cursor.kind in STATEMENTS
            and is_whole
            and (cursor.kind != CursorKind.BINARY_OPERATOR or self.operator(source, children)[0] == "=")
        ):
            self.add(
                source,
                cursor,
                "statement",
                "left out",
                lambda n: around(begin, end, f"(void)({NAMESPACE}::on<{n}>() || ((void)(", "), true))"),
            )

    @staticmethod
    def is_statement(parent):
        return parent is not None and (
            parent.kind
            in (CursorKind.COMPOUND_STMT, CursorKind.IF_STMT, CursorKind.CASE_STMT, CursorKind.DEFAULT_STMT)
            or parent.kind in LOOPS
        )

    def operator(self, source, children):
        first, last = children[0].extent.end.offset, children[1].extent.start.offset
        text = source.text(first, last)
        return text.strip(), first, last

    def binary(self, source, cursor, children):
        begin, end = cursor.extent.start.offset, cursor.extent.end.offset
        operator, first, last = self.operator(source, children)
        if operator in ("&&", "||"):
            for index, child in enumerate(children):
                a, b = child.extent.start.offset, child.extent.end.offset
                self.add(
                    source,
                    child,
                    "clause",
                    f"{operator} {index}",
                    lambda n, a=a, b=b: around(
                        a,
                        b,
                        f"({NAMESPACE}::on<{n}>() || ("
                        if operator == "&&"
                        else f"(!{NAMESPACE}::on<{n}>() && (",
                        "))",
                    ),
                )
            return
        if operator not in OTHER or (
            operator in ARITHMETIC and cursor.type.get_canonical().kind not in NUMBERS
        ):
            return
        new = self.chance.choice(OTHER[operator])
        self.add(
            source,
            cursor,
            "operator",
            f"{operator} to {new}",
            lambda n: [
                *around(begin, end, f"{NAMESPACE}::either<{n}, {FUNCTORS[operator]}, {FUNCTORS[new]}>(", ")"),
                Edit(first, last, ", ", 1, 0),
            ],
        )

    def constant(self, source, cursor):
        begin, end = cursor.extent.start.offset, cursor.extent.end.offset
        self.add(
            source,
            cursor,
            "constant",
            "one more",
            lambda n: around(begin, end, "(", f" + {NAMESPACE}::on<{n}>())"),
        )
