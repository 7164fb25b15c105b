"""Sessions: errors, statistics, files, signals."""

import json
import os
import pickle
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time

import ml_dtypes
import numpy as np
import pytest

import trnsim

M, K, N = 24, 32, 40
A, B = np.ones((K, M), np.float32), np.ones((K, N), np.float32)


def matmul(**arguments):
    return trnsim.kernels.build("matmul", **{"M": M, "K": K, "N": N, "config": "small16"} | arguments)


def refused(call, status, *parts, kind=trnsim.Error):
    with pytest.raises(kind) as raised:
        call()
    message = str(raised.value)
    assert "\n" not in message
    for part in parts:
        assert part in message
    assert raised.value.status == status
    assert isinstance(raised.value, RuntimeError)


def test_bad_inputs(session):
    model = session.load(matmul())
    bad = trnsim.Status.EXEC_BAD_INPUT
    refused(lambda: model(a=A), bad, "b")
    refused(lambda: model(a=A, b=B, x=A), bad, "no input 'x'", "a b")
    refused(lambda: model(a=A, b=B, c=A), bad, "no input 'c'")
    refused(lambda: model(a=A, b=A), bad, "b", "32x40")
    refused(
        lambda: model(a=A, b=B.astype(np.float64)),
        bad,
        "'b' is float64, expected bfloat16 or float32",
        "np.float32",
    )
    refused(lambda: model(a=A, b=B.astype(np.int32)), bad, "int32")
    assert np.array_equal(model(a=A, b=B)["c"], A.T @ B)  # the session goes on


def test_bad_bindings(session):
    other = session.allocate("b", "fp16", (K, N))
    refused(lambda: session.load(matmul(), bindings={"b": other}), trnsim.Status.EXEC_BAD_INPUT, "b")
    refused(lambda: session.load(matmul(), bindings={"q": other}), trnsim.Status.EXEC_BAD_INPUT, "q")
    other.free()
    refused(lambda: other.read(), trnsim.Status.INVALID_HANDLE)
    refused(lambda: session.allocate("big", "fp32", (1 << 29,)), trnsim.Status.RESOURCE)


# Their types are other objects than NumPy's own.
@pytest.mark.parametrize(
    "dtype", [np.float32, np.float16, np.int8, np.uint16, np.int32, ml_dtypes.bfloat16, ml_dtypes.float8_e5m2]
)
def test_arrays_of_other_processes(session, dtype):
    values = pickle.loads(pickle.dumps(np.arange(6).astype(dtype)))
    tensor = session.tensor(values)
    assert tensor.read().tobytes() == values.tobytes()
    tensor.free()


def test_bad_tensors(session):
    refused(
        lambda: session.allocate("x", "f99", (2,)),
        trnsim.Status.INVALID,
        "element type f99, expected one of fp32",
    )
    for shape in ((-1,), (2, 1 << 64)):
        with pytest.raises(ValueError, match=f"^shape: found {shape[-1]}, expected 0 to {(1 << 64) - 1}$"):
            session.allocate("x", "fp32", shape)
    with pytest.raises(ValueError, match=r"^stack: found -1"):
        session.allocate("x", "fp32", (2,), stack=-1)


def test_bad_kernels():
    invalid = trnsim.Status.INVALID
    refused(lambda: trnsim.kernels.build("matmal"), invalid, "matmal", "matmul", kind=trnsim.KernelError)
    refused(lambda: matmul(Q=4), invalid, "Q", kind=trnsim.KernelError)
    refused(lambda: matmul(M=0), invalid, "M", kind=trnsim.KernelError)
    refused(lambda: matmul(dtype="i8"), invalid, "i8", kind=trnsim.KernelError)
    refused(lambda: trnsim.kernels.build("softmax", rows=4), invalid, "cols", kind=trnsim.KernelError)


def test_configurations(tmp_path):
    config = trnsim.load_config("small16")
    keys = config.keys()
    assert keys["core"]["array"] == {"rows": 16, "columns": 16}
    assert trnsim.load_config(keys) == config
    changed = trnsim.load_config(
        {"extends": str(config_file()), "name": "wide", "hbm": {"bandwidth": "10 GB/s"}}
    )
    assert (changed.name, changed.keys()["hbm"]["bandwidth"]) == ("wide", "10 GB/s")
    assert changed != config
    file = tmp_path / "own.yaml"
    file.write_text("extends: small16.yaml\ncore:\n  partitons: 3\n")
    (tmp_path / "small16.yaml").write_text(config.show())
    invalid = trnsim.Status.INVALID
    refused(lambda: trnsim.load_config(file), invalid, "own.yaml:3:3", "partitons", kind=trnsim.ConfigError)
    file.write_text("core: [\n")
    refused(lambda: trnsim.load_config(file), invalid, "own.yaml:", kind=trnsim.ConfigError)
    refused(lambda: trnsim.load_config("smal16"), invalid, "smal16", "small16", kind=trnsim.ConfigError)
    refused(
        lambda: trnsim.load_config(tmp_path / "none.yaml"), invalid, "no such file", kind=trnsim.ConfigError
    )


