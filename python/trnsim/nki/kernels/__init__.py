"""nki.kernels: kernels under the names, and with the arguments, of the public `neuronxcc.nki.kernels`.

They are trnsim's own, written from what the public documentation says they compute.
"""

from . import allocated_attention, allocated_fused_linear, attention, rmsnorm_quant, vision

__all__ = ["allocated_attention", "allocated_fused_linear", "attention", "rmsnorm_quant", "vision"]
