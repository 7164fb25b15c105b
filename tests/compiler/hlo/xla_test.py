#!/usr/bin/env python3
"""Graphs of real models through the evaluator, compared with XLA's CPU backend.

usage: xla_test.py TRNSIM ENVIRONMENT [GRAPH...]

Arguments are random. Each graph is also evaluated by XLA, in an environment of its own that is made from
requirements.txt when its list has changed. The graphs are those of shared/data/hlo beside the tree that one
core evaluates in seconds; GRAPH names others.

XLA adds in float32 and in another order, so results may be apart by the rounding of their sums: TOLERANCE of
the largest element of a result, BF16_TOLERANCE where the graph computes in bf16. Where a graph rounds or
compares what it has computed, a few elements may be further apart: OUTLIERS of a result.
"""

import gzip
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "common"))

from lacking import end_without

TREE = Path(__file__).resolve().parents[3]
LIST = Path(__file__).with_name("requirements.txt")
GRAPHS = (
    "mlp_fwd",
    "mlp_train",
    "vit_fwd",
    "vitnc_fwd",
    "vitnc_train",
    "vit_train",
    "gpt_fwd",
    "gpt_train",
    "bert_fwd",
    "bert_train",
    "txla_mlp_train",
    "txla_vit_train",
    "txla_gpt_train",
    "txla_bert_train",
    "gpt_train_bf16",
    "bert_train_bf16",
    "txla_gpt_bf16",
    "txla_bert_bf16",
)
# The tolerance is a part of the largest element of a result; the share of outliers may be further apart.
TOLERANCE, OUTLIERS = 2e-5, 1e-3
BF16_TOLERANCE, BF16_OUTLIERS = 2e-2, 5e-2


def folder_of_graphs():
    named = os.environ.get("TRNSIM_SHARED_DATA")
    folders = [Path(named) / "hlo"] if named else [folder / "shared/data/hlo" for folder in TREE.parents]
    for folder in folders:
        if folder.is_dir():
            return folder
    return end_without("folder shared/data/hlo beside the tree")


def run_in_environment(folder):
    """Runs this test again by the Python of the environment, which is made when its list has changed."""
    python, made = folder / "bin/python", folder / "requirements.txt"
    if not made.exists() or made.read_text() != LIST.read_text():
        shutil.rmtree(folder, ignore_errors=True)
        if subprocess.run([sys.executable, "-m", "venv", folder], check=False).returncode != 0:
            end_without("venv of the package python3-venv")
        pip = [
            python,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--only-binary",
            ":all:",
        ]
        if subprocess.run([*pip, "--requirement", LIST], check=False).returncode != 0:
            end_without("index of Python packages")
        shutil.copy(LIST, made)
    os.execv(python, [python, *sys.argv])


def load(array):
    """Returns an array as .npy files have it: bf16 as raw bytes."""
    return array.view("V2") if array.dtype.name == "bfloat16" else array


def arguments_of(module, random, np):
    """Returns random arguments for the entry computation; integers are small enough to index tables."""
    shapes = module.program_shape().parameter_shapes()
    arguments = []
    for shape in shapes:
        dtype, size = np.dtype(shape.numpy_dtype()), shape.dimensions()
        if dtype.name == "bfloat16" or dtype.kind == "f":
            # Second moments are positive.
            array = (np.abs(random.standard_normal(size)) * 0.1 + 0.01).astype(np.float32).astype(dtype)
        else:
            array = random.integers(0, 2, size).astype(dtype)
        arguments.append(np.asarray(array))
    return arguments


def differences(found, expected, tolerance, outliers, np):
    """Returns how many elements are apart by more than `tolerance` of the largest."""
    if found.shape != expected.shape:
        return f"shape {found.shape}, expected {expected.shape}"
    if expected.dtype.kind in "iub":
        wrong = found != expected
    else:
        a, b = found.astype(np.float64), expected.astype(np.float64)
        largest = np.max(np.abs(b[np.isfinite(b)]), initial=1e-30)
        wrong = ~((np.abs(a - b) <= tolerance * largest) | (a == b) | (np.isnan(a) & np.isnan(b)))
    count = int(np.sum(wrong))
    if count > outliers * wrong.size:
        return f"{count} of {wrong.size} elements are apart"
    return ""


def compare(trnsim, graph, np, jax, xla):
    """Returns what is wrong with the results of a graph."""
    data = gzip.decompress(graph.read_bytes())
    computation = xla.hlo.XlaComputation(data)
    is_bf16 = "bf16[" in computation.as_hlo_text()
    bounds = (BF16_TOLERANCE, BF16_OUTLIERS) if is_bf16 else (TOLERANCE, OUTLIERS)
    random = np.random.default_rng(20260101)
    arguments = arguments_of(computation, random, np)
    backend = jax.devices("cpu")[0].client
    devices = xla.client.DeviceList(tuple(jax.devices("cpu")[:1]))
    loaded = backend.compile_and_load(xla.client.mlir.hlo_to_stablehlo(data), devices, xla.options())
    results = loaded.execute_sharded([jax.device_put(argument) for argument in arguments])
    expected = [np.asarray(by_device[0]) for by_device in results.disassemble_into_single_device_arrays()]
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        command = [trnsim, "compile", str(graph), "--evaluate"]
        for i, argument in enumerate(arguments):
            np.save(f"{folder}/arg{i}.npy", load(argument))
            command.append(f"--input=arg{i}={folder}/arg{i}.npy")
        command += [f"--output=out{i}={folder}/out{i}.npy" for i in range(len(expected))]
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        if done.returncode != 0:
            return [done.stdout.strip()]
        for i, want in enumerate(expected):
            found = np.load(f"{folder}/out{i}.npy")
            if want.dtype.name == "bfloat16":
                found = found.view(want.dtype)
            reason = differences(found, want, *bounds, np)
            if reason:
                wrong.append(f"out{i}: {reason}")
    return wrong


def main():
    trnsim, environment = sys.argv[1], Path(sys.argv[2]).absolute()
    graphs = folder_of_graphs()
    if Path(sys.prefix) != environment:
        run_in_environment(environment)
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["JAX_ENABLE_X64"] = "1"
    import jax
    import numpy as np
    from jaxlib import _hlo, _jax, xla_client

    class Xla:
        hlo, client, options = _hlo, _jax, xla_client.CompileOptions

    failures = 0
    for name in sys.argv[3:] or GRAPHS:
        wrong = compare(trnsim, graphs / f"{name}.hlo.pb.gz", np, jax, Xla)
        print(f"{name}: {'; '.join(wrong[:5]) or 'agrees'}", flush=True)
        failures += bool(wrong)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
