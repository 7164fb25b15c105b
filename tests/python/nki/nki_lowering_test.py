"""The lowering: its calls and places, and equal values in the NumPy simulation, on the RTL and in the
interpreter.
"""

import contextvars
import json
from typing import NamedTuple
from unittest import mock

import nki_rtl
import numpy as np
import pytest
from nki_common import BF16, E4M3, E5M2, evaluate

import trnsim
import trnsim.nki.compiler as ncc
import trnsim.nki.isa as nisa
import trnsim.nki.language as nl
from trnsim import nki
from trnsim.nki import device
from trnsim.nki.kernel import launch_of
from trnsim.nki.launch import Launch

if nki_rtl.ENABLED:  # it takes the extension module
    from trnsim.nki.lowering.calls import Calls

pytestmark = pytest.mark.skipif(not nki_rtl.ENABLED, reason="TRNSIM_NKI_RTL=1 runs kernels on the RTL")

F32 = nl.float32


def output(shape, dtype=F32):
    return nl.ndarray(shape, dtype=dtype, buffer=nl.shared_hbm)


class Call(NamedTuple):
    method: str
    arguments: dict


def lowered(body, *arrays):
    """Returns the calls of a kernel on the builder, in its own order, with tiles of the lowering.

    The values are compared as well.
    """
    nki.simulate_kernel(body, *arrays)
    calls, issue = [], Calls.issue

    def noted(self, method, arguments):
        calls.append(Call(method, dict(arguments)))
        issue(self, method, arguments)

    with mock.patch.object(Calls, "issue", noted):
        device.recording(launch_of(body, arrays, {}))
    return calls


def methods(calls, *names):
    return [call.method for call in calls if call.method in names]


def normal(rng, *shape):
    return rng.normal(size=shape).astype(np.float32)


# Sums in PSUM.


def matmuls(calls):
    return [call.arguments["accumulate"] for call in calls if call.method == "multiply_moving"]


def test_the_first_matmul_onto_zeros_overwrites(rng):
    def kernel(a, b):
        out, total = output((20, 30)), nl.zeros((20, 30), F32, buffer=nl.psum)
        for k in nl.affine_range(3):
            total += nisa.nc_matmul(nl.load(a[k]), nl.load(b[k]))
        nl.store(out, total)
        return out

    calls = lowered(kernel, normal(rng, 3, 17, 20), normal(rng, 3, 17, 30))
    assert matmuls(calls) == [False, True, True]
    assert not methods(calls, "memset", "tensor_tensor")


def test_zeros_that_are_read_are_written(rng):
    def kernel(a, b):
        out, total = output((2, 20, 30)), nl.zeros((20, 30), F32, buffer=nl.psum)
        nl.store(out[0], total)
        total += nisa.nc_matmul(nl.load(a), nl.load(b))
        nl.store(out[1], total)
        return out

    calls = lowered(kernel, normal(rng, 17, 20), normal(rng, 17, 30))
    assert methods(calls, "memset", "multiply_moving", "tensor_tensor") == [
        "memset",
        "multiply_moving",
        "tensor_tensor",
    ]


def test_a_sum_that_was_read_goes_on(rng):
    def kernel(a, b):
        out, total = output((2, 20, 30)), nl.zeros((20, 30), F32, buffer=nl.psum)
        for k in nl.sequential_range(2):
            total += nisa.nc_matmul(nl.load(a), nl.load(b))
            nl.store(out[k], total)
        return out

    calls = lowered(kernel, normal(rng, 17, 20), normal(rng, 17, 30))
    assert matmuls(calls) == [False, True]


def test_a_sum_that_another_engine_has_written_is_added_by_vector(rng):
    def kernel(a, b):
        out, total = output((20, 30)), nl.zeros((20, 30), F32, buffer=nl.psum)
        total += nisa.nc_matmul(nl.load(a), nl.load(b))
        total[:, 3:9] = nisa.tensor_scalar(total[:, 3:9], np.multiply, 2.0)
        total += nisa.nc_matmul(nl.load(a), nl.load(b))
        nl.store(out, total)
        return out

    calls = lowered(kernel, normal(rng, 17, 20), normal(rng, 17, 30))
    assert matmuls(calls) == [False, False] and methods(calls, "tensor_tensor") == ["tensor_tensor"]


def test_zeros_beside_a_sum(rng):
    def kernel(a, b):
        out, total = output((20, 30)), nl.zeros((20, 30), F32, buffer=nl.psum)
        total[:, 4:11] += nisa.nc_matmul(nl.load(a), nl.load(b))
        nl.store(out, total)
        return out

    calls = lowered(kernel, normal(rng, 17, 20), normal(rng, 17, 7))
    zeroed = [call.arguments["dst"] for call in calls if call.method == "memset"]
    assert [(tile.byte, tile.axes) for tile in zeroed] == [(0, ((4, 1),)), (44, ((19, 1),))]


@pytest.mark.parametrize(("rows", "columns"), [(32, 30), (20, 30), (33, 12)])
def test_a_sum_in_a_part_of_the_partitions(rng, rows, columns):
    """The other partitions are zeros, which are written where both are read; a later sum adds to them."""

    def kernel(a, b):
        out, total = output((2, 64, 30)), nl.zeros((64, 30), F32, buffer=nl.psum)
        x, y = nl.load(a), nl.load(b)
        total[0:rows, 0:columns] += nisa.nc_matmul(x, y[:, 0:columns])
        nl.store(out[0], total)
        total[0:rows, 0:columns] += nisa.nc_matmul(x, y[:, 0:columns])
        total[:, 5:25] += nl.ones((64, 20), F32)
        nl.store(out[1, 10:60, :], total[10:60, :])
        nl.store(out[1, 0:10, :], total[0:10, :])
        nl.store(out[1, 60:64, :], total[60:64, :])
        return out

    a, b = normal(rng, 17, rows), normal(rng, 17, 30)
    product = np.pad(a.T @ b[:, :columns], ((0, 64 - rows), (0, 30 - columns)))
    twice = 2 * product
    twice[:, 5:25] += 1
    np.testing.assert_allclose(
        nki.simulate_kernel(kernel, a, b), np.stack([product, twice]), rtol=1e-4, atol=1e-4
    )


