"""Helpers of the tests of trnsim.nki."""

import os
import sys
import types
from pathlib import Path

import ml_dtypes
import numpy as np

TREE = Path(__file__).resolve().parents[3]
BF16, E4M3, E5M2 = (np.dtype(t) for t in (ml_dtypes.bfloat16, ml_dtypes.float8_e4m3, ml_dtypes.float8_e5m2))

#: Half the relative distance of two neighbours of a float type.
HALF_STEP = {
    np.dtype(np.float32): 2.0**-24,
    np.dtype(np.float16): 2.0**-11,
    BF16: 2.0**-8,
    E4M3: 2.0**-4,
    E5M2: 2.0**-3,
}


def arrange():
    """Makes trnsim.nki importable, of the installed package or of the tree; it needs no extension module."""
    try:
        import trnsim  # noqa: F401
    except ImportError:
        package = types.ModuleType("trnsim")
        package.__path__ = [str(TREE / "python/trnsim")]
        sys.modules["trnsim"] = package


def samples_folder():
    """Returns the folder of the public kernels, beside the tree or beside a folder that holds it."""
    named = os.environ.get("TRNSIM_NKI_SAMPLES")
    folders = [Path(named)] if named else [folder / "shared/nki-samples" for folder in TREE.parents]
    return next((folder for folder in folders if folder.is_dir()), None)


def evaluate(body, *arrays):
    """Loads arrays as tiles, calls a body with them, and returns its results as arrays."""
    import trnsim.nki.language as nl
    from trnsim import nki

    @nki.jit(mode="simulation")
    def kernel(*inputs):
        results = body(*[nl.load(x) for x in inputs])
        outputs = []
        for result in results if isinstance(results, tuple) else (results,):
            output = nl.ndarray(result.shape, dtype=result.dtype, buffer=nl.shared_hbm)
            nl.store(output, result)
            outputs.append(output)
        return tuple(outputs) if isinstance(results, tuple) else outputs[0]

    return kernel(*arrays)


def assert_near(found, expected, steps=4, atol=1e-6):
    """Checks equality with values in double precision, up to a number of roundings of the found type."""
    bound = steps * 2 * HALF_STEP[found.dtype]
    np.testing.assert_allclose(found.astype(np.float64), expected, rtol=bound, atol=atol)
