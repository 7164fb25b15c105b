"""python -m trnsim.nki script.py [ARGUMENT...]: runs a script whose kernels import neuronxcc.nki, in the NumPy simulation."""

import runpy
import sys

from .install import install


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit("usage: python -m trnsim.nki script.py [ARGUMENT...]")
    install(mode="simulation", replace=True)
    del sys.argv[0]
    sys.path.insert(0, sys.argv[0].rpartition("/")[0] or ".")
    runpy.run_path(sys.argv[0], run_name="__main__")


main()
