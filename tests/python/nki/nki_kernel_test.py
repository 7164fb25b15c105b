"""Launches: modes, grids, nested kernels, parameters, placements, records and checks."""

import collections
import json
import os
import re
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nki_rtl
import numpy as np
import pytest

import trnsim.nki.compiler as ncc
import trnsim.nki.isa as nisa
import trnsim.nki.language as nl
import trnsim.nki.typing as nt
from trnsim import nki
from trnsim.nki import context, device, operations
from trnsim.nki.golden import Golden
from trnsim.nki.kernel import launch_of


@nki.jit(mode="simulation")
def double(x):
    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(y, nl.load(x) * 2.0)
    return y


ONES = np.ones((4, 6), np.float32)


def test_jit_forms():
    def plain(x):
        return double(x)

    assert (
        (double(ONES) == 2).all()
        and (nki.simulate_kernel(double, ONES) == 2).all()
        and (nki.simulate_kernel(plain, ONES) == 2).all()
    )
    assert (nki.jit(plain, mode="simulation", additional_compile_opt="-O1")(ONES) == 2).all()
    assert (nki.simulate_kernel(nki.benchmark(warmup=2, iters=3)(double), x=ONES) == 2).all()
    assert double.__name__ == "double"


@pytest.mark.golden("threads in the simulation")
def test_launches_in_threads():
    """Each thread has a launch, a grid and checks of its own."""
    together = threading.Barrier(4, timeout=60)

    def kernel(x):
        y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        together.wait()
        nl.store(y[nl.program_id(0)], nl.load(x[nl.program_id(0)]) * 2.0)
        return y

    def launch(rows):
        with nki.checks(unwritten=rows == 1):
            together.wait()
            assert context.options.check_unwritten == (rows == 1)
            x = np.full((2, 3, 4), rows, np.float32)
            return nki.simulate_kernel(nki.jit(kernel)[2], x)

    with ThreadPoolExecutor(4) as threads:
        for rows, found in enumerate(threads.map(launch, range(4))):
            assert (found == 2 * rows).all()


@pytest.mark.skipif(not nki_rtl.ENABLED, reason="TRNSIM_NKI_RTL=1 runs kernels on the RTL")
@pytest.mark.parametrize(
    "decorate",
    [
        nki.jit,
        nki.baremetal,
        nki.benchmark(warmup=1),
        nki.jit(mode="profile"),
        nki.jit(mode="jax"),
        nki.jit(mode="torchxla"),
    ],
)
def test_modes_of_the_rtl(decorate, monkeypatch):
    monkeypatch.delenv("NKI_SIMULATOR", raising=False)
    kernel = decorate(double)
    assert (kernel(ONES) == 2).all()
    assert kernel.result.cycles > 0 and kernel.benchmark_result.nc_latency.get_latency_percentile(50) > 0


@pytest.mark.skipif(not nki_rtl.ENABLED, reason="TRNSIM_NKI_RTL=1 runs kernels on the RTL")
def test_a_profile_makes_its_folder(tmp_path):
    folder = tmp_path / "of" / "profiles"
    kernel = nki.profile(working_directory=folder, save_neff_name="k/file.neff")(double)
    assert not folder.exists()  # nothing has run
    assert (kernel(ONES) == 2).all()
    assert (folder / "k/file.neff").stat().st_size > 0
    events = json.loads((folder / "profile.json").read_text())
    assert events["traceEvents"] if isinstance(events, dict) else events


@pytest.mark.parametrize(
    ("decorate", "text"),
    [
        (nki.trace, "nki.simulate_kernel"),
    ],
)
def test_modes_that_are_refused(decorate, text, monkeypatch):
    monkeypatch.delenv("NKI_SIMULATOR", raising=False)
    kernel = decorate(double)
    with pytest.raises(nki.NkiError, match=text) as error:
        kernel(ONES)
    assert error.value.file == __file__ and "\n" not in str(error.value)


@pytest.mark.parametrize(("name", "value"), [("NKI_TRNSIM_FIDELITY", "slow"), ("NKI_TRNSIM_CONFIG", "trn9")])
@pytest.mark.skipif(not nki_rtl.ENABLED, reason="TRNSIM_NKI_RTL=1 runs kernels on the RTL")
def test_variables_that_name_nothing(name, value, monkeypatch):
    monkeypatch.setenv(name, value)
    with pytest.raises((nki.NkiError, RuntimeError), match=value):
        nki.baremetal(double)(ONES)


