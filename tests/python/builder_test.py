"""Kernels that are written with the builder."""

import re
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import trnsim

K, M, N = 16, 8, 64


def relu_matmul(derive_waits=True):
    """c = relu(a.T @ b) on one tile."""
    k = trnsim.KernelBuilder("relu_matmul", "small16", derive_waits=derive_waits)
    a = k.tensor("a", "input", "bf16", [K, M])
    b = k.tensor("b", "input", ml_dtypes.bfloat16, [K, N])
    c = k.tensor("c", "output", np.float32, [M, N])
    stationary, moving = k.sbuf(K, "bf16", [M]), k.sbuf(K, "bf16", [N])
    total, result = k.psum(bank=0, partitions=M, columns=N), k.sbuf(M, "fp32", [N])
    loads, stores = k.queue("loads", owner="sync"), k.queue("stores", owner="scalar")
    k.load(loads, stationary, a)
    k.load(loads, moving, b)
    k.load_stationary(stationary)
    k.multiply_moving(total, moving)
    k.tensor_scalar(result, total, "max", 0.0)  # relu
    k.store(stores, c, result)
    return k.finish()


def test_own_kernel(session, random):
    a, b = (random.integers(-4, 5, shape).astype(np.float32) for shape in ((K, M), (K, N)))
    package = relu_matmul()
    result = session.run(package, {"a": a, "b": b})
    assert np.array_equal(result["c"], np.maximum(a.T @ b, 0))
    golden = trnsim.interpret(package, {"a": a, "b": b})
    assert golden["c"].tobytes() == result["c"].tobytes()


def test_interpreter_finds_a_missing_wait():
    inputs = {"a": np.ones((K, M), np.float32), "b": np.ones((K, N), np.float32)}
    with pytest.raises(trnsim.InterpreterError):
        trnsim.interpret(relu_matmul(derive_waits=False), inputs)


def test_errors_name_the_line_of_python():
    source = Path(__file__).read_text().splitlines()
    with pytest.raises(trnsim.InterpreterError) as raised:
        trnsim.interpret(
            relu_matmul(derive_waits=False),
            {"a": np.ones((K, M), np.float32), "b": np.ones((K, N), np.float32)},
        )
    lines = [int(line) for line in re.findall(r"builder_test\.py:(\d+)", str(raised.value))]
    assert lines, str(raised.value)
    assert all(source[line - 1].strip().startswith("k.") for line in lines)


def test_what_another_builder_has_made_is_refused():
    k, other = (trnsim.KernelBuilder(name, "small16") for name in ("one", "other"))
    x, queue, tile = k.tensor("x", "input", "fp32", [16, 8]), k.queue("q"), k.sbuf(16, "fp32", [8])
    foreign_x, foreign_queue = other.tensor("x", "input", "fp32", [16, 8]), other.queue("q")
    foreign_tile = other.sbuf(16, "fp32", [8])
    event = other.load(foreign_queue, foreign_tile, foreign_x)
    for call, what in (
        (lambda: k.load(foreign_queue, tile, x), "queue 0: a queue"),
        (lambda: k.load(queue, foreign_tile, x), "SBUF fp32 .*: a tile"),
        (lambda: k.load(queue, tile, foreign_x), "x.16, 8.: a tensor"),
        (lambda: k.load(queue, tile, x, after=[event]), "after: an event"),
        (lambda: k.tensor_copy(tile, foreign_tile[:, 0:8]), "a tile"),
    ):
        with pytest.raises(trnsim.KernelError, match=what + " of another kernel"):
            call()
    k.load(queue, tile, x)


def test_events_given_by_hand():
    k = trnsim.KernelBuilder("by_hand", "small16", derive_waits=False)
    x, y = k.tensor("x", "input", "fp32", [16, 8]), k.tensor("y", "output", "fp32", [16, 8])
    tile, result, queue = k.sbuf(16, "fp32", [8]), k.sbuf(16, "fp32", [8]), k.queue("q")
    there = k.load(queue, tile, x)
    doubled = k.tensor_tensor(result, tile, "add", tile, after=there)
    k.store(queue, y, result, after=[there, doubled])
    values = np.arange(128, dtype=np.float32).reshape(16, 8)
    assert np.array_equal(trnsim.interpret(k.finish(), {"x": values})["y"], 2 * values)


