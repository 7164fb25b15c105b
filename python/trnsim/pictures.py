"""Pictures of timelines and waveforms as SVG, which notebooks show inline.

They need neither a display nor another package. timeline("k.json") draws the file that `trace=` and
`save_trace_name` write, waveform("k.fst", [...]) the file that `wave=` writes; the latter needs fst2vcd of
GTKWave.
"""

from __future__ import annotations

import html
import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

PathLike: TypeAlias = str | os.PathLike[str]

_NAMES, _WIDTH, _ROW = 190, 800, 22  # pixels of the column of names, of the time axis and of a row
_COLOURS = ("#4e79a7", "#f28e2b", "#59a14f", "#b07aa1", "#9c755f", "#76b7b2", "#edc948", "#e15759")
_WAIT = "#d4d4d4"
_ENGINES = ("tensor", "vector", "scalar", "gpsimd", "sync", "dma")


@dataclass(frozen=True)
class Picture:
    """An SVG. Notebooks show it; `save` writes a file."""

    svg: str

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: PathLike) -> None:
        Path(path).write_text(self.svg, encoding="utf-8")


class _Canvas:
    """Rows of a picture over an axis of time in ns."""

    def __init__(self, start: float, end: float) -> None:
        self._start, self._scale, self._end = start, _WIDTH / max(end - start, 1e-9), end
        self._parts: list[str] = []
        self._rows = 0

    def row(self, name: str) -> int:
        """Adds a row and returns the pixel of its upper edge."""
        top = self._rows * _ROW
        self._rows += 1
        self._parts.append(
            f'<text x="{_NAMES - 8}" y="{top + 15}" text-anchor="end">{html.escape(name)}</text>'
        )
        return top

    def x(self, time: float) -> float:
        return round(_NAMES + (min(max(time, self._start), self._end) - self._start) * self._scale, 2)

    def box(self, top: int, first: float, end: float, colour: str, title: str, text: str = "") -> None:
        """Adds a box from one time to another; its title is shown under the pointer."""
        left, right = self.x(first), self.x(end)
        if right - left < 0.3:
            right = left + 0.3
        width = round(right - left, 2)
        label = html.escape(title)
        self._parts.append(
            f'<rect x="{left}" y="{top + 3}" width="{width}" height="{_ROW - 6}" fill="{colour}">'
            f"<title>{label}</title></rect>"
        )
        if text and width > 7 * len(text):
            self._parts.append(f'<text x="{left + 3}" y="{top + 15}">{html.escape(text)}</text>')

    def line(self, points: Sequence[tuple[float, float]]) -> None:
        places = " ".join(f"{self.x(time)},{y}" for time, y in points)
        self._parts.append(f'<polyline points="{places}" fill="none" stroke="{_COLOURS[2]}"/>')

    def picture(self) -> Picture:
        bottom, width = self._rows * _ROW, _NAMES + _WIDTH + 30
        for tick in range(11):
            time = self._start + (self._end - self._start) * tick / 10
            x = self.x(time)
            self._parts.append(f'<line x1="{x}" y1="0" x2="{x}" y2="{bottom}" stroke="#e8e8e8"/>')
            self._parts.append(
                f'<text x="{x}" y="{bottom + 15}" text-anchor="middle">{time / 1000:.2f}</text>'
            )
        self._parts.append(f'<text x="{_NAMES - 28}" y="{bottom + 15}" text-anchor="end">us</text>')
        style = 'font-family="sans-serif" font-size="11"'
        lines = [part for part in self._parts if part.startswith("<line")] + [
            part for part in self._parts if not part.startswith("<line")
        ]
        return Picture(
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{bottom + 22}" {style}>\n'
            '<rect width="100%" height="100%" fill="white"/>\n' + "\n".join(lines) + "\n</svg>\n"
        )


