#!/usr/bin/env python3
"""Makes inputs of the kernels in the pictures, with values that are easy to follow.

usage: example_inputs.py FOLDER
"""

import itertools
import struct
import sys
from pathlib import Path

# Inputs by file: of the network, of layernorm, of softmax, of the cast.
TENSORS = {
    "x": ((32, 64), lambda feature, sample: (feature + sample) % 8 / 4),
    "w1": ((32, 32), lambda feature, unit: {0: 1.0, 1: -0.5}.get((feature - unit) % 16, 0.0)),
    "b1": ((32,), lambda unit: unit / 8),
    "w2": ((32, 16), lambda unit, result: 1.0 if unit // 2 == result else 0.0),
    "b2": ((16,), lambda result: -1.0),
    "rows": ((16, 64), lambda row, column: row + column % 4),
    "ones": ((64,), lambda column: 1.0),
    "zeros": ((64,), lambda column: 0.0),
    "scores": ((16, 64), lambda row, column: (row + column) % 8 / 4),
    "steps": ((16, 64), lambda row, column: 1 + row + column / 1000),
}


def npy(shape, value):
    values = [value(*index) for index in itertools.product(*map(range, shape))]
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}}}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return (
        b"\x93NUMPY\x01\x00"
        + struct.pack("<H", len(header))
        + header.encode()
        + struct.pack(f"<{len(values)}f", *values)
    )


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for name, tensor in TENSORS.items():
        (Path(sys.argv[1]) / f"{name}.npy").write_bytes(npy(*tensor))
