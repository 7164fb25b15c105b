"""Sessions: packages loaded once and executed many times, tensors that stay on the device."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

from . import _trnsim
from ._trnsim import Config, Package
from .arrays import dtype_name, from_device, to_device
from .config import ConfigLike, load_config
from .errors import Error, ExecutionError, Status

#: Ends of an execution whose outputs are there.
DONE = (Status.SUCCESS, Status.EXEC_COMPLETED_WITH_NUM_ERR)


class Result:
    """What an execution gave."""

    def __init__(self, execution: _trnsim.Execution, outputs: dict[str, np.ndarray]):
        #: SUCCESS, or EXEC_COMPLETED_WITH_NUM_ERR where an engine has written a NaN.
        self.status = Status(execution.status)
        #: Arrays by name, of the outputs that are not bound to tensors of the device.
        self.outputs = outputs
        #: Cycles of the core clock from the start of the first engine.
        self.cycles: int = execution.cycles
        #: Lines that the GpSimd cores printed, "[gpsimd core 3] text"; execute() prints them as well.
        self.printed: list[str] = execution.printed
        self._statistics = execution.statistics

    @property
    def statistics(self) -> dict[str, Any]:
        """All figures, as `trnsim run --stats` writes them (docs/statistics.md)."""
        return json.loads(self._statistics)

    def __getitem__(self, output: str) -> np.ndarray:
        return self.outputs[output]

    def __repr__(self) -> str:
        return f"<trnsim.Result {self.status.name}, {self.cycles} cycles, outputs {', '.join(self.outputs) or 'bound'}>"


class DeviceTensor:
    """A tensor in HBM that stays there between executions, until free() or the end of the session."""

    def __init__(self, session: Session, name: str, dtype: str, shape: tuple[int, ...], stack: Optional[int]):
        self._session = session
        self.name, self.dtype, self.shape = name, dtype, shape
        self._id = session._session.allocate(name, dtype, list(shape), stack)

    def write(self, array: Any) -> None:
        """Replaces the contents by an array of this shape, in this element type or fp32."""
        self._session._session.write(self._id, to_device(self.name, self.dtype, array))

    def read(self) -> np.ndarray:
        """The contents, in NumPy's type of the element type."""
        return from_device(self.dtype, self._session._session.read(self._id))

    @property
    def address(self) -> int:
        """The system address."""
        return self._session._session.address(self._id)

    def free(self) -> None:
        """Gives the memory back; refused while a loaded package has the tensor bound."""
        self._session._session.free(self._id)

    def __repr__(self) -> str:
        return f"<trnsim.DeviceTensor {self.name} {self.dtype} {list(self.shape)}>"


