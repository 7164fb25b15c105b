"""trnsim.nki: kernels in the language of `neuronxcc.nki` 0.1 (SDK 2.26.1), run by tracing.

It is not Amazon's package. Example:

    import numpy as np, trnsim.nki as nki, trnsim.nki.language as nl

    @nki.jit(mode="simulation")
    def double(x):
        y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(y, nl.load(x) * 2.0)
        return y

    print(double(np.ones((128, 512), np.float32)))
"""

from . import compiler, isa, kernels, language, typing
from .context import checks
from .errors import NkiError
from .install import VERSION, install, uninstall
from .kernel import baremetal, benchmark, jit, profile, simulate_kernel, trace
from .recorder import record
from .report import Report, check
from .tensor import Tensor as tensor  # noqa: N813  # the name in neuronxcc.nki
from .watch import NkiWarning

__version__ = VERSION


class FrameworkKernel:
    """The SDK's base class of kernels in frameworks; it is not available here."""

    def __init__(self, *args: object, **options: object) -> None:
        raise NkiError(
            "err_not_available",
            "nki.FrameworkKernel, which makes custom calls of frameworks, expected nki.simulate_kernel",
        )


__all__ = [
    "FrameworkKernel",
    "NkiError",
    "NkiWarning",
    "Report",
    "baremetal",
    "benchmark",
    "check",
    "checks",
    "compiler",
    "install",
    "isa",
    "jit",
    "kernels",
    "language",
    "profile",
    "record",
    "simulate_kernel",
    "tensor",
    "trace",
    "typing",
    "uninstall",
]
