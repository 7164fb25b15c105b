"""Placed tensors, decorators, kernels in kernels, outputs as parameters."""

import logging
from functools import partial

import neuronxcc.nki.compiler as ncc
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import neuronxcc.nki.typing as nt
import numpy as np
from neuronxcc import nki
from neuronxcc.nki import baremetal, benchmark, simulate_kernel  # noqa: F401
from neuronxcc.nki.isa.constants import engine, reduce_cmd


@ncc.skip_middle_end_transformations
@nki.jit
def placed_matmul(lhsT, rhs):
    """Two buffers take turns for loads and for banks; the kernel chooses all bytes."""
    K, M = lhsT.shape
    N = rhs.shape[1]
    n = N // 512
    out = nl.ndarray((M, N), dtype=lhsT.dtype, buffer=nl.shared_hbm)
    size = nl.tile_size
    left = nl.ndarray((nl.par_dim(K), M), dtype=lhsT.dtype, buffer=ncc.sbuf.mod_alloc(base_addr=0))
    right = nl.ndarray(
        (n, nl.par_dim(K), 512),
        dtype=rhs.dtype,
        buffer=ncc.sbuf.mod_alloc(base_addr=M * 4, num_free_tiles=(2,)),
    )
    sums = nl.ndarray(
        (n, nl.par_dim(M), size.psum_fmax),
        dtype=nl.float32,
        buffer=ncc.psum.mod_alloc(base_bank=2, num_bank_tiles=(2,)),
    )
    after = M * 4 + 2 * 512 * 4
    kept = nl.ndarray(
        (n, nl.par_dim(M), 512),
        dtype=out.dtype,
        buffer=ncc.sbuf.mod_alloc(base_addr=after, num_free_tiles=(2,)),
    )
    left[...] = nl.load(lhsT)
    for i in nl.affine_range(n):
        right[i] = nl.load(rhs[:, nl.ds(i * 512, 512)])
        sums[i] = nisa.nc_matmul(left[:, :], right[i, :, :])
        kept[i] = nl.copy(sums[i])
        nl.store(out[:, nl.ds(i * 512, 512)], kept[i])
    return out


def interleaved(base, tiles):
    """A placement function of the kernel: even blocks low, odd ones high."""

    def place(idx, pdim_size, fdim_size):
        (i,) = idx
        return 0, base + (i % tiles) * fdim_size + (i % 2) * 4096

    return place


@nki.compiler.skip_middle_end_transformations
@nki.jit
def placed_softmax(x):
    """ncc.sbuf.alloc with a function: partitions 0 to 63 and 64 to 127 for two halves.

    The activation has its bias.
    """
    rows, columns = x.shape
    n = rows // 64
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = nl.ndarray((n, nl.par_dim(64), columns), dtype=x.dtype, buffer=ncc.sbuf.alloc(interleaved(0, 2)))
    powers = nl.ndarray(
        (n, nl.par_dim(64), columns), dtype=nl.float32, buffer=ncc.sbuf.alloc(interleaved(16384, 2))
    )
    columns_of = partial(nl.ndarray, (n, nl.par_dim(64), 1), dtype=nl.float32)
    low, sums, share = (
        columns_of(buffer=ncc.sbuf.mod_alloc(base_addr=32768 + 64 * i, num_free_tiles=(2,))) for i in range(3)
    )
    for i in nl.affine_range(n):
        tiles[i] = nl.load(x[nl.ds(i * 64, 64), :])
        low[i] = nisa.tensor_reduce(np.max, tiles[i], axis=(1,), negate=True)
        powers[i] = nisa.activation_reduce(
            nl.exp, tiles[i], bias=low[i], reduce_op=np.add, reduce_res=sums[i]
        )
        share[i] = nisa.reciprocal(sums[i])
        powers[i] = nisa.tensor_scalar(powers[i], nl.multiply, share[i])
        nl.store(out[nl.ds(i * 64, 64), :], powers[i])
    return out


