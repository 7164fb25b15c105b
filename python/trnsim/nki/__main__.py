"""python -m trnsim.nki SCRIPT.py runs a script with kernels that import neuronxcc.nki.

They run on the RTL, or with NKI_SIMULATOR=1 in NumPy.
"""

import runpy
import sys
from pathlib import Path

from .install import install

_USAGE = "usage: python -m trnsim.nki script.py [ARGUMENT...]"


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(_USAGE)
    if sys.argv[1] in ("-h", "--help"):
        print(_USAGE)
        print(
            "Runs a script whose kernels import neuronxcc.nki on the RTL; with NKI_SIMULATOR=1 those in mode "
            "auto run in NumPy."
        )
        return
    script = sys.argv[1]
    if not Path(script).is_file():
        found = "is a folder" if Path(script).is_dir() else "is not there"
        sys.exit(f"python -m trnsim.nki: {script} {found}, expected a script of Python")
    install(replace=True)
    del sys.argv[0]
    sys.path.insert(0, str(Path(script).parent))
    runpy.run_path(script, run_name="__main__")


main()
