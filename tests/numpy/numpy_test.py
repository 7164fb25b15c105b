#!/usr/bin/env python3
"""Kernels on the RTL, compared with NumPy.

usage: numpy_test.py TRNSIM CONFIGS

Their shapes make many, small or slow transfers, so that the shares of DMA engines drift apart. Operands are
small integers, which every type holds exactly, and their sums are exact in fp32 in any order: every element
has to be equal.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np


def integers(random, shape, limit):
    return random.integers(-limit, limit + 1, shape).astype(np.float32)


def matmul(random, M, K, N, dtype):  # noqa: N803  # the kernel's arguments
    a, b = integers(random, (K, M), 4), integers(random, (K, N), 4)
    return {"a": a, "b": b}, "c", a.T @ b


def mlp(random, batch, inputs, hidden, outputs):
    x, w1 = integers(random, (inputs, batch), 1), integers(random, (inputs, hidden), 1)
    b1, w2, b2 = (
        integers(random, hidden, 4),
        integers(random, (hidden, outputs), 1),
        integers(random, outputs, 4),
    )
    h = np.maximum(w1.T @ x + b1[:, None], 0)
    assert h.max() <= 256  # integers that bf16 holds
    return {"x": x, "w1": w1, "b1": b1, "w2": w2, "b2": b2}, "y", w2.T @ h + b2[:, None]


def transpose(random, rows, cols, dtype):
    x = random.integers(0, 2**32, (rows, cols), dtype=np.uint32)
    return {"x": x}, "y", x.T


CASES = [  # configuration with changed keys, kernel, arguments
    ("trn1", {}, matmul, {"M": 1, "K": 768, "N": 50257, "dtype": "bf16"}),
    ("trn1", {}, matmul, {"M": 64, "K": 36, "N": 17951, "dtype": "bf16"}),
    ("trn1", {}, matmul, {"M": 16, "K": 100, "N": 13524, "dtype": "fp32"}),
    ("trn1", {}, mlp, {"batch": 10000, "inputs": 784, "hidden": 100, "outputs": 10}),
    ("trn1", {}, transpose, {"rows": 40000, "cols": 1, "dtype": "u32"}),
    ("small16", {}, transpose, {"rows": 3333, "cols": 1, "dtype": "u32"}),
    ("small16", {"bandwidth": "10 GB/s"}, mlp, {"batch": 50, "inputs": 30, "hidden": 40, "outputs": 10}),
    ("small16", {"write_latency": "3 us"}, matmul, {"M": 40, "K": 70, "N": 600, "dtype": "bf16"}),
    ("small16", {"bandwidth": "10 GB/s"}, matmul, {"M": 40, "K": 70, "N": 600, "dtype": "bf16"}),
]


class Run:
    def __init__(self, trnsim, configs, folder):
        self.trnsim, self.configs, self.folder = trnsim, configs, folder

    def config(self, name, hbm):
        if not hbm:
            return name
        path = Path(self.folder, "config.yaml")
        with path.open("w") as file:
            keys = ", ".join(f"{key}: {value}" for key, value in hbm.items())
            file.write(f"extends: {self.configs}/{name}.yaml\nname: {name}-slow\nhbm: {{ {keys} }}\n")
        return path

    def output(self, config, kernel, arguments, inputs, output):
        neff = Path(self.folder, "k.neff")
        build = [self.trnsim, "kernel", "build", kernel, "-o", neff, "--config", config]
        for name, value in arguments.items():
            build += [f"--{name}", str(value)]
        subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
        run = [self.trnsim, "run", neff, "--config", config]
        for name, array in inputs.items():
            path = Path(self.folder, name + ".npy")
            np.save(path, np.ascontiguousarray(array))
            run += ["--input", f"{name}={path}"]
        path = Path(self.folder, output + "-out.npy")
        subprocess.run([*run, "--output", f"{output}={path}"], check=True, stdout=subprocess.DEVNULL)
        return np.load(path)


def main():
    trnsim, configs = sys.argv[1:]
    os.environ["TRNSIM_CONFIG_PATH"] = configs
    seed = int(os.environ.get("TRNSIM_TEST_SEED", "1"))
    print(f"TRNSIM_TEST_SEED={seed}")
    random = np.random.default_rng(seed)
    failed = 0
    for config, hbm, kernel, arguments in CASES:
        inputs, output, expected = kernel(random, **arguments)
        with tempfile.TemporaryDirectory() as folder:
            run = Run(trnsim, configs, folder)
            got = run.output(run.config(config, hbm), kernel.__name__, arguments, inputs, output)
        wrong = np.count_nonzero(got != expected)
        failed += wrong != 0
        print(
            f"{kernel.__name__} {arguments} on {config} {hbm or ''}: {wrong} of {expected.size} elements "
            "wrong",
            flush=True,
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
