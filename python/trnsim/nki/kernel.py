"""Kernels: decorated functions, and the modes in which they run."""

from __future__ import annotations

import functools
import os
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np

from . import context, device, dtypes
from .errors import NkiError
from .golden import Golden
from .latency import BenchmarkResult
from .launch import Launch

#: The mode that "auto" stands for: the RTL; install() and NKI_SIMULATOR=1 choose the simulation.
_chosen: dict[str, str | None] = {"auto": None}

#: Modes of frameworks: their tensors may be arguments in any mode.
_FRAMEWORKS = ("jax", "torchxla")
_MODES = ("auto", "jax", "torchxla", "baremetal", "benchmark", "profile", "simulation", "trace")


def choose_mode(mode: str | None) -> None:
    """Sets the mode of kernels without one of their own."""
    if mode not in (None, "simulation"):
        raise NkiError("err_argument", f"mode {mode!r}, expected 'simulation' or None")
    _chosen["auto"] = mode


def _resolved(mode: str) -> str:
    if mode != "auto" and mode not in _FRAMEWORKS:
        return mode
    return (
        "simulation" if _chosen["auto"] == "simulation" or os.environ.get("NKI_SIMULATOR") == "1" else "auto"
    )


class Kernel:
    """A function that is a kernel. kernel[grid](...) launches a grid of programs."""

    __name__: str  # the name of the function

    def __init__(
        self,
        function: Callable[..., Any],
        mode: str,
        *,
        mutable: bool = False,
        grid: tuple[int, ...] | None = None,
        automatic_allocation: bool = False,
        spill: bool | None = None,
        files: device.Files | None = None,
        outcome: dict[str, Any] | None = None,
    ) -> None:
        if mode not in _MODES:
            raise NkiError("err_argument", f"mode {mode!r}, expected one of {', '.join(_MODES[:-1])}")
        functools.update_wrapper(self, function)
        self.function, self.mode, self.mutable, self.grid = function, mode, mutable, grid
        self.automatic_allocation = automatic_allocation or getattr(function, "automatic_allocation", False)
        self.spill = spill  # tiles that do not fit may go to HBM for a while; None: NKI_TRNSIM_SPILL decides
        self._files = files or device.Files()
        # of the last call with any grid
        self._outcome: dict[str, Any] = {} if outcome is None else outcome

    def __getitem__(self, grid: Any) -> Kernel:
        sizes = grid if isinstance(grid, tuple) else (grid,)
        if not all(isinstance(size, (int, np.integer)) and size >= 1 for size in sizes):
            raise NkiError(
                "err_argument",
                f"grid {grid!r} of {self.__name__}, expected integers of 1 or more, nl.nc or nl.spmd_dim",
            )
        return Kernel(
            self.function,
            self.mode,
            mutable=self.mutable,
            grid=tuple(int(size) for size in sizes),
            automatic_allocation=self.automatic_allocation,
            spill=self.spill,
            files=self._files,
            outcome=self._outcome,
        )

    def __get__(self, instance: Any, owner: Any = None) -> Kernel:
        """Makes a kernel in a class a method, as a function is."""
        if instance is None:
            return self
        return Kernel(
            types.MethodType(self.function, instance),
            self.mode,
            mutable=self.mutable,
            grid=self.grid,
            automatic_allocation=self.automatic_allocation,
            spill=self.spill,
            files=self._files,
            outcome=self._outcome,
        )

    @property
    def benchmark_result(self) -> BenchmarkResult:
        """The latencies of the last call on the RTL."""
        if "latency" not in self._outcome:
            raise NkiError(
                "err_argument",
                f"benchmark_result of {self.__name__} before a call on the RTL, expected one after it",
            )
        latency: BenchmarkResult = self._outcome["latency"]
        return latency

    @property
    def result(self) -> Any:
        """The trnsim.Result of the last call on the RTL: cycles, statistics."""
        if "result" not in self._outcome:
            raise NkiError(
                "err_argument", f"result of {self.__name__} before a call on the RTL, expected one after it"
            )
        return self._outcome["result"]

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
        if mode == "simulation":
            return simulate_kernel(self, *args, **kwargs)
        output, result = device.run(launch_of(self, args, kwargs), self._files)
        self._outcome["latency"] = BenchmarkResult(
            result.statistics["simulated_seconds"] * 1e6, result.cycles
        )
        self._outcome["result"] = result
        return output

    def __repr__(self) -> str:
        return f"<kernel {self.__name__}>"


#: Options of every decorator. Those for a compiler have no meaning here, except the first two and spill.
_COMPILER = (
    "platform_target",
    "kernel_return",
    "additional_compile_opt",
    "debug_kernel",
    "enable_out_of_bound_check",
    "experimental_flags",
    "spill",
    "show_compiler_tb",
)
_FILES = ("save_neff_name", "save_trace_name")
#: Further options of a mode.
_OPTIONS = {
    "baremetal": (*_FILES, "artifacts_dir"),
    "benchmark": (*_FILES, "warmup", "iters"),
    "profile": (*_FILES, "working_directory", "overwrite", "profile_nth", "num_execs"),
}
#: The least value of options that are counts.
_LEAST = {"warmup": 0, "iters": 1, "profile_nth": 1, "num_execs": 1}