@pytest.mark.skipif(not nki_rtl.ENABLED, reason="TRNSIM_NKI_RTL=1 runs kernels on the RTL")
def test_a_configuration_with_fewer_partitions():
    """A process simulates one configuration, so this is another process."""
    script = Path(__file__).parent / "small_kernels.py"
    environment = os.environ | {"NKI_TRNSIM_CONFIG": "small16", "NKI_TRNSIM_FIDELITY": "fast"}
    done = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        timeout=600,
        env=environment,
        check=False,
    )
    names = ("softmax", "matmul", "transposed", "parts", "over_partitions")
    lines = [f"{name}: as in NumPy" for name in names] + ["large: err_allocation", "large: as in NumPy"]
    assert done.stdout.splitlines()[:-1] == lines, done.stdout + done.stderr
    last = done.stdout.splitlines()[-1]
    assert "of 100 partitions of" in last and "100 partitions, expected 1 to 16" in last
    assert "large: spilled a tile of " in done.stderr and "stored 0 times, loaded 2 times" in done.stderr


@pytest.mark.skipif(not nki_rtl.ENABLED, reason="TRNSIM_NKI_RTL=1 runs kernels on the RTL")
def test_an_example_runs_on_a_smaller_core():
    script = Path(__file__).parents[3] / "examples/nki/softmax.py"
    cycles = []
    for config in ("trn1", "small16"):
        environment = os.environ | {"NKI_TRNSIM_CONFIG": config, "NKI_TRNSIM_FIDELITY": "fast"}
        done = subprocess.run(
            [sys.executable, str(script)],
            capture_output=True,
            text=True,
            timeout=600,
            env=environment,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        cycles.append(int(done.stdout.split()[1]))
    assert cycles[0] < cycles[1]


def test_tile_sizes_are_those_of_the_configuration(monkeypatch):
    assert (nl.tile_size.pmax, nl.tile_size.gemm_stationary_fmax, nl.tile_size.total_available_sbuf_size) == (
        128,
        128,
        180224,
    )
    monkeypatch.setenv("NKI_TRNSIM_CONFIG", "small16")
    assert (nl.tile_size.pmax, nl.tile_size.gemm_stationary_fmax, nl.tile_size.total_available_sbuf_size) == (
        16,
        16,
        65536,
    )


def test_simulator_variable(monkeypatch):
    monkeypatch.setenv("NKI_SIMULATOR", "1")
    assert (nki.jit(double)(ONES) == 2).all()


def test_grid(rng):
    x = rng.normal(size=(60, 40)).astype(np.float32)

    @nki.jit(mode="simulation")
    def kernel(a):
        out = nl.ndarray(a.shape, a.dtype, buffer=nl.shared_hbm)
        count = nl.ndarray((1, 3), nl.int32, buffer=nl.shared_hbm)
        i, j = nl.program_id(0) * 20 + nl.arange(20)[:, None], nl.program_id(1) * 10 + nl.arange(10)[None, :]
        nl.store(out[i, j], nl.load(a[i, j]) + float(nl.program_id(0)))
        for at, value in enumerate((nl.num_programs(), nl.num_programs(axes=1), nl.program_ndim())):
            nl.store(count[0:1, at : at + 1], value)
        return out, count

    for grid in ((3, 4), (nl.spmd_dim(3, nl.nc(1)), nl.nc(4))):
        out, count = kernel[grid](x)
        assert np.array_equal(
            out, x + np.arange(3, dtype=np.float32).repeat(20)[:, None]
        ) and count.tolist() == [[12, 4, 2]]


def test_one_axis_grid():
    @nki.jit(mode="simulation")
    def kernel():
        out = nl.ndarray((5, 1), nl.float32, buffer=nl.shared_hbm)
        nl.store(
            out[nl.program_id(0)],
            nl.all_reduce(nisa.memset((1, 1), float(nl.program_id(0)), nl.float32), np.add, program_axes=()),
        )
        return out

    assert kernel[5]()[:, 0].tolist() == [0, 1, 2, 3, 4]


def test_nested_kernels():
    @nki.trace
    def inner(tile, out):
        nl.store(out, tile + 1.0)

    @nki.jit(mode="simulation")
    def outer(x):
        out = nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm)
        twice = double(x)
        inner(nl.load(twice), out)
        return out

    assert (outer(ONES) == 3).all()


