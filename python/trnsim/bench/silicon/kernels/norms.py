"""RMSNorm before and after a matmul, in float32.

As on the chip, Scalar squares, scales and copies out of PSUM, and Vector sums and multiplies tiles.
"""

from __future__ import annotations

from typing import Any

from neuronxcc import nki
from neuronxcc.nki import isa as nisa, language as nl

from .loads import load_again

_P = 128
_WIDE = 512  # columns of a matmul


def _turned(rows: Any, first: int) -> Any:
    """Returns the transpose of 128 columns from `first` on, in SBUF."""
    return nisa.tensor_copy(nisa.nc_transpose(rows[:, nl.ds(first, _P)]), engine=nisa.scalar_engine)


def _kept(w: Any) -> Any:
    """Loads all of w as tiles of 128 rows."""
    depth, columns = w.shape
    tiles = nl.ndarray((depth // _P, nl.par_dim(_P), columns), w.dtype, buffer=nl.sbuf)
    for k in range(depth // _P):
        tiles[k] = nl.load(w[nl.ds(k * _P, _P), :])
    return tiles


def _of_all_rows(g: Any) -> Any:
    """Loads the vector g into each partition."""
    (columns,) = g.shape
    return nl.load(g.reshape((1, columns))).broadcast_to((_P, columns))


def _rmsnorm_matmul(x: Any, w: Any, staying: int) -> Any:
    """x / rms(x) @ w. For the product, all but the first `staying` rows of x are loaded again."""
    (rows, depth), columns = x.shape, w.shape[1]
    out = nl.ndarray((rows, columns), x.dtype, buffer=nl.shared_hbm)
    kept = _kept(w)
    for t in range(0, rows, _P):
        first, sums = nl.load(x[nl.ds(t, _P), :]), nl.ndarray((nl.par_dim(_P), depth // _WIDE), nl.float32)
        for h in range(depth // _WIDE):
            squares = nisa.activation(nl.square, first[:, nl.ds(h * _WIDE, _WIDE)])
            part = nisa.activation(nl.copy, squares, scale=1.0 / depth)
            sums[:, nl.ds(h, 1)] = nisa.tensor_reduce(nl.add, part, axis=(1,), keepdims=True)
        share = nisa.activation(nl.rsqrt, nisa.tensor_reduce(nl.add, sums, axis=(1,), keepdims=True))
        again = first if t < staying else load_again(x[nl.ds(t, _P), :])
        turned = nl.ndarray((depth // _P, nl.par_dim(_P), _P), x.dtype, buffer=nl.sbuf)
        for h in range(depth // _WIDE):
            normal = nisa.activation(nl.copy, again[:, nl.ds(h * _WIDE, _WIDE)], scale=share)
            for i in range(_WIDE // _P):
                turned[h * (_WIDE // _P) + i] = _turned(normal, i * _P)
        for n in range(0, columns, 1024):
            done = nl.ndarray((nl.par_dim(_P), 1024), x.dtype, buffer=nl.sbuf)
            for j in range(0, 1024, _WIDE):
                total = nl.zeros((_P, _WIDE), nl.float32, buffer=nl.psum)
                for k in range(depth // _P):
                    total += nisa.nc_matmul(turned[k], kept[k][:, nl.ds(n + j, _WIDE)])
                done[:, nl.ds(j, _WIDE)] = nisa.tensor_copy(total, engine=nisa.scalar_engine)
            nl.store(out[nl.ds(t, _P), nl.ds(n, 1024)], done)
    return out


@nki.jit
def rmsnorm_matmul(x: Any, w: Any) -> Any:
    """The profile has 27 of 32 tiles of rows twice."""
    return _rmsnorm_matmul(x, w, staying=5 * _P)


@nki.jit
def rmsnorm_matmul_once(x: Any, w: Any) -> Any:
    """Each row is loaded once."""
    return _rmsnorm_matmul(x, w, staying=x.shape[0])


def _normal(rows: Any, weights: Any, eps: float) -> Any:
    """Returns rows / sqrt(mean of squares + eps) * weights, of each row."""
    columns = rows.shape[1]
    total = nisa.tensor_reduce(nl.add, nisa.activation(nl.square, rows), axis=(1,), keepdims=True)
    share = nl.rsqrt(nisa.tensor_scalar(total, nl.multiply, 1.0 / columns, op1=nl.add, operand1=eps))
    return nisa.tensor_tensor(nisa.activation(nl.copy, rows, scale=share), weights, nl.multiply)


def _add_rmsnorm_matmul(x: Any, w: Any, eps: float, z: Any, g: Any, turns_once: bool) -> Any:
    """RMSNorm of x + z times g, then @ w; rows are transposed once, or again for each 512 columns."""
    (rows, depth), columns = x.shape, w.shape[1]
    out = nl.ndarray((rows, columns), x.dtype, buffer=nl.shared_hbm)
    kept, weights = _kept(w), _of_all_rows(g)
    for t in range(0, rows, _P):
        both = nisa.tensor_tensor(nl.load(x[nl.ds(t, _P), :]), nl.load(z[nl.ds(t, _P), :]), nl.add)
        normal = _normal(both, weights, eps)
        turned = [_turned(normal, k * _P) for k in range(depth // _P)] if turns_once else None
        for n in range(0, columns, _WIDE):
            total = nl.zeros((_P, _WIDE), nl.float32, buffer=nl.psum)
            for k in range(depth // _P):
                part = _turned(normal, k * _P) if turned is None else turned[k]
                total += nisa.nc_matmul(part, kept[k][:, nl.ds(n, _WIDE)])
            done = nisa.tensor_copy(total, engine=nisa.scalar_engine)
            nl.store(out[nl.ds(t, _P), nl.ds(n, _WIDE)], done)
    return out


@nki.jit
def add_rmsnorm_matmul(x: Any, w: Any, eps: float, z: Any, g: Any) -> Any:
    """Transposes for each 512 columns."""
    return _add_rmsnorm_matmul(x, w, eps, z, g, turns_once=False)


@nki.jit
def add_rmsnorm_matmul_once(x: Any, w: Any, eps: float, z: Any, g: Any) -> Any:
    """Transposes once."""
    return _add_rmsnorm_matmul(x, w, eps, z, g, turns_once=True)


@nki.jit
def matmul_add_rmsnorm(x: Any, w: Any, eps: float, z: Any, g: Any) -> Any:
    """RMSNorm of x @ w + z, times g; rows are transposed again for each 512 columns.

    The profile has 1024 columns of 128 rows of w again for 27 of 32 tiles of rows.
    """
    (rows, depth), columns = x.shape, w.shape[1]
    out = nl.ndarray((rows, columns), x.dtype, buffer=nl.shared_hbm)
    kept, weights = _kept(w), _of_all_rows(g)
    last, late = depth // _P - 1, columns - 1024
    for t in range(0, rows, _P):
        mine, product = nl.load(x[nl.ds(t, _P), :]), nl.ndarray((nl.par_dim(_P), columns), x.dtype)
        again = None if t < 5 * _P else load_again(w[nl.ds(last * _P, _P), nl.ds(late, 1024)], t // _P)
        for n in range(0, columns, _WIDE):
            total = nl.zeros((_P, _WIDE), nl.float32, buffer=nl.psum)
            for k in range(depth // _P):
                if again is None or k != last or n < late:
                    part = kept[k][:, nl.ds(n, _WIDE)]
                else:
                    part = again[:, nl.ds(n - late, _WIDE)]
                total += nisa.nc_matmul(_turned(mine, k * _P), part)
            product[:, nl.ds(n, _WIDE)] = nisa.tensor_copy(total, engine=nisa.scalar_engine)
        both = nisa.tensor_tensor(product, nl.load(z[nl.ds(t, _P), :]), nl.add)
        nl.store(out[nl.ds(t, _P), :], _normal(both, weights, eps))
    return out
