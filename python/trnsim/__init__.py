"""trnsim: an RTL-level model of a Trainium-class accelerator.

Example:

    import numpy as np, trnsim

    package = trnsim.kernels.build("matmul", M=24, K=32, N=40, dtype="bf16", config="small16")
    with trnsim.Session("small16") as session:
        model = session.load(package)
        result = model(a=np.ones((32, 24), np.float32), b=np.ones((32, 40), np.float32))
        print(result["c"], result.cycles)
"""

import importlib.metadata

from . import kernels
from ._trnsim import (
    Bank,
    Config,
    Event,
    GpsimdImage,
    KernelBuilder as _KernelBuilder,
    LoopIndex,
    Package,
    Queue,
    Status,
    TensorView,
    Tile,
)
from .communicator import Collective, Communicator
from .config import ConfigLike, load_config
from .errors import (
    AllocationError,
    ConfigError,
    Error,
    ExecutionError,
    InterpreterError,
    KernelError,
    PackageError,
    UnwrittenWarning,
)
from .interpreter import interpret
from .session import DeviceTensor, Model, Result, Results, Session

__version__ = importlib.metadata.version("trnsim")


class KernelBuilder(_KernelBuilder):
    __doc__ = _KernelBuilder.__doc__

    def __init__(
        self,
        name: str,
        config: ConfigLike = "trn1",
        *,
        arguments: str = "",
        derive_waits: bool = True,
        steps: bool = False,
    ):
        self._config = load_config(config)
        super().__init__(name, self._config, arguments, derive_waits, steps)

    def compile(  # type: ignore[override]  # the configuration is that of the builder
        self, *, sbuf: int = 0, spill: tuple[Queue, Queue] | None = None, keep_repeats: bool = False
    ) -> tuple[Package, list[str]]:
        """Orders the steps of a builder made with steps=True, places their buffers and finishes the package.

          sbuf: bytes of an SBUF partition that buffers may take; 0 means all of them.
          spill: the queues for loads and stores of buffers that may go to HBM for a while;
            None means no buffer may.
          keep_repeats: whether a load or instruction that makes again what a buffer has already is executed.

        Returns the package and a line of text for each buffer that goes to HBM. Raises AllocationError if a
        buffer does not fit; the error names it.
        """
        return super().compile(self._config, sbuf, spill, keep_repeats)


__all__ = [
    "AllocationError",
    "Bank",
    "Collective",
    "Communicator",
    "Config",
    "ConfigError",
    "DeviceTensor",
    "Error",
    "Event",
    "ExecutionError",
    "GpsimdImage",
    "InterpreterError",
    "KernelBuilder",
    "KernelError",
    "LoopIndex",
    "Model",
    "Package",
    "PackageError",
    "Queue",
    "Result",
    "Results",
    "Session",
    "Status",
    "TensorView",
    "Tile",
    "UnwrittenWarning",
    "interpret",
    "kernels",
    "load_config",
]