def test_parameters_that_are_written():
    @nki.trace
    def old_style(x, out):
        nl.store(out, nl.load(x) * 3.0)

    out = np.zeros((6, 4), np.float32).T  # not contiguous
    assert nki.simulate_kernel(old_style, ONES, out) is None and (out == 3).all()

    @nki.jit(mode="simulation")
    def annotated(x: nt.tensor, out: nt.mutable_tensor):
        nl.store(out[0:2], nl.load(x[0:2]))  # nt.tensor is no type to mypy
        return out

    out = np.zeros((4, 6), np.float32)
    assert annotated(ONES, out) is out and out.sum() == 12


def test_arguments_of_all_kinds():
    @nki.jit(mode="simulation")
    def kernel(pair, factor, *rest, name="", **more):
        a, b = pair
        out = nl.ndarray(a.shape, a.dtype, buffer=nl.shared_hbm)
        nl.store(out, nl.load(a) * factor + nl.load(b) + nl.load(rest[0]) + nl.load(more["last"]))
        assert name == "n"
        return {"ignored": 1} and (out, [out, factor])

    out, (again, factor) = kernel((ONES, ONES), 5, ONES, name="n", last=ONES)
    assert (out == 8).all() and out is not again and np.array_equal(out, again) and factor == 5


@pytest.mark.parametrize(
    "dtype", [nl.float32, nl.int32, nl.bfloat16, np.float16, np.dtype(np.float16), "float32"]
)
def test_an_element_type_is_an_argument(dtype):
    def kernel(x, dtype):
        out = nl.ndarray(x.shape, dtype, buffer=nl.shared_hbm)
        nl.store(out, nl.load(x, dtype=dtype))
        return out

    found = nki.simulate_kernel(kernel, ONES, dtype)
    assert found.dtype == np.dtype(dtype) and (found == 1).all()


def test_names_of_parameters():
    """Each has a name of its own, on one line, for any nests and keys."""

    def kernel(x, x0, nest):
        out = nl.ndarray((4, 6), nl.float32, buffer=nl.shared_hbm)
        nl.store(
            out,
            nl.load(x[0]) + nl.load(x0) * 2.0 + nl.load(nest["a\nb"]) * 4.0 + nl.load(nest["k" * 500]) * 8.0,
        )
        return out

    given = (ONES,), 3 * ONES, {"a\nb": 5 * ONES, "k" * 500: ONES}
    assert (nki.simulate_kernel(kernel, *given) == 1 + 6 + 20 + 8).all()
    names = [tensor.storage.name for tensor, _, _ in launch_of(kernel, given, {}).parameters.tensors]
    assert len(set(names)) == 4 and all(name.isprintable() and len(name) <= 210 for name in names)


def test_device_print(capsys):
    @nki.jit(mode="simulation")
    def kernel(x):
        tile = nl.load(x)
        nl.device_print("tile:", tile[0:1, 0:2])
        nl.device_print("no", tile, mask=False)
        return double(x)

    kernel(ONES)
    assert capsys.readouterr().out == "tile: [[1. 1.]]\n"


# Placements.


def test_blocks_that_share_a_place(rng):
    """Four blocks share two physical tiles: the last two blocks have overwritten the first two."""
    x = rng.normal(size=(4, 64, 8)).astype(np.float32)

    @nki.jit(mode="simulation")
    def kernel(a):
        out = nl.ndarray(a.shape, a.dtype, buffer=nl.shared_hbm)
        tiles = nl.ndarray(
            (4, nl.par_dim(64), 8), a.dtype, buffer=ncc.sbuf.mod_alloc(base_addr=256, num_free_tiles=(2,))
        )
        overlay = nl.ndarray(
            (nl.par_dim(64), 16), a.dtype, buffer=ncc.sbuf.alloc(lambda index, partitions, size: (0, 256))
        )
        banks = nl.ndarray(
            (2, nl.par_dim(64), 8), nl.float32, buffer=ncc.psum.mod_alloc(base_bank=3, num_bank_tiles=(2,))
        )
        bank = nl.ndarray(
            (nl.par_dim(64), 8), nl.float32, buffer=ncc.psum.alloc(lambda index, partitions, size: (4, 0, 0))
        )
        for k in nl.affine_range(4):
            tiles[k] = nl.load(a[k])
        for k in nl.affine_range(2):
            nl.store(out[k], tiles[k])
            banks[k] = nisa.tensor_copy(overlay[:, 8 * k : 8 * k + 8])
        nl.store(out[2], banks[0])
        nl.store(out[3], bank)
        return out

    out = kernel(x)
    assert np.array_equal(out, x[[2, 3, 2, 3]])