def _check_options(decorator: str, mode: str, options: dict[str, Any]) -> None:
    known = (*_COMPILER, *_OPTIONS.get(mode, ()))
    for name, value in options.items():
        if name not in known:
            raise NkiError(
                "err_argument", f"option {name} of nki.{decorator}, expected one of {', '.join(known)}"
            )
        least = _LEAST.get(name)
        if least is not None and not (isinstance(value, (int, np.integer)) and value >= least):
            raise NkiError(
                "err_argument", f"{name} {value!r} of nki.{decorator}, expected an integer of {least} or more"
            )


def jit(func: Callable[..., Any] | None = None, mode: str = "auto", **options: Any) -> Any:
    """Makes a function a kernel.

    It writes only parameters annotated nt.mutable_tensor, or all of them with kernel_return=False.
    """
    _check_options("jit", mode, options)
    files = (
        _profile_files(options) if mode == "profile" and options.get("working_directory") else _files(options)
    )
    return _decorated(func, mode, not options.get("kernel_return", True), files, options)


def trace(func: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Makes a function a kernel for nki.simulate_kernel and for calls in other kernels; it may write its
    parameters.
    """
    _check_options("trace", "trace", options)
    return _decorated(func, "trace", True, None, options)


def baremetal(kernel: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Makes a kernel that runs without a framework.

    `save_neff_name` and `save_trace_name` are the files for its container and its timeline.
    """
    _check_options("baremetal", "baremetal", options)
    return _decorated(kernel, "baremetal", True, _files(options), options)


def benchmark(kernel: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Makes a kernel that measures its latency: `benchmark_result.nc_latency.get_latency_percentile(50)`."""
    _check_options("benchmark", "benchmark", options)
    return _decorated(kernel, "benchmark", True, _files(options), options)


def profile(func: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Makes a kernel that leaves its container and its timeline in `working_directory`."""
    _check_options("profile", "profile", options)
    if not options.get("working_directory"):
        raise NkiError(
            "err_argument", "nki.profile without working_directory, expected the folder of its files"
        )
    return _decorated(func, "profile", True, _profile_files(options), options)


def _profile_files(options: dict[str, Any]) -> device.Files:
    names = {"save_neff_name": "file.neff", "save_trace_name": "profile.json"} | {
        k: v for k, v in options.items() if v is not None
    }
    files = _files(names, Path(options["working_directory"]), makes_folder=True)
    for path in (files.container, files.trace):
        if Path(cast(str, path)).exists() and not options.get("overwrite"):
            raise NkiError(
                "err_argument",
                f"{path} of nki.profile is there, expected another name or folder, or overwrite=True",
            )
    return files


def _files(options: dict[str, Any], folder: Path = Path(), *, makes_folder: bool = False) -> device.Files:
    """The timeline is JSON for Perfetto, whatever its name ends in.

    With `makes_folder` an execution makes the folder of its files.
    """
    container, timeline = options.get("save_neff_name"), options.get("save_trace_name")
    paths = [None if name is None else folder / name for name in (container, timeline)]
    for path in paths:
        if path is None:
            continue
        there = next(parent for parent in path.parents if parent.exists()) if makes_folder else path.parent
        if not there.is_dir():
            raise NkiError(
                "err_argument",
                f"{path} is to be written and there is no folder {there}, expected one that is there",
            )
    return device.Files(
        container=None if paths[0] is None else str(paths[0]),
        trace=None if paths[1] is None else str(paths[1].with_suffix(".json")),
    )


def _decorated(
    func: Callable[..., Any] | None,
    mode: str,
    mutable: bool,
    files: device.Files | None,
    options: dict[str, Any],
) -> Any:
    if func is not None and not callable(func):
        raise NkiError("err_argument", f"a kernel that is {dtypes.described(func)}, expected a function")
    if func is None:
        return lambda decorated: _decorated(decorated, mode, mutable, files, options)
    target, spill = options.get("platform_target"), options.get("spill")
    if spill is not None and not isinstance(spill, bool):
        raise NkiError("err_argument", f"spill={dtypes.described(spill)}, expected True or False")
    if target not in (None, "trn1", "inf2"):  # files have kernels for several targets
        return Kernel(_refused(func, target), mode, mutable=mutable, files=files)
    if isinstance(func, Kernel):
        return Kernel(
            func.function,
            mode,
            mutable=func.mutable,
            grid=func.grid,
            automatic_allocation=func.automatic_allocation,
            spill=func.spill if spill is None else spill,
            files=files,
        )
    return Kernel(func, mode, mutable=mutable, spill=spill, files=files)


def _refused(func: Callable[..., Any], target: str) -> Callable[..., Any]:
    @functools.wraps(func)
    def refused(*args: Any, **kwargs: Any) -> Any:
        raise NkiError(
            "err_not_available", f"{func.__name__} for platform_target {target!r}, expected 'trn1' or 'inf2'"
        )

    return refused


def launch_of(kernel: Kernel | Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Launch:
    """Returns the launch of a call of a kernel, or of a plain function as one."""
    if not isinstance(kernel, Kernel):
        if not callable(kernel):
            raise NkiError(
                "err_argument", f"a kernel that is {dtypes.described(kernel)}, expected a function"
            )
        return Launch(kernel, args, kwargs, mutable=True)
    return Launch(
        kernel.function,
        args,
        kwargs,
        mutable=kernel.mutable,
        grid=kernel.grid or (),
        automatic_allocation=kernel.automatic_allocation,
        spill=kernel.spill,
    )


def simulate_kernel(kernel: Kernel | Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Runs a kernel in NumPy: it takes and returns arrays."""
    launch = launch_of(kernel, args, kwargs)
    return launch.finish(launch.trace(Golden()))
