"""Draws the pictures of the README from runs of trnsim: the timeline of a kernel, and a sweep.

usage: docs/pictures.py [PROGRAM [FOLDER]]   (by default ./trnsim and docs/images)

The runs are on the fast core, so the pictures are the same on every machine.
"""

from __future__ import annotations

import csv
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
KERNEL = ["attention", "--seq", "512", "--dim", "64", "--causal", "1"]
SWEEP = """
name: matmul-over-bandwidth
base: trn1
fidelity: fast
check: false
axes:
  - dma.engines: [2, 4, 8, 16]
  - hbm.bandwidth: { from: 25 GB/s, to: 800 GB/s, factor: 2 }
kernels:
  - matmul: { M: 512, K: 512, N: 512, dtype: bf16 }
metrics: [time]
"""
ENGINES = ("tensor", "vector", "scalar")
# Colours that people tell apart whatever they see, on light and on dark pages.
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c6bb1", "#7f7f7f")
SHOWN_OPCODES = len(COLOURS) - 1  # the others share the last colour
STYLE = (
    "<style>text{font:12px sans-serif;fill:#444}.grid{stroke:#888;stroke-width:1;stroke-opacity:.25}"
    "@media(prefers-color-scheme:dark){text{fill:#ccc}}</style>"
)


def svg(width: int, height: int, title: str, body: list[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img"'
    return "\n".join([f'{head} aria-label="{title}">', f"<title>{title}</title>", STYLE, *body, "</svg>", ""])


def text(x: float, y: float, content: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{content}</text>'


def line(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def united(spans: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Returns the union of spans of time."""
    result: list[tuple[float, float]] = []
    for begin, end in sorted(spans):
        if result and begin <= result[-1][1]:
            result[-1] = (result[-1][0], max(result[-1][1], end))
        else:
            result.append((begin, end))
    return result


def timeline(events: list[dict[str, Any]]) -> str:
    """Draws engines by opcode and DMA by direction, from the events of a Chrome trace."""
    names = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    spans = [e for e in events if e["ph"] == "X"]
    rows: dict[str, list[tuple[float, float, str]]] = {}
    for event in spans:
        track, begin = names[event["tid"]], event["ts"]
        if track in ENGINES:
            rows.setdefault(track, []).append((begin, begin + event["dur"], event["name"]))
    for direction, word in (("DMA in", "load"), ("DMA out", "store")):
        moved = [
            (e["ts"], e["ts"] + e["dur"])
            for e in spans
            if names[e["tid"]].startswith("ring ") and word in names[e["tid"]].lower()
        ]
        rows[direction] = [(begin, end, "DMA packets") for begin, end in united(moved)]
    order = [*ENGINES, "DMA in", "DMA out"]
    first = min(span[0] for row in rows.values() for span in row)
    last = max(span[1] for row in rows.values() for span in row)
    busy: dict[str, float] = {}
    for row in rows.values():
        for begin, end, name in row:
            busy[name] = busy.get(name, 0) + end - begin
    ranked = sorted(busy, key=lambda name: (-busy[name], name))
    colours = {name: COLOURS[min(i, SHOWN_OPCODES)] for i, name in enumerate(ranked)}

    left, width, tall, gap, top = 70, 900, 26, 8, 24
    scale = (width - left - 10) / (last - first)
    bottom = top + len(order) * (tall + gap)
    body = [text(left, 14, "attention, 512 x 512, causal, on the core of trn1: what each engine executes")]
    step = 2.0
    for i in range(int((last - first) / step) + 1):
        x = left + i * step * scale
        body += [line("grid", x, top, x, bottom), text(x, bottom + 16, f"{i * step:g} us", "middle")]
    for number, name in enumerate(order):
        y = top + number * (tall + gap)
        body.append(text(left - 8, y + tall / 2 + 4, name, "end"))
        for begin, end, what in rows.get(name, []):
            x, wide = left + (begin - first) * scale, max((end - begin) * scale, 0.4)
            body.append(
                f'<rect x="{x:.1f}" y="{y}" width="{wide:.1f}" height="{tall}" fill="{colours[what]}">'
                f"<title>{what}</title></rect>"
            )
    x, y = float(left), bottom + 38
    labels = [(name, colours[name]) for name in ranked[:SHOWN_OPCODES]]
    labels += [("others", COLOURS[-1])] if len(ranked) > SHOWN_OPCODES else []
    for name, colour in labels:
        body.append(f'<rect x="{x:.1f}" y="{y - 10}" width="12" height="12" fill="{colour}"/>')
        body.append(text(x + 17, y, name))
        x += 30 + 6 * len(name)
    return svg(width, int(y) + 10, "Timeline of an attention kernel", body)


def bandwidth(rows: list[dict[str, str]]) -> str:
    """Draws the time of a kernel over the bandwidth of HBM, a line for each number of DMA engines."""
    points: dict[int, list[tuple[float, float]]] = {}
    for row in rows:
        points.setdefault(int(row["dma.engines"]), []).append(
            (float(row["hbm.bandwidth (B/s)"]) / 1e9, float(row["time (s)"]) * 1e6)
        )
    every = [point for line_ in points.values() for point in line_]
    low, high = min(x for x, _ in every), max(x for x, _ in every)
    left, right, top, bottom, width = 60, 145, 24, 250, 900
    most = math.log2(max(y for _, y in every))
    least = math.log2(min(y for _, y in every))

    def across(value: float) -> float:
        return left + (width - left - right) * math.log2(value / low) / math.log2(high / low)

    def up(value: float) -> float:
        return bottom - (bottom - top) * (math.log2(value) - least) / (most - least)

    body = [text(left, 14, "matmul 512 x 512 x 512 in bf16 on trn1: time over the bandwidth of HBM")]
    for x in sorted({x for x, _ in every}):
        body += [
            line("grid", across(x), top, across(x), bottom),
            text(across(x), bottom + 16, f"{x:g} GB/s", "middle"),
        ]
    for exponent in range(math.ceil(least), math.floor(most) + 1):
        y = up(2.0**exponent)
        body += [line("grid", left, y, width - right, y), text(left - 6, y + 4, f"{2**exponent} us", "end")]
    for number, (engines, values) in enumerate(sorted(points.items())):
        colour = COLOURS[number]
        values.sort()
        path = " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in values)
        body.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        body += [f'<circle cx="{across(x):.1f}" cy="{up(y):.1f}" r="3" fill="{colour}"/>' for x, y in values]
        body.append(
            f'<rect x="{width - right + 12}" y="{top + 22 * number}" width="12" height="12" fill="{colour}"/>'
        )
        body.append(text(width - right + 30, top + 22 * number + 10, f"{engines} DMA engines"))
    return svg(width, bottom + 26, "Time of a matmul over the bandwidth of HBM", body)


def main() -> int:
    program = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "trnsim")
    images = Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "docs/images"

    def run(*arguments: str | Path) -> None:
        subprocess.run([program, "-q", *map(str, arguments)], check=True)

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        kernel, trace = folder / "k.neff", folder / "t.json"
        run("kernel", "build", *KERNEL, "-o", kernel)
        run("run", kernel, "--fidelity", "fast", "--random-inputs", "1", "--trace", trace)
        (folder / "s.yaml").write_text(SWEEP)
        run("sweep", folder / "s.yaml", "-o", folder / "sweep")
        with (folder / "sweep/results.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        images.mkdir(parents=True, exist_ok=True)
        (images / "timeline.svg").write_text(timeline(json.loads(trace.read_text())["traceEvents"]))
        (images / "bandwidth.svg").write_text(bandwidth(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