def config_file():
    from pathlib import Path

    return Path(__file__).resolve().parents[2] / "configs/small16.yaml"


def test_bad_packages(session, tmp_path):
    (tmp_path / "k.neff").write_bytes(b"no package")
    refused(
        lambda: trnsim.Package.read(str(tmp_path / "k.neff")),
        trnsim.Status.INVALID,
        "k.neff",
        kind=trnsim.PackageError,
    )
    refused(lambda: trnsim.Package.read(str(tmp_path / "none.neff")), trnsim.Status.INVALID, "none.neff")
    refused(lambda: session.load(matmul(config="trn1")), trnsim.Status.INVALID, "128")


def test_one_device_a_process(session):
    refused(lambda: trnsim.Session("small16"), trnsim.Status.INVALID, "open session")
    refused(lambda: trnsim.Session("trn1"), trnsim.Status.INVALID, "open session")
    refused(
        lambda: trnsim.Communicator("trn1-4", ranks=2), trnsim.Status.INVALID, "simulates a system already"
    )
    session.close()
    refused(lambda: trnsim.Session("trn1"), trnsim.Status.INVALID, "another process")
    refused(lambda: trnsim.Session("small16", fidelity="fast"), trnsim.Status.INVALID, "another process")
    with trnsim.Session("small16") as another:
        assert np.array_equal(another.tensor(A).read(), A)


def test_outputs_that_are_not_written_are_refused_unless_they_are_bound(session):
    def copied(rows):
        k = trnsim.KernelBuilder("copied", "small16")
        x, y = k.tensor("x", "input", "fp32", [2, 8]), k.tensor("y", "output", "fp32", [2, 8])
        tile = k.sbuf(rows, "fp32", [8])
        k.load(k.queue("loads"), tile, x[0:rows])
        k.store(k.queue("stores", owner="scalar"), y[0:rows], tile)
        return k.finish()

    x = np.full((2, 8), 7, np.float32)
    assert np.array_equal(session.run(copied(2), {"x": x})["y"], x)
    unwritten = r"output 'y': 8 of 16 elements are returned which nothing has written, the first at \[1, 0\]"
    with pytest.raises(trnsim.Error, match=unwritten):
        session.run(copied(1), {"x": x})
    with pytest.raises(trnsim.InterpreterError, match=unwritten):
        trnsim.interpret(copied(1), {"x": x})
    y = session.tensor(x + 1)
    session.load(copied(1)).execute({"x": x}, bindings={"y": y})
    assert np.array_equal(y.read(), [x[0], x[1] + 1])


@pytest.mark.parametrize(("given", "missing"), [({}, "'a' of 32x24 bf16"), ({"a": A}, "'b' of 32x40 bf16")])
def test_an_input_that_is_missing(session, given, missing):
    """The interpreter refuses a missing input as a session does, and does not take zeros."""
    package = matmul()
    for run in (lambda: session.run(package, given), lambda: trnsim.interpret(package, given)):
        refused(run, trnsim.Status.EXEC_BAD_INPUT, f"kernel 'matmul' needs input {missing}")


def test_closed_and_stale_handles(session):
    model = session.load(matmul())
    model.unload()
    refused(lambda: model(a=A, b=B), trnsim.Status.INVALID_HANDLE)
    session.close()
    refused(lambda: session.load(matmul()), trnsim.Status.CLOSED)


def test_failed_execution_has_statistics(session):
    model = session.load(matmul())
    with pytest.raises(trnsim.ExecutionError) as raised:
        model.execute({"a": A, "b": B}, max_time="2 us")
    assert raised.value.status == trnsim.Status.TIMEOUT
    assert raised.value.statistics["cycles"] > 0
    refused(lambda: model.execute({"a": A, "b": B}, max_time="soon"), trnsim.Status.INVALID, "soon")
    assert np.array_equal(model(a=A, b=B)["c"], A.T @ B)


