"""Registered kernels, compared with NumPy."""

import ml_dtypes
import numpy as np
import pytest

import trnsim

M, K, N = 24, 32, 40


def matmul(dtype="bf16"):
    return trnsim.kernels.build("matmul", M=M, K=K, N=N, dtype=dtype, config="small16")


def integers(random, shape, limit=4):
    return random.integers(-limit, limit + 1, shape).astype(np.float32)


def test_matmul_is_exact_for_integers(session, random):
    a, b = integers(random, (K, M)), integers(random, (K, N))
    result = session.load(matmul())(a=a, b=b)
    assert result["c"].dtype == np.float32
    assert np.array_equal(result["c"], a.T @ b)
    assert result.status == trnsim.Status.SUCCESS


@pytest.mark.parametrize("dtype", ["bf16", "fp16", "fp32"])
def test_softmax(session, random, dtype):
    x = random.normal(0, 3, (20, 30)).astype(np.float32)
    package = trnsim.kernels.build("softmax", rows=20, cols=30, dtype=dtype, config="small16")
    y = session.run(package, {"x": x})["y"].astype(np.float32)
    own = {"bf16": ml_dtypes.bfloat16, "fp16": np.float16, "fp32": np.float32}[dtype]
    exact = x.astype(own).astype(np.float64)
    exact = np.exp(exact - exact.max(1, keepdims=True))
    exact /= exact.sum(1, keepdims=True)
    assert np.allclose(y, exact, rtol={"bf16": 2**-8, "fp16": 2**-10, "fp32": 1e-6}[dtype], atol=1e-7)


def test_resident_weights_many_executions(session, random):
    weights = integers(random, (K, N))
    b = session.tensor(weights, name="b", dtype="bf16")
    model = session.load(matmul(), bindings={"b": b})
    cycles = set()
    for _ in range(20):
        a = integers(random, (K, M))
        result = model(a=a)
        assert np.array_equal(result["c"], a.T @ weights)
        cycles.add(result.cycles)
    assert len(cycles) == 1  # executions are alike
    weights = integers(random, (K, N))
    b.write(weights)
    assert np.array_equal(model(a=a)["c"], a.T @ weights)
    with pytest.raises(trnsim.Error, match="expected that to be unloaded"):
        b.free()
    model.unload()
    b.free()


def test_output_of_one_is_input_of_the_next(session, random):
    x = random.integers(-9, 10, (16, 48)).astype(np.float32)
    middle = session.allocate("y", np.float32, (48, 16))
    there = session.load(
        trnsim.kernels.build("transpose", rows=16, cols=48, config="small16"), bindings={"y": middle}
    )
    back = session.load(
        trnsim.kernels.build("transpose", rows=48, cols=16, config="small16"), bindings={"x": middle}
    )
    assert there(x=x).outputs == {}
    assert np.array_equal(middle.read(), x.T)
    assert np.array_equal(back()["y"], x)


ROUND_TRIP = {
    "bf16": ml_dtypes.bfloat16,
    "fp16": np.float16,
    "fp8_e3m4": ml_dtypes.float8_e3m4,
    "fp8_e4m3": ml_dtypes.float8_e4m3,
    "fp8_e5m2": ml_dtypes.float8_e5m2,
    "i32": np.int32,
    "u8": np.uint8,
}


@pytest.mark.parametrize("dtype", ROUND_TRIP)
def test_round_trip(session, dtype):
    own = np.dtype(ROUND_TRIP[dtype])
    bits = np.arange(16 * 16, dtype=np.uint32) * (0x0101 if own.itemsize > 1 else 1)
    x = bits.astype(f"u{own.itemsize}").view(own).reshape(16, 16)
    tensor = session.tensor(x)
    assert (tensor.dtype, tensor.shape) == (dtype, (16, 16))
    assert tensor.read().dtype == own
    assert tensor.read().tobytes() == x.tobytes()
    y = session.run(
        trnsim.kernels.build("transpose", rows=16, cols=16, dtype=own, config="small16"), {"x": x}
    )["y"]
    assert y.dtype == own
    assert y.tobytes() == x.T.tobytes()


def test_lists(session):
    assert session.tensor([[1, 2.5], [3, 4]], dtype="bf16").read().tolist() == [[1, 2.5], [3, 4]]
    assert session.tensor([1, 2, 3], dtype="u8").read().tolist() == [1, 2, 3]


@pytest.mark.parametrize("dtype", ["bf16", "fp16", "fp8_e3m4", "fp8_e4m3", "fp8_e5m2"])
def test_fp32_is_rounded_as_ml_dtypes_does(session, random, dtype):
    x = random.normal(0, 2, 500).astype(np.float32)
    tensor = session.tensor(x, dtype=dtype)
    assert tensor.read().tobytes() == x.astype(ROUND_TRIP[dtype]).tobytes()


def test_stochastic_rounding_has_a_seed(session, random):
    x = random.normal(0, 1, (16, 64)).astype(np.float32)
    model = session.load(trnsim.kernels.build("cast", rows=16, cols=64, config="small16"))
    nearest = model(x=x)["y"]
    assert nearest.tobytes() == x.astype(ml_dtypes.bfloat16).tobytes()
    seeds = [
        model.execute({"x": x}, stochastic_rounding=True, seed=seed)["y"].tobytes() for seed in (1, 2, 1)
    ]
    assert seeds[0] == seeds[2] != seeds[1]
    assert seeds[0] != nearest.tobytes()


def test_package_file(tmp_path):
    package = matmul()
    path = tmp_path / "matmul.neff"
    package.write(path)
    again = trnsim.Package.read(path)
    assert again.name == "matmul"
    assert again.tensors == package.tensors
    assert [tensor["shape"] for tensor in again.tensors] == [(K, M), (K, N), (M, N)]
    assert any("multiply_moving" in line for line in again.program("tensor"))


def test_registry():
    assert {"matmul", "softmax", "adamw"} <= set(trnsim.kernels.names())
    adamw = trnsim.kernels.describe("adamw")
    assert adamw["arguments"]["lr"]["default"] == "1e-3"
    assert adamw["arguments"]["n"]["default"] is None
    assert list(adamw["inputs"]) == ["w", "g", "m", "v"]
