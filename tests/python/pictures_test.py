"""Pictures of timelines and waveforms: their boxes and lines."""

import json
import re
import shutil
import subprocess
from xml.etree import ElementTree

import pytest

from trnsim import pictures


def metadata(pid, process, tid, thread):
    yield {"ph": "M", "name": "process_name", "pid": pid, "args": {"name": process}}
    yield {"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "args": {"name": thread}}


def event(pid, tid, name, ts, dur, **arguments):
    return {"ph": "X", "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": arguments}


@pytest.fixture
def trace(tmp_path):
    events = [*metadata(2, "chip 0 dma 3", 5, "ring 0 loads")]
    events += [
        *metadata(1, "chip 0 core 0", 1, "vector"),
        *metadata(1, "chip 0 core 0", 2, "vector waits"),
        *metadata(1, "chip 0 core 0", 3, "idle"),
    ]
    events += [
        event(1, 1, "iota <1>", 10.0, 2.0, instruction="iota dst=<a>"),
        event(1, 2, "S[1] >= 4", 12.0, 8.0),
        event(2, 5, "load x", 10.0, 1.0),
    ]
    events += [{"ph": "C", "name": "counter", "pid": 9, "ts": 0.0, "args": {"value": 1}}]
    path = tmp_path / "t.json"
    path.write_text(json.dumps({"traceEvents": events}))
    return path


def boxes(picture):
    """Returns (title, left, width, colour) of each box; the picture is well-formed."""
    root = ElementTree.fromstring(picture.svg)
    name = "{http://www.w3.org/2000/svg}"
    found = [rect for rect in root.iter(f"{name}rect") if rect.find(f"{name}title") is not None]
    return [
        (r.find(f"{name}title").text, float(r.get("x")), float(r.get("width")), r.get("fill")) for r in found
    ]


def names(picture):
    return re.findall(r'text-anchor="end">([^<]*)<', picture.svg)[:-1]


def test_timeline(trace, tmp_path):
    picture = pictures.timeline(trace)
    assert names(picture) == ["vector", "vector waits", "dma 3 ring 0 loads"]
    (a, left, width, colour), (b, after, rest, grey), (c, first, tenth, other) = boxes(picture)
    assert (
        a == "iota dst=<a>, 2.000 us from 10.000"
        and b == "S[1] >= 4, 8.000 us from 12.000"
        and c == "load x, 1.000 us from 10.000"
    )
    assert (
        left == first
        and abs(after - left - width) < 0.1
        and abs(rest - 4 * width) < 0.1
        and abs(width - 2 * tenth) < 0.1
    )
    assert len({colour, grey, other}) == 3
    picture.save(tmp_path / "t.svg")
    assert (tmp_path / "t.svg").read_text() == picture._repr_svg_()


def test_a_part_of_a_timeline(trace):
    picture = pictures.timeline(trace, tracks=["vector"], start_us=11.0, end_us=13.0)
    assert names(picture) == ["vector", "vector waits"]
    (_, _, width, _), (_, _, rest, _) = boxes(picture)
    assert abs(width - rest) < 0.1
    with pytest.raises(ValueError, match=r"no events on tracks \['tensor'\], expected some of .*vector"):
        pictures.timeline(trace, tracks=["tensor"])


@pytest.fixture
def wave(tmp_path, skip_without):
    for need in ("vcd2fst", "fst2vcd"):
        if shutil.which(need) is None:
            skip_without(f"{need}, which the package gtkwave has")
    vcd = """$timescale 1ps $end
$scope module core $end
$scope module neuron_core $end
$scope module tensor $end
$var wire 1 ! issue $end
$var wire 8 " opcode [7:0] $end
$upscope $end
$upscope $end
$upscope $end
$enddefinitions $end
#0
0!
b0 "
#1000
1!
b10101 "
#3000
0!
#4000
bx "
#10000
1!
"""
    (tmp_path / "w.vcd").write_text(vcd)
    subprocess.run(["vcd2fst", tmp_path / "w.vcd", tmp_path / "w.fst"], check=True, capture_output=True)
    return tmp_path / "w.fst"


def test_waveform(wave):
    picture = pictures.waveform(wave, ["tensor.issue", "tensor.opcode[7:0]"])
    assert names(picture) == ["tensor.issue", "tensor.opcode[7:0]"]
    zero, busy, unknown = boxes(picture)
    assert [box[0] for box in (zero, busy, unknown)] == [
        f"tensor.opcode[7:0] = {value}" for value in ("0", "15", "x")
    ]
    assert (
        abs(busy[2] - 3 * zero[2]) < 0.1
        and abs(unknown[2] - 6 * zero[2]) < 0.1
        and busy[3] != zero[3] == unknown[3]
    )
    points = [
        tuple(map(float, p.split(",")))
        for p in re.search(r'polyline points="([^"]*)"', picture.svg)[1].split()
    ]
    edge = points[0][0] + zero[2]
    high, low = min(y for _, y in points), max(y for _, y in points)
    assert points[0][1] == low and all(
        y == (high if edge < x < edge + 2 * zero[2] else low)
        for x, y in points
        if abs(x - edge) > 1 and abs(x - edge - 2 * zero[2]) > 1 and x < 900
    )


def test_a_part_of_a_waveform(wave):
    (_, _, busy, _), (_, _, unknown, _) = boxes(
        pictures.waveform(wave, ["tensor.opcode[7:0]"], start_us=0.002, end_us=0.006)
    )
    assert abs(busy - unknown) < 0.1


def test_signals_that_are_not_there(wave):
    with pytest.raises(
        ValueError, match=r"no signal 'tensor.pc', expected one of tensor.issue, tensor.opcode\[7:0\]"
    ):
        pictures.waveform(wave, ["tensor.issue", "tensor.pc"])
