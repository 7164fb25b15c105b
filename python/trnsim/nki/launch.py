"""Launches: arrays of the host become tensors in HBM, a kernel's programs are traced, what it returns become arrays."""

from __future__ import annotations

import inspect
from typing import Any, Callable

import numpy as np

from . import context, dtypes, memory
from .errors import NkiError
from .tensor import Tensor
from .typing import TensorType


class Parameters:
    """Arrays of the host as tensors in HBM, and back."""

    def __init__(self, function: Callable[..., Any], mutable: bool) -> None:
        self._mutable = mutable
        self._annotations = getattr(function, "__annotations__", {})
        self._globals = getattr(function, "__globals__", {})
        self.tensors: list[tuple[Tensor, np.ndarray, np.ndarray]] = []  # tensor, array, its contiguous form

    def _annotated(self, name: str) -> bool:
        found = self._annotations.get(name)
        if isinstance(found, str):
            try:
                found = eval(found, self._globals)  # annotations of `from __future__ import annotations`
            except Exception:  # of names that the kernel's file has not
                return False
        return isinstance(found, TensorType) and found.mutable

    def tensor_of(self, name: str, value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return (
                type(value)(self.tensor_of(f"{name}{at}", item) for at, item in enumerate(value)) if type(value) in (list, tuple) else value
            )
        if isinstance(value, TensorType):
            raise NkiError("err_argument", f"argument {name} is a type, expected an array")
        if not isinstance(value, np.ndarray) or value.ndim == 0:
            return value
        if value.dtype not in dtypes.KNOWN:
            raise NkiError(
                "err_dtype", f"argument {name} is {value.dtype.name}, expected a type of nki.language, as .astype(np.float32) makes"
            )
        flat = np.ascontiguousarray(value)
        tensor = Tensor.whole(memory.of_array(flat, name, mutable=self._mutable or self._annotated(name)))
        self.tensors.append((tensor, value, flat))
        return tensor

    def finish(self) -> None:
        """What was written to a copy of an array goes back to it."""
        for tensor, value, flat in self.tensors:
            if flat is not value and tensor.storage.writes[0]:
                value[...] = flat

    def array_of(self, tensor: Tensor) -> np.ndarray:
        for found, value, _ in self.tensors:
            if found.storage is tensor.storage and tensor.shape == found.shape:
                return value
        return tensor.array()


def _check_output(value: Any) -> None:
    """Refuses a result that is no tensor in HBM which the kernel has written."""
    if isinstance(value, (list, tuple)):
        for item in value:
            _check_output(item)
    if not isinstance(value, Tensor):
        return
    if value.space != "hbm":
        raise NkiError("err_unsupported_memory", f"{value.describe()} in {value.space} is returned, expected a tensor in shared_hbm")
    if not value.storage.writes[0]:
        raise NkiError(
            "err_tensor_output_not_written_to", f"{value.describe()} is returned and nothing was written to it, expected nl.store"
        )


def _output(value: Any, parameters: Parameters) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)(_output(item, parameters) for item in value)
    return parameters.array_of(value) if isinstance(value, Tensor) else value


class Launch:
    """A call of a kernel. `mutable`: it may write all its parameters."""

    def __init__(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        *,
        mutable: bool,
        grid: tuple[int, ...] = (),
        automatic_allocation: bool = False,
    ) -> None:
        if context.active() is not None:
            raise NkiError("err_argument", "a launch within a kernel, expected a call of the kernel")
        self.function, self.grid, self.automatic_allocation = function, grid, automatic_allocation
        self.name: str = getattr(function, "__name__", "kernel")
        self.parameters = Parameters(function, mutable)
        bound = inspect.signature(function).bind(*args, **kwargs)
        for name, parameter in bound.signature.parameters.items():
            if name in bound.arguments:
                value = bound.arguments[name]
                keywords = parameter.kind is inspect.Parameter.VAR_KEYWORD
                bound.arguments[name] = (
                    {k: self.parameters.tensor_of(k, v) for k, v in value.items()} if keywords else self.parameters.tensor_of(name, value)
                )
        self.arguments = bound

    def trace(self, executor: context.Executor) -> Any:
        """Traces all programs of the grid for an executor; what the first of them returns."""
        result, first = None, True
        # Infinities and NaN of a kernel are its results, not mistakes of the host.
        with np.errstate(all="ignore"), context.tracing(
            context.Context(executor, self.grid, automatic_allocation=self.automatic_allocation)
        ) as here:
            for program in np.ndindex(*self.grid) if self.grid else [()]:
                here.begin_program(tuple(int(at) for at in program))
                returned = self.function(*self.arguments.args, **self.arguments.kwargs)
                result, first = (returned, False) if first else (result, False)
            _check_output(result)
        if result is None and not any(tensor.storage.writes[0] for tensor, _, _ in self.parameters.tensors):
            raise NkiError(
                "err_tensor_output_not_written_to", f"{self.name} returns nothing and writes none of its parameters"
            )
        return result

    def finish(self, result: Any) -> Any:
        """What a traced kernel returned, as arrays; parameters that it has written are in theirs."""
        output = _output(result, self.parameters)
        self.parameters.finish()
        return output