# Results that are bound to a tile.


def test_a_result_is_written_where_it_is_bound(rng):
    def kernel(a):
        out, tile = output((20, 30)), nl.load(a)
        tile[...] = nisa.tensor_scalar(tile, np.add, 1.0)
        tile[:, 0:15] = nisa.tensor_scalar(tile[:, 0:15], np.multiply, 3.0)
        nl.store(out, tile)
        return out

    assert not methods(lowered(kernel, normal(rng, 20, 30)), "tensor_copy")


@pytest.mark.parametrize("shift", [-7, -1, 1, 7])
def test_a_result_over_its_own_operand_is_copied(rng, shift):
    def kernel(a):
        out, tile = output((20, 30)), nl.load(a)
        first, dst = max(0, -shift), max(0, shift)
        tile[:, dst : dst + 20] = nisa.tensor_scalar(tile[:, first : first + 20], np.add, 1.0)
        nl.store(out, tile)
        return out

    assert methods(lowered(kernel, normal(rng, 20, 30)), "tensor_copy") == ["tensor_copy"]


def test_a_reduction_over_its_own_operand_is_copied(rng):
    def kernel(a):
        out, tile = output((20, 6)), nl.load(a)
        tile[:, 1:2] = nisa.tensor_reduce(np.add, tile, axis=(1,))
        nl.store(out, tile)
        return out

    assert methods(lowered(kernel, normal(rng, 20, 6)), "tensor_copy") == ["tensor_copy"]


def test_a_copy_within_a_tile(rng):
    """A copy goes through another tile if it is neither in place nor interleaved, even if no element is in
    both.
    """

    def kernel(a):
        out, tile = output((6, 4, 8, 8)), [nl.load(a) for _ in range(6)]
        i, j, k = nl.mgrid[0:4, 0:8, 0:8]
        tile[0][:, 1:5, 5] = tile[0][:, 0:4, 3]
        tile[1][:, 4:8, :] = tile[1][:, 0:4, :]
        tile[2][:, :, 1::2] = tile[2][:, :, 0::2]
        tile[3][:, 1:8, :] = tile[3][:, 0:7, :]
        tile[4][i, j, k] = nl.copy(tile[4][i, k, j], mask=k <= j)
        tile[5][...] = tile[5][0:1, :, :].broadcast_to((4, 8, 8))
        for at in range(6):
            nl.store(out[at], tile[at])
        return out

    x = normal(rng, 4, 8, 8)
    copies = methods(lowered(kernel, x), "tensor_copy")
    assert len(copies) == 7  # two each of the first and the fourth
    found, expected = nki.simulate_kernel(kernel, x), np.stack([x] * 6)
    expected[0][:, 1:5, 5], expected[1][:, 4:], expected[2][:, :, 1::2], expected[3][:, 1:] = (
        x[:, :4, 3],
        x[:, :4],
        x[:, :, ::2],
        x[:, :7],
    )
    lower = np.tri(8, dtype=bool)
    expected[4], expected[5] = np.where(lower, x.swapaxes(1, 2), x), x[:1]
    assert np.array_equal(found, expected)


def test_a_narrow_result_is_rounded_once(rng):
    """fp32 becomes bf16 by the copy's own cast; a result in fp16 is rounded to that before it is bf16."""

    def kernel(a):
        out, tile = output((2, 20, 30), BF16), nl.load(a)
        for at, dtype in enumerate((F32, nl.float16)):
            narrow = nl.ndarray((20, 30), BF16)
            narrow[...] = nisa.tensor_scalar(tile, np.multiply, 1.7, dtype=dtype)
            nl.store(out[at], narrow)
        return out

    assert methods(lowered(kernel, normal(rng, 20, 30)), "tensor_copy") == ["tensor_copy"]


# Places.


def program(kernel, engine, *arrays):
    return device.recording(launch_of(kernel, arrays, {})).package.program(engine)


@pytest.mark.parametrize("once", [False, True], ids=["made in the loop", "made before the loop"])
def test_a_tile_in_a_loop_has_several_places(rng, once):
    def kernel(a):
        out, kept = output((6, 20, 30)), nl.ndarray((20, 30), F32)
        for k in nl.affine_range(6):
            tile = kept if once else nl.ndarray((20, 30), F32)
            tile[...] = nl.load(a[k])
            nl.store(out[k], nisa.tensor_scalar(tile, np.add, 1.0, engine=nisa.vector_engine))
        return out

    x = normal(rng, 6, 20, 30)
    lowered(kernel, x)
    lines = [line for line in program(kernel, "vector", x) if line.startswith("tensor_scalar")]
    places = {line.split(" a=")[1].split("{")[0] for line in lines}
    assert len(lines) == 6 and len(places) == 6


def test_vector_and_scalar_share_what_both_have(rng):
    """Copies of floats, sums and products with a number go to Scalar where Vector has more to do."""

    def kernel(a, asked):
        out = output((4, 128, 512))
        for k in nl.affine_range(4):
            tile = nl.load(a[k])
            for _ in range(3):
                tile = nisa.tensor_tensor(tile, tile, np.maximum)
            tile = nisa.tensor_scalar(tile, np.multiply, 2.0, op1=np.add, operand1=1.0, engine=asked)
            nl.store(out[k], nisa.tensor_copy(tile, engine=asked))
        return out

    x = normal(rng, 4, 128, 512)
    for asked, there in ((nisa.unknown_engine, True), (nisa.vector_engine, False)):
        assert np.array_equal(device.run(launch_of(kernel, (x, asked), {}))[0], x * 2 + 1)
        lines = device.recording(launch_of(kernel, (x, asked), {})).package.program("scalar")
        assert there == any(line.startswith(("tensor_scalar", "tensor_copy")) for line in lines)


