"""The scan of a Mamba layer in float32: states of each channel decay, are fed and are read.

delta and u are [channels, length], a is [channels, states], b and c are [states, length].
"""

from __future__ import annotations

from typing import Any

from neuronxcc import nki
from neuronxcc.nki import isa as nisa, language as nl

_P = 128
_WIDE = 512  # elements a partition


@nki.jit
def scan_reloaded(delta: Any, u: Any, a: Any, b: Any, c: Any) -> Any:
    """Loads delta and u again for each state; five instructions of Vector with two operands in SBUF."""
    (channels, length), states = delta.shape, a.shape[1]
    out = nl.ndarray((channels, length), delta.dtype, buffer=nl.shared_hbm)
    totals = nl.zeros((channels // _P, nl.par_dim(_P), length), nl.float32, buffer=nl.sbuf)
    for s in range(states):
        for i in range(channels // _P):
            rows = nl.ds(i * _P, _P)
            step = nl.load(delta[rows, :])
            decay = nisa.activation(nl.exp, step, scale=nl.load(a[rows, nl.ds(s, 1)]))
            fed = nisa.tensor_tensor(step, nl.load(u[rows, :]), nl.multiply)
            into = nl.load(b[nl.ds(s, 1), :]).broadcast_to((_P, length))
            state = nisa.tensor_tensor_scan(
                decay, nisa.tensor_tensor(fed, into, nl.multiply), 0.0, nl.multiply, nl.add
            )
            read = nl.load(c[nl.ds(s, 1), :]).broadcast_to((_P, length))
            totals[i] = nl.add(totals[i], nisa.tensor_tensor(state, read, nl.multiply))
    for i in range(channels // _P):
        nl.store(out[nl.ds(i * _P, _P), :], totals[i])
    return out


def _of_all_partitions(row: Any, ones: Any) -> Any:
    """Returns a row in each partition: the product with a column of ones, in PSUM."""
    return nisa.nc_matmul(ones, row)


def _states(delta: Any, u: Any, a: Any, b: Any, c: Any, hoists: bool) -> Any:
    """The scan in pieces of 512 elements, with b and c spread over the partitions by Tensor.

    With `hoists` the product of delta and u is the same one for all states.
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
            step, fed_from = nl.load(delta[rows, columns]), nl.load(u[rows, columns])
            total = nl.zeros((nl.par_dim(_P), _WIDE), nl.float32, buffer=nl.sbuf)
            fed = nisa.tensor_tensor(step, fed_from, nl.multiply) if hoists else None
            for s in range(states):
                decay = nisa.activation(nl.exp, step, scale=rates[:, nl.ds(s, 1)])
                if not hoists:
                    fed = nisa.tensor_tensor(step, fed_from, nl.multiply)
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


@nki.jit
def scan_by_states(delta: Any, u: Any, a: Any, b: Any, c: Any) -> Any:
    """Multiplies delta and u for each state, as the profile shows."""
    return _states(delta, u, a, b, c, hoists=False)


@nki.jit
def scan_hoisted(delta: Any, u: Any, a: Any, b: Any, c: Any) -> Any:
    """Multiplies delta and u once for all states."""
    return _states(delta, u, a, b, c, hoists=True)
