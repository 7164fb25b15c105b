"""Collectives from Python. A process simulates one server, so each test has processes of its own."""

import re
import subprocess
import sys
from pathlib import Path

PRELUDE = """
import ml_dtypes, numpy as np, trnsim
ranks = trnsim.Communicator({server!r}, ranks={ranks})
rng = np.random.default_rng(7)
def arrays(*shape, dtype=np.int32):
    return [rng.integers(-100, 100, shape).astype(dtype) for _ in range(ranks.ranks)]
def same(outputs, expected):
    for rank, (output, wanted) in enumerate(zip(outputs, expected, strict=True)):
        assert output.dtype == wanted.dtype, f"rank {{rank}}: {{output}} for {{wanted}}"
    assert np.array_equal(output, wanted), f"rank {{rank}}: {{output}} for {{wanted}}"
def refused(call, *arguments, **keywords):
    try:
        call(*arguments, **keywords)
    except trnsim.Error as error:
        assert error.status != trnsim.Status.EXEC_UNIT_UNRECOVERABLE, error
        return str(error)
    return "nothing"
"""


def run(script, server="trn1-4", ranks=5):
    source = PRELUDE.format(server=server, ranks=ranks) + script
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_operation_is_what_numpy_makes_of_it():
    run("""
x = arrays(10, 3)
same(ranks.all_reduce(x), [sum(x)] * 5)
same(ranks.all_reduce(x, "max", algorithm="ring"), [np.max(x, axis=0)] * 5)
same(ranks.all_reduce(x, "min", algorithm="mesh"), [np.min(x, axis=0)] * 5)
small = [a % 3 for a in x]
same(ranks.all_reduce(small, "multiply"), [np.prod(small, axis=0).astype(np.int32)] * 5)
same(ranks.reduce_scatter(x), list(np.split(sum(x), 5)))
same(ranks.all_gather(x), [np.concatenate(x)] * 5)
same(ranks.all_to_all(x), [np.concatenate([np.split(a, 5)[rank] for a in x]) for rank in range(5)])
same(ranks.broadcast(x, root=3), [x[3]] * 5)
ring = [(rank, (rank + 2) % 5) for rank in range(5)]
same(ranks.permute(x, ring), [x[(rank - 2) % 5] for rank in range(5)])
sent = ranks.send_receive(x, [(1, 4), (1, 0)])
assert np.array_equal(sent[4], x[1]) and np.array_equal(sent[0], x[1])
assert ranks.barrier().seconds > 3e-6
""")


def test_types_and_groups():
    run("""
for dtype in (np.float32, np.float16, ml_dtypes.bfloat16, np.uint8, np.int16):
    x = [(np.arange(6) % 5 + rank).astype(dtype) for rank in range(5)]
    same(ranks.all_reduce(x), [sum(a.astype(np.float64) for a in x).astype(dtype)] * 5)
x = arrays(4)
done = ranks.all_reduce(x, groups=[[0, 2], [4, 1]])
same([done[0], done[1], done[2], done[4]], [x[0] + x[2], x[1] + x[4], x[0] + x[2], x[1] + x[4]])
assert done[3] is None
""")


def test_time_and_algorithm():
    run("""
x = arrays(5000)
ring, mesh = (ranks.all_reduce(x, algorithm=name) for name in ("ring", "mesh"))
assert (ring.algorithm, mesh.algorithm) == ("ring", "mesh") and ring.seconds != mesh.seconds
assert ranks.all_reduce(x, algorithm="ring").seconds == ring.seconds
assert ranks.all_reduce(arrays(50000), algorithm="ring").seconds > ring.seconds
""")


def test_what_does_not_fit_is_named():
    run("""
x = arrays(6)
assert refused(ranks.all_reduce, x[1:]) == "4 inputs, expected 5, one for each rank"
assert refused(ranks.all_reduce, [*x[1:], x[0][:5]]) == "rank 4: int32 [5], expected int32 [6] as of rank 0"
told = refused(ranks.reduce_scatter, x)
assert told == "arrays of shape [6], expected a first axis that is a multiple of 5"
assert refused(ranks.all_reduce, x, "sum") == "reduction 'sum': expected one of add, multiply, min, max"
told = refused(ranks.all_reduce, x, algorithm="tree")
assert told.startswith("algorithm 'tree': expected one of ring, mesh")
told = refused(ranks.all_reduce, [a.astype(np.float64) for a in x])
assert told.startswith("element type float64, expected one of fp32")
assert "root" in refused(ranks.broadcast, x, root=5)
assert refused(ranks.all_reduce, arrays(0)) == "arrays of shape [0], expected at least one element"
of_server = {"server": "trn1-4", "ranks": 2}
for another in (lambda: trnsim.Session("small16"), lambda: trnsim.Session("small16", **of_server)):
    assert refused(another) == "this process simulates a system already, expected a process for each"
same(ranks.all_reduce(x), [sum(x)] * 5)
""")