@pytest.mark.parametrize(
    ("dtype", "op", "either"),
    [
        (np.float32, np.multiply, True),
        (np.float32, np.add, True),
        (np.float32, np.subtract, False),
        (np.float32, np.maximum, False),
        (np.int32, np.add, False),
        (np.int8, np.multiply, False),
    ],
)
def test_what_either_engine_may_do(rng, dtype, op, either):
    """Scalar has no other operation, and rounds integers to fp32."""

    def kernel(a):
        out, tile = output((8, 16), a.dtype), nl.load(a)
        changed = nisa.tensor_scalar(tile, op, 3)
        nl.store(out, nisa.tensor_copy(changed))
        return out

    calls = lowered(kernel, rng.integers(0, 9, (8, 16)).astype(dtype))
    found = {call.method: call.arguments.get("either") for call in calls if call.method.startswith("tensor_")}
    assert found["tensor_scalar"] == either
    assert "tensor_copy" not in found or found["tensor_copy"] == (dtype == np.float32)


def spread_rows(case):
    """Returns a kernel that multiplies tiles with rows in all partitions: `case` says which."""

    def kernel(a, b):
        steps = 1 if case == "once" else 4
        out = output((steps, *a.shape[1:]), a.dtype)
        held = [nl.zeros((128, 512), F32, buffer=nl.psum) for _ in range(5 if case == "full" else 0)]
        for tile in held:
            tile[...] = nl.exp(nl.load(a[0]))
        if case == "matmul":
            nl.store(out[0], nisa.nc_matmul(nl.load(a[0])[:, 0:128], nl.load(a[0])))
        for k in range(steps):
            row = nl.load(b[0:1] if case == "same" else b[nl.ds(k, 1)])
            if case == "part":
                row = nl.load(b)[nl.ds(k, 1)]
            wide = row.broadcast_to((128, b.shape[1]))
            other = nl.load(b[nl.ds(3 - k, 1)]).broadcast_to(wide.shape) if case == "two" else None
            product = nl.multiply(nl.load(a[k]), wide)
            if other is not None:
                product = nl.subtract(product, other)
            if case == "twice":
                product = nl.add(product, wide)
            nl.store(out[k], product)
        for tile in held:
            nl.store(out[0], tile)
        return out

    return kernel


@pytest.mark.parametrize(
    ("case", "by_tensor"),
    [
        ("changing", 4),
        ("two", 8),
        ("once", 0),  # no gain of time over a start of Tensor
        ("same", 0),  # spread once, and kept
        ("twice", 0),  # one bank for each would be taken for long
        ("matmul", 0),  # Tensor has other work
        ("full", 0),  # of PSUM more than half is in use
        ("part", 0),  # Tensor reads rows at partition 0
        ("narrow", 0),  # Vector takes two operands in bf16 at full rate
        ("wide", 0),  # more than a bank
    ],
)
def test_rows_are_spread_by_tensor(rng, case, by_tensor):
    dtype, columns = (BF16 if case == "narrow" else F32), (1024 if case == "wide" else 512)
    a, b = normal(rng, 4, 128, columns).astype(dtype), normal(rng, 4, columns).astype(dtype)
    b[1, :4] = np.inf, -np.inf, np.nan, 2.0**100
    kernel = spread_rows(case)
    calls = lowered(kernel, a, b)
    assert len(matmuls(calls)) == (1 if case == "matmul" else by_tensor)
    products = [call.arguments for call in calls if call.method == "tensor_tensor"]
    assert sum("psum" in (x["a"].area.space, x["b"].area.space) for x in products) == by_tensor
    if by_tensor:
        found = device.run(launch_of(kernel, (a, b), {}))[0]
        with np.errstate(invalid="ignore"):
            expected = a * b[:, None, :] - (b[::-1, None, :] if case == "two" else 0)
        assert np.array_equal(found, expected, equal_nan=True)


def test_no_rows_are_spread_in_a_kernel_as_written(rng, monkeypatch):
    monkeypatch.setenv("NKI_TRNSIM_AS_WRITTEN", "1")
    assert not matmuls(lowered(spread_rows("changing"), normal(rng, 4, 128, 512), normal(rng, 4, 512)))


def transfers(kernel, *arrays):
    lines = device.recording(launch_of(kernel, arrays, {})).package.program("sync")
    return sum(line.startswith("dma_trigger") for line in lines)


def test_repeats_stay_where_they_are_wanted(rng, monkeypatch):
    def kernel(a, b):
        out = output((4, 128, 64))
        for k in nl.affine_range(4):
            nl.store(out[k], nl.load(a[k]) * nl.load(b))
        return out

    x, y = normal(rng, 4, 128, 64), normal(rng, 128, 64)
    assert transfers(kernel, x, y) == 4 + 1
    monkeypatch.setenv("NKI_TRNSIM_AS_WRITTEN", "1")
    assert transfers(kernel, x, y) == 4 + 4
    assert np.array_equal(device.run(launch_of(kernel, (x, y), {}))[0], x * y)


@pytest.mark.parametrize("written", [False, True])
def test_a_tile_is_loaded_once_while_it_is_the_same(rng, written):
    def kernel(a, b):
        out = output((4, 128, 64))
        shared = nl.ndarray((128, 64), F32, buffer=nl.private_hbm)
        nl.store(shared, nl.load(b))
        for k in nl.affine_range(4):
            factor = nl.negative(nl.load(b)) + nl.load(shared)
            if written:
                nl.store(shared, nl.load(a[k]))
            nl.store(out[k], nl.load(a[k]) * factor)
        return out

    x, y = normal(rng, 4, 128, 64), normal(rng, 128, 64)
    before = y if not written else np.stack([y, *x[:3]])
    assert np.array_equal(device.run(launch_of(kernel, (x, y), {}))[0], x * (before - y))
    assert transfers(kernel, x, y) == 1 + 4 + (4 if written else 1)
    lines = program(kernel, "vector", x, y) + program(kernel, "scalar", x, y)
    assert sum(line.startswith("tensor_scalar") for line in lines) == 1


