"""Benchmarks of the parts that are written in Python: `python -m trnsim.bench`."""
