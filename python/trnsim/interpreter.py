"""The interpreter: it computes the bits that the hardware must give, and reports races."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from . import _trnsim
from ._trnsim import Package, Status
from .arrays import DTYPES, to_device
from .errors import Error


def check_inputs(package: Package, given: Collection[str], where: str = "") -> None:
    """Raises Error for an input that is missing, as sessions do. `where` is put before the text."""
    for tensor in package.tensors:
        if tensor["kind"] in ("input", "update") and tensor["name"] not in given:
            needed = f"'{tensor['name']}' of {'x'.join(map(str, tensor['shape']))} {tensor['dtype']}"
            raise Error(f"{where}kernel '{package.name}' needs input {needed}", Status.EXEC_BAD_INPUT)


def interpret(
    package: Package,
    inputs: Mapping[str, Any],
    *,
    stochastic_rounding: bool = False,
    seed: int = 0,
    order: int = 1,
    max_work: int | None = None,
) -> dict[str, np.ndarray]:
    """Runs a package without time and returns its outputs by name.

      inputs: arrays by name.
      stochastic_rounding, seed: the rounding of the cores.
      order: the order in which engines and DMA engines take turns, as far as semaphores allow:
        0 is the earliest, 1 the latest, another number a random one.
      max_work: the limit of the work, in elements of all partitions as docs/running.md counts them; None
        means 2^34, and 2^28 in loops.

    Raises InterpreterError for two accesses that nothing orders, for a read of a byte or an element of an
    output that nothing has written, for an instruction that a core refuses, for a deadlock and for a program
    that does not end within the limit, and Error for an input that is missing.
    """
    tensors = {tensor["name"]: tensor for tensor in package.tensors}
    contents = {}
    for name, array in inputs.items():
        if name not in tensors:
            raise Error(
                f"kernel '{package.name}' has no input '{name}'; its tensors: {' '.join(tensors)}",
                Status.EXEC_BAD_INPUT,
            )
        contents[name] = to_device(name, tensors[name]["dtype"], array)
    check_inputs(package, contents)
    outputs = _trnsim.interpret(package, contents, stochastic_rounding, seed, order, max_work)
    return {
        name: np.frombuffer(bytearray(data), DTYPES[tensors[name]["dtype"]]).reshape(tensors[name]["shape"])
        for name, data in outputs.items()
    }
