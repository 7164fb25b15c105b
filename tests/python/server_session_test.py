"""Kernels on the ranks of a server from Python. A process simulates one server, so each test has its own."""

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

PRELUDE = """
import json, numpy as np, trnsim
rng = np.random.default_rng(11)
def step(ranks, n=37, operation="all-reduce", parts=1, **options):
    '''y = 2 (sum of x of all ranks), or what another collective gives, in parts of the output.'''
    k = trnsim.KernelBuilder("step", "small16")
    x = k.tensor("x", "input", "fp32", [1, n])
    out = {"all-gather": n * ranks, "reduce-scatter": n // ranks}.get(operation, n)
    total = k.tensor("total", "scratch", "fp32", [1, out])
    y = k.tensor("y", "output", "fp32", [1, out])
    tile, result = k.sbuf(1, "fp32", [out]), k.sbuf(1, "fp32", [out])
    loads, stores = k.queue("loads"), k.queue("stores", owner="scalar")
    collectives = k.queue("collectives", owner="gpsimd")
    k.collective(collectives, operation, total, x, ranks, **options)
    k.load(loads, tile, total)
    k.tensor_scalar(result, tile, "multiply", 2.0)
    k.store(stores, y, result)
    return k.finish()
def arrays(ranks, n=37):
    return [{"x": rng.integers(-100, 100, (1, n)).astype(np.float32)} for _ in range(ranks)]
def refused(call, *arguments, **keywords):
    try:
        call(*arguments, **keywords)
    except trnsim.Error as error:
        return f"{error.status.name} {error}"
    return "nothing"
"""