def test_tf32_inputs_are_rounded_alike(session):
    k = trnsim.KernelBuilder("tf32", "small16")
    x, y = k.tensor("x", "input", "tf32", [1, 3]), k.tensor("y", "output", "tf32", [1, 3])
    tile, queue = k.sbuf(1, "tf32", [3]), k.queue("q")
    k.load(queue, tile, x)
    k.store(queue, y, tile)
    package, values = k.finish(), np.array([[1 + 2.0**-20, 1 + 1.5 * 2.0**-10, -1 - 2.0**-11]], np.float32)
    rounded = np.array([[1, 1 + 2.0**-9, -1]], np.float32)
    assert np.array_equal(trnsim.interpret(package, {"x": values})["y"], rounded)
    assert np.array_equal(session.run(package, {"x": values})["y"], rounded)


def test_rows_by_index(session, random):
    """Gathers and scatters rows; some indices do not exist."""
    k = trnsim.KernelBuilder("rows", "small16")
    x, u = k.tensor("x", "input", "fp32", [20, 9]), k.tensor("u", "update", "fp32", [30, 9])
    ids, to = k.tensor("ids", "input", "i32", [13, 1]), k.tensor("to", "input", "i32", [13, 1])
    index, place, tile, queue = (
        k.sbuf(13, "i32", [1]),
        k.sbuf(13, "i32", [1]),
        k.sbuf(13, "fp32", [9]),
        k.queue("q"),
    )
    k.load(queue, index, ids)
    k.load(queue, place, to)
    k.gather(queue, tile, x, index)
    k.scatter(queue, u, tile, place, first=-5, skip=True)
    package = k.finish()
    inputs = {
        "x": random.normal(size=(20, 9)).astype(np.float32),
        "u": random.normal(size=(30, 9)).astype(np.float32),
        "ids": random.integers(0, 20, (13, 1)).astype(np.int32),
        "to": random.permutation(np.arange(-15, 35))[:13].reshape(13, 1).astype(np.int32),
    }
    expected = inputs["u"].copy()
    for row, place in enumerate(inputs["to"][:, 0] + 5):
        if 0 <= place < 30:
            expected[place] = inputs["x"][inputs["ids"][row, 0]]
    assert np.array_equal(session.run(package, inputs)["u"], expected)
    assert np.array_equal(trnsim.interpret(package, inputs)["u"], expected)
    inputs["ids"][7] = 20
    with pytest.raises(
        trnsim.ExecutionError,
        match=r"transfer 'gather x\[20, 9\]' at .*builder_test.py:\d+, descriptor \d+: "
        r"index 20 out of bounds, expected 0 to 19, at sbuf\[7\+0x0\]",
    ):
        session.run(package, inputs)
    with pytest.raises(trnsim.InterpreterError, match="index 20 is out of bounds, expected 0 to 19"):
        trnsim.interpret(package, inputs)


def test_numbers_have_types():
    k = trnsim.KernelBuilder("types", "small16")
    assert k.queue("first").number == 0
    assert k.psum(trnsim.Bank(1), 8, 8).shape == k.psum(1, 8, 8).shape
    tile, x = k.sbuf(16, "fp32", [8]), k.tensor("x", "input", "fp32", [16, 8])
    with pytest.raises(TypeError):
        k.load(0, tile, x)


def collective(**numbers):
    k = trnsim.KernelBuilder("collective", "small16")
    views = [k.tensor(name, name, "fp32", [16]) for name in ("output", "input")]
    k.collective(k.queue("ranks"), "permute", *views, **({"ranks": 2} | numbers))


def maximum(axes):
    k = trnsim.KernelBuilder("maximum", "small16")
    k.tensor_reduce(k.sbuf(1, "fp32", [1]), k.sbuf(1, "fp32", [8]), "max", axes=axes)


