"""Benchmarks of what is written in Python: `python -m trnsim.bench`."""