def test_places_of_blocks():
    @nki.jit(mode="simulation")
    def kernel(x):
        tensor = nl.ndarray(
            (2, 3, nl.par_dim(32), 16),
            nl.bfloat16,
            buffer=ncc.sbuf.mod_alloc(base_addr=64, num_par_tiles=(2, 1), num_free_tiles=(1, 2)),
        )
        assert list(tensor.storage.places) == [(0, 64), (0, 96), (0, 64), (32, 64), (32, 96), (32, 64)]
        return double(x)

    kernel(ONES)


def test_blocks_beside_each_other_on_the_partitions(rng):
    x = rng.normal(size=(4, 32, 8)).astype(np.float32)

    @nki.jit(mode="simulation")
    def kernel(a):
        out = nl.ndarray(a.shape, a.dtype, buffer=nl.shared_hbm)
        tiles = nl.ndarray(
            (4, nl.par_dim(32), 8), a.dtype, buffer=ncc.sbuf.mod_alloc(base_addr=0, num_par_tiles=(4,))
        )
        second = nl.ndarray(
            (nl.par_dim(64), 8), a.dtype, buffer=ncc.sbuf.alloc(lambda index, partitions, size: (64, 0))
        )
        for k in nl.affine_range(4):
            tiles[k] = nl.load(a[k])
        nl.store(out[0], tiles[0])
        nl.store(out[1], tiles[1])
        nl.store(out[2], second[0:32])
        nl.store(out[3], second[32:64])
        return out

    assert np.array_equal(kernel(x), x)


def test_force_auto_alloc():
    @nki.jit(mode="simulation")
    @ncc.force_auto_alloc
    def kernel(x):
        tiles = nl.ndarray((2, nl.par_dim(4), 6), x.dtype, buffer=ncc.sbuf.mod_alloc(base_addr=0))
        tiles[0], tiles[1] = nl.load(x), nl.zeros((4, 6), x.dtype)
        out = nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm)
        nl.store(out, tiles[0])
        return out

    assert (kernel(ONES) == 1).all()


def test_directives():
    @ncc.enable_stack_allocator(log_level=10)
    @ncc.skip_middle_end_transformations
    @nki.jit(mode="simulation")
    def kernel(x):
        with ncc.no_reorder(), ncc.allocation_scope():
            for _ in nl.sequential_range(1, directives=ncc.multi_buffer(factor=2)):
                out = nl.ndarray((4, 6), nl.float32, buffer=ncc.sbuf.auto_alloc())
                out[...] = nl.load(x)
            bank = nl.ndarray((4, 6), nl.float32, buffer=ncc.psum.auto_alloc())
            bank[...] = out
        return double(x)

    assert (kernel(ONES) == 2).all()


# Records.


def test_record(rng):
    x = rng.normal(size=(4, 6)).astype(np.float32)

    def kernel(a):
        out = nl.ndarray(a.shape, a.dtype, buffer=nl.shared_hbm)
        tile = nl.load(a)
        total = nl.zeros((4, 6), nl.float32)
        for _ in nl.affine_range(2):
            total += tile
        nl.store(out, nl.exp(total))
        return out

    recorded, output = nki.record(kernel, x)
    kinds = [type(operation).__name__ for operation in recorded]
    assert kinds == [
        "DmaCopy",
        "Memset",
        "TensorTensor",
        "TensorCopy",
        "TensorTensor",
        "TensorCopy",
        "Activation",
        "DmaCopy",
    ]
    first = kernel.__code__.co_firstlineno
    assert [operation.place for operation in recorded] == [
        (__file__, first + line) for line in (2, 3, 5, 5, 5, 5, 6, 6)
    ]
    assert np.allclose(output, np.exp(2 * x))
    # The records are all that an executor needs: they give the same output again from cleared memory.
    before = output.copy()
    for operation in recorded:
        if isinstance(operation, operations.Writing) and operation.dst.space != "hbm":
            operation.dst.storage.raw.fill(0xFF)
    output.fill(0)
    golden = Golden()
    for operation in recorded:
        golden.execute(operation)
    assert np.array_equal(output, before)


def test_a_sum_in_psum_is_one_operation():
    def kernel(a):
        out, tile = nl.ndarray((6, 6), a.dtype, buffer=nl.shared_hbm), nl.load(a)
        total = nl.zeros((6, 6), nl.float32, buffer=nl.psum)
        total += nisa.nc_matmul(tile, tile)
        total[...] += nisa.nc_matmul(tile, tile)
        total[:, 0:3] += nisa.nc_matmul(tile, tile[:, 0:3])
        nl.store(out, total)
        return out

    recorded, output = nki.record(kernel, ONES)
    assert [type(operation).__name__ for operation in recorded] == [
        "DmaCopy",
        "Memset",
        *["Matmul", "Accumulate"] * 3,
        "TensorCopy",
        "DmaCopy",
    ]
    assert (output[:, :3] == 12).all() and (output[:, 3:] == 8).all()


