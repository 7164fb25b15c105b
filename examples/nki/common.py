"""Code that the examples share: names of neuronxcc.nki in this process, and a line about each run."""

import numpy as np

import trnsim.nki

trnsim.nki.install()  # from here on `import neuronxcc.nki` gives trnsim's modules, and kernels run on the RTL


def check(kernel, found, expected, tolerance):
    """Compares a result with NumPy's, relative to the largest element, and prints the cost of the run."""
    error = np.abs(found.astype(np.float64) - expected).max() / np.abs(expected).max()
    assert error <= tolerance, f"{kernel.__name__}: error {error:.1e}, expected at most {tolerance:.1e}"
    figures = kernel.result.statistics
    engines = "  ".join(
        f"{name} {100 * figures['engines'][name]['utilisation']:.0f} %"
        for name in ("tensor", "vector", "scalar")
    )
    print(f"{kernel.__name__:24} {figures['cycles']:8} cycles   {engines}   error {error:.1e}")
    return figures
