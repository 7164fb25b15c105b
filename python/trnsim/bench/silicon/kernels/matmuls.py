"""Matmuls. Results leave PSUM by the engine that the chip's profile shows."""

from __future__ import annotations

from typing import Any

from neuronxcc import nki
from neuronxcc.nki import isa as nisa, language as nl

from .loads import load_again

_P = 128
_WIDE = 512  # columns of a matmul


@nki.jit
def transpose_matmul(a: Any, b: Any) -> Any:
    """a.T @ b in blocks of 1024 x 1024; a is [depth, rows], b is [depth, columns]."""
    (depth, rows), columns = a.shape, b.shape[1]
    steps = depth // _P
    out = nl.ndarray((rows, columns), a.dtype, buffer=nl.shared_hbm)
    for m in range(0, rows, 1024):
        left = nl.ndarray((steps, nl.par_dim(_P), 1024), a.dtype, buffer=nl.sbuf)
        for k in range(steps):
            left[k] = nl.load(a[nl.ds(k * _P, _P), nl.ds(m, 1024)])
        for n in range(0, columns, 1024):
            width = min(1024, columns - n)
            right = nl.ndarray((steps, nl.par_dim(_P), width), b.dtype, buffer=nl.sbuf)
            for k in range(steps):
                right[k] = nl.load(b[nl.ds(k * _P, _P), nl.ds(n, width)])
            for i in range(1024 // _P):
                done = nl.ndarray((nl.par_dim(_P), width), a.dtype, buffer=nl.sbuf)
                for j in range(0, width, _WIDE):
                    part = min(_WIDE, width - j)
                    total = nl.zeros((_P, part), nl.float32, buffer=nl.psum)
                    for k in range(steps):
                        total += nisa.nc_matmul(left[k][:, nl.ds(i * _P, _P)], right[k][:, nl.ds(j, part)])
                    done[:, nl.ds(j, part)] = nisa.tensor_copy(total, engine=nisa.scalar_engine)
                nl.store(out[nl.ds(m + i * _P, _P), nl.ds(n, width)], done)
    return out


@nki.jit
def matmul(a: Any, b: Any) -> Any:
    """a @ b; for each 128 rows and 1024 columns of the result all of b's columns are read again."""
    (rows, depth), columns = a.shape, b.shape[1]
    steps = depth // _P
    out = nl.ndarray((rows, columns), a.dtype, buffer=nl.shared_hbm)
    for n in range(0, columns, 1024):
        for m in range(0, rows, _P):
            turned = nl.ndarray((steps, nl.par_dim(_P), _P), a.dtype, buffer=nl.sbuf)
            for h in range(0, depth, 1024):
                wide = nl.load(a[nl.ds(m, _P), nl.ds(h, 1024)])
                for i in range(1024 // _P):
                    turned[h // _P + i] = nisa.tensor_copy(
                        nisa.nc_transpose(wide[:, nl.ds(i * _P, _P)]), engine=nisa.scalar_engine
                    )
            totals = [nl.zeros((_P, _WIDE), nl.float32, buffer=nl.psum) for _ in range(2)]
            for k in range(steps):
                right = load_again(b[nl.ds(k * _P, _P), nl.ds(n, 1024)], m // _P)
                for j in range(2):
                    totals[j] += nisa.nc_matmul(turned[k], right[:, nl.ds(j * _WIDE, _WIDE)])
            done = nl.ndarray((nl.par_dim(_P), 1024), a.dtype, buffer=nl.sbuf)
            for j in range(2):
                done[:, nl.ds(j * _WIDE, _WIDE)] = nisa.tensor_copy(totals[j], engine=nisa.scalar_engine)
            nl.store(out[nl.ds(m, _P), nl.ds(n, 1024)], done)
    return out


@nki.jit
def batched_matmul(a: Any, b: Any) -> Any:
    """a @ b of each batch; a is [batch, rows, 64], b is [batch, 64, columns]."""
    batches, rows, depth = a.shape
    columns = b.shape[2]
    out = nl.ndarray((batches, rows, columns), a.dtype, buffer=nl.shared_hbm)
    for batch in range(batches):
        right = nl.load(b[batch])
        for m in range(0, rows, _P):
            turned = nisa.tensor_copy(
                nisa.nc_transpose(nl.load(a[batch, nl.ds(m, _P), nl.ds(0, depth)])),
                engine=nisa.scalar_engine,
            )
            for n in range(0, columns, 1024):
                done = nl.ndarray((nl.par_dim(_P), 1024), a.dtype, buffer=nl.sbuf)
                for j in range(0, 1024, _WIDE):
                    product = nisa.nc_matmul(turned, right[:, nl.ds(n + j, _WIDE)])
                    done[:, nl.ds(j, _WIDE)] = nisa.tensor_copy(product, engine=nisa.scalar_engine)
                nl.store(out[batch, nl.ds(m, _P), nl.ds(n, 1024)], done)
    return out


@nki.jit
def grouped_matmul(a: Any, b: Any) -> Any:
    """a.T @ b with eight sums in PSUM: four tiles of rows by two of columns for each tile that is loaded."""
    (depth, rows), columns = a.shape, b.shape[1]
    out = nl.ndarray((rows, columns), a.dtype, buffer=nl.shared_hbm)
    for m in range(0, rows, 4 * _P):
        for n in range(0, columns, 2 * _WIDE):
            totals = [nl.zeros((_P, _WIDE), nl.float32, buffer=nl.psum) for _ in range(8)]
            for k in range(0, depth, _P):
                right = nl.load(b[nl.ds(k, _P), nl.ds(n, 2 * _WIDE)])
                left = nl.load(a[nl.ds(k, _P), nl.ds(m, 4 * _P)])
                for i in range(4):
                    for j in range(2):
                        totals[2 * i + j] += nisa.nc_matmul(
                            left[:, nl.ds(i * _P, _P)], right[:, nl.ds(j * _WIDE, _WIDE)]
                        )
            for i in range(4):
                for j in range(2):
                    done = nisa.tensor_copy(totals[2 * i + j], dtype=a.dtype, engine=nisa.vector_engine)
                    nl.store(out[nl.ds(m + i * _P, _P), nl.ds(n + j * _WIDE, _WIDE)], done)
    return out


@nki.jit
def blocked_matmul(a: Any, b: Any) -> Any:
    """a.T @ b in blocks of 2048 x 1024 whose sums stay in SBUF, over depths of 1024 in PSUM."""
    (depth, rows), columns = a.shape, b.shape[1]
    out = nl.ndarray((rows, columns), a.dtype, buffer=nl.shared_hbm)
    for n in range(0, columns, 1024):
        for m in range(0, rows, 2048):
            sums = nl.zeros((16, nl.par_dim(_P), 1024), nl.float32, buffer=nl.sbuf)
            for h in range(0, depth, 1024):
                right = nl.ndarray((8, nl.par_dim(_P), 1024), b.dtype, buffer=nl.sbuf)
                left = nl.ndarray((8, nl.par_dim(_P), 2048), a.dtype, buffer=nl.sbuf)
                for k in range(8):
                    right[k] = nl.load(b[nl.ds(h + k * _P, _P), nl.ds(n, 1024)])
                    left[k] = nl.load(a[nl.ds(h + k * _P, _P), nl.ds(m, 2048)])
                for i in range(16):
                    for j in range(2):
                        total = nl.zeros((_P, _WIDE), nl.float32, buffer=nl.psum)
                        for k in range(8):
                            total += nisa.nc_matmul(
                                left[k][:, nl.ds(i * _P, _P)], right[k][:, nl.ds(j * _WIDE, _WIDE)]
                            )
                        sums[i, :, nl.ds(j * _WIDE, _WIDE)] = nl.add(
                            sums[i, :, nl.ds(j * _WIDE, _WIDE)], total
                        )
            for i in range(16):
                nl.store(out[nl.ds(m + i * _P, _P), nl.ds(n, 1024)], nl.copy(sums[i], dtype=a.dtype))
    return out