def test_nan_is_a_status(session):
    x = np.full((16, 16), np.inf, np.float32)
    result = session.run(trnsim.kernels.build("softmax", rows=16, cols=16, config="small16"), {"x": x})
    assert result.status == trnsim.Status.EXEC_COMPLETED_WITH_NUM_ERR
    assert np.isnan(result["y"].astype(np.float32)).all()


def test_statistics_wave_and_trace(session, tmp_path):
    model = session.load(matmul())
    plain = model(a=A, b=B)
    wave, trace = tmp_path / "w.fst", tmp_path / "t.json"
    result = model.execute(
        {"a": A, "b": B}, wave=wave, wave_scopes=["tensor"], wave_cycles=(0, 4000), trace=trace
    )
    assert result.cycles == plain.cycles == result.statistics["cycles"]
    assert result.statistics["configuration"]["name"] == "small16"
    assert wave.stat().st_size > 1000
    assert any("multiply_moving" in str(event) for event in json.loads(trace.read_text())["traceEvents"])
    refused(
        lambda: model.execute({"a": A, "b": B}, trace="/no/such/folder/t.json"),
        trnsim.Status.INVALID,
        "/no/such/folder",
    )
    for options, why in (
        ({"trace": wave, "wave": wave}, "w.fst: the same file as trace"),
        ({"trace": tmp_path / "w.core.gtkw", "wave": wave}, "w.core.gtkw: the same file as trace"),
        ({"wave": tmp_path / "w.bin"}, "w.bin: expected a name that ends in .fst"),
        (
            {"wave": wave, "wave_cycles": (500, 100)},
            "cycles from 500 to 100, expected an end after the beginning",
        ),
        ({"wave": wave, "wave_cycles": (5, 5)}, "cycles from 5 to 5, expected an end after the beginning"),
    ):
        refused(
            lambda options=options: model.execute({"a": A, "b": B}, **options), trnsim.Status.INVALID, why
        )
    with pytest.raises(trnsim.Error, match="nonsense"):
        model.execute({"a": A, "b": B}, wave=tmp_path / "v.fst", wave_scopes=["nonsense"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.json", "w.fst", "w.tensor.gtkw", "w.wave"]
    view = (tmp_path / "w.tensor.gtkw").read_text()
    assert f'[dumpfile] "{wave}"' in view and f" {tmp_path}/w.wave/program_tensor.txt\n" in view
    assert "multiply_moving" in (tmp_path / "w.wave" / "program_tensor.txt").read_text()
    # A view has the signals that are in the recording, so these are there.
    model.execute({"a": A, "b": B}, wave=tmp_path / "d.fst", wave_scopes=["dma"])
    assert "} dma.queue[0].transfer\n" in (tmp_path / "d.dma.gtkw").read_text()
    assert model(a=A, b=B).cycles == plain.cycles


def test_other_threads_run_meanwhile(session):
    model = session.load(matmul(M=128, K=256, N=1024))
    a, b = np.ones((256, 128), np.float32), np.ones((256, 1024), np.float32)
    turns, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            turns[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    before = turns[0]
    model(a=a, b=b)
    counted = turns[0] - before
    stop.set()
    thread.join()
    assert counted >= 20


def in_other_process(text, **variables):
    environment = {**os.environ, **variables}
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(text)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        # The tests may have been started in the background with the signal ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509  # takes no lock
    )


def test_missing_core(tmp_path):
    process = in_other_process(
        """
        import trnsim
        try:
            keys = trnsim.load_config("small16").keys()
            keys["core"]["fetch"]["prefetch"] = 16
            trnsim.Session(keys).allocate("t", "fp32", (1,)).read()
        except trnsim.Error as error:
            print(error)
        """,
        TRNSIM_CORE_PATH=str(tmp_path),
    )
    out, err = process.communicate(timeout=60)
    assert "no core model for" in out, err
    assert str(tmp_path) in out


def test_interrupt():
    process = in_other_process(
        """
        import numpy as np, trnsim
        package = trnsim.kernels.build("matmul", M=512, K=1024, N=4096, config="small16")
        session = trnsim.Session("small16")
        model = session.load(package)
        small = session.load(trnsim.kernels.build("matmul", M=4, K=4, N=4, config="small16"))
        print("begin", flush=True)
        try:
            model(a=np.ones((1024, 512), np.float32), b=np.ones((1024, 4096), np.float32))
            print("done")
        except KeyboardInterrupt:
            ones = np.ones((4, 4), np.float32)
            print("interrupted", small(a=ones, b=ones)["c"].sum())
        """
    )
    assert process.stdout.readline() == "begin\n"
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert out == "interrupted 64.0\n", err
    assert process.returncode == 0


FAST = """
import numpy as np, trnsim
a, b = np.random.default_rng(1).normal(size=(2, 20, 30)).astype(np.float32)
matmul = trnsim.kernels.build("matmul", M=30, K=20, N=30, dtype="fp32", config="small16")
with trnsim.Session("small16", fidelity={fidelity!r}) as session:
    result = session.run(matmul, {{"a": a, "b": b}})
    print(result.cycles, result["c"].tobytes().hex())
"""


def test_the_fast_core_has_the_bits_and_cycles_of_the_rtl():
    """Each session is in a process of its own, which simulates one device."""
    programs = [[sys.executable, "-c", FAST.format(fidelity=fidelity)] for fidelity in ("rtl", "fast")]
    rtl, fast = (
        subprocess.run(program, check=True, capture_output=True, text=True).stdout for program in programs
    )
    assert rtl == fast and len(rtl.split()[1]) == 30 * 30 * 4 * 2


def test_waves_of_the_fast_core_and_other_fidelities(tmp_path):
    wave = tmp_path / "w.fst"
    program = f"""
import numpy as np, trnsim
try:
    trnsim.Session("small16", fidelity="slow")
except trnsim.Error as error:
    print(error)
gelu = trnsim.kernels.build("gelu", rows=4, cols=5, config="small16")
with trnsim.Session("small16", fidelity="fast") as session:
    session.run(gelu, {{"x": np.ones((4, 5), np.float32)}}, wave={str(wave)!r})
"""
    lines = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    assert lines == ["fidelity 'slow': expected rtl or fast"] and wave.stat().st_size > 0


UNWRITTEN = """
import trnsim, warnings
k = trnsim.KernelBuilder("forgotten", "small16")
y = k.tensor("y", "output", "fp32", [4, 6])
tile, result = k.sbuf(4, "fp32", [6]), k.sbuf(4, "fp32", [6])
k.tensor_copy(result, tile)  # nothing has written the tile
k.store(k.queue("q"), y, result)
warnings.simplefilter("error")
with trnsim.Session("small16", fidelity={fidelity!r}) as session:
    try:
        session.run(k.finish(), unwritten={unwritten!r})
    except (trnsim.UnwrittenWarning, trnsim.Error) as error:
        print(type(error).__name__, error)
"""


@pytest.mark.parametrize("fidelity", ["rtl", "fast"])
def test_reads_of_tiles_that_nothing_has_written(tmp_path, fidelity):
    """A warning or an error with the line of the first reader. Each session is in a process of its own."""
    script = tmp_path / "forgotten.py"

    def printed(unwritten):
        script.write_text(UNWRITTEN.format(fidelity=fidelity, unwritten=unwritten))
        run = subprocess.run([sys.executable, str(script)], check=True, capture_output=True, text=True)
        return run.stdout

    text = (
        r" vector instruction 0 \[tensor_copy .*\] at \S*forgotten.py:6: reads sbuf\[0\+0x0\], "
        r"which nothing has written; 24 words in all\n"
    )
    assert re.fullmatch("UnwrittenWarning" + text, printed("warn"))
    assert re.fullmatch("ExecutionError" + text, printed("error"))
    assert printed("ignore") == ""
    assert printed("quietly") == "Error unwritten='quietly', expected one of warn, error, ignore\n"


def test_every_element_of_an_output_is_written(session):
    k = trnsim.KernelBuilder("half", "small16")
    y, tile = k.tensor("y", "output", "fp32", [4, 6]), k.sbuf(4, "fp32", [6])
    k.memset(tile, 1.0)
    k.store(k.queue("q"), y[:2], tile[:2])
    package = k.finish()
    with pytest.raises(
        trnsim.InterpreterError,
        match=r"^output 'y': 12 of 24 elements are returned which nothing has written, the first at \[2, 0",
    ):
        trnsim.interpret(package, {})
    with pytest.raises(trnsim.Error, match=r"^kernel 'half': output 'y': 12 of 24 elements are returned"):
        session.run(package)
    device = session.tensor(np.zeros((4, 6), np.float32))
    session.run(package, bindings={"y": device})  # the others keep their contents
    assert device.read().tolist() == [[1.0] * 6] * 2 + [[0.0] * 6] * 2
    device.free()
    with pytest.raises(trnsim.InterpreterError, match=r"no end within the work of 100 elements \(max_work"):
        trnsim.interpret(package, {}, max_work=100)