# Names of the SDK.


def test_install():
    assert "neuronxcc" not in sys.modules
    version = nki.install()
    try:
        import neuronxcc
        import neuronxcc.nki.isa.constants
        import neuronxcc.nki.language
        from neuronxcc import nki as installed
        from neuronxcc.nki.typing import tensor

        assert (
            installed is nki
            and neuronxcc.nki.language is nl
            and neuronxcc.nki.isa is nisa
            and tensor is nt.tensor
        )
        assert (
            version == neuronxcc.__version__ == nki.__version__
            and "trnsim" in version
            and "Not Amazon's" in neuronxcc.__doc__
        )
        assert nki.install() == version
    finally:
        nki.uninstall()
    assert "neuronxcc" not in sys.modules


def test_install_beside_another(tmp_path, monkeypatch):
    (tmp_path / "neuronxcc").mkdir()
    (tmp_path / "neuronxcc/__init__.py").write_text("__version__ = '2.0'\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ImportError, match="replace=True"):
        nki.install()
    nki.install(replace=True)
    try:
        import neuronxcc

        assert neuronxcc.nki is nki
    finally:
        nki.uninstall()


SCRIPT = """
import sys
import numpy as np
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl

@nki.jit
def twice(x):
    y = nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm)
    nl.store(y, nl.load(x) * 2.0)
    return y

assert (twice(np.ones((3, 4), np.float32)) == 2).all()
try:
    print(sys.argv[1:], twice.result.cycles > 0)
except nki.NkiError as error:
    print(sys.argv[1:], error.text)
"""


def run_module(*arguments, **variables):
    """Runs python -m trnsim.nki, of the installed package or of the tree."""
    arranged = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import nki_common; "
        "nki_common.arrange(); "
    )
    run = (
        arranged
        + f"import runpy; sys.argv = {['trnsim.nki', *map(str, arguments)]!r}; "
        + "runpy.run_module('trnsim.nki', run_name='__main__')"
    )
    environment = {name: value for name, value in os.environ.items() if name != "NKI_SIMULATOR"} | variables
    return subprocess.run(
        [sys.executable, "-c", run], capture_output=True, text=True, timeout=60, env=environment, check=False
    )


