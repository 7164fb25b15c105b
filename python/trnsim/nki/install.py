"""Puts neuronxcc.nki and its modules into sys.modules of this process, for kernels that import the SDK's
package.
"""

from __future__ import annotations

import importlib.util
import sys
import types

from . import kernel

#: The version of the public interface, and the name that tells whose package it is.
VERSION = "2.26.1+trnsim"

_MODULES = (
    "language",
    "language.constants",
    "isa",
    "isa.constants",
    "compiler",
    "kernels",
    "kernels.allocated_attention",
    "kernels.allocated_fused_linear",
    "kernels.attention",
    "kernels.rmsnorm_quant",
    "kernels.rmsnorm_quant.rmsnorm_quant",
    "kernels.vision",
    "typing",
)


def _is_ours(module: object) -> bool:
    return getattr(module, "__version__", None) == VERSION


def _is_installed() -> bool:
    """Returns whether there is another package of that name."""
    if "neuronxcc" in sys.modules:
        return not _is_ours(sys.modules["neuronxcc"])
    return importlib.util.find_spec("neuronxcc") is not None


def install(*, mode: str | None = None, replace: bool = False) -> str:
    """Makes `import neuronxcc.nki` give this package, and returns its version.

    With mode="simulation", kernels without a mode of their own run in NumPy. Raises ImportError if the SDK's
    package is installed, unless `replace` is given.
    """
    kernel.choose_mode(mode)
    if _is_installed() and not replace:
        raise ImportError(
            "neuronxcc is installed; trnsim.nki.install(replace=True) takes its place in this process"
        )
    for name in [name for name in sys.modules if name == "neuronxcc" or name.startswith("neuronxcc.")]:
        del sys.modules[name]
    package = types.ModuleType(
        "neuronxcc", "Not Amazon's compiler: trnsim's modules under the names of its kernel language."
    )
    nki = sys.modules[__package__]
    vars(package).update(__path__=[], __version__=VERSION, nki=nki)
    sys.modules["neuronxcc"] = package
    sys.modules["neuronxcc.nki"] = nki
    for name in _MODULES:
        sys.modules[f"neuronxcc.nki.{name}"] = sys.modules[f"{__package__}.{name}"]
    return VERSION


def uninstall() -> None:
    """Removes the names."""
    if _is_ours(sys.modules.get("neuronxcc")):
        for name in [name for name in sys.modules if name == "neuronxcc" or name.startswith("neuronxcc.")]:
            del sys.modules[name]
    kernel.choose_mode(None)
