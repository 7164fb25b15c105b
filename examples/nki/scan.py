"""A linear recurrence along the free dimension: h[t] = a[t] h[t-1] + b[t], in pieces of time."""

import common
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np
from neuronxcc import nki

PIECE = 256


@nki.jit
def recurrence(a, b):
    """The last state of a piece is the initial state of the next."""
    channels, length = a.shape
    out = nl.ndarray(a.shape, a.dtype, buffer=nl.shared_hbm)
    state = nl.zeros((channels, 1), nl.float32)
    for piece in nl.sequential_range(length // PIECE):
        here = nl.ds(piece * PIECE, PIECE)
        states = nisa.tensor_tensor_scan(
            nl.load(a[:, here]), nl.load(b[:, here]), initial=state, op0=np.multiply, op1=np.add
        )
        state[...] = nisa.tensor_copy(states[:, PIECE - 1 : PIECE])
        nl.store(out[:, here], states)
    return out


def main():
    rng = np.random.default_rng(1)
    a, b = (
        rng.uniform(0.5, 1, (100, 1024)).astype(np.float32),
        rng.normal(size=(100, 1024)).astype(np.float32),
    )
    state, expected = np.zeros(100), np.zeros((100, 1024))
    for t in range(1024):
        state = expected[:, t] = a[:, t].astype(np.float64) * state + b[:, t]
    common.check(recurrence, recurrence(a, b), expected, 1e-6)


if __name__ == "__main__":
    main()
