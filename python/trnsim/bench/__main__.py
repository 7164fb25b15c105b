"""python -m trnsim.bench [NAME...] runs all benchmarks, or those that are named."""

from __future__ import annotations

import sys

from . import latencies, overhead, simulation

BENCHMARKS = {
    "nki-overhead": overhead.report,
    "nki-simulation": simulation.report,
    "nki-latencies": latencies.report,
}


def main() -> None:
    names = sys.argv[1:] or list(BENCHMARKS)
    for name in names:
        if name not in BENCHMARKS:
            sys.exit(
                f"python -m trnsim.bench: no benchmark {name!r}, expected one of {', '.join(BENCHMARKS)}"
            )
    for name in names:
        print(f"{name}:")
        BENCHMARKS[name]()


if __name__ == "__main__":
    main()