# Methods with a parameter that is a number without a sign, and the parameter's name.
UNSIGNED = [
    (lambda value: trnsim.KernelBuilder("sizes", "small16").sbuf(value, "fp32", [1]), "partitions"),
    (lambda value: trnsim.KernelBuilder("sizes", "small16").sbuf(1, "fp32", [value]), "shape"),
    (lambda value: trnsim.KernelBuilder("sizes", "small16").psum(0, 16, value), "columns"),
    (lambda value: trnsim.KernelBuilder("sizes", "small16").loop(value), "iterations"),
    (lambda value: trnsim.KernelBuilder("sizes", "small16").place("file.py", value), "line"),
    (lambda value: maximum(axes=value), "axes"),
    (lambda value: collective(ranks=value), "ranks"),
    (lambda value: collective(root=value), "root"),
    (lambda value: collective(groups=[[0, value]]), "groups"),
    (lambda value: collective(pairs=[(0, value)]), "pairs"),
    (
        lambda value: trnsim.interpret(trnsim.KernelBuilder("empty", "small16").finish(), {}, seed=value),
        "seed",
    ),
    (lambda value: trnsim.Session("small16", perturb=value), "perturb"),
    (lambda value: trnsim.Session("small16", random_memory=value), "random_memory"),
    (lambda value: trnsim.Communicator("trn1-4", ranks=value), "ranks"),
    (lambda value: trnsim.Communicator("trn1-4", perturb=value), "perturb"),
    (lambda value: trnsim.Session(server="trn1-4", ranks=value), "ranks"),
    (lambda value: trnsim.Session(server="trn1-4", rtl_ranks=[value]), "rtl_ranks"),
]


@pytest.mark.parametrize("value", [-1, 1 << 32, np.int64(-1)])
@pytest.mark.parametrize(("call", "name"), UNSIGNED)
def test_numbers_without_a_sign(call, name, value):
    with pytest.raises(ValueError, match=rf"^{name}: found {value}, expected 0 to 4294967295$"):
        call(value)


@pytest.mark.parametrize("value", [-1, 256])
def test_shuffle_masks_are_bytes(value):
    with pytest.raises(ValueError, match=rf"^mask: found {value}, expected 0 to 255$"):
        trnsim.KernelBuilder("mask", "small16").load_shuffle_mask([value] * 32)


def test_nothing_comes_after_finish():
    k = trnsim.KernelBuilder("once", "small16")
    tensor, tile, queue = k.tensor("x", "output", "fp32", [16, 8]), k.sbuf(16, "fp32", [8]), k.queue("q")
    k.memset(tile, 1.0)
    k.store(queue, tensor, tile)
    package = k.finish()
    for call in (k.finish, lambda: k.store(queue, tensor, tile), lambda: k.queue("r"), k.loop(3).__enter__):
        with pytest.raises(trnsim.KernelError, match=r"kernel 'once' is finished$"):
            call()
    assert (trnsim.interpret(package, {})["x"] == 1).all()


def test_an_empty_kernel_ends(session):
    assert session.run(trnsim.KernelBuilder("empty", "small16").finish(), {}).cycles > 0


def test_engines_and_parts_of_tiles(session, random):
    """Sums exp(scale x) of each row, in halves, on both elementwise engines."""
    k = trnsim.KernelBuilder("sums", "small16", arguments="scale=0.5")
    x = k.tensor("x", "input", "fp32", [16, 40])
    y = k.tensor("y", "output", "fp32", [16, 2])
    tile, exps, sums = k.sbuf(16, "fp32", [40]), k.sbuf(16, "fp32", [40]), k.sbuf(16, "fp32", [2])
    queue = k.queue("all")
    for i in range(2):
        half = slice(20 * i, 20 * (i + 1))
        k.load(queue, tile[:, half], x[:, half])
        k.activation(exps[:, half], tile[:, half], "exp", scale=0.5)
        k.tensor_reduce(sums[:, i : i + 1], exps[:, half], "add")
    k.store(queue, y, sums)
    values = random.normal(0, 1, (16, 40)).astype(np.float32)
    result = session.run(k.finish(), {"x": values})["y"]
    expected = np.exp(values.astype(np.float64) / 2).reshape(16, 2, 20).sum(2)
    assert np.allclose(result, expected, rtol=1e-5)


def test_views():
    k = trnsim.KernelBuilder("views", "small16")
    tile = k.sbuf(16, "bf16", [4, 10])
    assert tile.shape == (16, 4, 10)
    assert tile.dtype == "bf16"
    assert tile[0:8, -1, 2:].shape == (8, 8)
    assert tile[4:].shape == (12, 4, 10)
    x = k.tensor("x", "input", "fp32", [64, 6])
    assert x.split(0, 16).shape == (4, 16, 6)
    assert x.split(0, 16)[1:2].swapped(0, 2).shape == (6, 16, 1)
    for bad in (lambda: tile[::2], lambda: tile[0], lambda: tile[0:1, 0, 0, 0], lambda: tile[0:1, 9]):
        with pytest.raises((IndexError, TypeError, trnsim.KernelError)):
            bad()


