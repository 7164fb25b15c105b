"""Simulated times of NKI kernels beside the times that others measured on the chip (docs/silicon.md)."""