def test_the_page():
    page = (Path(__file__).parents[2] / "docs" / "collectives.md").read_text()
    section = re.search(r"^## From Python\n(.*?)^## ", page, re.MULTILINE | re.DOTALL)[1]
    script = "\n".join(line[4:] for line in section.splitlines() if line.startswith("    "))
    assert "Communicator" in script
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_statistics_are_those_of_what_has_run():
    run(
        """
before = ranks.statistics()
assert before["time_seconds"] == 0 and all(link["sent"]["bytes"] == 0 for link in before["links"])
x = arrays(4096)
done = ranks.all_reduce(x, algorithm="ring")
after = ranks.statistics()
assert after["time_seconds"] >= done.seconds
# Over a hop of the ring go 2 (n - 1) / n vectors, over all five 2 (n - 1), and some of them are links.
sent = sum(link["sent"]["bytes"] for link in after["links"])
assert 0 < sent <= 2 * 4 * x[0].nbytes
for link in after["links"]:
    assert link["sent"]["bytes"] == link["received"]["bytes"]
    assert link["sent"]["busy_seconds"] <= after["time_seconds"]
written = sum(engine["bytes_written"] for chip in after["chips"] for engine in chip["dma"])
assert written >= 2 * 4 * x[0].nbytes
ranks.all_reduce(x, algorithm="ring")
again = ranks.statistics()
assert sum(link["sent"]["bytes"] for link in again["links"]) == 2 * sent
"""
    )


def test_threads_take_turns():
    run(
        """
from concurrent.futures import ThreadPoolExecutor
x = arrays(2000)
with ThreadPoolExecutor(4) as pool:
    done = [pool.submit(ranks.all_reduce, x) for _ in range(6)]
    counted = [pool.submit(ranks.statistics) for _ in range(4)]
    for one in done:
        same(one.result(timeout=120), [sum(x)] * 5)
    assert all(one.result(timeout=120)["links"] for one in counted)
"""
    )


def test_after_a_failure_others_may_follow():
    script = """
import numpy as np, trnsim
ranks = trnsim.Communicator("trn1-4", 8, settings=SETTINGS)
x = [np.arange(3000, dtype=np.int32) + rank for rank in range(8)]
for _ in range(3):
    try:
        ranks.all_reduce(x, algorithm="ring")
        print("done")
    except trnsim.ExecutionError as error:
        print(int(error.status))
        if error.status == trnsim.Status.EXEC_HW_ERR_HBM_UE:
            continue
    done = ranks.all_reduce([a[:2] for a in x], groups=[[0, 1, 2, 3], [4, 5, 6, 7]])
    for rank, output in enumerate(done.outputs):
        assert np.array_equal(output, sum(x[rank // 4 * 4 : rank // 4 * 4 + 4])[:2]), output
"""
    upsets = {"hbm.model": "banked", "hbm.banked.double_upset_every": 50}
    for settings, status in (({"topology": [[0, 1], [2, 3]]}, 1200), (upsets, 1201)):
        source = script.replace("SETTINGS", repr(settings))
        done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert done.stdout.split() == [str(status)] * 3, done.stdout


def test_hierarchical_has_the_cores_of_a_chip_within():
    run(
        """
x = arrays(100)
done = ranks.all_reduce(x, algorithm="hierarchical")
assert done.algorithm == "hierarchical"
same(done.outputs, [sum(x)] * 6)
pairs = ranks.all_reduce(x, algorithm="hierarchical", groups=[[0, 1], [4, 5]])
same([pairs[rank] for rank in (0, 1, 4, 5)], [x[0] + x[1]] * 2 + [x[4] + x[5]] * 2)
three = refused(ranks.all_reduce, x, algorithm="hierarchical", groups=[[0, 1, 2], [3, 4, 5]])
assert three == "plan: inner groups of 2 members, expected a divisor of 3", three
""",
        ranks=6,
    )


def test_settings_take_the_place_of_the_file():
    script = """
x = [np.arange(100_000, dtype=np.float32)] * 8
def seconds(settings):
    return trnsim.Communicator("trn1-4", 8, settings=settings).all_gather(x, algorithm="ring").seconds
"""
    source = "import numpy as np, trnsim" + script + "print(seconds(SETTINGS))"
    times = []
    for settings in ({}, {"links.lanes": 16}, {"links.lanes": 4}):
        done = subprocess.run(
            [sys.executable, "-c", source.replace("SETTINGS", repr(settings))],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        times.append(float(done.stdout))
    assert times[0] == times[1] and times[2] > 1.5 * times[0]
    refused = (
        "import trnsim\ntry:\n    trnsim.Communicator('trn1-4', settings={'links.lane': 4})\nexcept "
        "trnsim.ConfigError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", refused], capture_output=True, text=True, check=False)
    assert (
        done.stdout == "links.lane=4: no key of a server or its chips, expected one, perhaps links.lanes\n"
    ), done.stdout + done.stderr