def run(script, folder=None):
    done = subprocess.run(
        [sys.executable, "-c", PRELUDE + script], capture_output=True, text=True, cwd=folder, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_kernels_with_collectives_give_what_numpy_and_the_interpreter_give():
    run("""
session = trnsim.Session("small16", server="trn1-4", ranks=5)
assert session.ranks == 5
model = session.load(step(5))
assert model.collectives == ["mesh"]
x = arrays(5)
first = model.execute(x)
total = sum(one["x"] for one in x)
golden = model.interpret(x)
for rank in range(5):
    assert np.array_equal(first[rank]["y"], 2 * total)
    assert golden[rank]["y"].tobytes() == first[rank]["y"].tobytes()
    assert first.statistics[rank]["engines"]["vector"]["completed"] > 0
    assert first.statistics[rank]["fidelity"] == "fast"
assert len(first) == 5 and first.seconds > 0
assert model.execute(x).seconds == first.seconds
assert any(link["sent"]["bytes"] for link in session.statistics()["links"])
ring = session.load(step(5, operation="all-gather", algorithm="ring"))
gathered = ring.execute(x)
assert ring.collectives == ["ring"] and model.collectives == ["mesh"]
for rank in range(5):
    assert np.array_equal(gathered[rank]["y"], 2 * np.concatenate([one["x"] for one in x], axis=1))
x = arrays(5, 40)
scattered = session.run(step(5, 40, "reduce-scatter", reduction="max"), x)
most = np.max([one["x"] for one in x], axis=0)
assert all(np.array_equal(scattered[rank]["y"], 2 * most[:, 8 * rank : 8 * rank + 8]) for rank in range(5))
swapped = session.run(step(5, 40, "permute", pairs=[(rank, (rank + 1) % 5) for rank in range(5)]), x)
assert all(np.array_equal(swapped[rank]["y"], 2 * x[rank - 1]["x"]) for rank in range(5))
pairs = session.run(step(5, 40, groups=[[3, 0], [1, 4]]), x)
assert np.array_equal(pairs[3]["y"], 2 * (x[0]["x"] + x[3]["x"]))
assert np.array_equal(pairs[1]["y"], 2 * (x[1]["x"] + x[4]["x"]))
""")


def test_faults_of_links_change_the_time_and_no_bit():
    for settings, holds in [
        ({"links.loss_rate": 0.5}, 'sent["dropped_frames"] > 0 and sent["repeated_packets"] > 0'),
        (
            {"faults": [{"cut": "0.N", "at": "0 us", "until": "20 us"}]},
            'sent["outages"] == 1 and sent["outage_seconds"] > 29e-6',
        ),
        ({"faults": [{"lanes": "0.N", "working": 3}]}, 'sent["working_lanes"] == 3'),
    ]:
        run(f"""
session = trnsim.Session("small16", server="trn1-4", ranks=8, settings={settings!r})
x = arrays(8)
done = session.load(step(8)).execute(x)
assert all(np.array_equal(one["y"], 2 * sum(one["x"] for one in x)) for one in done.outputs)
sent = next(one["sent"] for one in session.statistics()["links"] if one["from"] == "0.N")
assert {holds}, sent
""")
    run("""
try:
    trnsim.Session(server="trn1-4", settings={"faults": [{"cut": "9.E"}]})
    raise SystemExit("accepted")
except trnsim.Error as error:
    assert "faults: found link '9.E', expected a direction such as 0.E" in str(error), error
""")


def test_a_rank_on_rtl_and_kernels_of_their_own(tmp_path):
    run(
        """
session = trnsim.Session("small16", server="trn1-4", ranks=3, rtl_ranks=[1], settings={"links.lanes": 8})
sizes = (5, 9, 14)
packages = [trnsim.kernels.build("softmax", rows=rows, cols=21, config="small16") for rows in sizes]
inputs = [{"x": rng.normal(0, 1, (rows, 21)).astype(np.float32)} for rows in sizes]
model = session.load(packages)
done = model.execute(inputs, trace="t.json", wave="w.fst")
for rank, golden in enumerate(model.interpret(inputs)):
    assert golden["y"].tobytes() == done[rank]["y"].tobytes()
assert [rank["fidelity"] for rank in done.statistics] == ["fast", "rtl", "fast"]
events = json.load(open("t.json"))["traceEvents"]
names = {event["args"]["name"] for event in events if event["name"] == "process_name"}
assert {"chip 0 core 0", "chip 0 core 1", "chip 1 core 0"} <= names and "chip 1 core 1" not in names
""",
        tmp_path,
    )
    assert (tmp_path / "w.link.gtkw").exists() and (tmp_path / "w.fst").stat().st_size > 0


def test_tensors_stay_and_the_wave_is_of_one_core(tmp_path):
    run(
        """
session = trnsim.Session("small16", server="trn1-4", ranks=3, rtl_ranks=[1], perturb=7)
product = trnsim.kernels.build("matmul", M=24, K=32, N=40, dtype="bf16", config="small16")
a = [{"a": rng.integers(-3, 4, (32, 24)).astype(np.float32)} for _ in range(3)]
b = [rng.integers(-3, 4, (32, 40)).astype(np.float32) for _ in range(3)]
weights = [session.tensor(array, dtype="bf16", rank=rank) for rank, array in enumerate(b)]
assert len({tensor.rank for tensor in weights}) == 3
model = session.load(product, bindings=[{"b": tensor} for tensor in weights], notifications=256)
softmax = session.load(trnsim.kernels.build("softmax", rows=9, cols=21, config="small16"))
for turn in range(2):
    waves = {"wave": f"core{turn}.fst", "wave_rank": 1, "wave_scopes": ["tensor"]}
    done = model.execute(a, **waves, notifications="n{rank}.csv")
    for rank in range(3):
        assert np.array_equal(np.float32(done[rank]["c"]), a[rank]["a"].T @ b[rank]), rank
    x = [{"x": rng.normal(0, 1, (9, 21)).astype(np.float32)} for _ in range(3)]
    golden = [one["y"].tobytes() for one in softmax.interpret(x)]
    assert golden == [one["y"].tobytes() for one in softmax.execute(x).outputs]
    b[2] = -b[2]
    weights[2].write(b[2])
assert refused(model.execute, a, wave="w.fst", wave_rank=3).endswith("wave_rank 3: expected one below 3")
session.close()
assert refused(session.load, product).startswith("CLOSED")
""",
        tmp_path,
    )
    assert (tmp_path / "core1.tensor.gtkw").exists() and (tmp_path / "core0.fst").stat().st_size > 0
    assert all(len((tmp_path / f"n{rank}.csv").read_text().splitlines()) > 5 for rank in range(3))


def test_the_page_of_loops():
    page = (Path(__file__).parents[2] / "docs" / "collectives.md").read_text()
    section = re.search(r"^### In loops\n(.*?)^#", page, re.MULTILINE | re.DOTALL)[1]
    script = "\n".join(line[4:] for line in section.splitlines() if line.startswith("    "))
    assert "k.collective" in script
    run(script)


def test_collectives_in_loops_are_one_call_and_what_does_not_fit_has_its_line():
    run("""
k = trnsim.KernelBuilder("loop", "small16")
x, y = k.tensor("x", "input", "fp32", [9, 8]), k.tensor("y", "output", "fp32", [9, 8])
collectives = k.queue("collectives", owner="gpsimd")
with k.loop(9) as i:
    k.collective(collectives, "all-reduce", y[i:i + 1], x[8 - i:9 - i], 3)
session = trnsim.Session("small16", server="trn1-4", ranks=3)
inputs = [{"x": rng.integers(-9, 9, (9, 8)).astype(np.float32)} for _ in range(3)]
model = session.load(k.finish())
done = model.execute(inputs)
assert model.collectives == ["mesh"]
total = sum(one["x"] for one in inputs)[::-1]
golden = model.interpret(inputs)
assert all(np.array_equal(done[rank]["y"], total) for rank in range(3))
assert all(np.array_equal(golden[rank]["y"], total) for rank in range(3))
k = trnsim.KernelBuilder("loop", "small16")
x, y = k.tensor("x", "input", "fp32", [8]), k.tensor("y", "output", "fp32", [8])
collectives = k.queue("collectives", owner="gpsimd")
with k.loop(100_000):
    try:
        k.collective(collectives, "all-reduce", y, x, 3)
    except trnsim.KernelError as error:
        assert str(error).startswith("<string>:"), error
        assert "100000 collectives, expected at most 65536 in a kernel" in str(error), error
    else:
        raise AssertionError("not refused")
    k.memset(k.sbuf(1, "fp32", [1]), 0.0)
""")


def test_ranks_that_receive_nothing_hold_nothing_of_others():
    run("""
def kernel(operation, **options):
    k = trnsim.KernelBuilder("kernel", "small16")
    x, y = k.tensor("x", "input", "fp32", [1, 4]), k.tensor("y", "output", "fp32", [1, 4])
    k.collective(k.queue("collectives", owner="gpsimd"), operation, y, x, 3, **options)
    return k.finish()
session = trnsim.Session("small16", server="trn1-4", ranks=3)
x = arrays(3, 4)
calls = ("all-reduce", {}), ("send-receive", {"pairs": [(0, 1)]}), ("all-reduce", {"groups": [[2, 0]]})
for operation, options in calls:
    model = session.load(kernel(operation, **options))
    done = model.execute(x)
    for rank, outputs in enumerate(model.interpret(x)):
        assert outputs["y"].tobytes() == done[rank]["y"].tobytes(), (operation, rank, done[rank]["y"])
""")


def test_hierarchical_collectives_of_kernels():
    run("""
session = trnsim.Session("small16", server="trn1-4", ranks=6)
x = arrays(6)
model = session.load(step(6, algorithm="hierarchical"))
done = model.execute(x)
assert model.collectives == ["hierarchical"]
assert all(np.array_equal(outputs["y"], 2 * sum(one["x"] for one in x)) for outputs in done.outputs)
assert all(a["y"].tobytes() == b["y"].tobytes() for a, b in zip(model.interpret(x), done.outputs))
odd = refused(session.load, step(5, algorithm="hierarchical"))
assert odd.startswith("INVALID rank 0: collective 0") and odd.endswith("is one of 5 ranks, expected 6"), odd
""")


def test_what_does_not_fit_is_named():
    run("""
def server(ranks, **options):
    return trnsim.Session(server="trn1-4", ranks=ranks, **options)
assert refused(server, 9) == "INVALID trn1-4: 9 ranks, expected 1 to 8, the cores that its slots have"
assert refused(server, 2, rtl_ranks=[2]) == "INVALID RTL rank 2: expected ranks below 2"
session = trnsim.Session("small16", server="trn1-4", ranks=3)
x = arrays(3)
told = refused(trnsim.Session, "small16", ranks=3)
assert told == "INVALID ranks, rtl_ranks and settings: expected a server with them"
assert "is one of 4 ranks, expected 3" in refused(session.load, step(4))
assert refused(session.load, [step(3)] * 2) == "INVALID 2 packages, expected 3, one for each rank"
model = session.load(step(3))
assert refused(model.execute, x[1:]) == "EXEC_BAD_INPUT inputs of 2 ranks, expected 3"
told = refused(model.execute, [*x[1:], {"z": x[0]["x"]}])
assert told == "EXEC_BAD_INPUT rank 2: kernel 'step' has no input 'z'; its inputs: x"
assert refused(model.execute, [*x[1:], {}]).startswith("EXEC_BAD_INPUT rank 2: ")
told = refused(model.execute, x, max_time="soon")
assert told == "INVALID max_time soon: expected a time above 0 such as '5 ms'"
assert refused(model.execute, x, trace="w.fst", wave="w.fst") == "INVALID wave w.fst: the same file as trace"
assert "expected a name that ends in .fst" in refused(model.execute, x, wave="w.bin")
assert "not done after 1 us" in refused(model.execute, x, max_time="1 us")
assert "operation 'all-reduced': expected one of all-reduce" in refused(step, 3, operation="all-reduced")
assert "expected one of ring" in refused(step, 3, algorithm="tree")
total = sum(one["x"] for one in x)
assert np.array_equal(model.execute(x)[0]["y"], 2 * total)   # all of that has left it usable
""")


def test_the_interpreter_finds_a_race():
    run("""
k = trnsim.KernelBuilder("race", "small16", derive_waits=False)
x = k.tensor("x", "input", "fp32", [1, 8])
y = k.tensor("y", "output", "fp32", [1, 8])
tile = k.sbuf(1, "fp32", [8])
loads, collectives = k.queue("loads"), k.queue("collectives", owner="gpsimd")
k.collective(collectives, "all-reduce", y, x, 2)
k.load(loads, tile, y)          # does not wait
k.tensor_scalar(tile, tile, "multiply", 2.0, after=[k.load(loads, tile, x)])
session = trnsim.Session("small16", server="trn1-4", ranks=2)
model = session.load(k.finish())
try:
    model.interpret([{"x": np.ones((1, 8), np.float32)}] * 2)
except trnsim.InterpreterError as error:
    print(error)
else:
    raise AssertionError("no race was found")
""")


def test_the_interpreter_refuses_a_rank_without_its_inputs():
    run("""
session = trnsim.Session("small16", server="trn1-4", ranks=2)
model = session.load(trnsim.kernels.build("matmul", M=24, K=32, N=40, dtype="bf16", config="small16"))
a, b = np.ones((32, 24), np.float32), np.ones((32, 40), np.float32)
for call in (model.interpret, model.execute):
    try:
        call([{"a": a, "b": b}, {"a": a}])
    except trnsim.Error as error:
        print(error)
        assert error.status == trnsim.Status.EXEC_BAD_INPUT
        assert "needs input 'b' of 32x40 bf16" in str(error) and "rank 1" in str(error)
    else:
        raise AssertionError("not refused")
""")


def test_an_interrupt_ends_an_execution_and_leaves_no_files(tmp_path):
    script = """
session = trnsim.Session("small16", server="trn1-4", ranks=2, rtl_ranks=[0])
model = session.load(trnsim.kernels.build("matmul", M=512, K=1024, N=4096, config="small16"))
print("begin", flush=True)
try:
    a, b = np.ones((1024, 512), np.float32), np.ones((1024, 4096), np.float32)
    model.execute([{"a": a, "b": b}] * 2, trace="t.json", wave="w.fst")
    print("done")
except KeyboardInterrupt:
    x = arrays(2)
    print("interrupted", np.array_equal(session.run(step(2), x)[1]["y"], 2 * (x[0]["x"] + x[1]["x"])))
"""
    process = subprocess.Popen(
        [sys.executable, "-c", PRELUDE + script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        # The tests may have been started in the background with the signal ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509  # takes no lock
    )
    assert process.stdout.readline() == "begin\n"
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert out == "interrupted True\n", err
    assert not list(tmp_path.iterdir())
