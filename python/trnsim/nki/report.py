"""nki.check: a kernel in NumPy, in the interpreter and on the RTL, and the figures of the run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import context, device, dtypes, frameworks, nests
from .errors import NkiError
from .golden import Golden
from .kernel import Kernel, launch_of
from .tensor import Tensor

#: The interpreter's text for a read of unwritten bytes.
_UNWRITTEN = "which nothing has written"
_ENGINES = ("tensor", "vector", "scalar", "gpsimd")


@dataclass
class Report:
    """The findings of nki.check. It is truthy if there are none; as text it is the whole report."""

    name: str
    cycles: int  # cycles of the core clock
    microseconds: float
    busy: dict[str, float]  # share of the cycles in which an engine's data path works
    array: float  # share of the cycles in which a moving element enters the array
    dma_bytes: int
    dma_gigabytes_a_second: float
    bytes_a_packet: float
    flops: int
    hbm_bytes: int
    difference: float  # the largest difference of RTL and NumPy, relative to the largest element
    findings: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return not self.findings

    @property
    def bound(self) -> str:
        """Names the unit that works for the longest time, or says that nothing works for most of the time."""
        name, share = max(self.busy.items(), key=lambda item: item[1])
        return name if share > 0.5 else f"latency: {name}, the busiest, works {100 * share:.0f} % of the time"

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.cycles} cycles, {self.microseconds:.2f} us"]
        lines += [f"{name:<10}{100 * share:6.1f} % busy" for name, share in self.busy.items()]
        lines.append(f"{'array':<10}{100 * self.array:6.1f} % of the cycles")
        lines.append(
            f"DMA: {self.dma_bytes} bytes, {self.dma_gigabytes_a_second:.1f} GB/s, {self.bytes_a_packet:.0f} "
            "bytes a packet"
        )
        intensity = self.flops / self.hbm_bytes if self.hbm_bytes else 0.0
        lines.append(f"{self.flops} flops, {self.hbm_bytes} bytes of HBM: {intensity:.2f} flops a byte")
        lines.append(f"bound by {self.bound}")
        lines.append(f"RTL beside NumPy: {self.difference:.2g} of the largest element")
        return "\n".join(lines + [f"! {finding}" for finding in self.findings])


def _arrays(value: Any) -> list[np.ndarray]:
    if isinstance(value, (list, tuple)):
        return [array for item in value for array in _arrays(item)]
    return [value] if isinstance(value, np.ndarray) else []


def _difference(found: Any, expected: Any) -> float:
    """Returns the largest difference of two results, relative to the largest finite element.

    It is infinite if one of two elements is NaN and the other is not.
    """
    worst = 0.0
    for a, b in zip(_arrays(found), _arrays(expected)):
        x, y = (dtypes.to_fp32(v).astype(np.float64) for v in (a, b))
        if not np.array_equal(np.isnan(x), np.isnan(y)):
            return float("inf")
        same = (x == y) | np.isnan(x)
        with np.errstate(invalid="ignore"):
            apart = np.where(same, 0.0, np.abs(x - y))
        largest = np.abs(y[np.isfinite(y)]).max(initial=0.0)
        worst = max(worst, float(apart.max(initial=0.0)) / (float(largest) or 1.0))
    return worst


def _missing(name: str, value: Any) -> list[str]:
    """Describes the elements of a result that nothing has written."""
    marks = value.marks() if isinstance(value, Tensor) else None
    if marks is None or marks.all():
        return []
    first = [int(i) for i in np.argwhere(marks == 0)[0]]
    return [
        f"result {name}".rstrip()
        + f": {np.count_nonzero(marks == 0)} elements are returned {_UNWRITTEN}, the first at {first}"
    ]


def _copied(name: str, value: Any) -> Any:
    """Returns a copy of an array, also of one of a framework, as an array of NumPy."""
    if frameworks.is_foreign(value):
        value = frameworks.array_of(name, value)
    return value.copy() if isinstance(value, np.ndarray) else value


def _copies(arguments: Any) -> Any:
    return nests.mapped(arguments, _copied)


def check(kernel: Kernel | Callable[..., Any], *args: Any, tolerance: float = 0.01, **kwargs: Any) -> Report:
    """Runs a kernel in NumPy, in the interpreter and on the RTL; returns a Report.

    Findings are results with unwritten elements, accesses that no wait orders, deadlocks, bits in which RTL
    and interpreter differ, and results that differ from NumPy's by more than `tolerance`, relative to the
    largest element. Arrays that the kernel writes are left as they are.
    """
    import trnsim

    findings: list[str] = []
    golden = launch_of(kernel, _copies(args), _copies(kwargs))
    missing: list[str] = []
    with context.checks(unwritten=True):
        try:
            nests.mapped(golden.trace(Golden()), lambda name, value: missing.extend(_missing(name, value)))
        except NkiError as error:
            if error.name != "err_read_of_unwritten_memory":
                raise
            findings.append(str(error))
    golden = launch_of(kernel, _copies(args), _copies(kwargs))
    with context.unwatched():  # the findings tell of it
        expected = golden.finish(golden.trace(Golden()))
        launch = launch_of(kernel, _copies(args), _copies(kwargs))
        recording = device.recording(launch)
    inputs = {name: array.copy() for name, array in recording.inputs(launch).items()}
    found, result = device.run(launch)
    try:
        bits = trnsim.interpret(recording.package, inputs)
        wrong = [name for name, array in bits.items() if array.tobytes() != result.outputs[name].tobytes()]
        findings += [f"{name}: RTL and interpreter differ" for name in wrong]
    except trnsim.InterpreterError as error:
        # The interpreter ends at the first read of an unwritten element, even if the kernel does not need it.
        if findings or _UNWRITTEN not in str(error):
            findings.append(str(error))
    findings += missing
    difference = _difference(found, expected)
    if difference > tolerance:
        findings.append(
            f"the result differs from NumPy's by {difference:.3g} of the largest element, expected at most "
            f"{tolerance:g}"
        )
    return _report(launch.name, result, difference, findings)


def _report(name: str, result: Any, difference: float, findings: list[str]) -> Report:
    figures = result.statistics
    dma, hbm = figures["dma"], figures["hbm"]
    moved, packets = sum(engine["bytes_written"] for engine in dma), sum(engine["packets"] for engine in dma)
    seconds = figures["simulated_seconds"]
    busy = {engine: figures["engines"][engine]["utilisation"] for engine in _ENGINES}
    busy["DMA"] = max(engine["utilisation"] for engine in dma)
    return Report(
        name=name,
        cycles=result.cycles,
        microseconds=seconds * 1e6,
        busy=busy,
        array=figures["array"]["matmul_cycles"] / result.cycles,
        dma_bytes=moved,
        dma_gigabytes_a_second=moved / seconds / 1e9,
        bytes_a_packet=moved / packets if packets else 0.0,
        flops=2 * figures["matmul"]["macs"],
        hbm_bytes=sum(stack["bytes_read"] + stack["bytes_written"] for stack in hbm),
        difference=difference,
        findings=findings,
    )
