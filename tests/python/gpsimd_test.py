"""The GpSimd engine: microcode, custom operators."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import trnsim

TREE = Path(__file__).resolve().parents[2]
ROWS, COLUMNS = 16, 12


def build_library(program, folder, name, source=None):
    library = folder / f"{name}.lib"
    source = source or TREE / f"firmware/examples/{name}.cpp"
    subprocess.run([program, "customop", "build", source, "-o", library], check=True)
    return library


def commands():
    """Makes some calls of the microcode."""
    k = trnsim.KernelBuilder("commands", "small16")
    x = k.sbuf(ROWS, "i32", [COLUMNS])
    k.load(k.queue("loads"), x, k.tensor("x", "input", "i32", [ROWS, COLUMNS]))
    results = {}

    def result(name, partitions=ROWS, dtype="i32"):
        results[name] = k.sbuf(partitions, dtype, [COLUMNS])
        return results[name]

    k.iota(result("index"), base=5, partition_step=10, steps=[-1])
    k.affine_select(result("masked"), x, "greater", 2**31 + 1, base=0, partition_step=1, steps=[-1])
    k.sort(result("sorted"), x, indices=result("places", dtype="u32"))
    k.tensor_scalar(result("shifted"), x, "shift_left", 2.0, engine="gpsimd")
    k.tensor_tensor(result("squares"), x, "multiply", x, engine="gpsimd")
    k.all_partition_reduce(result("sums", 1), x, "add")
    k.all_partition_broadcast(result("spread"), results["sums"])
    stores = k.queue("stores", owner="scalar")
    for name, tile in results.items():
        k.store(stores, k.tensor(name, "output", tile.dtype, list(tile.shape)), tile)
    return k.finish()


def expected(x):
    row, column = np.indices((ROWS, COLUMNS), np.int32)
    sums = x.sum(0, keepdims=True, dtype=np.int32)
    order = np.argsort(x, axis=1, kind="stable")
    return {
        "index": 5 + 10 * row - column,
        "masked": np.where(row > column, x, np.int32(-(2**31) + 1)),
        "sorted": np.take_along_axis(x, order, 1),
        "places": order.astype(np.uint32),
        "shifted": x << 2,
        "squares": x * x,
        "sums": sums,
        "spread": np.broadcast_to(sums, x.shape),
    }


def test_microcode_in_the_interpreter(random):
    x = random.integers(-50, 50, (ROWS, COLUMNS)).astype(np.int32)
    outputs = trnsim.interpret(commands(), {"x": x})
    for name, array in expected(x).items():
        assert np.array_equal(outputs[name], array), name


def test_refusals():
    k = trnsim.KernelBuilder("refused", "small16")
    tile = k.sbuf(ROWS, "fp32", [8])
    with pytest.raises(trnsim.KernelError, match="no bitwise_and of floats"):
        k.tensor_tensor(tile, tile, "bitwise_and", tile, engine="gpsimd")
    with pytest.raises(trnsim.KernelError, match="the image is none of kernel"):
        k.gpsimd(trnsim.KernelBuilder("other", "small16").microcode())


# Calls of the cores on tiles of eight elements: the tiles at a have the partitions of the result, b does not.
ELSEWHERE = {
    "tensor_copy": lambda k, a, b: k.tensor_copy(a(), b(), engine="gpsimd"),
    "tensor_tensor of a": lambda k, a, b: k.tensor_tensor(a(), b(), "add", a(), engine="gpsimd"),
    "tensor_tensor of b": lambda k, a, b: k.tensor_tensor(a(), a(), "add", b(), engine="gpsimd"),
    "tensor_scalar": lambda k, a, b: k.tensor_scalar(a(), b(), "add", 1, engine="gpsimd"),
    "tensor_scalar of a vector": lambda k, a, b: k.tensor_scalar(
        a(), a(), "add", b()[:, 0:1], engine="gpsimd"
    ),
    "affine_select": lambda k, a, b: k.affine_select(
        a(), b(), "greater_equal", 0, base=0, partition_step=1, steps=[1]
    ),
    "sort": lambda k, a, b: k.sort(a(), b()),
    "sort with indices": lambda k, a, b: k.sort(a(), a(), indices=b("u32")),
    "top_k": lambda k, a, b: k.top_k(a(), a("u32"), b()),
    "top_k with indices": lambda k, a, b: k.top_k(a(), b("u32"), a()),
    "sequence_bounds": lambda k, a, b: k.sequence_bounds(a()[0:1, :], b()[0:1, :], a()[0:1, :]),
}


@pytest.mark.parametrize("call", ELSEWHERE.values(), ids=ELSEWHERE)
def test_operands_in_other_partitions_than_the_result(call):
    """A core reaches only its own partitions."""
    k = trnsim.KernelBuilder("elsewhere", "small16")
    with pytest.raises(
        trnsim.KernelError,
        match=r"gpsimd_test\.py:\d+: \w+: SBUF .* at partition \d+ .* is not in the partitions of SBUF .*$",
    ) as refused:
        call(
            k,
            lambda dtype="i32": k.sbuf(16, dtype, [8])[0:4, :],
            lambda dtype="i32": k.sbuf(16, dtype, [8])[8:12, :],
        )
    assert str(refused.value).endswith(f": {refused.value.reason}")
    assert "gpsimd_test" not in refused.value.reason


def test_custom_operators_in_the_interpreter(program, tmp_path):
    library = build_library(program, tmp_path, "relu")
    k = trnsim.KernelBuilder("relu", "small16")
    tile = k.sbuf(ROWS, "fp32", [8])
    k.memset(tile, -1.0)
    k.custom_op(k.gpsimd_image(library), "relu", [tile, tile])
    k.store(k.queue("out"), k.tensor("y", "output", "fp32", [ROWS, 8]), tile)
    assert not trnsim.interpret(k.finish(), {})["y"].any()


def test_microcode_on_the_rtl(session, random):
    x = random.integers(-50, 50, (ROWS, COLUMNS)).astype(np.int32)
    result = session.run(commands(), {"x": x})
    for name, array in expected(x).items():
        assert np.array_equal(result[name], array), name


def test_any_bytes_are_printed(program, session, tmp_path):
    source = tmp_path / "say.cpp"
    source.write_text(r"""#include "trnsim/custom_op.hpp"
static void say() { trnsim::printf("caf\xc3\xa9 \xff\n"); }
TRNSIM_CUSTOM_OP(say)
""")
    k = trnsim.KernelBuilder("say", "small16")
    tile = k.sbuf(1, "i32", [1])
    k.memset(tile, 0)
    k.custom_op(k.gpsimd_image(build_library(program, tmp_path, "say", source)), "say", [tile])
    k.store(k.queue("out"), k.tensor("y", "output", "i32", [1, 1]), tile)
    assert session.run(k.finish(), {}).printed == ["[gpsimd core 0] caf\u00e9 \\xff"]


def test_examples_on_the_rtl(program, tmp_path):
    for name in ("relu", "topk", "embedding", "augmentation"):
        build_library(program, tmp_path, name)
    example = TREE / "examples/gpsimd/operators.py"
    done = subprocess.run([sys.executable, example, tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("equal to NumPy's bit for bit") == 4