def test_tiles_as_large_as_a_memory(rng):
    """A tile of 16 KiB a partition is in SBUF like any other, though PSUM has as many."""

    def kernel(a):
        out, first = output((3, 128, 4096)), nl.load(a)
        second, third = nl.multiply(first, 2.0), nl.add(first, 1.0)
        for k, tile in enumerate((first, second, third)):
            nl.store(out[k], tile)
        return out

    x = normal(rng, 128, 4096)
    assert np.array_equal(nki.simulate_kernel(kernel, x), np.stack([x, x * 2, x + 1]))


def test_as_many_places_as_fit(rng):
    """One tile of 100 KiB a partition at a time: its place is used again."""

    def kernel(a):
        out = output((3, 1, 25600))
        for k in nl.affine_range(3):
            tile = nl.load(a[k])
            tile[...] = nisa.tensor_scalar(tile, np.add, 1.0, engine=nisa.vector_engine)
            nl.store(out[k], tile)
        return out

    x = normal(rng, 3, 1, 25600)
    assert np.array_equal(device.run(launch_of(kernel, (x,), {}))[0], x + np.float32(1))
    lines = [line for line in program(kernel, "vector", x) if line.startswith("tensor_scalar")]
    assert len({line.split(" a=")[1].split("{")[0] for line in lines}) == 1


def refused_allocation(kernel, *arrays):
    with pytest.raises(nki.NkiError) as error:
        device.recording(launch_of(nki.baremetal(kernel, spill=False), arrays, {}))
    assert error.value.name == "err_allocation" and error.value.file == __file__
    return error.value


def after_all(tiles):
    """A column depends on all tiles: its users come after everything that made the tiles."""
    column = nl.zeros((4, 1), F32)
    for tile in tiles:
        column[...] = nisa.tensor_tensor(column, tile[:, 0:1], np.add)
    return column


def test_more_than_sbuf():
    def kernel(a):
        out = output((4, 10000))
        tiles = [nl.load(a) for _ in range(5)]
        column = after_all(tiles)
        for tile in tiles:
            tile[...] = nisa.tensor_scalar(tile, np.add, column)
            nl.store(out, tile)
        return out

    error = refused_allocation(kernel, np.zeros((4, 10000), np.float32))
    line = kernel.__code__.co_firstlineno + 2
    assert error.line == line
    assert "; spill=False or NKI_TRNSIM_SPILL=0 keeps tiles from HBM" in error.text
    assert (
        f" bytes a partition in sbuf are in use at once, expected at most {176 * 1024}; the largest: "
        in error.text
    )
    assert int(error.text.split()[0]) >= 5 * 40000 and error.text.count(f"of line {line}: 40000") == 5


def test_tiles_spill_unless_the_user_forbids_it(rng, monkeypatch, capfd):
    def kernel(a):
        out = output((5, 4, 10000))
        tiles = [nl.load(a) for _ in range(5)]
        column = after_all(tiles)
        for k, tile in enumerate(tiles):
            tile[...] = nisa.tensor_scalar(tile, np.add, column)
            nl.store(out[k], tile)
        return out

    a = normal(rng, 4, 10000)
    expected = nki.simulate_kernel(kernel, a)
    for variable in (None, "0", "1"):
        if variable is None:
            monkeypatch.delenv("NKI_TRNSIM_SPILL", raising=False)
        else:
            monkeypatch.setenv("NKI_TRNSIM_SPILL", variable)
        for option in (None, False, True):
            made = nki.baremetal(kernel, **({} if option is None else {"spill": option}))
            if option is False or (option is None and variable == "0"):
                with pytest.raises(nki.NkiError, match="err_allocation"):
                    device.recording(launch_of(made, (a,), {}))
                continue
            recording = device.recording(launch_of(made, (a,), {}))
            line = kernel.__code__.co_firstlineno + 2
            assert recording.spills and all(f":{line}, 40000 bytes" in text for text in recording.spills)
    assert "kernel: spilled a tile of " in capfd.readouterr().err
    found = device.run(launch_of(nki.baremetal(kernel), (a,), {}))[0]
    assert np.array_equal(found, expected)


def test_more_than_psum():
    def kernel(a):
        out, tile = output((4, 512)), nl.load(a)
        sums = [nisa.nc_matmul(tile[:, 0:4], tile) for _ in range(9)]
        column = after_all(sums)
        for total in sums:
            nl.store(out, nisa.tensor_scalar(total, np.add, column))
        return out

    error = refused_allocation(kernel, np.zeros((4, 512), np.float32))
    assert (
        error.line == kernel.__code__.co_firstlineno + 2 and "18432 bytes a partition in psum" in error.text
    )


