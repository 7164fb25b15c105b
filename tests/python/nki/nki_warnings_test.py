"""Warnings: reads of memory that nobody wrote, and integers that lose digits. Each has the kernel's line.

Kernels run in NumPy and are recorded for the RTL, so that both ways warn.
"""

import warnings

import numpy as np
import pytest

import trnsim.nki.compiler as ncc
import trnsim.nki.isa as nisa
import trnsim.nki.language as nl
from trnsim import nki
from trnsim.nki import device
from trnsim.nki.golden import Golden
from trnsim.nki.kernel import launch_of

F32 = np.float32
WAYS = ["simulated", "recorded"]


def run(body, way, *arrays):
    """Runs a kernel and returns its warnings."""

    @nki.jit(mode="simulation", kernel_return=False)
    def kernel(*inputs):
        body(*inputs)

    launch = launch_of(kernel, arrays or (np.zeros((8, 12), F32),), {})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if way == "simulated":
            launch.trace(Golden())
        else:
            device.traced(launch)
    assert all(one.category is nki.NkiWarning and one.filename == __file__ for one in caught)
    return caught


def lines_of(body, *texts):
    """Returns the numbers of the lines of a function that have these texts."""
    code = body.__code__
    with open(__file__, encoding="utf-8") as file:  # noqa: PTH123
        source = file.read().split("\n")
    numbers = range(code.co_firstlineno, len(source))
    return [next(n for n in numbers if text in source[n - 1]) for text in texts]


def tile(space=nl.sbuf, shape=(8, 12), dtype=nl.float32):
    return nl.ndarray(shape, dtype, buffer=space)


@pytest.mark.parametrize("way", WAYS)
def test_reads_of_tiles_that_nobody_wrote(way):
    def body(x):
        a, b, c = tile(), tile(nl.psum), nl.ndarray((8, 12), nl.float32, buffer=nl.hbm)
        total, d = nl.add(a, 1.0), tile()  # line 1
        nl.store(x, nl.copy(b))  # line 2
        nl.store(x, nl.load(c))  # line 3
        d[:, 0:4] = nl.copy(total[:, 0:4])
        nl.store(x, nisa.tensor_tensor(total, d, nl.add))
        nl.store(x[:, 0:2], d[:, 8:10])  # line 4
        d[...] = nisa.activation(nl.exp, total, bias=tile(shape=(8, 1)))  # line 5
        index = tile(shape=(8, 1), dtype=nl.int32)
        nl.store(x, nl.load(x[index, nl.arange(12)[None, :]]))  # line 6

    wanted = lines_of(body, *(f"# line {k}" for k in range(1, 7)))
    # In NumPy the index of line 6 is out of bounds, as unwritten bytes are -1.
    if way == "simulated":
        with pytest.raises(nki.NkiError, match="out_of_bound"), pytest.warns(nki.NkiWarning):
            run_plain(body)
        return
    caught = run(body, way)
    assert [one.lineno for one in caught] == wanted
    assert "[8, 2] of tensor[8, 12] in sbuf is read and nothing has written it" in str(caught[3].message)


def run_plain(body):
    launch = launch_of(nki.trace(body), (np.zeros((8, 12), F32),), {})
    launch.trace(Golden())


def _whole(x):
    a = tile()
    a[...] = nl.load(x)
    nl.store(x, a)


def _in_pieces(x):
    a = tile()
    for at in range(0, 12, 4):
        a[:, at : at + 4] = nl.load(x[:, at : at + 4])
    nl.store(x, a)


def _by_a_view(x):
    a = tile()
    a.reshape((8, 3, 4))[:, 1] = 1.0
    nl.store(x[:, 4:8], a[:, 4:8])
    a.view(nl.int32)[:, 0:4] = 1
    nl.store(x[:, 0:4], a[:, 0:4])


def _blocks(x):
    a = nl.ndarray((3, nl.par_dim(8), 12), nl.float32)
    for block in nl.affine_range(3):
        a[block] = nl.load(x)
    for block in nl.affine_range(3):
        nl.store(x, a[block])


def _with_masks(x):
    """The last iteration loads nothing, and its results are not stored."""
    for at in nl.affine_range(3):
        rows = 4 * at + nl.arange(4)[:, None]
        part = nl.load(x[rows, nl.arange(12)[None, :]], mask=rows < 8)
        twice = nl.add(part, part)
        nl.store(x[rows, nl.arange(12)[None, :]], twice[:, 0:12], mask=rows < 8)


def _placed(x):
    a = nl.ndarray((8, 12), nl.float32, buffer=ncc.sbuf.alloc(lambda idx, pdim_size, fdim_size: (0, 0)))
    b = nl.ndarray((8, 6), nl.float32, buffer=ncc.sbuf.alloc(lambda idx, pdim_size, fdim_size: (0, 24)))
    nisa.dma_copy(dst=a, src=x)
    nl.store(x[:, 6:12], b)


