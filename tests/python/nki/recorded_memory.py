"""Records a kernel of many operations, as a program of its own: recorded_memory.py OPERATIONS [--executed]

The recording is one for the device, or with --executed one of nki.record, which executes the operations.
Prints a line of JSON: operations, seconds, and the largest resident set in bytes before and after.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
from nki_common import BF16, arrange

arrange()

import trnsim.nki.isa as nisa  # noqa: E402
import trnsim.nki.language as nl  # noqa: E402
from trnsim.nki import device, record  # noqa: E402
from trnsim.nki.kernel import launch_of  # noqa: E402

_P, _WIDE, _BLOCKS = 128, 512, 16
_IN_A_ROUND = 12 * _BLOCKS + 8  # operations


def largest_resident_set():
    """Returns bytes. getrusage would include the process that has started this one."""
    with Path("/proc/self/status").open() as status:
        return next(1024 * int(line.split()[1]) for line in status if line.startswith("VmHWM:"))


def batched_products(a, b, rounds):
    """Products of a.T and b [depth, 512], one in each round, with a causal mask.

    Each round makes its tensors of 16 blocks anew.
    """
    out = nl.ndarray((_P, _WIDE), a.dtype, buffer=nl.shared_hbm)
    p, f = nl.arange(_P)[:, None], nl.arange(_WIDE)[None, :]
    for i in nl.affine_range(rounds):
        left, right = (nl.ndarray((_BLOCKS, nl.par_dim(_P), columns), a.dtype) for columns in (_P, _WIDE))
        shares = nl.ndarray((_BLOCKS, nl.par_dim(_P), _WIDE), nl.float32)
        for k in nl.affine_range(_BLOCKS):
            left[k], right[k] = nl.load(a[nl.ds(k * _P, _P), :]), nl.load(b[k * _P + p, f])
        total = nl.zeros((_P, _WIDE), nl.float32, buffer=nl.psum)
        for k in nl.affine_range(_BLOCKS):
            turned = nisa.tensor_copy(nisa.nc_transpose(left[k]), dtype=a.dtype)
            total += nisa.nc_matmul(turned, right[k])
            shares[k] = nl.multiply(right[k], 0.5)
            shares[k, p, f] = nl.add(shares[k, p, f], 1.0, mask=p + i >= f)
        kept = nl.ndarray((_P, _WIDE), nl.float32)
        kept[...] = nl.where(p >= f, nl.copy(total), nl.exp(shares[0]))
        nl.store(out, kept)
    return out


def main():
    wanted = int(sys.argv[1])
    a, b = (np.ones((_BLOCKS * _P, columns), BF16) for columns in (_P, _WIDE))

    def kernel(a, b):
        return batched_products(a, b, -(-wanted // _IN_A_ROUND))

    before, start = largest_resident_set(), time.perf_counter()
    if "--executed" in sys.argv:
        operations, _ = record(kernel, a, b)
    else:
        operations, _, _ = device.traced(launch_of(kernel, (a, b), {}))
    seconds = time.perf_counter() - start
    print(
        json.dumps(
            {
                "operations": len(operations),
                "seconds": seconds,
                "before": before,
                "after": largest_resident_set(),
            }
        )
    )


if __name__ == "__main__":
    main()
