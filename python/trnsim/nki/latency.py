"""The results of nki.benchmark."""

from __future__ import annotations

from .errors import NkiError

_PERCENTILES = (0, 1, 10, 25, 50, 90, 99, 100)


class Latency:
    """Latencies of executions. On the RTL all executions of a kernel take the same time."""

    def __init__(self, microseconds: float) -> None:
        self._microseconds = microseconds

    def get_latency_percentile(self, percentile: int) -> float:
        """Returns microseconds of simulated time, from the doorbells to the last completion."""
        if percentile not in _PERCENTILES:
            raise NkiError(
                "err_argument",
                f"percentile {percentile}, expected one of {', '.join(map(str, _PERCENTILES))}",
            )
        return self._microseconds


class BenchmarkResult:
    """`benchmark_result` of a kernel of nki.benchmark that has been called."""

    def __init__(self, microseconds: float, cycles: int) -> None:
        self.nc_latency = Latency(microseconds)
        #: Cycles of the core clock from the start of the first engine.
        self.cycles = cycles