def test_places_of_the_kernel_are_obeyed_to_the_byte(rng):
    def kernel(a):
        out = output((4, 32, 8))
        tiles = nl.ndarray(
            (4, nl.par_dim(32), 8), F32, buffer=ncc.sbuf.mod_alloc(base_addr=4096, num_free_tiles=(2,))
        )
        banks = nl.ndarray(
            (2, nl.par_dim(32), 8), F32, buffer=ncc.psum.mod_alloc(base_bank=3, num_bank_tiles=(2,))
        )
        high = nl.ndarray(
            (nl.par_dim(32), 8), F32, buffer=ncc.sbuf.alloc(lambda block, partitions, size: (96, 100004))
        )
        for k in nl.affine_range(4):
            tiles[k] = nl.load(a[k])
            banks[k % 2] = nisa.tensor_scalar(tiles[k], np.add, 1.0)
            high[...] = nisa.tensor_copy(banks[k % 2], engine=nisa.vector_engine)
            nl.store(out[k], high)
        return out

    x = normal(rng, 4, 32, 8)
    lowered(kernel, x)
    found = [
        line.split(" partitions=")[0] for line in program(kernel, "vector", x) if line.startswith("tensor_")
    ]
    expected = []
    for k in range(4):
        bank, tile = (3 + k % 2) * 2048, 4096 + k % 2 * 32
        expected.append(f"tensor_scalar dst=psum[0+{bank:#x}]{{fp32 8:1}} a=sbuf[0+{tile:#x}]{{fp32 8:1}}")
        expected.append(f"tensor_copy dst=sbuf[96+{100004:#x}]{{fp32 8:1}} a=psum[0+{bank:#x}]{{fp32 8:1}}")
    assert sorted(found) == sorted(expected)


# Operands.


@pytest.mark.parametrize(("first", "count"), [(5, 9), (1, 128 - 1), (32, 33), (33, 31), (96, 32), (127, 1)])
def test_operands_at_any_partition(rng, first, count):
    def kernel(a):
        out, tile = output((128, 12)), nl.load(a)
        part = tile[first : first + count]
        tile[first : first + count, 0:6] = nisa.tensor_tensor(part[:, 0:6], part[:, 6:12], np.add)
        tile[first : first + count] = nisa.activation(np.square, part)
        nl.store(out, tile)
        return out

    lowered(kernel, normal(rng, 128, 12))


@pytest.mark.parametrize(
    ("first", "other", "count"), [(64, 0, 16), (0, 96, 32), (5, 32, 9), (32, 0, 32), (40, 50, 3)]
)
def test_operands_of_gpsimd_at_any_partition(rng, first, other, count):
    """Its cores reach only their own partitions: other operands are moved to those of the result."""

    def kernel(a):
        out, tile = output((128, 12)), nl.load(a)
        to, source = slice(first, first + count), tile[other : other + count]
        tile[to, 0:3] = nisa.tensor_copy(source[:, 6:9], engine=nisa.gpsimd_engine)
        tile[to, 3:6] = nisa.tensor_tensor(source[:, 6:9], tile[to, 9:12], np.add, engine=nisa.gpsimd_engine)
        tile[to, 9:12] = nisa.tensor_scalar(source[:, 6:9], np.power, source[:, 9:10])
        i, j = nl.mgrid[0:count, 0:3]
        tile[to, 6:9] = nisa.affine_select(pred=(i >= j), on_true_tile=source[:, 6:9], on_false_value=0.0)
        nl.store(out, tile)
        return out

    lowered(kernel, np.abs(normal(rng, 128, 12)))


def test_results_of_matmuls_at_any_partition(rng):
    """The array writes its result to partition 0: Vector moves it to the kernel's partition, or adds it
    there.
    """

    def kernel(a, b):
        out, total = output((64, 30)), nl.zeros((64, 30), F32, buffer=nl.psum)
        for k in nl.affine_range(3):
            product = nisa.nc_matmul(nl.load(a[k]), nl.load(b[k]))
            total[0:32, :] += product
            total[32:64, :] += nisa.nc_matmul(nl.load(a[k]), nl.load(b[k]))
        nl.store(out, total)
        return out

    a, b = normal(rng, 3, 17, 32), normal(rng, 3, 17, 30)
    found = nki.simulate_kernel(kernel, a, b)
    np.testing.assert_allclose(found, np.tile(np.einsum("kij,kil->jl", a, b), (2, 1)), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("first", "other", "rows"), [(64, 32, 64), (0, 96, 32), (9, 50, 21), (32, 0, 32)])
def test_operands_of_matmuls_at_any_partition(rng, first, other, rows):
    def kernel(a, b):
        out, x, y = output((20, 30)), nl.load(a), nl.load(b)
        nl.store(out, nisa.nc_matmul(x[first : first + rows, :], y[other : other + rows, :]))
        return out

    a, b = normal(rng, 128, 20), normal(rng, 128, 30)
    found = nki.simulate_kernel(kernel, a, b)
    np.testing.assert_allclose(
        found, a[first : first + rows].T @ b[other : other + rows], rtol=1e-4, atol=1e-4
    )
    nki.simulate_kernel(kernel, a, b)


def test_rows_and_elements_of_hbm(rng):
    """A store to a row of HBM has a source along the partitions or along one; an element is a row of one."""

    def kernel(x):
        out, one, t = output((3, 2, 100)), output((2, 3)), nl.load(x)
        nl.store(out, 0.0)
        nl.store(one, 0.0)
        nl.store(out[0, 0], t[:, 5])
        nl.store(out[0, 1], t[7, :])
        nl.store(out[1, 0, nl.ds(20, 50)], t[nl.ds(32, 50), nl.ds(99, 1)])
        nl.store(out[1, 1, 3:9], 4.0)
        i = nl.arange(100)[:, None]
        nl.store(out[2, 0, i], t[i, 11], mask=i < 60)
        nisa.dma_copy(dst=out[2, 1], src=x[3])
        nisa.dma_copy(dst=out[2, 1], src=t[:, 0], dst_rmw_op=np.add)
        for i in nl.affine_range(2):
            nl.store(one[i, 2], t[i, i])
            nl.store(one[i, i], float(i))
        return out, one

    x = normal(rng, 100, 100)
    out, one = nki.simulate_kernel(kernel, x)
    assert np.array_equal(out[0, 0], x[:, 5]) and np.array_equal(out[0, 1], x[7])
    assert np.array_equal(out[1, 0, 20:70], x[32:82, 99]) and (out[1, 1, 3:9] == 4).all()
    assert np.array_equal(out[2, 0, :60], x[:60, 11]) and np.array_equal(out[2, 1], x[3] + x[:, 0])
    assert np.array_equal(one[:, 2], [x[0, 0], x[1, 1]]) and np.array_equal(np.diag(one), [0, 1])


