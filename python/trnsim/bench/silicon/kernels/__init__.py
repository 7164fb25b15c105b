"""NKI kernels with the shapes and the instruction counts of measured ones.

They import neuronxcc.nki, so that they also run on the chip; without the SDK it is trnsim's.
"""

from .... import nki

try:
    import neuronxcc  # noqa: F401
except ImportError:
    nki.install()
