"""Own kernels."""

import ml_dtypes
import numpy as np
import pytest

import trnsim

K, M, N = 16, 8, 64


def relu_matmul(wait=True):
    """c = relu(a.T @ b) on one tile; without `wait` Vector does not wait for the product."""
    k = trnsim.KernelBuilder("relu_matmul", "small16")
    a = k.tensor("a", "input", "bf16", [K, M])
    b = k.tensor("b", "input", ml_dtypes.bfloat16, [K, N])
    c = k.tensor("c", "output", np.float32, [M, N])
    stationary, moving = k.sbuf(K, "bf16", [M]), k.sbuf(K, "bf16", [N])
    total, result = k.psum(bank=0, partitions=M, columns=N), k.sbuf(M, "fp32", [N])
    loads, stores = k.queue("loads", owner="sync"), k.queue("stores", owner="scalar")
    there = [k.load(loads, stationary, a), k.load(loads, moving, b)]
    k.load_stationary(stationary, after=there)
    product = k.multiply_moving(total, moving)
    written = k.tensor_scalar(result, total, "max", 0.0, after=product if wait else [])
    k.store(stores, c, result, after=written)
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
        trnsim.interpret(relu_matmul(wait=False), inputs)


def test_engines_and_parts_of_tiles(session, random):
    """sum of exp(scale x) of each row, in halves, on both elementwise engines."""
    k = trnsim.KernelBuilder("sums", "small16", arguments="scale=0.5")
    x = k.tensor("x", "input", "fp32", [16, 40])
    y = k.tensor("y", "output", "fp32", [16, 2])
    tile, exps, sums = k.sbuf(16, "fp32", [40]), k.sbuf(16, "fp32", [40]), k.sbuf(16, "fp32", [2])
    queue = k.queue("all")
    halves = [k.load(queue, tile[:, 20 * i : 20 * (i + 1)], x[:, 20 * i : 20 * (i + 1)]) for i in range(2)]
    done = []
    for i, half in enumerate(halves):
        part = exps[:, 20 * i : 20 * (i + 1)]
        there = k.activation(part, tile[:, 20 * i : 20 * (i + 1)], "exp", scale=0.5, after=half)
        done.append(k.tensor_reduce(sums[:, i : i + 1], part, "add", after=[there]))
    k.store(queue, y, sums, after=done)
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
    "unknown operation": (lambda k, t: k.tensor_scalar(t, t, "plus", 1.0), "operation 'plus' is not known, expected one of bypass, add"),
    "unknown type": (lambda k, t: k.sbuf(16, "bf17", [4]), "element type 'bf17' is not known"),
    "unknown engine": (lambda k, t: k.queue("q", owner="tensorr"), "engine 'tensorr' is not known"),
    "unknown kind": (lambda k, t: k.tensor("x", "inout", "fp32", [4]), "kind of tensor 'inout' is not known, expected one of input"),
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