def _tracks(events: Sequence[dict[str, Any]]) -> dict[int, str]:
    """Returns the names of the tracks: each engine's work, queue and waits, then DMA rings."""
    processes = {
        e["pid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "process_name"
    }
    tracks = {}
    for e in events:
        if e["ph"] == "M" and e["name"] == "thread_name":
            process = processes.get(e["pid"], "")
            place = process.split()[-2:] if "dma" in process else []
            tracks[e["tid"]] = " ".join([*place, e["args"]["name"]])

    def order(item: tuple[int, str]) -> tuple[int, str]:
        engine = item[1].split()[0]
        return (
            _ENGINES.index(engine) if engine in _ENGINES else len(_ENGINES),
            item[1] if engine != "dma" else "",
        )

    return dict(sorted(tracks.items(), key=order))


def timeline(
    path: PathLike,
    *,
    tracks: Sequence[str] | None = None,
    start_us: float | None = None,
    end_us: float | None = None,
) -> Picture:
    """Draws the work of each engine and of each DMA ring in use, and the waits of engines.

      tracks: prefixes of the names of tracks to draw, such as "tensor" or "dma"; without it all.
      start_us, end_us: the part of the time to draw, in microseconds.

    Raises ValueError if no track is left.
    """
    events = json.loads(Path(path).read_text(encoding="utf-8"))["traceEvents"]
    names = _tracks(events)
    shown = {tid: name for tid, name in names.items() if tracks is None or name.startswith(tuple(tracks))}
    boxes = [e for e in events if e["ph"] == "X" and e["tid"] in shown]
    if not boxes:
        raise ValueError(
            f"{os.fspath(path)}: no events on tracks {list(tracks or [])}, expected some of "
            f"{', '.join(sorted(set(names.values())))}"
        )
    first = 1000 * (min(e["ts"] for e in boxes) if start_us is None else start_us)
    end = 1000 * (max(e["ts"] + e["dur"] for e in boxes) if end_us is None else end_us)
    canvas = _Canvas(first, end)
    used = {e["tid"] for e in boxes}
    colours: dict[str, str] = {}
    rows = {tid: canvas.row(name) for tid, name in shown.items() if tid in used}
    for e in boxes:
        begin, length = 1000 * e["ts"], 1000 * e["dur"]
        if begin + length < first or begin > end:
            continue
        waits = names[e["tid"]].endswith("waits")
        title = f"{e['args'].get('instruction', e['name'])}, {e['dur']:.3f} us from {e['ts']:.3f}"
        colour = _WAIT if waits else colours.setdefault(e["name"], _COLOURS[len(colours) % len(_COLOURS)])
        canvas.box(rows[e["tid"]], begin, begin + length, colour, title, e["name"])
    return canvas.picture()


class _Wave:
    """Returns the changes of the signals of a recording: (time in ns, its bits as text)."""

    def __init__(self, path: PathLike, signals: Sequence[str]) -> None:
        try:
            vcd = subprocess.run(
                ["fst2vcd", "-f", os.fspath(path)], check=True, capture_output=True, text=True
            ).stdout
        except FileNotFoundError:
            raise RuntimeError("a waveform without fst2vcd, expected that of the package gtkwave") from None
        self.changes: dict[str, list[tuple[float, str]]] = {name: [] for name in signals}
        self.end = 0.0
        codes: dict[str, list[str]] = {}
        scope: list[str] = []
        known: list[str] = []
        now, unit = 0.0, 0.001
        for line in vcd.splitlines():
            words = line.split()
            if line.startswith("#"):
                now = int(line[1:]) * unit
            elif words == ["1ns"]:
                unit = 1.0
            elif words[:1] == ["$scope"]:
                scope.append(words[2])
            elif words[:1] == ["$upscope"]:
                scope.pop()
            elif words[:1] == ["$var"]:
                known.append(".".join([*scope, "".join(words[4:-1])]).replace("core.neuron_core.", "", 1))
                if known[-1] in self.changes:
                    codes.setdefault(words[3], []).append(known[-1])
            elif line[:1] in "01xz" and line[1:] in codes:
                self._note(codes[line[1:]], now, line[0])
            elif line[:1] == "b" and len(words) == 2 and words[1] in codes:
                self._note(codes[words[1]], now, words[0][1:])
        self.end = now
        missing = [name for name in signals if not any(name in names for names in codes.values())]
        if missing:
            raise ValueError(
                f"{os.fspath(path)}: no signal {missing[0]!r}, expected one of {', '.join(known[:8])}, ..."
            )

    def _note(self, names: Sequence[str], now: float, bits: str) -> None:
        for name in names:
            self.changes[name].append((now, bits))


def waveform(
    path: PathLike, signals: Sequence[str], *, start_us: float = 0.0, end_us: float | None = None
) -> Picture:
    """Draws signals of a recording: bits as lines, others as hexadecimal numbers.

    signals: names as in docs/waves.md, without `core.neuron_core`.
    start_us, end_us: the part of the time to draw, in microseconds.
    """
    wave = _Wave(path, signals)
    start, end = 1000 * start_us, wave.end if end_us is None else 1000 * end_us
    canvas = _Canvas(start, end)
    for name in signals:
        top = canvas.row(name)
        changes = wave.changes[name]
        ends = [time for time, _ in changes[1:]] + [max(end, wave.end)]
        shown = [
            (time, until, bits) for (time, bits), until in zip(changes, ends) if until > start and time < end
        ]
        if all(len(bits) == 1 for _, bits in changes):
            high, low = top + 5, top + _ROW - 5
            points = [
                (at, high if bits == "1" else low) for time, until, bits in shown for at in (time, until)
            ]
            canvas.line(points)
            continue
        for time, until, bits in shown:
            value = f"{int(bits, 2):x}" if set(bits) <= {"0", "1"} else "x"
            canvas.box(
                top, time, until, _WAIT if value in ("0", "x") else "#a0cbe8", f"{name} = {value}", value
            )
    return canvas.picture()
