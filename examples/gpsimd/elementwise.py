#!/usr/bin/env python3
"""Commands of GpSimd's microcode on fp32 and int32 rows, as a program of a sweep.

usage: python examples/gpsimd/elementwise.py -o FILE.neff --config CONFIG.yaml
"""

import argparse

import numpy as np

import trnsim

COLUMNS = 512


def kernel(config):
    """y = a * b + 1, z = i + 3 j of row i and column j."""
    k = trnsim.KernelBuilder("elementwise", config)
    rows = trnsim.load_config(config).keys()["core"]["partitions"]
    queue = k.queue("q")

    def row(name, dtype, kind):
        return k.sbuf(rows, dtype, [COLUMNS]), k.tensor(name, kind, dtype, [rows, COLUMNS])

    (a, a_in), (b, b_in) = row("a", np.float32, "input"), row("b", np.float32, "input")
    (y, y_out), (z, z_out) = row("y", np.float32, "output"), row("z", np.int32, "output")
    k.load(queue, a, a_in)
    k.load(queue, b, b_in)
    k.tensor_tensor(y, a, "multiply", b, engine="gpsimd")
    k.tensor_scalar(y, y, "add", 1.0, engine="gpsimd")
    k.iota(z, base=0, partition_step=1, steps=[3])
    k.store(queue, y_out, y)
    k.store(queue, z_out, z)
    return k.finish()


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("-o", "--output", required=True)
    options.add_argument("--config", required=True)
    chosen = options.parse_args()
    kernel(chosen.config).write(chosen.output)
