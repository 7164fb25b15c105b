"""The 16 largest elements of each row and their indices: eight at a time, then those found are removed."""

import common
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np
from neuronxcc import nki

ROUNDS = 2


@nki.jit
def top_k(x):
    rows = x.shape[0]
    values = nl.ndarray((rows, 8 * ROUNDS), nl.float32, buffer=nl.shared_hbm)
    places = nl.ndarray((rows, 8 * ROUNDS), nl.uint32, buffer=nl.shared_hbm)
    left = nl.load(x)
    for turn in nl.static_range(ROUNDS):
        eight = nisa.max8(src=left)
        nl.store(places[:, nl.ds(8 * turn, 8)], nisa.nc_find_index8(data=left, vals=eight))
        nl.store(values[:, nl.ds(8 * turn, 8)], eight)
        left = nisa.nc_match_replace8(data=left, vals=eight, imm=-np.inf)
    return values, places


def main():
    x = np.random.default_rng(1).normal(size=(100, 700)).astype(np.float32)
    values, places = top_k(x)
    expected = -np.sort(-x, axis=1)[:, : 8 * ROUNDS]
    assert np.array_equal(np.take_along_axis(x, places.astype(np.int64), 1), expected)
    common.check(top_k, values, expected, 0)


if __name__ == "__main__":
    main()