@pytest.mark.parametrize("rows", [64, 200])
def test_one_partition_is_stored_to_all_rows(rng, rows):
    def kernel(x):
        out, narrow = output((4, rows, 12)), output((rows, 12), BF16)
        i, j, row = nl.arange(rows)[:, None], nl.arange(12)[None, :], nl.load(x)
        nl.store(out[0], row)
        nl.store(out[1], row[:, 3:4])
        for at in range(2, 4):
            nl.store(out[at], 1.0)
        nl.store(out[2, i, j], row, mask=j * 9 <= i)
        nisa.dma_copy(dst=out[3], src=row, dst_rmw_op=np.add)
        nl.store(narrow, 0.0)
        nl.store(narrow[i, j], row, mask=i < rows - 20)
        return out, narrow

    x = normal(rng, 1, 12)
    out, narrow = nki.simulate_kernel(kernel, x)
    held = 9 * np.arange(12) <= np.arange(rows)[:, None]
    full = np.broadcast_to(x, (rows, 12))
    assert np.array_equal(out, [full, np.full_like(full, x[0, 3]), np.where(held, x, 1), full + 1])
    assert np.array_equal(narrow, np.where(np.arange(rows)[:, None] < rows - 20, full, 0).astype(BF16))


def test_tiles_that_skip_partitions(rng):
    def kernel(x):
        out, first = output((4, 50, 12)), nl.load(x)
        second, third = nl.zeros((100, 12), F32), nl.ndarray((100, 12), F32, buffer=nl.psum)
        nl.store(out[0], nl.add(first[::2, :], first[1::2, :]))
        i, j = nl.mgrid[0:50, 0:12]
        nl.store(out[1], nl.copy(first[99 - i, j]))
        second[2 * i + 1, j] = nl.multiply(first[i, j], 2.0, mask=i + j < 40)
        nl.store(out[2], second[50:100, :])
        third[...] = nl.copy(first)
        third[::5, :] = nl.exp(first[0:20, :])
        nl.store(out[3, 0:20, :], third[::5, :])
        nl.store(out[3, 20:50, :], third[0:30, :])
        return out

    x = normal(rng, 100, 12)
    found = nki.simulate_kernel(kernel, x)
    assert np.array_equal(found[0], x[::2] + x[1::2]) and np.array_equal(found[1], x[:49:-1])
    second = np.zeros((100, 12), np.float32)
    second[1::2] = np.where(np.add.outer(np.arange(50), np.arange(12)) < 40, 2 * x[:50], 0)
    assert np.array_equal(found[2], second[50:])
    third = x.copy()
    third[::5] = np.exp(x[:20])
    np.testing.assert_allclose(found[3], np.concatenate([third[::5], third[:30]]), rtol=1e-5)


@pytest.mark.parametrize(("partitions", "elements", "indices"), [(70, 12, 15), (128, 5000, 300), (9, 8, 1)])
@pytest.mark.parametrize("dtype", [F32, BF16, np.int32])
def test_gathers_at_indices_of_each_partition(rng, partitions, elements, indices, dtype):
    """More indices than GpSimd takes at once, and partitions that are no whole cores."""
    x = rng.integers(-100, 100, (partitions, elements)).astype(dtype)
    index = rng.integers(0, elements, (partitions, indices)).astype(np.uint32)
    assert np.array_equal(
        evaluate(nl.gather_flattened, x, index), np.take_along_axis(x, index.astype(np.int64), axis=1)
    )


@pytest.mark.parametrize("dtype", [F32, np.float16, E4M3])
def test_gathers_of_other_partitions(rng, dtype):
    x = rng.integers(-10, 10, (128, 40)).astype(dtype)
    index = rng.integers(0, 40, (128, 6)).astype(np.uint32)

    def body(a, at):
        rows, own = slice(96, 128), nl.copy(at, dtype=nl.uint16)
        return (
            nl.gather_flattened(a[rows], at[rows]),
            nl.gather_flattened(a[32:55], at[32:55]),
            nisa.local_gather(a[rows], own[rows]),
        )

    whole, part, _ = evaluate(body, x, index)
    expected = np.take_along_axis(x, index.astype(np.int64), axis=1)
    assert np.array_equal(whole, expected[96:]) and np.array_equal(part, expected[32:55])


def test_a_gather_beyond_the_reach_of_indices(rng):
    def kernel(x, index):
        out, tile = output((16, 4), np.uint8), nl.ndarray((16, 65537), np.uint8)
        tile[:, 0:40000] = nl.load(x[:, 0:40000])  # a transfer has no more than 65535 elements a row
        tile[:, 40000:65537] = nl.load(x[:, 40000:65537])
        nl.store(out, nl.gather_flattened(tile, nl.load(index)))
        return out

    arrays = np.zeros((16, (1 << 16) + 1), np.uint8), np.zeros((16, 4), np.uint32)
    with pytest.raises(nki.NkiError, match="65537 elements a partition, expected at most 65536") as error:
        device.recording(launch_of(kernel, arrays, {}))
    assert (error.value.file, error.value.line) == (__file__, kernel.__code__.co_firstlineno + 4)


@pytest.mark.parametrize("dtype", [F32, BF16, np.int32])
def test_places_of_equal_values(rng, dtype):
    """Each of several equal values has a place of its own, in the order of the row.

    The replacement is a value that is not looked for.
    """

    def kernel(x):
        rest, places = output(x.shape, x.dtype), output((20, 8), nl.uint32)
        tile, at = nl.load(x), nl.ndarray((20, 8), nl.uint32)
        nl.store(rest, nisa.nc_match_replace8(data=tile, vals=nisa.max8(src=tile), imm=-5.0, dst_idx=at))
        nl.store(places, at)
        return rest, places

    x = rng.integers(0, 4, (20, 25)).astype(dtype)
    rest, places = nki.simulate_kernel(kernel, x)
    order = np.argsort(-x.astype(np.float64), axis=1, kind="stable")[:, :8]
    assert np.array_equal(places, order)
    expected = x.copy()
    np.put_along_axis(expected, order, np.array(-5).astype(dtype), axis=1)
    assert np.array_equal(rest, expected)


