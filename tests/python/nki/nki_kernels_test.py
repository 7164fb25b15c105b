"""neuronxcc.nki.kernels: each kernel against NumPy in double precision, in the layouts of the public ones."""

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from trnsim import nki
from trnsim.nki.kernels import allocated_attention, allocated_fused_linear, attention, vision
from trnsim.nki.kernels.rmsnorm_quant import rmsnorm_quant

#: On the RTL a power may round to the neighbouring number in bf16.
pytestmark = pytest.mark.bound(lambda expected: 2.0**-8 * max(1.0, np.abs(expected).max()))

F32 = np.float32
BF16 = np.dtype(ml_dtypes.bfloat16)


def run(kernel, *args, grid=None, **kwargs):
    """Simulates a kernel, also on the RTL where the tests ask for it."""
    return nki.simulate_kernel(kernel if grid is None else kernel[grid], *args, **kwargs)


def near(found, expected, bound):
    difference = np.abs(found.astype(np.float64) - expected).max()
    assert difference <= bound * max(1.0, np.abs(expected).max()), difference


def cases(table, *long):
    """Returns the names of a table as parameters; those of `long` take long on the RTL."""
    return [pytest.param(name, marks=pytest.mark.long if name in long else ()) for name in table]


def uniform(rng, *shape, dtype=F32):
    return (2 * rng.random(shape) - 1).astype(dtype)


def seen(queries, keys, causal, window):
    """Returns where a query sees a key, as the documentation shows it in a table."""
    row, column = np.ogrid[0:queries, 0:keys]
    held = np.full((queries, keys), True)
    if causal or window > 0:
        held = held & (column <= row)
    if window > 0:
        held = held & (column > row - window)
    return held


def softmax(scores, held, sink=None):
    """Returns powers, and the logarithms of their sums; a sink is a score that has no column."""
    scores = np.where(held, scores, -np.inf)
    largest = scores.max(axis=-1, keepdims=True)
    total = np.exp(scores - largest).sum(axis=-1, keepdims=True)
    if sink is not None:
        total = total + np.exp(sink - largest)
    lse = largest + np.log(total)
    return np.exp(scores - lse), lse


def test_masks_of_windows():
    """The example of the documentation."""
    assert seen(5, 5, True, 2).astype(int).tolist() == [
        [1, 0, 0, 0, 0],
        [1, 1, 0, 0, 0],
        [0, 1, 1, 0, 0],
        [0, 0, 1, 1, 0],
        [0, 0, 0, 1, 1],
    ]


#: Options of flash_fwd, and sizes: batch, heads of q and of k, d, queries, keys.
FORWARD = {
    "causal": ({}, (1, 1, 1, 64, 256, 256)),
    "everything": ({"use_causal_mask": False}, (2, 2, 2, 32, 128, 640)),
    "more queries": ({}, (1, 1, 1, 128, 384, 128)),
    "grouped": ({}, (1, 4, 2, 48, 256, 256)),
    "window": ({"sliding_window": 100}, (1, 1, 1, 64, 640, 640)),
    "window of 1": ({"sliding_window": 1, "use_causal_mask": False}, (1, 1, 1, 64, 256, 256)),
    "scale": ({"softmax_scale": 0.7}, (1, 1, 1, 64, 128, 128)),
    "in fp32": ({"mixed_precision": False}, (1, 1, 1, 64, 256, 256)),
}