def test_a_script_in_the_simulation(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    done = run_module(tmp_path / "script.py", "a", "b", NKI_SIMULATOR="1")
    assert done.stdout == "['a', 'b'] result of twice before a call on the RTL, expected one after it\n", (
        done.stderr
    )


@pytest.mark.skipif(not nki_rtl.ENABLED, reason="TRNSIM_NKI_RTL=1 runs kernels on the RTL")
def test_a_script_on_the_rtl(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    done = run_module(tmp_path / "script.py", "a")
    assert done.stdout == "['a'] True\n", done.stderr


def test_what_is_no_script(tmp_path):
    assert run_module("--help").stdout.startswith("usage: python -m trnsim.nki script.py")
    for arguments, text in (
        ((), "usage: python -m trnsim.nki script.py"),
        ((tmp_path,), f"{tmp_path} is a folder, expected a script of Python"),
        ((tmp_path / "none.py",), f"{tmp_path / 'none.py'} is not there, expected a script of Python"),
    ):
        done = run_module(*arguments)
        assert done.returncode == 1 and text in done.stderr and done.stderr.count("\n") == 1


# Unwritten elements.


@pytest.mark.golden("marks of bytes that are written")
def test_check_of_unwritten_memory():
    @nki.jit(mode="simulation")
    def kernel(x):
        tile = nl.ndarray((4, 6), nl.bfloat16)
        tile[:, 0:5] = nl.load(x[:, 0:5])
        out = nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm)
        nl.store(out, tile)
        return out

    kernel(ONES)
    with (
        nki.checks(unwritten=True),
        pytest.raises(nki.NkiError, match=r"err_read_of_unwritten_memory: .*4 elements.*\[0, 5\]") as error,
    ):
        kernel(ONES)
    assert error.value.line == kernel.function.__code__.co_firstlineno + 5

    @nki.jit(mode="simulation")
    def whole(x):
        tile = nl.ndarray((4, 6), nl.float32)
        i, j = nl.arange(4)[:, None], nl.arange(6)[None, :]
        tile[i, j] = nl.load(x, mask=j < 5)
        tile[:, 5] = 1.0
        tile.view(nl.uint16)
        tile += tile
        return double(x) if nl.sum(tile, axis=1).shape == (4, 1) else None

    with nki.checks(unwritten=True):
        whole(ONES)


@pytest.mark.golden("marks of bytes that are written")
def test_check_of_a_transpose_and_of_a_part_beyond():
    """Parameters that were made before the check have no marks."""

    def kernel(x):
        tile = nisa.dma_transpose(x)
        out = nl.ndarray(tile.shape, x.dtype, buffer=nl.shared_hbm)
        nl.store(out, tile)
        return out

    launch = launch_of(kernel, (ONES,), {})
    with nki.checks(unwritten=True):
        assert (launch.finish(launch.trace(Golden())) == ONES.T).all()

    def beyond(x):
        tile = nl.load(x)
        return double(nl.exp(tile[:, 4:8]))

    with (
        nki.checks(unwritten=True),
        pytest.raises(
            nki.NkiError, match=r"err_tensor_access_out_of_bound: .*index 4 to 7 of dimension 1"
        ) as error,
    ):
        nki.simulate_kernel(beyond, ONES)
    assert error.value.line == beyond.__code__.co_firstlineno + 2


@pytest.mark.golden("marks of bytes that are written")
def test_check_of_parts_of_elements_and_tiles():
    i, j = nl.arange(4)[:, None], nl.arange(6)[None, :]

    @nki.jit(mode="simulation")
    def kernel(x, all_of_it):
        tile = nl.ndarray((4, 6), nl.float32)
        tile[i, j] = nl.copy(nl.load(x), mask=True if all_of_it else i + j < 7)
        halves = nl.copy(tile.view(nl.uint16))
        out = nl.ndarray((4, 12), nl.uint16, buffer=nl.shared_hbm)
        nl.store(out, halves)
        return out

    with nki.checks(unwritten=True):
        assert np.array_equal(kernel(ONES, True), ONES.view(np.uint16).reshape(4, 12))
        with pytest.raises(nki.NkiError, match="err_read_of_unwritten_memory"):
            kernel(ONES, False)


@pytest.mark.golden("marks of bytes that are written")
def test_elements_that_are_worked_on_and_not_used():
    """A mask leaves rows and columns of each tile unwritten.

    It is an error to store them, at the line that read them.
    """
    x, i, j = np.ones((5, 6), np.float32), nl.arange(8)[:, None], nl.arange(9)[None, :]

    @nki.jit(mode="simulation")
    def kernel(a, rows, columns):
        out = nl.ndarray((8, 9), a.dtype, buffer=nl.shared_hbm)
        total = nl.ndarray((8, 1), a.dtype, buffer=nl.shared_hbm)
        turned = nl.ndarray((9, 8), a.dtype, buffer=nl.shared_hbm)
        product = nl.ndarray((9, 9), a.dtype, buffer=nl.shared_hbm)
        tile = nl.load(a[i, j], mask=(i < 5) & (j < 6))
        scaled = nl.exp(nl.add(tile, tile))
        held = (i < rows) & (j < columns)
        nl.store(out[i, j], nl.multiply(scaled, nl.copy(scaled)), mask=held)
        kept = nisa.affine_select(j < columns, nisa.affine_select(i < rows, tile, 0.0), 0.0)
        nl.store(out[i, j], kept)
        nl.store(total[i, 0], nl.sum(kept, axis=1))
        nl.store(total[i, 0], nisa.tensor_reduce(np.max, tile[:, 0:columns], axis=(1,)), mask=i < rows)
        q, p = nl.arange(9)[:, None], nl.arange(8)[None, :]
        nl.store(turned[q, p], nisa.nc_transpose(tile), mask=(q < columns) & (p < rows))
        f = nl.arange(9)[None, :]
        nl.store(
            product[q, f], nisa.nc_matmul(tile[0:rows], tile[0:rows]), mask=(q < columns) & (f < columns)
        )
        scan = nisa.tensor_tensor_scan(tile, tile, 0.0, np.multiply, np.add)
        nl.store(out[i, j], scan, mask=held)
        return out

    read = kernel.function.__code__.co_firstlineno + 7
    with nki.checks(unwritten=True):
        kernel(x, 5, 6)
        for rows, columns in ((6, 6), (5, 7)):
            with pytest.raises(
                nki.NkiError, match=r"err_read_of_unwritten_memory: .* 42 elements.*"
            ) as error:
                kernel(x, rows, columns)
            assert error.value.line == read


@pytest.mark.golden("marks of bytes that are written")
def test_reductions_of_unwritten_elements():
    """A result of written and of unwritten elements counts as unwritten."""

    def reductions(tile):
        yield lambda: nl.sum(tile, axis=1)
        yield lambda: nisa.bn_stats(tile)
        yield lambda: nisa.max8(src=tile)
        yield lambda: nl.copy(nisa.nc_matmul(tile, tile))
        yield lambda: nisa.tensor_partition_reduce(np.add, tile)
        yield lambda: nisa.tensor_tensor_scan(tile, tile, 0.0, np.multiply, np.add)

    def run(number, written):
        @nki.jit(mode="simulation")
        def kernel(x):
            tile = nl.ndarray((4, 8), nl.float32)
            tile[:, 0:written] = nl.load(x)[:, 0:written]
            result = list(reductions(tile))[number]()
            out = nl.ndarray(result.shape, result.dtype, buffer=nl.shared_hbm)
            nl.store(out, result)
            return out

        kernel(np.ones((4, 8), np.float32))

    with nki.checks(unwritten=True):
        for number in range(6):
            run(number, 8)
            with pytest.raises(nki.NkiError, match="err_read_of_unwritten_memory"):
                run(number, 7)


Pair = collections.namedtuple("Pair", "first second")


@pytest.mark.parametrize(
    "given",
    [
        lambda x, y: [x, [y]],
        lambda x, y: (x, (y,)),
        lambda x, y: {"a": x, "b": {"c": y}},
        lambda x, y: Pair(x, Pair(y, None)),
    ],
)
def test_nests_of_arrays(rng, given):
    """Arguments are lists, tuples and dictionaries with arrays, and so are results."""

    def leaves(value):
        if isinstance(value, dict):
            return [leaf for item in value.values() for leaf in leaves(item)]
        if isinstance(value, (list, tuple)):
            return [leaf for item in value for leaf in leaves(item)]
        return [] if value is None else [value]

    def kernel(nest):
        total = None
        for tensor in leaves(nest):
            tile = nl.load(tensor)
            total = tile if total is None else nl.add(total, tile)
        out, twice = (nl.ndarray((5, 7), nl.float32, buffer=nl.shared_hbm) for _ in range(2))
        nl.store(out, total)
        nl.store(twice, total * 2.0)
        return Pair(out, {"twice": [twice, 3]})

    x, y = rng.normal(size=(2, 5, 7)).astype(np.float32)
    found = nki.simulate_kernel(kernel, given(x, y))
    assert isinstance(found, Pair) and np.array_equal(found.first, x + y)
    assert (
        list(found.second) == ["twice"]
        and np.array_equal(found.second["twice"][0], 2 * (x + y))
        and found.second["twice"][1] == 3
    )


@pytest.mark.skipif(not nki_rtl.ENABLED, reason="TRNSIM_NKI_RTL=1 runs kernels on the RTL")
def test_transfers_have_the_names_of_parameters_and_results():
    """Those of the kernel's function, of `name=`, and the key or place of a result without a name."""

    @nki.jit
    def kernel(weights, x, rows):
        named = nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm, name="result")
        twin = nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm, name="result")
        unnamed = nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm)
        between = nl.ndarray(x.shape, x.dtype, buffer=nl.private_hbm, name="x")
        tile = nl.load(x[nl.load(rows), nl.arange(8)[None, :]])
        nl.store(named, tile)
        nl.store(between, nl.load_transpose2d(weights))
        nl.store(twin, nl.load(between))
        nl.store(unnamed, tile)
        return {"first": named, "other": (twin, unnamed)}

    arrays = np.ones((8, 8), np.float32), np.ones((8, 8), np.float32), np.arange(8, dtype=np.int32)[:, None]
    recording = device.recording(launch_of(kernel, arrays, {}))
    lines = [line for engine in ("sync", "gpsimd") for line in recording.package.program(engine)]
    names = set(re.findall(r"\('\w+ (\w+)\[", "\n".join(lines)))
    numbered = {name for name in names if re.search(r"_\d+$", name)}  # names that others had
    assert names - numbered == {"weights", "x", "rows", "result", "other1"}
    assert {name.rpartition("_")[0] for name in numbered} == {"result", "x"}
    kinds = {tensor["name"]: tensor["kind"] for tensor in recording.package.tensors}
    assert [kinds[name] for name in ("x", "result", "other1")] == ["input", "output", "output"]
    device.recordings.clear()