def test_masks_of_any_shape(rng):
    i, j = nl.arange(20)[:, None], nl.arange(30)[None, :]

    def kernel(a, b):
        out, tile = output((2, 20, 30)), nl.load(a)
        nl.store(out[0], tile)
        tile[i, j] = nisa.tensor_scalar(tile[i, j], np.add, 5.0, mask=i + 2 * j < 31)
        nl.store(out[0, i, j], nl.load(b), mask=(i >= j) & (i + j > 9))
        nl.store(out[1], tile)
        return out

    assert (
        len(methods(lowered(kernel, normal(rng, 20, 30), normal(rng, 20, 30)), "tensor_copy_predicated")) == 1
    )


def test_a_masked_store_writes_what_the_mask_holds_alone(rng):
    """Two triangles of a tensor that nothing else writes, the zeros that remain, a mask of 3 dimensions."""

    def kernel(a):
        i, j = nl.arange(20)[:, None], nl.arange(30)[None, :]
        out, pieces, blocks = output((20, 30)), output((20, 30)), output((3, 4, 5))
        tile = nl.load(a)
        nl.store(out[i, j], tile, mask=i >= j)
        nl.store(out[i, j], nl.multiply(tile, 2.0), mask=i < j)
        nl.store(pieces, 0.0)
        nl.store(pieces[i, j], tile, mask=(7 * i + 11 * j <= 150) & (i + j != 9))
        x, y, z = nl.mgrid[0:3, 0:4, 0:5]
        nl.store(blocks, 0.0)
        nl.store(blocks[x, y, z], nl.ones((3, 4, 5), F32), mask=x + y < z)
        return out, pieces, blocks

    calls = lowered(kernel, normal(rng, 20, 30))
    assert methods(calls, "load", "tensor_copy_predicated") == ["load"]


def test_many_dimensions(rng):
    """A transfer of five dimensions that are not contiguous takes pieces."""

    def kernel(a):
        out, back = output((3, 4, 3, 2, 2)), output((4, 2, 3, 2, 3))
        tile = nl.ndarray((4, 3, 4, 3, 4), F32)
        i, b, c, d, e = nl.mgrid[0:4, 0:2, 0:3, 0:2, 0:3]
        tile[i, b, c, d, e] = nl.load(a[i, b, c, d, e])
        nl.store(out[c, i, e, d, b], nl.load(a[i, b, c, d, e]))
        nl.store(back[i, b, c, d, e], tile[i, b, c, d, e])
        return out, back

    assert len(methods(lowered(kernel, normal(rng, 4, 2, 3, 2, 3)), "store")) > 2


def test_large_integers(rng):
    x, y = (rng.integers(-(2**31), 2**31, (20, 30)).astype(np.int32) for _ in range(2))

    def body(a, b):
        constant = nl.full((20, 30), 2**30 + 1, nl.int32)
        return nl.add(a, b), nl.multiply(a, b), nl.add(a, constant), nl.bitwise_xor(a, b), nl.copy(b)

    evaluate(body, x, y)


@pytest.mark.parametrize(
    "dtype",
    [F32, np.float16, BF16, E4M3, E5M2, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32],
    ids=lambda dtype: np.dtype(dtype).name,
)
def test_types_through_transfers_and_copies(rng, dtype):
    dtype = np.dtype(dtype)
    x = rng.integers(0, 256, (20, 12 * dtype.itemsize)).astype(np.uint8).view(dtype)
    wide = x.astype(np.float64)
    x = np.where(np.isfinite(wide), x, np.ones((), dtype)).astype(dtype)

    def kernel(a):
        out, tile = output((3, 20, 12), dtype), nl.load(a)
        nl.store(out[0], tile)
        nl.store(out[1], nisa.tensor_copy(tile, engine=nisa.vector_engine))
        nisa.dma_copy(dst=out[2], src=a)
        return out

    lowered(kernel, x)


def test_names_of_parameters_are_theirs_alone(rng):
    """This holds even if the lowering or a list of arrays would make the same names."""

    def kernel(constant_0, constant_1, tensor, tensor0):
        total = nl.load(constant_0) + nl.load(nl.shared_constant(np.ones((3, 4), F32)))
        total += nl.load(constant_1) * nl.load(nl.shared_constant(np.full((3, 4), 2, F32)))
        out = output((3, 4))
        nl.store(out, total + nl.load(tensor[0]) * nl.load(tensor0))
        return out

    a, b, c, d = normal(rng, 4, 3, 4)
    lowered(kernel, a, b, [c], d)


# Recordings.


@pytest.fixture
def traced(monkeypatch):
    """Returns the arguments of the launches that are traced, without tensors."""
    found, trace = [], Launch.trace

    def noted(launch, executor):
        found.append([value for value in launch.arguments.arguments.values() if isinstance(value, float)])
        return trace(launch, executor)

    monkeypatch.setattr(Launch, "trace", noted)
    return found


def test_a_second_call_is_not_traced(rng, traced):
    @nki.jit
    def kernel(a, factor):
        out = output(a.shape)
        nl.store(out[nl.program_id(0)], nl.load(a[nl.program_id(0)]) * factor)
        return out

    for x in (normal(rng, 2, 5, 6), normal(rng, 2, 5, 6)):
        assert np.array_equal(kernel[2](x, 2.0), x * 2)
    assert len(traced) == 1
    before = kernel[2](x, 2.0)
    assert np.array_equal(kernel[2](x, 3.0), x * 3) and np.array_equal(kernel[2](x[:, :4], 2.0), x[:, :4] * 2)
    assert np.array_equal(before, x * 2) and len(traced) == 3


