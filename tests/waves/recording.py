"""A recording, read by fst2vcd of the package gtkwave.

A name stands for one signal: two with the same name are an error of every test that reads a recording.
"""

import re
import subprocess


class Recording:
    """The changes [(ps, value)] of each signal by name; values are numbers or text."""

    def __init__(self, path):
        vcd = subprocess.run(["fst2vcd", "-f", path], check=True, capture_output=True, text=True).stdout
        header, _, changes = vcd.partition("$enddefinitions")
        names, place, now = {}, [], 0
        for line in header.splitlines():
            words = line.split()
            if words[:1] == ["$scope"]:
                place.append(words[2])
            elif words[:1] == ["$upscope"]:
                place.pop()
            elif words[:1] == ["$var"]:
                names.setdefault(words[3], []).append(".".join([*place, words[4]]))
        codes = {}
        for code, aliases in names.items():
            for name in aliases:
                codes.setdefault(name, set()).add(code)
        twice = [name for name, all_codes in codes.items() if len(all_codes) > 1]
        if twice:
            raise ValueError(f"{path}: two signals with one name: {', '.join(twice[:5])}")
        self.times, self.changes = [], {name: [] for aliases in names.values() for name in aliases}
        for line in changes.splitlines():
            if line[:1] == "#":
                now = int(line[1:])
                self.times.append(now)
            elif match := re.fullmatch(r"b([01]+) (\S+)|([01])(\S+)|s(\S*) (\S+)", line):
                text = match[5] and re.sub(r"\\(\d{3})", lambda code: chr(int(code[1], 8)), match[5])
                value = text if text is not None else int(match[1] or match[3], 2)
                for name in names[match[2] or match[4] or match[6]]:
                    self.changes[name].append((now, value))

    def at(self, name, time):
        return [value for when, value in self.changes[name] if when <= time][-1]
