"""The scatter plot of simulated over measured times, both on logarithmic axes."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

from ...pictures import Picture
from .table import Row

_LEFT, _TOP, _SIZE, _RIGHT = 70, 28, 520, 190  # pixels; the axes are a square
_BAND = 10  # per cent
# Colours that people tell apart whatever they see, on light and on dark pages.
_COLOURS = {"NKIBench": "#0072b2", "Autocomp": "#e69f00", "AWS": "#009e73"}
_OTHER = "#7f7f7f"
_STYLE = (
    "<style>text{font:12px sans-serif;fill:#444}.grid{stroke:#888;stroke-opacity:.25}"
    "@media(prefers-color-scheme:dark){text{fill:#ccc}}</style>"
)


def _decades(values: Sequence[float]) -> tuple[float, float]:
    """Returns the whole halves of decades around the values, as logarithms."""
    low, high = math.log10(min(values)), math.log10(max(values))
    return math.floor(2 * low) / 2, max(math.ceil(2 * high) / 2, math.floor(2 * low) / 2 + 0.5)


def _mark(row: Row, x: float, y: float) -> str:
    """A disc for a kernel of this package, a square for a public one; hollow if it is not comparable."""
    colour = _COLOURS.get(row.measured.name.partition("/")[0], _OTHER)
    look = f'fill="{colour}"' if row.measured.comparable else f'fill="none" stroke="{colour}"'
    title = html.escape(f"{row.measured.name}: {row.measured.ms:g} ms measured, {row.ms:.4g} simulated")
    if row.outcome.job.folder is None:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" {look}><title>{title}</title></circle>'
    return f'<rect x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8" {look}><title>{title}</title></rect>'


def scatter(rows: Sequence[Row]) -> Picture:
    """Draws the rows that ran. Raises ValueError if there are none."""
    ran = [row for row in rows if row.ran]
    if not ran:
        raise ValueError("a scatter plot without a kernel that ran, expected at least one")
    first, last = _decades([ms for row in ran for ms in (row.measured.ms, row.ms)])
    bottom, right = _TOP + _SIZE, _LEFT + _SIZE

    def at(ms: float) -> float:
        return _SIZE * (math.log10(ms) - first) / (last - first)

    def line(a: float, b: float, dashes: str = "") -> str:
        """The line on which the model has b / a times the measured time, within the axes."""
        shift = math.log10(b / a) / (last - first) * _SIZE
        low, high = max(0.0, -shift), min(float(_SIZE), _SIZE - shift)
        return (
            f'<line class="grid" x1="{_LEFT + low:.1f}" y1="{bottom - low - shift:.1f}" '
            f'x2="{_LEFT + high:.1f}" y2="{bottom - high - shift:.1f}"{dashes}/>'
        )

    body = [
        f'<text x="{_LEFT}" y="16">simulated over measured time, ms; dashed: {_BAND} % more or less</text>'
    ]
    exponent = math.ceil(first)
    while exponent <= last:
        x, y, label = _LEFT + at(10.0**exponent), bottom - at(10.0**exponent), f"{10.0**exponent:g}"
        body += [
            f'<line class="grid" x1="{x:.1f}" y1="{_TOP}" x2="{x:.1f}" y2="{bottom}"/>',
            f'<line class="grid" x1="{_LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}"/>',
            f'<text x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{label}</text>',
            f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{label}</text>',
        ]
        exponent += 1
    body.append(line(1, 1))
    body += [line(1, 1 + sign * _BAND / 100, ' stroke-dasharray="4 4"') for sign in (-1, 1)]
    body += [_mark(row, _LEFT + at(row.measured.ms), bottom - at(row.ms)) for row in ran]
    for number, (suite, colour) in enumerate(_COLOURS.items()):
        y = _TOP + 22 * number
        body.append(f'<rect x="{right + 14}" y="{y}" width="12" height="12" fill="{colour}"/>')
        body.append(f'<text x="{right + 32}" y="{y + 10}">{suite}</text>')
    legend = ("disc: kernel of this tree", "square: public file", "hollow: not comparable")
    for number, words in enumerate(legend, start=len(_COLOURS)):
        body.append(f'<text x="{right + 14}" y="{_TOP + 22 * number + 10}">{words}</text>')
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {right + _RIGHT} {bottom + 26}" role="img" '
        'aria-label="Simulated over measured times">'
    )
    title = "<title>Simulated over measured times</title>"
    return Picture("\n".join([head, title, _STYLE, *body, "</svg>", ""]))
