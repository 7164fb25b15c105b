"""Cycles of every kernel that the tests of trnsim.nki and the examples execute.

    nki_cycles.py list FILE [PYTEST ARGUMENT...]
    nki_cycles.py compare BEFORE AFTER [PERCENT]

`list` runs them on the core that NKI_TRNSIM_FIDELITY names, and writes a line for each. `compare` prints the
geometric mean of the kernels that both files have, and those that take much longer. It ends with 1 if a
kernel takes more than PERCENT (3) longer or the geometric mean is above 1.
"""

import json
import math
import os
import runpy
import sys
from collections import Counter
from pathlib import Path

os.environ["TRNSIM_NKI_RTL"] = "1"
HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parents[2] / "examples/nki"


class Listing:
    """A plugin of pytest that notes each execution on the device, by test and number."""

    def __init__(self, file):
        self.file, self.where, self.numbers = file, "", Counter()

    def pytest_runtest_setup(self, item):
        self.where = item.nodeid.split("::", 1)[1]

    def watch(self):
        from trnsim.nki import device

        execute = device.Recording.execute

        def noted(recording, launch, files):
            output, result = execute(recording, launch, files)
            name = f"{self.where} {launch.name}"
            self.numbers[name] += 1
            self.file.write(json.dumps([f"{name} {self.numbers[name]}", result.cycles]) + "\n")
            self.file.flush()
            return output, result

        device.Recording.execute = noted


def listed(path, arguments):
    import pytest

    sys.path[:0] = [str(HERE), str(EXAMPLES)]
    from nki_common import arrange

    arrange()
    with Path(path).open("w") as file:
        listing = Listing(file)
        listing.watch()
        status = pytest.main(
            ["-q", "-p", "no:cacheprovider", f"--confcutdir={HERE}", *(arguments or [str(HERE)])],
            plugins=[listing],
        )
        for example in sorted(EXAMPLES.glob("*.py")) if not arguments else ():
            listing.where = f"examples/{example.stem}"
            runpy.run_path(str(example), run_name="__main__")
    return int(status)


def read(path):
    return dict(json.loads(line) for line in Path(path).read_text().splitlines())


def compared(before, after, percent):
    old, new = read(before), read(after)
    both = [name for name in old if name in new]
    ratios = {name: new[name] / old[name] for name in both}
    mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
    print(f"{len(both)} kernels, {len(set(old) ^ set(new))} in one file only; geometric mean {mean:.5f}")
    print(
        f"cycles together {sum(old[name] for name in both)} before, {sum(new[name] for name in both)} after"
    )
    slower = sorted(
        (name for name in both if ratios[name] > 1 + percent / 100), key=ratios.__getitem__, reverse=True
    )
    for name in slower:
        print(f"{100 * (ratios[name] - 1):+6.1f} %  {old[name]:9} {new[name]:9}  {name}")
    return int(bool(slower) or mean > 1)


def main():
    command, *arguments = sys.argv[1:] or [""]
    if command == "list" and arguments:
        return listed(arguments[0], arguments[1:])
    if command == "compare" and len(arguments) in (2, 3):
        return compared(*arguments[:2], float(arguments[2]) if len(arguments) == 3 else 3.0)
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main())
