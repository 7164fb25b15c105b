"""Kernels on the RTL: traced and lowered once for each signature, run in a session of this process."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from . import nests
from .cache import Cache
from .errors import NkiError
from .launch import Launch
from .limits import configuration
from .memory import printable
from .operations import Operation, Writing
from .storage import Bytes, Storage
from .surroundings import description
from .tensor import Tensor

_FIDELITIES = ("rtl", "fast")


def _trnsim() -> Any:
    try:
        import trnsim
        from trnsim import Session  # noqa: F401
    except ImportError:
        raise NkiError(
            "err_not_available",
            "a kernel on the RTL without trnsim's extension module, expected `pip install .`, or "
            "mode='simulation'",
        ) from None
    return trnsim


def spills(launch: Launch) -> bool:
    """Returns whether tiles that do not fit may go to HBM for a while.

    They may unless nki.jit(spill=False) says otherwise for a kernel, or NKI_TRNSIM_SPILL=0 for those that do
    not say it.
    """
    return os.environ.get("NKI_TRNSIM_SPILL") != "0" if launch.spill is None else launch.spill


def as_written() -> bool:
    """Returns whether the instructions and transfers are those of the text (NKI_TRNSIM_AS_WRITTEN=1)."""
    return os.environ.get("NKI_TRNSIM_AS_WRITTEN") == "1"


@dataclass
class Files:
    """Paths of the files that an execution leaves; None means no file."""

    container: str | None = None  # .neff, for `trnsim run`, `profile`, `info`
    trace: str | None = None  # .json, for Perfetto
    wave: str | None = None  # .fst, for GTKWave

    def make_folders(self) -> None:
        """Makes the folders of the container and of the timeline."""
        for path in (self.container, self.trace):
            if path is not None:
                Path(path).parent.mkdir(parents=True, exist_ok=True)


class _Recorder:
    """Keeps operations without executing them. Their operands are checked as in an execution."""

    keeps = True
    checks_unwritten = False

    def __init__(self) -> None:
        self.operations: list[Operation] = []

    def execute(self, operation: Operation) -> None:
        self.operations.append(operation)
        for tensor in operation.tensors():
            if tensor.checks:
                tensor.check_bounds(operation.place)
        for name in operation.result_names:
            tensor = getattr(operation, name)
            if tensor is not None:
                tensor.storage.bytes.writes += 1


class Recording:
    """A kernel that is traced and lowered for arguments of some shapes and types."""

    def __init__(self, launch: Launch, config: str) -> None:
        from .lowering import lower

        _trnsim()
        self.config = config
        operations, self._result, self._parameters = traced(launch)
        names = {tensor.storage.identity: tensor.storage.name or "argument" for tensor in self._parameters}
        self._names = [names[tensor.storage.identity] for tensor in self._parameters]
        shapes = {tensor.storage.identity: tensor.shape for tensor in self._parameters}
        results: dict[int, str] = {}

        def note(name: str, value: Any) -> None:
            if isinstance(value, Tensor):
                shapes.setdefault(value.storage.identity, value.shape)
                # the key of a dictionary, or the place in a sequence
                named = name if name[:1].isidentifier() else f"output{name}"
                results.setdefault(value.storage.identity, printable(named))

        nests.mapped(self._result, note)
        lowered = lower(launch.name, operations, names, config, shapes, results, spills(launch), as_written())
        for text in lowered.spills:
            print(f"{launch.name}: spilled {text}", file=sys.stderr)
        self.package, self.spills = lowered.package, lowered.spills
        self._tensors = lowered.tensors
        self._constants = lowered.constants
        self._written = _written(operations)
        self._model: Any = None

    def inputs(self, launch: Launch) -> dict[str, np.ndarray]:
        """Returns the arrays of the package's inputs for a call."""
        found = dict(self._constants)
        known = {
            tensor.name: tensor for tensor in self._tensors.values() if tensor.kind in ("input", "update")
        }
        for name, (_, _, flat) in zip(self._names, launch.parameters.tensors):
            if name in known:
                found[name] = flat.reshape(-1).view(known[name].array).reshape(known[name].shape)
        return found

    def outputs(self, launch: Launch, arrays: dict[str, np.ndarray]) -> Any:
        """Returns the value of a call, made of the package's outputs. Parameters that the kernel writes are
        updated.
        """
        lent = []
        for identity, storage in self._written.items():
            found = self._tensors.get(identity)
            if found is not None and found.name in arrays:
                storage.bytes.lend(arrays[found.name])
                lent.append(storage.bytes)
        try:
            for before, (_, value, flat) in zip(self._parameters, launch.parameters.tensors):
                if before.storage.bytes.writes:
                    flat.reshape(-1).view(np.uint8)[...] = before.storage.raw
                    if flat is not value:
                        value[...] = flat
            return nests.mapped(self._result, lambda _, value: self._returned(value, launch))
        finally:  # a recording keeps no values
            for held in lent:
                held.take_back()

    def _returned(self, value: Any, launch: Launch) -> Any:
        return launch.parameters.returned(self._array(value, launch) if isinstance(value, Tensor) else value)

    def _array(self, value: Tensor, launch: Launch) -> np.ndarray:
        for before, (_, array, _) in zip(self._parameters, launch.parameters.tensors):
            if before.storage is value.storage and value.shape == before.shape:
                return array
        return value.array().copy()

    def write(self, container: str) -> None:
        """Writes the package, and beside it the inputs that are constants of the kernel."""
        self.package.write(container)
        for name, values in self._constants.items():
            np.save(f"{container.removesuffix('.neff')}.{name}.npy", values)

    def load(self) -> None:
        """Loads the package into the session of this process if it is not loaded."""
        if self._model is None:
            self._model = _session(self.config).load(self.package)

    def close(self) -> None:
        """Unloads the package from the session."""
        if self._model is not None:
            self._model.unload()
            self._model = None

    def execute(self, launch: Launch, files: Files) -> tuple[Any, Any]:
        """Returns the value of the call and the session's result."""
        self.load()
        # nki.check() looks for unwritten elements; a tile may have some that a mask leaves out.
        result = self._model.execute(
            self.inputs(launch), trace=files.trace, wave=files.wave, unwritten="ignore"
        )
        return self.outputs(launch, result.outputs), result