@ncc.enable_stack_allocator(log_level=logging.INFO)
@ncc.skip_middle_end_transformations
@nki.jit
def stacked(x):
    """Directives of the compiler change nothing here."""
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.sequential_range(x.shape[0] // 128, directives=ncc.multi_buffer(2)):
        with ncc.no_reorder():
            tile = nl.load(x[nl.ds(i * 128, 128), :])
            nl.store(out[nl.ds(i * 128, 128), :], nl.tanh(tile))
    return out


@nki.baremetal(save_neff_name=None)
def scaled_in_place(x, factor, y):
    """The output is a parameter."""
    i_p, i_f = nl.mgrid[0:128, 0 : x.shape[1]]
    nl.store(y[i_p, i_f], nl.load(x[i_p, i_f]) * factor)


def scaled(x, factor):
    y = np.zeros_like(x)
    simulate_kernel(scaled_in_place, x, factor, y)
    return y


@nki.jit
def cache_update(cache: nt.mutable_tensor, new, at):
    """A parameter that is written and returned."""
    nl.store(cache[:, nl.ds(at, new.shape[1])], nl.load(new))
    return cache


@nki.jit
def squared(x):
    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(y, nl.square(nl.load(x)))
    return y


@nki.jit
def kernel_in_kernel(x):
    """The caller of a kernel reads its result again."""
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    inner = squared(x)
    nl.store(out, nl.add(nl.load(inner), nl.load(x)))
    return out


@nki.trace
def add_kernel(a, b, c):
    nl.store(c, nl.load(a) + nl.load(b))


def added(a, b):
    c = np.empty_like(a)
    nki.simulate_kernel(add_kernel, a, b, c)
    return c


@nki.jit(platform_target="trn1", additional_compile_opt="--optlevel=1")
def reduce_registers(x):
    """Sums in Scalar's registers over two instructions, read once."""
    rows, columns = x.shape
    out = nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    total, half = nl.ndarray((rows, 1), dtype=nl.float32), columns // 2
    tile, zero = nl.load(x), nisa.memset((rows, 1), value=0, dtype=np.float32, engine=engine.vector)
    nisa.activation(
        np.square, tile[:, 0:half], bias=zero, reduce_op=np.add, reduce_cmd=reduce_cmd.reset_reduce
    )
    nisa.activation(
        op=np.square,
        data=tile[:, half:columns],
        bias=zero,
        reduce_op=np.add,
        reduce_cmd=reduce_cmd.reduce,
        reduce_res=total,
    )
    nl.store(out, total)
    return out


class Layer:
    """A kernel is a method of a class and uses values of the object."""

    def __init__(self, factor):
        self.factor = factor

    @staticmethod
    @nki.jit
    def shifted(x, amount=2.0):
        y = nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm)
        nl.store(y[...], nl.add(nl.load(x[...]), amount))
        return y

    def __call__(self, x):
        return nki.simulate_kernel(Layer.shifted, x, amount=self.factor)


@nki.jit
def scratch_in_hbm(x):
    """Rows go through HBM of the kernel's own and return in another shape; the grid has two programs."""
    rows, columns = x.shape
    out = nl.ndarray((columns, rows), dtype=x.dtype, buffer=nl.shared_hbm)
    keep = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.private_hbm, name="keep")
    half = columns // nl.num_programs(0)
    mine = nl.program_id(0) * half
    nl.store(keep[:, nl.ds(mine, half)], nl.load(x[:, nl.ds(mine, half)]))
    nl.store(out[nl.ds(mine, half), :], nisa.dma_transpose(keep[:, nl.ds(mine, half)]))
    return out


@nki.jit
def dma_copies(x, y):
    """nisa.dma_copy to SBUF, within HBM, and with addition."""
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    i_p, i_f = nl.mgrid[0 : x.shape[0], 0 : x.shape[1]]
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile[i_p, i_f], src=x[i_p, i_f])
    nisa.dma_copy(dst=out, src=y)
    nisa.dma_copy(dst=out[i_p, i_f], src=tile[i_p, i_f], dst_rmw_op=np.add, mask=(i_f < 10))
    return out


@nki.jit
def tuple_of_lists(inputs, scale):
    """Arguments are arrays in a list, results too."""
    outs = [nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm) for x in inputs]
    for source, target in zip(inputs, outs):
        nl.store(target, nl.multiply(nl.load(source), scale))
    return outs


def cases(rng):
    a, b = rng.normal(size=(96, 64)).astype(np.float32), rng.normal(size=(96, 2048)).astype(np.float32)
    yield placed_matmul, (a, b), a.astype(np.float64).T @ b, 1e-5
    x = rng.normal(0, 3, size=(256, 40)).astype(np.float32)
    powers = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    yield placed_softmax, (x,), powers / powers.sum(1, keepdims=True), 1e-5
    yield stacked, (x,), np.tanh(x.astype(np.float64)), 1e-5
    x = rng.normal(size=(128, 30)).astype(np.float32)
    yield scaled, (x, 3), x * 3, 0
    new = rng.normal(size=(128, 4)).astype(np.float32)
    yield cache_update, (x.copy(), new, 11), np.concatenate([x[:, :11], new, x[:, 15:]], axis=1), 0
    yield kernel_in_kernel, (x,), x * x + x, 1e-6
    yield added, (x, -2 * x), -x, 0
    yield reduce_registers, (x,), (x.astype(np.float64) ** 2).sum(axis=1, keepdims=True), 1e-5
    yield Layer(0.5), (x,), x + np.float32(0.5), 0
    yield scratch_in_hbm[2], (x,), x.T, 0
    y = rng.normal(size=x.shape).astype(np.float32)
    yield dma_copies, (x, y), np.where(np.arange(30) < 10, x + y, y), 1e-6
    yield tuple_of_lists, ([x, y[:5]], 2.0), [2 * x, 2 * y[:5]], (0, 0)