class Model:
    """A package that is loaded into a session."""

    def __init__(self, session: Session, package: Package, bindings: Mapping[str, DeviceTensor]):
        self._session = session
        self.package = package
        self._dtypes = {tensor["name"]: tensor["dtype"] for tensor in package.tensors}
        self._id = session._session.load(package, _ids(bindings))

    def execute(
        self,
        inputs: Optional[Mapping[str, Any]] = None,
        *,
        bindings: Optional[Mapping[str, DeviceTensor]] = None,
        stochastic_rounding: bool = False,
        seed: int = 0,
        max_time: Optional[str] = None,
        wave: "str | os.PathLike[str] | None" = None,
        wave_scopes: Sequence[str] = (),
        wave_cycles: Optional[tuple[int, int]] = None,
        trace: "str | os.PathLike[str] | None" = None,
        read_outputs: bool = True,
    ) -> Result:
        """Executes the package with these inputs.

        inputs: arrays by name. bindings: tensors of the device in their place, or in that of outputs, for this execution.
        stochastic_rounding, seed: how the core rounds. max_time: simulated time ("5 ms") after which it is stopped.
        wave: a waveform, .fst, with a view for GTKWave beside it; wave_scopes: its parts; wave_cycles: from and to, counted from
        the start of the first engine. trace: a timeline for Perfetto, .json. read_outputs: those that are not bound come back as
        arrays.

        Raises ExecutionError when it went wrong; ^C stops it and raises KeyboardInterrupt.
        """
        arrays = {
            name: to_device(name, self._dtypes.get(name, "fp32"), array) for name, array in (inputs or {}).items() if self._known(name)
        }
        execution = self._session._session.execute(
            self._id,
            arrays,
            _ids(bindings or {}),
            stochastic_rounding,
            seed,
            max_time,
            None if trace is None else os.fspath(trace),
            None if wave is None else os.fspath(wave),
            list(wave_scopes),
            wave_cycles,
            read_outputs,
        )
        for line in execution.printed:
            print(line)
        if execution.status not in DONE:
            raise ExecutionError(execution.message, execution.status, json.loads(execution.statistics))
        outputs = {name: from_device(self._dtypes[name], array) for name, array in execution.outputs.items()}
        return Result(execution, outputs)

    def __call__(self, **inputs: Any) -> Result:
        """execute() with inputs by keyword."""
        return self.execute(inputs)

    def _known(self, name: str) -> bool:
        inputs = [tensor["name"] for tensor in self.package.tensors if tensor["kind"] in ("input", "update")]
        if name in inputs:
            return True
        raise Error(f"kernel '{self.package.name}' has no input '{name}'; its inputs: {' '.join(inputs)}", Status.EXEC_BAD_INPUT)

    def unload(self) -> None:
        """Gives the memory of the package back."""
        self._session._session.unload(self._id)

    def __repr__(self) -> str:
        return f"<trnsim.Model {self.package.name}>"


class Session:
    """A session with the device; a process simulates one device, and one session is open at a time.

    fidelity: "rtl", or "fast" for the fast core, whose waves have no data paths and which refuses perturbation. threads: of the simulated core, 1 or 2; results do not depend on it. perturb: seed of random delays. random_memory: seed of what
    memories hold at first, instead of zeros.
    """

    def __init__(
        self,
        config: ConfigLike = "trn1",
        *,
        fidelity: str = "rtl",
        threads: int = 1,
        perturb: Optional[int] = None,
        random_memory: Optional[int] = None,
    ):
        self.config: Config = load_config(config)
        self._session = _trnsim.Session(self.config, fidelity, threads, perturb, random_memory)

    def load(self, package: Package, *, bindings: Optional[Mapping[str, DeviceTensor]] = None) -> Model:
        """Loads a package; `bindings` are inputs and outputs that are tensors of the device in every execution."""
        return Model(self, package, bindings or {})

    def allocate(self, name: str, dtype: Any, shape: Sequence[int], *, stack: Optional[int] = None) -> DeviceTensor:
        """Memory of the device; what it holds at first is not defined. `stack`: the HBM stack to be in."""
        return DeviceTensor(self, name, dtype_name(dtype), tuple(shape), stack)

    def tensor(self, array: Any, *, name: str = "tensor", dtype: Any = None, stack: Optional[int] = None) -> DeviceTensor:
        """A tensor of the device that holds an array, in the array's element type or another one."""
        tensor = self.allocate(name, np.asarray(array).dtype if dtype is None else dtype, np.shape(array), stack=stack)
        try:
            tensor.write(array)
        except BaseException:
            tensor.free()
            raise
        return tensor

    def run(self, package: Package, inputs: Optional[Mapping[str, Any]] = None, **options: Any) -> Result:
        """Loads, executes and unloads a package; options as of Model.execute()."""
        model = self.load(package)
        try:
            return model.execute(inputs, **options)
        finally:
            model.unload()

    def close(self) -> None:
        """Frees everything and gives the device back. Every later call raises Error (CLOSED)."""
        self._session.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _ids(bindings: Mapping[str, DeviceTensor]) -> dict[str, int]:
    return {name: tensor._id for name, tensor in bindings.items()}
