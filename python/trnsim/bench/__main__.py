"""python -m trnsim.bench [NAME...] runs the NKI benchmarks, or those named; silicon takes options."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable

from . import latencies, overhead, simulation
from .silicon import command

BENCHMARKS: dict[str, Callable[[], None]] = {
    "nki-overhead": overhead.report,
    "nki-simulation": simulation.report,
    "nki-latencies": latencies.report,
}
SILICON = "silicon"


def main() -> None:
    arguments = sys.argv[1:]
    if arguments[:1] == [SILICON]:
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # its processes end as at ^C
        sys.exit(command.main(arguments[1:]))
    names = arguments or list(BENCHMARKS)
    for name in names:
        if name == SILICON:
            sys.exit(f"python -m trnsim.bench: {SILICON} beside others, expected it alone, with its options")
        if name not in BENCHMARKS:
            sys.exit(
                f"python -m trnsim.bench: no benchmark {name!r}, expected one of "
                f"{', '.join([*BENCHMARKS, SILICON])}"
            )
    for name in names:
        print(f"{name}:")
        BENCHMARKS[name]()


if __name__ == "__main__":
    main()