@pytest.mark.parametrize("name", cases(FORWARD, "everything", "grouped", "window"))
@pytest.mark.parametrize("training", [True, False])
def test_flash_fwd(rng, name, training):
    options, (batch, heads, kv_heads, d, queries, keys) = FORWARD[name]
    q, k = uniform(rng, batch, heads, d, queries), uniform(rng, batch, kv_heads, d, keys)
    v = uniform(rng, batch, kv_heads, keys, d)
    config = attention.FlashConfig(training=training)
    found = run(attention.flash_fwd, q, k, v, None, config=config, grid=(batch, kv_heads), **options)
    many = [np.repeat(x, heads // kv_heads, axis=1).astype(np.float64) for x in (k, v)]
    scores = options.get("softmax_scale", d**-0.5) * np.swapaxes(q, 2, 3).astype(np.float64) @ many[0]
    held = seen(queries, keys, options.get("use_causal_mask", True), options.get("sliding_window", -1))
    powers, lse = softmax(scores, held)
    bound = 1e-5 if options.get("mixed_precision") is False else 2**-6
    out = found[0] if training else found
    near(out, powers @ many[1], bound)
    if training:
        assert found[1].shape == (batch, heads, 128, queries // 128) and found[1].dtype == F32
        near(found[1], lse[..., 0].reshape(batch, heads, -1, 128).swapaxes(2, 3), bound)


@pytest.mark.parametrize("shape", [(1, 2), (1, 1)])  # of size 1: that of all heads
def test_flash_fwd_with_a_bias_and_turned_values(rng, shape):
    q, k, v = (uniform(rng, 1, 2, 32, 128) for _ in "qkv")
    bias = uniform(rng, *shape, 128, 128)
    config = attention.FlashConfig(should_transpose_v=True, lse_dtype="bfloat16")
    out, lse = run(attention.flash_fwd, q, k, v, None, logit_bias=bias, config=config)
    scores = 32**-0.5 * np.swapaxes(q, 2, 3).astype(np.float64) @ k + bias
    powers, logs = softmax(scores, seen(128, 128, True, -1))
    near(out, powers @ np.swapaxes(v, 2, 3), 2**-6)
    assert lse.dtype == BF16
    near(lse, logs[..., 0].reshape(1, 2, 1, 128).swapaxes(2, 3), 2**-6)


#: Options of flash_attn_bwd, and sizes: batch, heads of q and of k, d, length.
BACKWARD = {
    "causal": ({"use_causal_mask": True}, (1, 1, 1, 64, 256)),
    "everything": ({"softmax_scale": 0.3}, (2, 2, 2, 32, 128)),
    "grouped": ({"use_causal_mask": True}, (1, 4, 2, 32, 256)),
    "wide": ({"use_causal_mask": True}, (1, 1, 1, 256, 128)),
    "window": ({"sliding_window": 70}, (1, 1, 1, 32, 640)),
    "mixed": ({"use_causal_mask": True, "mixed_precision": True}, (1, 1, 1, 64, 256)),
}


@pytest.mark.parametrize("name", cases(BACKWARD, "everything", "grouped", "window"))
@pytest.mark.parametrize("with_sinks", [False, True])
def test_flash_attn_bwd(rng, name, with_sinks):
    options, (batch, heads, kv_heads, d, length) = BACKWARD[name]
    q, dy = (uniform(rng, batch, heads, d, length) for _ in "qy")
    k, v = (uniform(rng, batch, kv_heads, d, length) for _ in "kv")
    sinks = uniform(rng, batch, heads) if with_sinks else None
    scale = options.get("softmax_scale", d**-0.5)
    wide = [np.swapaxes(x, 2, 3).astype(np.float64) for x in (q, k, v, dy)]
    rows, keys, values, change = (
        np.repeat(x, heads // kv_heads, axis=1) if x.shape[1] != heads else x for x in wide
    )
    held = seen(length, length, options.get("use_causal_mask", False), options.get("sliding_window", -1))
    sink = None if sinks is None else sinks.reshape(batch, heads, 1, 1).astype(np.float64)
    powers, lse = softmax(scale * rows @ np.swapaxes(keys, 2, 3), held, sink)
    out = powers @ values
    share = (change * out).sum(axis=-1, keepdims=True)
    of_scores = powers * (change @ np.swapaxes(values, 2, 3) - share)

    def grouped(x):
        return np.swapaxes(x.reshape(batch, kv_heads, heads // kv_heads, length, d).sum(axis=2), 2, 3)

    expected = [
        np.swapaxes(scale * of_scores @ keys, 2, 3),
        grouped(scale * np.swapaxes(of_scores, 2, 3) @ rows),
        grouped(np.swapaxes(powers, 2, 3) @ change),
    ]
    if sink is not None:
        expected.append(-(np.exp(sink - lse) * share).sum(axis=(2, 3)))
    o = np.swapaxes(out, 2, 3).astype(F32)
    logs = lse[..., 0].reshape(batch, heads, -1, 128).swapaxes(2, 3).astype(F32)
    found = run(
        attention.flash_attn_bwd,
        *(q, k, v, o, dy, np.ascontiguousarray(logs), None),
        grid=(batch, kv_heads),
        **options,
        **({} if sinks is None else {"sinks": sinks}),
    )
    assert len(found) == len(expected)
    for one, wanted in zip(found, expected):
        near(one, wanted, 2**-6 if options.get("mixed_precision") else 2e-5)


@pytest.mark.long
def test_dropout_of_attention(rng):
    """The backward kernel leaves out what the forward one has left out, which the gradients show."""
    q, k, v, dy = (uniform(rng, 1, 1, 32, 256) for _ in "qkvy")
    seed = np.array([7], np.int32)
    options = {"use_causal_mask": True, "mixed_precision": False, "dropout_p": 0.25}
    rows = np.ascontiguousarray(np.swapaxes(v, 2, 3))
    out, lse = run(attention.flash_fwd, q, k, rows, seed, **options)
    again, _ = run(attention.flash_fwd, q, k, rows, seed, **options)
    other, _ = run(attention.flash_fwd, q, k, rows, np.array([8], np.int32), **options)
    assert np.array_equal(out, again) and not np.array_equal(out, other)
    # The result is linear in v: its gradient is the matrix of weights that multiplies dy.
    eye = np.eye(256, dtype=F32).reshape(1, 1, 256, 256)
    weights = np.zeros((256, 256))
    for first in range(0, 256, 32):
        part, _ = run(
            attention.flash_fwd, q, k, np.ascontiguousarray(eye[..., first : first + 32]), seed, **options
        )
        weights[:, first : first + 32] = part[0, 0]
    powers, _ = softmax(32**-0.5 * q[0, 0].T.astype(np.float64) @ k[0, 0], seen(256, 256, True, -1))
    dropped = np.tri(256).astype(bool) & (weights == 0)
    assert 0.2 < dropped.sum() / np.tri(256).sum() < 0.3
    near(weights, np.where(dropped, 0, powers / 0.75), 1e-5)
    o = np.ascontiguousarray(np.swapaxes(out, 2, 3))
    _, _, dv = run(attention.flash_attn_bwd, q, k, v, o, dy, lse, seed, **options)
    near(dv[0, 0], dy[0, 0] @ weights, 2e-5)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("d", [64, pytest.param(128, marks=pytest.mark.long)])
def test_attention_of_stable_diffusion(rng, causal, d):
    q, k = uniform(rng, 2, d, 256), uniform(rng, 2, 256, d)
    v = uniform(rng, 2, 256, d)
    powers, _ = softmax(
        0.125 * np.swapaxes(q, 1, 2).astype(np.float64) @ np.swapaxes(k, 1, 2), seen(256, 256, causal, -1)
    )
    expected = powers @ v
    found = run(attention.fused_self_attn_for_SD_small_head_size, q, k, v, causal, grid=2)
    near(found, expected, 2**-6)
    placed = run(
        allocated_attention.allocated_fused_self_attn_for_SD_small_head_size,
        *(q, np.ascontiguousarray(np.swapaxes(k, 1, 2)), v, causal, False),
    )
    near(placed, np.swapaxes(expected, 1, 2), 1e-5)


@pytest.mark.parametrize(
    ("shape", "columns", "dtype"), [((1, 128, 256), 384, np.float16), ((2, 200, 128), 640, BF16)]
)
def test_rms_norm_and_projection(rng, shape, columns, dtype):
    hidden, weights = uniform(rng, *shape, dtype=dtype), uniform(rng, shape[2], columns, dtype=dtype)
    found = run(allocated_fused_linear.allocated_fused_rms_norm_qkv, hidden, weights)
    wide = hidden.astype(np.float64)
    normal = wide / np.sqrt((wide * wide).mean(axis=-1, keepdims=True) + 1e-6)
    assert found.dtype == dtype
    near(found, normal @ weights.astype(np.float64), 2**-6)


@pytest.mark.golden("bytes of scales, which differ in the last place on the RTL")
@pytest.mark.parametrize("grid", [None, 2])
@pytest.mark.parametrize("norm", ["RMS_NORM", "NO_NORM"])
@pytest.mark.parametrize("bound", [0.0, 0.5])
def test_rms_norm_and_quantization(rng, grid, norm, bound):
    hidden, gamma = uniform(rng, 2, 150, 96, dtype=BF16), uniform(rng, 96)
    hidden[0, 3] = 0
    options = rmsnorm_quant.RmsNormQuantKernelArgs(bound, rmsnorm_quant.NormType[norm])
    found = run(rmsnorm_quant.rmsnorm_quant_kernel, hidden, gamma, options, grid=grid)
    wide = hidden.astype(np.float64)
    if norm == "RMS_NORM":
        wide = wide / np.sqrt((wide * wide).mean(axis=-1, keepdims=True) + 1e-6) * gamma
    if bound > 0:
        wide = np.clip(wide, -bound, bound)
    assert found.dtype == ml_dtypes.float8_e4m3 and found.shape == (2, 150, 100)
    scales = np.ascontiguousarray(found[..., 96:]).view(F32)
    largest = np.abs(wide).max(axis=-1, keepdims=True)
    np.testing.assert_allclose(scales, np.maximum(largest / 240, 2.0**-100), rtol=1e-5)
    again = found[..., :96].astype(np.float64) * scales
    assert (np.abs(again - wide) <= np.maximum(np.abs(wide) * 2**-4, largest * 2**-16) * 1.001).all()


def _scattered(operand, source):
    """The definition: each element of the source goes to the first largest element of its window."""
    h, w = operand.shape[2:]
    result = np.zeros(operand.shape)
    for at in np.ndindex(*source.shape):
        image, channel, y, x = at
        window = [
            (operand[image, channel, i, j], i, j)
            for i in range(2 * y - 1, 2 * y + 2)
            for j in range(2 * x - 1, 2 * x + 2)
            if 0 <= i < h and 0 <= j < w
        ]
        _, i, j = max(window, key=lambda one: one[0])
        result[image, channel, i, j] += source[at]
    return result


@pytest.mark.parametrize(
    "shape", [(2, 5, 12, 12), (1, 130, 7, 9), pytest.param((1, 3, 90, 110), marks=pytest.mark.long)]
)
def test_select_and_scatter(rng, shape):
    n, c, h, w = shape
    operand = rng.integers(0, 9, shape).astype(F32)  # with equal elements
    source = rng.integers(-9, 9, (n, c, (h + 1) // 2, (w + 1) // 2)).astype(F32)
    assert np.array_equal(run(vision.select_and_scatter_kernel, operand, source), _scattered(operand, source))


@pytest.mark.parametrize("sizes", [((30, 20), (59, 38)), ((9, 12), (4, 5)), ((5, 5), (5, 5))])
def test_resize_nearest(rng, sizes):
    (h, w), (height, width) = sizes
    x = uniform(rng, 2, h, w, 24)
    found = run(vision.resize_nearest_fixed_dma_kernel, x, (2, height, width, 24), grid=2)
    rows, columns = np.arange(height) * h // height, np.arange(width) * w // width
    assert np.array_equal(found, x[:, rows][:, :, columns])


@pytest.mark.parametrize(
    ("shape", "size"),
    [((1, 64, 28, 28), 7), ((2, 5, 11, 13), (3, 4)), ((1, 130, 7, 7), 1), ((1, 2, 256, 256), 1)],
)
def test_adaptive_average_pool(rng, shape, size):
    x = uniform(rng, *shape)
    height, width = (size, size) if isinstance(size, int) else size
    expected = np.zeros((*shape[:2], height, width))
    for y in range(height):
        for z in range(width):
            rows = slice(int(np.floor(y * shape[2] / height)), int(np.ceil((y + 1) * shape[2] / height)))
            columns = slice(int(np.floor(z * shape[3] / width)), int(np.ceil((z + 1) * shape[3] / width)))
            expected[:, :, y, z] = x[:, :, rows, columns].astype(np.float64).mean(axis=(2, 3))
    near(run(vision.adaptive_avg_pool2d_kernel, x, size), expected, 1e-6)


def test_names_of_the_sdk():
    """The modules and functions that scripts import."""
    nki.install(mode="simulation", replace=True)
    try:
        from neuronxcc.nki.kernels.allocated_attention import allocated_fused_self_attn_for_SD_small_head_size
        from neuronxcc.nki.kernels.allocated_fused_linear import allocated_fused_rms_norm_qkv
        from neuronxcc.nki.kernels.attention import (
            FlashConfig,
            flash_attn_bwd,
            flash_fwd,
            fused_self_attn_for_SD_small_head_size,
        )
        from neuronxcc.nki.kernels.vision import resize_nearest_fixed_dma_kernel, select_and_scatter_kernel
    finally:
        nki.uninstall()
    assert flash_fwd is attention.flash_fwd and FlashConfig().seq_tile_size == 2048
    for kernel in (
        allocated_fused_self_attn_for_SD_small_head_size,
        allocated_fused_rms_norm_qkv,
        flash_attn_bwd,
        fused_self_attn_for_SD_small_head_size,
        resize_nearest_fixed_dma_kernel,
        select_and_scatter_kernel,
    ):
        assert callable(kernel) and kernel.__doc__


@pytest.mark.golden("arguments that are refused before anything runs")
@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda x: run(attention.flash_fwd, x, x, x, None), "queries 100, expected a multiple of 128"),
        (
            lambda x: run(
                attention.flash_fwd,
                np.zeros((1, 1, 8, 128), F32),
                *[np.zeros((1, 1, 8, 128), F32)] * 2,
                None,
                grid=(2, 2),
            ),
            r"flash_fwd\[2, 2\], expected a grid of \[1, 1\] or none",
        ),
        (
            lambda x: run(attention.flash_fwd, *[np.zeros((1, 1, 128, 128), F32)] * 3, None, dropout_p=0.1),
            "dropout_p without a seed",
        ),
        (lambda x: run(vision.select_and_scatter_kernel, x, x), "expected a source of"),
        (lambda x: run(vision.adaptive_avg_pool2d_kernel, x, 200), "expected at most 8 x 100"),
        (
            lambda x: run(vision.resize_nearest_fixed_dma_kernel, x, (1, 2, 3, 4)),
            "the same batch and channels",
        ),
    ],
)
def test_arguments_that_are_refused(call, text):
    with pytest.raises(nki.NkiError, match=text) as caught:
        call(np.zeros((1, 1, 8, 100), F32))
    # nki_rtl.py calls the kernel where tests run on the RTL
    assert caught.value.name == "err_argument"
    assert Path(caught.value.file).parent == Path(__file__).parent


def test_one_bias_of_all_heads(rng):
    """A bias [1, 1, queries, keys] gives the gradients of one that repeats it."""
    q, k, v, o, dy = (uniform(rng, 2, 2, 32, 128) for _ in range(5))
    lse, bias = uniform(rng, 2, 2, 128, 1), uniform(rng, 1, 1, 128, 128)
    repeated = np.ascontiguousarray(np.broadcast_to(bias, (2, 2, 128, 128)))
    found, expected = (
        run(attention.flash_attn_bwd, q, k, v, o, dy, lse, None, logit_bias_ref=b, grid=(2, 2))
        for b in (bias, repeated)
    )
    for f, wanted in zip(found, expected):
        assert np.array_equal(f, wanted)
    with pytest.raises(nki.NkiError, match=r"bias\[1, 3, 128, 128\] of flash_attn_bwd"):
        nki.simulate_kernel(
            attention.flash_attn_bwd, q, k, v, o, dy, lse, None, logit_bias_ref=uniform(rng, 1, 3, 128, 128)
        )
