"""The scan of a Mamba layer in float32: states of each channel decay, are fed and are read.

delta and u are [channels, length], a is [channels, states], b and c are [states, length].
"""

from __future__ import annotations

from typing import Any

from neuronxcc import nki
from neuronxcc.nki import isa as nisa, language as nl

from .loads import load_again

_P = 128
_WIDE = 512  # elements a partition


@nki.jit
def scan_reloaded(delta: Any, u: Any, a: Any, b: Any, c: Any) -> Any:
    """Loads delta and u again for each state, b and c for each 128 channels.

    Vector has five instructions with two operands in SBUF for each state.
    """
    (channels, length), states = delta.shape, a.shape[1]
    out = nl.ndarray((channels, length), delta.dtype, buffer=nl.shared_hbm)
    totals = nl.zeros((channels // _P, nl.par_dim(_P), length), nl.float32, buffer=nl.sbuf)
    for s in range(states):
        for i in range(channels // _P):
            rows = nl.ds(i * _P, _P)
            step = load_again(delta[rows, :], s)
            decay = nisa.activation(nl.exp, step, scale=nl.load(a[rows, nl.ds(s, 1)]))
            fed = nisa.tensor_tensor(step, load_again(u[rows, :], s), nl.multiply)
            into = load_again(b[nl.ds(s, 1), :], i).broadcast_to((_P, length))
            state = nisa.tensor_tensor_scan(
                decay, nisa.tensor_tensor(fed, into, nl.multiply), 0.0, nl.multiply, nl.add
            )
            read = load_again(c[nl.ds(s, 1), :], i).broadcast_to((_P, length))
            totals[i] = nl.add(totals[i], nisa.tensor_tensor(state, read, nl.multiply))
    for i in range(channels // _P):
        nl.store(out[nl.ds(i * _P, _P), :], totals[i])
    return out


def _of_all_partitions(row: Any, ones: Any) -> Any:
    """Returns a row in each partition: the product with a column of ones, in PSUM."""
    return nisa.nc_matmul(ones, row)


def _spread(source: Any, times: int, ones: Any) -> Any:
    """Returns a row that was loaded `times` times before in each partition, in SBUF."""
    return nisa.tensor_copy(_of_all_partitions(load_again(source, times), ones), engine=nisa.scalar_engine)


@nki.jit
def scan_by_states(delta: Any, u: Any, a: Any, b: Any, c: Any) -> Any:
    """The scan in pieces of 512 elements; delta is loaded again for each state.

    Rows of b and c come from HBM, through Tensor and by Scalar to all partitions, for each 128 channels.
    """
    (channels, length), states = delta.shape, a.shape[1]
    tiles = channels // _P
    out = nl.ndarray((channels, length), delta.dtype, buffer=nl.shared_hbm)
    ones = nisa.memset((1, _P), 1.0, nl.float32)
    rates = [nl.load(a[nl.ds(i * _P, _P), :]) for i in range(tiles)]
    last = [nl.zeros((nl.par_dim(_P), states), nl.float32, buffer=nl.sbuf) for _ in range(tiles)]
    for first in range(0, length, _WIDE):
        columns = nl.ds(first, _WIDE)
        for i in range(tiles):
            rows = nl.ds(i * _P, _P)
            total = nl.zeros((nl.par_dim(_P), _WIDE), nl.float32, buffer=nl.sbuf)
            step = load_again(delta[rows, columns], 0)
            fed = nisa.tensor_tensor(step, nl.load(u[rows, columns]), nl.multiply)
            for s in range(states):
                step = step if s == 0 else load_again(delta[rows, columns], s)
                decay = nisa.activation(nl.exp, step, scale=rates[i][:, nl.ds(s, 1)])
                into = _spread(b[nl.ds(s, 1), columns], i, ones)
                state = nisa.tensor_tensor_scan(
                    decay,
                    nisa.tensor_tensor(fed, into, nl.multiply),
                    last[i][:, nl.ds(s, 1)],
                    nl.multiply,
                    nl.add,
                )
                if first + _WIDE < length:
                    last[i][:, nl.ds(s, 1)] = nisa.tensor_copy(
                        state[:, nl.ds(_WIDE - 1, 1)], engine=nisa.scalar_engine
                    )
                read = _spread(c[nl.ds(s, 1), columns], i, ones)
                total[...] = nl.add(total, nisa.tensor_tensor(state, read, nl.multiply))
            nl.store(out[rows, columns], total)
    return out


@nki.jit
def scan_hoisted(delta: Any, u: Any, a: Any, b: Any, c: Any) -> Any:
    """The scan in pieces of 512 elements, with b and c spread over the partitions by Tensor.

    The product of delta and u is the same one for all states.
    """
    (channels, length), states = delta.shape, a.shape[1]
    out = nl.ndarray((channels, length), delta.dtype, buffer=nl.shared_hbm)
    ones = nisa.memset((1, _P), 1.0, nl.float32)
    for i in range(channels // _P):
        rows = nl.ds(i * _P, _P)
        rates = nl.load(a[rows, :])
        last = nl.zeros((nl.par_dim(_P), states), nl.float32, buffer=nl.sbuf)
        for first in range(0, length, _WIDE):
            columns = nl.ds(first, _WIDE)
            step = nl.load(delta[rows, columns])
            fed = nisa.tensor_tensor(step, nl.load(u[rows, columns]), nl.multiply)
            total = nl.zeros((nl.par_dim(_P), _WIDE), nl.float32, buffer=nl.sbuf)
            for s in range(states):
                decay = nisa.activation(nl.exp, step, scale=rates[:, nl.ds(s, 1)])
                into = _of_all_partitions(nl.load(b[nl.ds(s, 1), columns]), ones)
                state = nisa.tensor_tensor_scan(
                    decay,
                    nisa.tensor_tensor(fed, into, nl.multiply),
                    last[:, nl.ds(s, 1)],
                    nl.multiply,
                    nl.add,
                )
                if first + _WIDE < length:
                    last[:, nl.ds(s, 1)] = nisa.tensor_copy(
                        state[:, nl.ds(_WIDE - 1, 1)], engine=nisa.scalar_engine
                    )
                read = _of_all_partitions(nl.load(c[nl.ds(s, 1), columns]), ones)
                total[...] = nl.add(total, nisa.tensor_tensor(state, read, nl.multiply))
            nl.store(out[rows, columns], total)
    return out