@pytest.mark.golden("calls share what the test keeps between them")
@pytest.mark.parametrize("what", ["operand", "result", "index"])
def test_tensors_of_an_earlier_call_are_refused(what):
    """Their memory belongs to other tensors by now."""
    kept = []

    def kernel(x):
        y = nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm)
        kept.append(y if what == "result" else nl.load(x))
        if what == "index":
            nl.store(y, nl.load(x[kept[0][:, 0:1], nl.arange(6)[None, :]]))
        else:
            nl.store(y, nl.load(x) if what == "result" else kept[0])
        return kept[0] if what == "result" else y

    x = np.zeros((4, 6), np.int32)
    assert np.array_equal(nki.simulate_kernel(kernel, x), x)
    with pytest.raises(nki.NkiError, match="another call of a kernel") as raised:
        nki.simulate_kernel(kernel, x)
    assert raised.value.file == __file__
    assert raised.value.name == "err_argument"


def test_addresses_that_a_traced_loop_counts(rng):
    """The compiler sees a body once: its buffers have the addresses of the first iteration."""
    ends = []

    def kernel(x):
        y, address = nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm), 0
        for i in nl.affine_range(64):
            rows = nl.ds(i * 8, 8)
            a = nl.ndarray((nl.par_dim(8), 1024), x.dtype, buffer=ncc.sbuf.mod_alloc(base_addr=address))
            address += 4096
            a[...] = nl.load(x[rows, :])
            for j in nl.sequential_range(2):
                for half in range(2):  # which the compiler unrolls
                    b = nl.ndarray(
                        (nl.par_dim(8), 256), x.dtype, buffer=ncc.sbuf.mod_alloc(base_addr=address)
                    )
                    address += 1024
                    part = nl.ds(512 * j + 256 * half, 256)
                    b[...] = nl.multiply(a[:, part], 2.0)
                    nl.store(y[rows, part], b)
                    ends.append(b.storage.places)
        return y

    x = rng.normal(size=(512, 1024)).astype(np.float32)
    assert np.array_equal(nki.simulate_kernel(kernel, x), 2 * x)
    assert ends[:4] == [[(0, 4096)], [(0, 5120)]] * 2
    assert ends[:4] * 64 == ends[: 4 * 64]