def _sums(x):
    total = nl.ndarray((12, 12), nl.float32, buffer=nl.psum)
    for _ in nl.affine_range(2):
        total += nisa.nc_matmul(nl.load(x), nl.load(x))
    nl.store(x[0:8], total[0:8])


def _by_index(x):
    y = nl.ndarray((8, 12), nl.float32, buffer=nl.hbm)
    nl.store(y[nisa.iota(nl.arange(8)[:, None], nl.int32), nl.arange(12)[None, :]], nl.load(x))
    nl.store(x, nl.load(y))


def _columns_of_hbm(x):
    y = nl.ndarray((8, 12), nl.float32, buffer=nl.hbm)
    for at in nl.affine_range(12):
        nl.store(y[:, at : at + 1], nl.load(x[:, at : at + 1]))
    nl.store(x, nl.load(y))


def _reductions_of_loops(x):
    total = tile()
    for at in nl.affine_range(3):
        total[...] = nl.loop_reduce(nl.load(x), op=np.add, loop_indices=[at])
    nl.store(x, total)


WRITTEN = [
    _whole,
    _in_pieces,
    _by_a_view,
    _blocks,
    _with_masks,
    _placed,
    _sums,
    _by_index,
    _columns_of_hbm,
    _reductions_of_loops,
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("body", WRITTEN)
def test_what_is_written_is_read_without_a_warning(body, way):
    assert run(body, way) == []


def test_a_line_warns_once():
    def body(x):
        for _ in nl.affine_range(3):
            nl.store(x, tile())

    launch = launch_of(nki.trace(body), (np.zeros((8, 12), F32),), {})
    with warnings.catch_warnings(record=True) as caught:
        warnings.resetwarnings()
        launch.trace(Golden())
    assert len(caught) == 1


@pytest.mark.golden("errors that a switch makes of warnings")
def test_switches_make_errors():
    def body(x):
        nl.store(x, nl.add(tile(), 1.0))

    launch = launch_of(nki.trace(body), (np.zeros((8, 12), F32),), {})
    with warnings.catch_warnings():
        warnings.simplefilter("error", nki.NkiWarning)
        with pytest.raises(nki.NkiWarning, match="nothing has written it"):
            launch.trace(Golden())
    for trace in (lambda one: one.trace(Golden()), device.traced):
        launch = launch_of(nki.trace(body), (np.zeros((8, 12), F32),), {})
        with nki.checks(unwritten=True), pytest.raises(nki.NkiError) as caught:
            trace(launch)
        assert caught.value.name == "err_read_of_unwritten_memory" and caught.value.file == __file__


def _copy(x, y, a):
    return nl.copy(a, dtype=nl.int32)


def _tensor_copy(x, y, a):
    return nisa.tensor_copy(a, dtype=nl.int32)


def _astype(x, y, a):
    return a.astype(nl.int32)


def _assigned(x, y, a):
    b = tile(dtype=nl.int32)
    b[...] = a


def _loaded(x, y, a):
    return nl.load(x, dtype=nl.int32)


def _stored(x, y, a):
    nl.store(y, a)


def _transferred(x, y, a):
    nisa.dma_copy(dst=y, src=a)


def _chosen(x, y, a):
    return nl.where(nl.greater(a, 3), a, a, dtype=nl.int32)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "copy", [_copy, _tensor_copy, _astype, _assigned, _loaded, _stored, _transferred, _chosen]
)
def test_copies_that_round_integers(copy, way):
    def body(x, y):
        copy(x, y, nl.load(x))
        nl.store(y, nl.load(x).view(nl.int32))
        nl.store(x, nl.copy(nl.load(x), dtype=nl.float32))
        nl.store(x, nl.load(x))
        nl.gather_flattened(nl.load(y), nl.load(x))  # the indices are no elements

    (caught,) = run(body, way, np.zeros((8, 12), np.uint32), np.zeros((8, 12), np.int32))
    assert caught.lineno == copy.__code__.co_firstlineno + (2 if copy is _assigned else 1)
    assert "uint32 is copied to int32 through fp32" in str(caught.message)


@pytest.mark.parametrize("way", WAYS)
def test_results_of_masks_that_hold_nowhere(way):
    """They are stored as they are in memory; results that are stored where the mask holds are not."""

    def body(x):
        i, j = nl.mgrid[0:8, 0:12]
        t = nl.load(x)
        nothing = nl.exp(t, mask=i + j < 0)
        nl.store(x, nothing)  # line 1
        nl.store(x, nl.add(nothing, 1.0), mask=i + j < 0)
        nl.store(x, nl.add(nothing, 1.0))  # line 2
        kept = nl.copy(t)
        kept[...] = nl.exp(t, mask=i > 8)
        nl.store(x, kept)

    caught = run(body, way)
    assert [one.lineno for one in caught] == lines_of(body, "# line 1", "# line 2")
    assert all("its mask holds nowhere" in str(one.message) for one in caught)
