"""RMSNorm followed by a quantization to fp8."""

from . import rmsnorm_quant

__all__ = ["rmsnorm_quant"]