@pytest.mark.golden("places that are noted while the kernel is traced")
def test_unrolled_loops_around_a_traced_one():
    """Each trace of the inner loop has addresses of its own."""
    found = []

    @nki.jit(mode="simulation")
    def kernel(x):
        y, address = nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm), 0
        for _ in nl.affine_range(2):
            for _ in nl.static_range(3):
                for _ in nl.affine_range(2):
                    t = nl.ndarray((nl.par_dim(4), 6), x.dtype, buffer=ncc.sbuf.mod_alloc(base_addr=address))
                    address += 24
                    t[...] = nl.load(x)
                    nl.store(y, t)
                    found.append(t.storage.places[0][1])
        return y

    kernel(np.zeros((4, 6), np.float32))
    assert found == [0, 0, 48, 48, 96, 96] * 2


@pytest.mark.parametrize("counts", [(1,), (2,), ()])
def test_a_tile_without_blocks_has_one_place(rng, counts):
    """Public kernels pass (number of buffers,) for it as well."""

    def kernel(x):
        y = nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm)
        place = ncc.sbuf.mod_alloc(base_addr=64, num_free_tiles=counts, num_par_tiles=counts)
        t = nl.ndarray((nl.par_dim(8), 32), x.dtype, buffer=place)
        t[...] = nl.load(x)
        assert t.storage.places == [(0, 64)]
        total = nl.ndarray((8, 32), nl.float32, buffer=ncc.psum.mod_alloc(base_bank=1, num_bank_tiles=counts))
        total[...] = nl.copy(t)
        t[...] = nl.copy(total)
        nl.store(y, t)
        return y

    x = rng.normal(size=(8, 32)).astype(np.float32)
    assert np.array_equal(nki.simulate_kernel(kernel, x), x)


def test_an_index_out_of_bounds_is_one_of_python():
    @nki.jit(mode="simulation")
    def kernel(x, row):
        return nl.load(x[row + nl.arange(4)[:, None], nl.arange(6)[None, :]])

    with pytest.raises(IndexError) as raised:
        kernel(np.zeros((4, 6), np.float32), 1)
    assert isinstance(raised.value, nki.NkiError)
    assert raised.value.name == "err_tensor_access_out_of_bound"
    with pytest.raises(nki.NkiError) as raised:
        kernel(np.zeros((4, 6), np.float32), "a")
    assert not isinstance(raised.value, IndexError)