ERRORS = {
    "unknown operation": (
        lambda k, t: k.tensor_scalar(t, t, "plus", 1.0),
        "operation 'plus' is not known, expected one of bypass, add",
    ),
    "unknown type": (lambda k, t: k.sbuf(16, "bf17", [4]), "element type 'bf17' is not known"),
    "unknown engine": (lambda k, t: k.queue("q", owner="tensorr"), "engine 'tensorr' is not known"),
    "unknown kind": (
        lambda k, t: k.tensor("x", "inout", "fp32", [4]),
        "kind of tensor 'inout' is not known, expected one of input",
    ),
    "too many partitions": (lambda k, t: k.sbuf(17, "fp32", [4]), "17"),
    "SBUF is full": (lambda k, t: k.sbuf(16, "fp32", [1 << 20]), "SBUF"),
    "shapes differ": (lambda k, t: k.tensor_copy(t, t[:, 0:2]), "tensor_copy"),
}


@pytest.mark.parametrize("what", ERRORS)
def test_refused(what):
    call, message = ERRORS[what]
    k = trnsim.KernelBuilder("errors", "small16")
    tile = k.sbuf(16, "fp32", [4])
    with pytest.raises(trnsim.KernelError) as raised:
        call(k, tile)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_wrong_keyword():
    k = trnsim.KernelBuilder("errors", "small16")
    tile = k.sbuf(16, "fp32", [4])
    with pytest.raises(TypeError):
        k.tensor_copy(tile, tile, afterwards=[])


def in_loop(iterations, body=None):
    """y = 2 x + 1, 16 columns an iteration."""
    k = trnsim.KernelBuilder("looped", "small16")
    x = k.tensor("x", "input", "fp32", [16, 16 * iterations])
    y = k.tensor("y", "output", "fp32", [16, 16 * iterations])
    tile, result = k.sbuf(16, "fp32", [16]), k.sbuf(16, "fp32", [16])
    loads, stores = k.queue("loads"), k.queue("stores", owner="gpsimd")
    with k.loop(iterations) as i:
        k.load(loads, tile, x[:, i * 16 : i * 16 + 16])
        k.tensor_scalar(result, tile, "multiply", 2.0, op1="add", operand1=1.0)
        k.store(stores, y.slice(1, 16 * i, 16), result)
        if body:
            body(k, x, i)
    return k.finish()


@pytest.mark.parametrize("iterations", [1, 2, 17])
def test_a_loop(session, random, iterations):
    x = random.integers(-64, 64, (16, 16 * iterations)).astype(np.float32)
    package = in_loop(iterations)
    assert np.array_equal(session.run(package, {"x": x})["y"], 2 * x + 1)
    assert np.array_equal(trnsim.interpret(package, {"x": x})["y"], 2 * x + 1)
    for engine in ("sync", "vector", "gpsimd"):
        assert len(package.program(engine)) == len(in_loop(3).program(engine))


@pytest.mark.parametrize(
    "body",
    [
        lambda k, x, i: x.slice(1, i * i, 16),
        lambda k, x, i: x.slice(1, i // 2, 16),
        lambda k, x, i: i == 0,
        lambda k, x, i: bool(i),
        lambda k, x, i: [0, 1, 2][i],
        lambda k, x, i: k.loop(2).__enter__(),
    ],
)
def test_what_loops_refuse_names_the_line(body):
    with pytest.raises(trnsim.KernelError, match=rf"builder_test\.py:{body.__code__.co_firstlineno}: loop: "):
        in_loop(4, body)


def test_slices_in_loops_stay_within():
    with pytest.raises(
        trnsim.KernelError, match=r"builder_test\.py:\d+: slices 1\+16 to 49\+16 of axis 1 in 4 iterations"
    ):
        in_loop(4, lambda k, x, i: x[:, i * 16 + 1 : i * 16 + 17])
    with pytest.raises(IndexError):
        in_loop(4, lambda k, x, i: x[:, i * 16 : 32])
