#!/usr/bin/env python3
"""Prints the time in ps at which a 1-bit signal of a recording rises.

usage: event_time.py FILE.fst SIGNAL [WHICH, from 1]
"""

import subprocess
import sys


def rises(path, signal):
    vcd = subprocess.run(["fst2vcd", "-f", path], check=True, capture_output=True, text=True).stdout
    place, code, now = [], None, 0
    for line in vcd.splitlines():
        words = line.split()
        if words[:1] == ["$scope"]:
            place.append(words[2])
        elif words[:1] == ["$upscope"]:
            place.pop()
        elif words[:1] == ["$var"] and ".".join([*place, words[4]]) == f"core.neuron_core.{signal}":
            code = words[3]
        elif line.startswith("#"):
            now = int(line[1:])
        elif code is not None and line == "1" + code:
            yield now


def main():
    path, signal = sys.argv[1:3]
    which = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    times = list(rises(path, signal))
    if len(times) < which:
        sys.exit(f"{path}: {signal} rises {len(times)} times")
    print(times[which - 1])


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main()
