"""gpsimd_vlen.py CONFIG.yaml CONFIGS prints the value of core.gpsimd.vlen of a configuration.

The files that the value comes from follow, one a line. CONFIGS is the folder of the shipped configurations.
The build needs the value before anything is compiled, so it cannot ask arch/config. Nothing is refused here:
arch/config does that with reasons, and a core does not compile with a model of another VLEN
(model/core/rtl/gpsimd_cores.cpp).
"""

import sys
from pathlib import Path

import yaml


def files_of(path, configs):
    """Yields a configuration and those that it extends, one after the other, with their contents."""
    seen = set()
    while path.is_file() and path not in seen:
        seen.add(path)
        contents = yaml.load(path.read_text(), yaml.BaseLoader)
        contents = contents if isinstance(contents, dict) else {}
        yield path, contents
        base = contents.get("extends", "")
        if not isinstance(base, str) or not base:
            return
        beside = path.parent / base
        path = beside if beside.is_file() else configs / f"{base}.yaml"


def value_at(contents, keys):
    for key in keys:
        if not isinstance(contents, dict):
            return None
        contents = contents.get(key)
    return contents


def vlen_of(path, configs):
    """Returns the value, "" if there is none, and the files."""
    files = list(files_of(path, configs))
    values = [value_at(contents, ("core", "gpsimd", "vlen")) for _, contents in files]
    return next((value for value in values if isinstance(value, str)), ""), [path for path, _ in files]


if __name__ == "__main__":
    vlen, files = vlen_of(Path(sys.argv[1]), Path(sys.argv[2]))
    print(vlen, *files, sep="\n")