def test_values_around_a_kernel_belong_to_it(rng):
    factor, x = 2.0, normal(rng, 5, 6)

    @nki.jit
    def kernel(a):
        out = output(a.shape)
        nl.store(out, nl.load(a) * factor)
        return out

    assert np.array_equal(kernel(x), x * 2)
    factor = 3.0
    assert np.array_equal(kernel(x), x * 3)


def test_what_cannot_be_looked_into_is_recorded_at_each_call(rng):
    """The contents of a context variable cannot be determined."""
    factor, x = contextvars.ContextVar("factor", default=2.0), normal(rng, 5, 6)

    @nki.jit
    def kernel(a):
        out = output(a.shape)
        nl.store(out, nl.load(a) * factor.get())
        return out

    device.recordings.clear()
    assert np.array_equal(kernel(x), x * 2)
    factor.set(3.0)
    assert np.array_equal(kernel(x), x * 3) and len(device.recordings) == 0


def test_parameters_that_are_written(rng):
    @nki.baremetal
    def kernel(a, out):
        nl.store(out, nl.load(a) + nl.load(out))

    x, y = normal(rng, 5, 6), normal(rng, 6, 5).T
    expected = x + y
    assert kernel(x, y) is None and np.array_equal(y, expected)
    kernel(x, y)
    assert np.array_equal(y, expected + x)


def test_parameters_of_earlier_calls_stay_as_they_are(rng):
    @nki.baremetal
    def kernel(a, out):
        nl.store(out, nl.load(a) * 2.0)

    x, y = normal(rng, 5, 6), normal(rng, 5, 6)
    first, second = np.zeros_like(x), np.zeros_like(x)
    kernel(x, first)
    kernel(y, second)
    assert np.array_equal(first, x * 2) and np.array_equal(second, y * 2)


def test_recordings_are_limited(rng, monkeypatch, traced):
    """The recording that was least recently used is dropped; a call that needs it records it again."""

    @nki.jit
    def kernel(a, factor):
        out = output(a.shape)
        nl.store(out, nl.load(a) * factor)
        return out

    device.recordings.clear()
    monkeypatch.setenv("NKI_TRNSIM_CACHE", "2")
    x = normal(rng, 5, 6)
    for factor in (1.0, 2.0, 1.0, 3.0, 1.0, 2.0):
        assert np.array_equal(kernel(x, factor), x * np.float32(factor))
        assert len(device.recordings) <= 2
    assert traced == [[1.0], [2.0], [3.0], [2.0]]
    monkeypatch.setenv("NKI_TRNSIM_CACHE", "none")
    with pytest.raises(
        nki.NkiError,
        match="err_argument: NKI_TRNSIM_CACHE is 'none', expected how many recordings are kept, 1 or more",
    ):
        kernel(x, 1.0)


def test_files_and_figures(rng, tmp_path):
    @nki.benchmark(save_neff_name=str(tmp_path / "k.neff"), save_trace_name=str(tmp_path / "k.ntff"))
    def kernel(a):
        out = output(a.shape)
        nl.store(out, nl.load(a))
        return out

    with pytest.raises(nki.NkiError, match="benchmark_result of kernel before a call"):
        _ = kernel.benchmark_result
    with pytest.raises(nki.NkiError, match="result of kernel before a call"):
        _ = kernel.result
    kernel(normal(rng, 5, 6))
    assert 0 < kernel.benchmark_result.nc_latency.get_latency_percentile(99) < 100
    assert kernel.result.cycles == kernel.benchmark_result.cycles
    assert (tmp_path / "k.neff").stat().st_size > 0
    lines = {
        event["args"]["line"]
        for event in json.loads((tmp_path / "k.json").read_text())["traceEvents"]
        if "line" in event.get("args", {})
    }
    assert lines and all("nki_lowering_test.py:" in line for line in lines)
    nki.profile(kernel, working_directory=str(tmp_path))(normal(rng, 5, 6))
    assert {path.name for path in tmp_path.iterdir()} == {"k.neff", "k.json", "file.neff", "profile.json"}


def test_a_container_runs_elsewhere(rng, tmp_path):
    """Parameters and results have their shapes; constants of the kernel are inputs, with files beside the
    container.
    """

    @nki.baremetal(save_neff_name=str(tmp_path / "k.neff"))
    def kernel(x, table, total):
        y = output((3, 5, 7))
        one = nl.load(nl.shared_constant(np.arange(5 * 7).reshape(5, 7).astype(np.float32)))
        for at in nl.affine_range(3):
            nl.store(y[at], nl.load(x[at]) + one)
        nl.store(total, nl.load(table.reshape((6, 4))))
        return y

    x, table, total = normal(rng, 3, 5, 7), normal(rng, 4, 6).astype(BF16), np.zeros((6, 4), np.float32)
    y = kernel(x, table, total)
    package = device.recording(launch_of(kernel, (x, table, total), {})).package
    tensors = {tensor["name"]: tensor for tensor in package.tensors if tensor["kind"] != "scratch"}
    assert {name: tensor["shape"] for name, tensor in tensors.items()} == {
        "x": x.shape,
        "table": table.shape,
        "total": total.shape,
        "constant_0": (35,),
        **{name: y.shape for name, tensor in tensors.items() if tensor["kind"] == "output"},
    }
    constant = np.load(tmp_path / "k.constant_0.npy")
    inputs = {"x": x, "table": table, "total": np.zeros((6, 4), np.float32), "constant_0": constant}
    found = trnsim.interpret(package, inputs)
    name = next(name for name, tensor in tensors.items() if tensor["kind"] == "output")
    assert found[name].tobytes() == y.tobytes() and np.array_equal(
        found["total"], table.reshape(6, 4).astype(np.float32)
    )
