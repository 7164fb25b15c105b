"""Kernels: decorated functions, how they are launched and in which modes."""

from __future__ import annotations

import functools
import inspect
import os
from typing import Any, Callable, Optional, Union

import numpy as np

from . import context, dtypes, memory
from .errors import NkiError
from .golden import Golden
from .tensor import Tensor
from .typing import TensorType

#: What "auto" and the modes of frameworks stand for; install() and NKI_SIMULATOR=1 choose the simulation.
_chosen: dict[str, Optional[str]] = {"auto": None}

_MODES = ("auto", "jax", "torchxla", "baremetal", "benchmark", "profile", "simulation", "trace")


def choose_mode(mode: Optional[str]) -> None:
    """What kernels without a mode of their own run in."""
    if mode not in (None, "simulation"):
        raise NkiError("err_argument", f"mode {mode!r}, expected 'simulation' or None")
    _chosen["auto"] = mode


def _resolved(mode: str) -> str:
    if mode != "auto":
        return mode
    return "simulation" if _chosen["auto"] == "simulation" or os.environ.get("NKI_SIMULATOR") == "1" else "auto"


class Kernel:
    """A function that is a kernel. kernel[grid](...) launches a grid of programs."""

    def __init__(
        self,
        function: Callable[..., Any],
        mode: str,
        *,
        mutable: bool = False,
        grid: Optional[tuple[int, ...]] = None,
        automatic_allocation: bool = False,
    ) -> None:
        if mode not in _MODES:
            raise NkiError("err_argument", f"mode {mode!r}, expected one of {', '.join(_MODES[:-1])}")
        functools.update_wrapper(self, function)
        self.function, self.mode, self.mutable, self.grid = function, mode, mutable, grid
        self.automatic_allocation = automatic_allocation or getattr(function, "automatic_allocation", False)

    def __getitem__(self, grid: Any) -> Kernel:
        sizes = grid if isinstance(grid, tuple) else (grid,)
        if not all(isinstance(size, (int, np.integer)) and size >= 1 for size in sizes):
            raise NkiError("err_argument", f"grid {grid!r} of {self.__name__}, expected integers of 1 or more, nl.nc or nl.spmd_dim")
        return Kernel(
            self.function,
            self.mode,
            mutable=self.mutable,
            grid=tuple(int(size) for size in sizes),
            automatic_allocation=self.automatic_allocation,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if context.active() is not None:
            if self.grid is not None:
                raise NkiError(
                    "err_nested_kernel_with_spmd_grid",
                    f"{self.__name__}{list(self.grid)} is called in a kernel, expected a call without a grid",
                )
            return self.function(*args, **kwargs)
        mode = _resolved(self.mode)
        if mode == "trace":
            raise NkiError(
                "err_nki_api_outside_of_nki_kernel",
                f"{self.__name__} of nki.trace is called outside of a kernel, expected nki.simulate_kernel",
            )
        if mode != "simulation":
            raise NkiError(
                "err_not_available",
                f"{self.__name__} in mode '{mode}', which runs on the RTL and is not connected to it, expected mode='simulation', "
                "nki.simulate_kernel or NKI_SIMULATOR=1",
            )
        return simulate_kernel(self, *args, **kwargs)

    def __repr__(self) -> str:
        return f"<kernel {self.__name__}>"


def _function_of(kernel: Union[Kernel, Callable[..., Any]]) -> Callable[..., Any]:
    return kernel.function if isinstance(kernel, Kernel) else kernel


def jit(func: Optional[Callable[..., Any]] = None, mode: str = "auto", **options: Any) -> Any:
    """Makes a function a kernel. Its parameters are not written, but for those annotated nt.mutable_tensor."""
    if options.get("platform_target", "trn1") not in ("trn1", "inf2"):
        raise NkiError("err_not_available", f"platform_target {options['platform_target']!r}, expected 'trn1' or 'inf2'")
    return _decorated(func, mode, False)


def trace(func: Optional[Callable[..., Any]] = None, **options: Any) -> Any:
    """Makes a function a kernel for nki.simulate_kernel and for calls in other kernels; it may write its parameters."""
    return _decorated(func, "trace", True)


def baremetal(kernel: Optional[Callable[..., Any]] = None, **options: Any) -> Any:
    """A kernel that runs on a device without a framework."""
    return _decorated(kernel, "baremetal", True)


def benchmark(kernel: Optional[Callable[..., Any]] = None, **options: Any) -> Any:
    """A kernel whose latency on a device is measured."""
    return _decorated(kernel, "benchmark", True)


def profile(func: Optional[Callable[..., Any]] = None, **options: Any) -> Any:
    """A kernel whose execution on a device is traced."""
    return _decorated(func, "profile", True)


def _decorated(func: Optional[Callable[..., Any]], mode: str, mutable: bool) -> Any:
    if func is None:
        return lambda decorated: _decorated(decorated, mode, mutable)
    if isinstance(func, Kernel):
        return Kernel(func.function, mode, mutable=func.mutable, grid=func.grid, automatic_allocation=func.automatic_allocation)
    return Kernel(func, mode, mutable=mutable)


class _Parameters:
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


def _output(value: Any, parameters: _Parameters) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)(_output(item, parameters) for item in value)
    if not isinstance(value, Tensor):
        return value
    if value.space != "hbm":
        raise NkiError("err_unsupported_memory", f"{value.describe()} in {value.space} is returned, expected a tensor in shared_hbm")
    if not value.storage.writes[0]:
        raise NkiError(
            "err_tensor_output_not_written_to", f"{value.describe()} is returned and nothing was written to it, expected nl.store"
        )
    return parameters.array_of(value)


def launch(kernel: Union[Kernel, Callable[..., Any]], executor: context.Executor, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Traces all programs of a kernel for an executor. Arrays are inputs, what the kernel returns are arrays."""
    if context.active() is not None:
        raise NkiError("err_argument", "a launch within a kernel, expected a call of the kernel")
    function = _function_of(kernel)
    plain = not isinstance(kernel, Kernel)
    parameters = _Parameters(function, plain or kernel.mutable)
    bound = inspect.signature(function).bind(*args, **kwargs)
    for name, parameter in bound.signature.parameters.items():
        if name in bound.arguments:
            value = bound.arguments[name]
            keywords = parameter.kind is inspect.Parameter.VAR_KEYWORD
            bound.arguments[name] = (
                {k: parameters.tensor_of(k, v) for k, v in value.items()} if keywords else parameters.tensor_of(name, value)
            )
    grid = () if plain or kernel.grid is None else kernel.grid
    automatic = getattr(kernel, "automatic_allocation", False)
    result, first = None, True
    # Infinities and NaN of a kernel are its results, not mistakes of the host.
    with np.errstate(all="ignore"), context.tracing(context.Context(executor, grid, automatic_allocation=automatic)) as here:
        for program in np.ndindex(*grid) if grid else [()]:
            here.begin_program(tuple(int(at) for at in program))
            returned = function(*bound.args, **bound.kwargs)
            result, first = (returned, False) if first else (result, False)
        output = _output(result, parameters)
    if output is None and not any(tensor.storage.writes[0] for tensor, _, _ in parameters.tensors):
        raise NkiError(
            "err_tensor_output_not_written_to",
            f"{getattr(function, '__name__', 'the kernel')} returns nothing and writes none of its parameters",
        )
    parameters.finish()
    return output


def simulate_kernel(kernel: Union[Kernel, Callable[..., Any]], *args: Any, **kwargs: Any) -> Any:
    """Runs a kernel in NumPy: arrays in, arrays out."""
    return launch(kernel, Golden(), args, kwargs)
