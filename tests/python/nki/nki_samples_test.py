"""The public tutorials' kernels, unmodified, against NumPy."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from nki_common import BF16, samples_folder


def close(found, expected, dtype):
    limits = {np.dtype(np.float32): (1e-5, 1e-5), np.dtype(np.float16): (2e-3, 1e-3), BF16: (2e-2, 1e-2)}[
        np.dtype(dtype)
    ]
    assert found.dtype == dtype
    np.testing.assert_allclose(found.astype(np.float64), expected, rtol=limits[0], atol=limits[1])


@pytest.mark.parametrize("file", ["tensor_addition_nki_kernels", "spmd_tensor_addition_nki_kernels"])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, BF16])
def test_tensor_addition(samples, rng, file, dtype):
    module = samples("tensor_addition", file)
    a, b = rng.normal(size=(2, 384, 1024)).astype(dtype)
    found = module.nki_tensor_add(a, b)
    assert found.dtype == dtype
    assert np.array_equal(found, (a.astype(np.float32) + b.astype(np.float32)).astype(dtype))


def test_tensor_addition_on_two_cores(samples, rng):
    module = samples("tensor_addition", "spmd_multiple_nc_tensor_addition_nki_kernels")
    a, b = rng.normal(size=(2, 512, 1024)).astype(np.float16)
    assert np.array_equal(module.nki_tensor_add_nc2(a, b), a + b)


@pytest.mark.parametrize(("pool", "shape"), [(2, (2, 6, 6)), (3, (5, 9, 12)), (5, (128, 10, 15))])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_average_pool(samples, rng, pool, shape, dtype):
    module = samples("average_pool2d", "average_pool2d_nki_kernels")
    x = rng.integers(-20, 20, shape).astype(dtype)
    close(module.tensor_avgpool_kernel(x, pool), module.np_average_pool_2D(x.astype(np.float64), pool), dtype)


@pytest.mark.parametrize("shape", [(2, 5), (128, 512), (300, 77)])
def test_softmax(samples, rng, shape):
    module = samples("softmax", "softmax_nki_kernels")
    x = rng.normal(0, 3, shape).astype(np.float32)
    powers = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    close(module.nki_softmax_kernel(x), powers / powers.sum(axis=1, keepdims=True), np.float32)


@pytest.mark.parametrize("kernel", ["nki_layernorm_kernel_v1", "nki_layernorm_kernel_v2"])
@pytest.mark.parametrize("shape", [(300, 1000), (128, 512), (7, 1537)])
def test_layernorm(samples, rng, kernel, shape):
    module = samples("layernorm", "layernorm_nki_kernel")
    x = rng.normal(1, 2, shape).astype(np.float32)
    gamma, beta = rng.normal(size=(2, shape[1])).astype(np.float32)
    found = getattr(module, kernel)(x, 1e-5, gamma, beta)
    wide = x.astype(np.float64)
    mean, var = wide.mean(axis=1, keepdims=True), wide.var(axis=1, keepdims=True)
    np.testing.assert_allclose(
        found, (wide - mean) / np.sqrt(var + 1e-5) * gamma + beta, rtol=2e-5, atol=2e-5
    )


@pytest.mark.parametrize("shape2d", [(3, 4), (37, 44), (1, 9)])
@pytest.mark.parametrize("dtype", [np.int8, np.float32])
def test_transpose(samples, rng, shape2d, dtype):
    module = samples("transpose2d", "transpose2d_nki_kernels")
    x = rng.integers(-100, 100, (5, shape2d[0] * shape2d[1])).astype(dtype)
    expected = x.reshape(5, *shape2d).transpose(0, 2, 1).reshape(5, -1)
    assert np.array_equal(module.tensor_transpose2D_kernel_(x, shape2d), expected)


MATMULS = {
    "nki_matmul_basic_": (128, 64, 512),
    "nki_matmul_tiled_": (256, 256, 1024),
    "nki_matmul_hoist_load_": (384, 128, 512),
    "nki_matmul_block_free_dimension_": (256, 512, 1024),
    "nki_matmul_fully_optimized_": (1024, 2048, 1024),
}


LONG = {"nki_matmul_fully_optimized_"}


@pytest.mark.parametrize(
    "kernel", [pytest.param(name, marks=pytest.mark.long) if name in LONG else name for name in MATMULS]
)
@pytest.mark.parametrize("dtype", [np.float32, BF16])
def test_matmul(samples, rng, kernel, dtype):
    module = samples("matrix_multiplication", "matrix_multiplication_nki_kernels")
    k, m, n = MATMULS[kernel]
    a, b = rng.uniform(0, 1, (k, m)).astype(dtype), rng.uniform(0, 1, (k, n)).astype(dtype)
    expected = a.astype(np.float32).T @ b.astype(np.float32)
    close(getattr(module, kernel)(a, b), expected, dtype)


@pytest.mark.parametrize("kernel", ["mamba_v1", "mamba_v2", "mamba_v3"])
def test_mamba(samples, rng, kernel):
    module = samples("fused_mamba", "mamba_nki_kernels")
    batch, channels, states, length = 2, 256, 3, 512
    delta, u = rng.uniform(0, 1, (2, batch, channels, length)).astype(np.float32)
    a = -rng.uniform(0.1, 1, (channels, states)).astype(np.float32)
    b, c = rng.normal(size=(2, batch, states, length)).astype(np.float32)
    found = getattr(module, kernel)(delta, u, a, b, c)
    state, expected = np.zeros((batch, channels, states)), np.zeros((batch, channels, length))
    for t in range(length):
        step = delta[:, :, t, None].astype(np.float64)
        state = np.exp(step * a) * state + step * u[:, :, t, None] * b[:, None, :, t]
        expected[:, :, t] = (state * c[:, None, :, t]).sum(axis=2)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    "script",
    [
        "tensor_addition/spmd_tensor_addition_nki_kernels.py",
        "average_pool2d/average_pool2d_nki_kernels.py",
        "transpose2d/transpose2d_nki_kernels.py",
    ],
)
def test_scripts_run_as_they_are(script):
    """Runs python -m trnsim.nki SCRIPT in NumPy and finds the text of the tutorial's own check."""
    folder = samples_folder()
    if folder is None:
        pytest.skip("there is no shared/nki-samples beside the tree")
    arranged = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import nki_common; "
        "nki_common.arrange(); "
    )
    run = (
        arranged
        + f"import runpy; sys.argv = ['trnsim.nki', {str(folder / script)!r}]; "
        + "runpy.run_module('trnsim.nki', run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-c", run],
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ | {"NKI_SIMULATOR": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "NKI and NumPy match"