def _written(operations: list[Operation]) -> dict[int, Storage]:
    """Returns the storages in HBM that operations write, by identity; one for all that share bytes."""
    written = (operation.dst.storage for operation in operations if isinstance(operation, Writing))
    return {storage.identity: storage for storage in written if storage.space == "hbm"}


def traced(launch: Launch) -> tuple[list[Operation], Any, list[Tensor]]:
    """Returns the operations of a launch, the kernel's return value, and its parameters.

    Parameters have bytes of their own: the caller's arrays are released with the call.
    """
    parameters = [tensor for tensor, _, _ in launch.parameters.tensors]
    for tensor in parameters:
        tensor.storage.bytes = Bytes(tensor.storage.bytes.size, filled=False)
        tensor.storage.bytes.parts = None  # the host has written them
    recorder = _Recorder()
    result = launch.trace(recorder)
    return recorder.operations, result, parameters


_sessions: dict[tuple[str, str], Any] = {}
recordings = Cache()


def fidelity() -> str:
    """Returns the fidelity of the core that executes kernels: NKI_TRNSIM_FIDELITY."""
    name = os.environ.get("NKI_TRNSIM_FIDELITY", "rtl")
    if name not in _FIDELITIES:
        raise NkiError(
            "err_not_available", f"NKI_TRNSIM_FIDELITY is {name!r}, expected {' or '.join(_FIDELITIES)}"
        )
    return name


def _session(config: str) -> Any:
    trnsim = _trnsim()
    device = config, fidelity()
    if device not in _sessions:
        if _sessions:
            there = " ".join(next(iter(_sessions)))
            raise NkiError(
                "err_not_available",
                f"a kernel on {' '.join(device)} in a process that simulates {there}, expected another "
                "process",
            )
        _sessions[device] = trnsim.Session(config, fidelity=device[1])
    return _sessions[device]


def _signature(launch: Launch, config: str) -> Any:
    """Returns what a further call must have in common with this one; None if that cannot be determined."""
    shapes = tuple(
        (
            tensor.storage.name,
            tensor.shape,
            tensor.dtype.str,
            tensor.dtype.name,
            tensor.storage.mutable,
            tensor.storage.read_only,
        )
        for tensor, _, _ in launch.parameters.tensors
    )
    around = description(launch.function, dict(launch.arguments.arguments))
    if around is None:
        return None
    options = (launch.automatic_allocation, spills(launch), as_written())
    return config, fidelity(), launch.grid, options, shapes, around


def recording(launch: Launch, config: str | None = None) -> Recording:
    """Returns the recording of a call's kernel, which is traced and lowered at the first call of its
    signature.
    """
    config = config or configuration()
    found: Recording = recordings.get(_signature(launch, config), lambda: Recording(launch, config))
    return found


def run(launch: Launch, files: Files | None = None) -> tuple[Any, Any]:
    """Executes a call on the device and returns its value and the session's result.

    NKI_TRNSIM_WAVE names a waveform file.
    """
    files = files or Files()
    found = recording(launch)
    files.make_folders()
    if files.container is not None:
        found.write(files.container)
    try:
        return found.execute(launch, replace(files, wave=files.wave or os.environ.get("NKI_TRNSIM_WAVE")))
    finally:
        recordings.leave(found)
