"""Kernels of at most 16 partitions, for configurations that have no more.

As a script, with NKI_TRNSIM_CONFIG, it compares each with NumPy's simulation.
"""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import numpy as np
from nki_common import BF16, arrange
from nki_rtl import differences

arrange()

import trnsim  # noqa: E402
import trnsim.nki.isa as nisa  # noqa: E402
import trnsim.nki.language as nl  # noqa: E402
from trnsim import nki  # noqa: E402
from trnsim.nki import device  # noqa: E402
from trnsim.nki.kernel import launch_of  # noqa: E402

P = 16


def softmax(x):
    out = nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(x.shape[0] // P):
        rows = nl.load(x[nl.ds(i * P, P), :])
        total = nl.ndarray((P, 1), nl.float32)
        low = nisa.tensor_reduce(np.max, rows, axis=(1,), negate=True)
        powers = nisa.activation_reduce(
            np.exp, rows, bias=low, reduce_op=np.add, reduce_res=total, dtype=nl.float32
        )
        nl.store(
            out[nl.ds(i * P, P), :],
            nisa.tensor_scalar(powers, np.multiply, nisa.reciprocal(total), dtype=x.dtype),
        )
    return out


def matmul(a, b):
    """a.T @ b, in blocks."""
    depth, rows = a.shape
    out = nl.ndarray((rows, b.shape[1]), nl.float32, buffer=nl.shared_hbm)
    for m in nl.affine_range(rows // P):
        total = nl.zeros((P, b.shape[1]), nl.float32, buffer=nl.psum)
        for k in nl.affine_range(depth // P):
            total += nisa.nc_matmul(
                nl.load(a[nl.ds(k * P, P), nl.ds(m * P, P)]), nl.load(b[nl.ds(k * P, P), :])
            )
        nl.store(out[nl.ds(m * P, P), :], total)
    return out


def transposed(x):
    out = nl.ndarray((x.shape[1], x.shape[0]), x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nisa.nc_transpose(nl.load(x)))
    return out


def parts(x):
    """Operands at partitions where the engines of this core begin, and where they do not."""
    out = nl.ndarray((4, 3, x.shape[1]), x.dtype, buffer=nl.shared_hbm)
    rows = nl.load(x)
    for i, first in enumerate((0, 4, 5, 12)):
        nl.store(out[i], nisa.tensor_scalar(rows[first : first + 3, :], np.multiply, 2.0))
    return out


def over_partitions(x):
    out = nl.ndarray((1, x.shape[1]), x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nisa.tensor_partition_reduce(np.max, nl.load(x)))
    return out


def large(x):
    """Needs more than SBUF has at once."""
    out = nl.ndarray(x.shape[1:], x.dtype, buffer=nl.shared_hbm)
    tiles = [nl.load(x[k]) for k in range(x.shape[0])]
    total = tiles[-1]
    for tile in reversed(tiles[:-1]):
        total = nl.add(total, tile)
    nl.store(out, nl.add(total, tiles[-1]))
    return out


def cases(rng):
    def normal(*shape):
        return rng.normal(size=shape).astype(np.float32)

    return [
        (softmax, (normal(3 * P, 70),)),
        (matmul, (normal(3 * P, 2 * P).astype(BF16), normal(3 * P, 50).astype(BF16))),
        (transposed, (normal(13, 11),)),
        (parts, (normal(P, 33),)),
        (over_partitions, (normal(P, 20),)),
    ]


def run(kernel, arguments, **options):
    expected = nki.simulate_kernel(kernel, *arguments)
    made = nki.jit(kernel, **options)
    found = made(*arguments)
    wrong = differences(found, expected)
    launch = launch_of(made, arguments, {})
    recording = device.recording(launch)
    golden = trnsim.interpret(recording.package, recording.inputs(launch))
    kept = [array for array in golden.values() if array.shape == found.shape]
    if not any(array.tobytes() == found.tobytes() for array in kept):
        wrong.append("other bits than the interpreter's")
    print(f"{kernel.__name__}: {'; '.join(wrong) or 'as in NumPy'}", flush=True)


def main():
    rng = np.random.default_rng(int(os.environ.get("TRNSIM_TEST_SEED", "20260101")))
    for kernel, arguments in cases(rng):
        run(kernel, arguments)
    x = rng.normal(size=(6, P, 3000)).astype(np.float32)
    try:
        nki.jit(large, spill=False)(x)
    except nki.NkiError as error:
        print(f"large: {error.name}", flush=True)
    run(large, (x,))
    try:
        nki.jit(transposed)(np.ones((100, 2), np.float32))
    except nki.NkiError as error:
        print(error.text, flush=True)


if __name__ == "__main__":
    main()
