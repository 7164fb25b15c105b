"""The part of docs/silicon.md that the command writes, between two marks, and its picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from .scatter import scatter
from .table import Row, markdown

BEGIN = "<!-- written by trnsim bench silicon --write-docs: begin -->"
END = "<!-- written by trnsim bench silicon --write-docs: end -->"
PICTURE = "images/silicon.svg"  # beside the page


class PageError(ValueError):
    """A page without the marks."""


@dataclass(frozen=True)
class Parts:
    """The rows of this package's kernels and those of the public files."""

    own: Sequence[Row]
    public: Sequence[Row]

    def named(self) -> Iterator[tuple[str, Sequence[Row]]]:
        yield "own", self.own
        yield "public", self.public

    def titled(self) -> Iterator[tuple[str, Sequence[Row]]]:
        yield "Kernels of this tree", self.own
        yield "Public files, unmodified", self.public


def written(text: str, parts: Parts, where: str) -> str:
    """Returns the page with the tables of these rows between its marks. Raises PageError.

    The table of a part without rows stays.
    """
    before, begin, rest = text.partition(BEGIN)
    there, end, after = rest.partition(END)
    if not begin or not end:
        raise PageError(f"{where}: no two marks, expected {BEGIN} and {END}")
    sections = []
    for title, rows in parts.titled():
        heading = f"### {title}\n\n"
        old = there.partition(heading)[2].partition("\n### ")[0].rstrip()
        table = markdown(rows) if rows else f"{old}\n" if old else ""
        if table:
            sections.append(heading + table)
    tables = "\n".join(sections)
    return f"{before}{BEGIN}\n\n{tables}\n{END}{after}"


def rewrite(path: Path, parts: Parts) -> None:
    """Writes the tables into a page, and the scatter plot beside it."""
    text = written(path.read_text(encoding="utf-8"), parts, str(path))
    picture = path.parent / PICTURE
    picture.parent.mkdir(parents=True, exist_ok=True)
    scatter([*parts.own, *parts.public]).save(picture)
    path.write_text(text, encoding="utf-8")
