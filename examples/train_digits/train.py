#!/usr/bin/env python3
"""Trains a network of two layers on handwritten digits, on the RTL: forward, backward and AdamW (step.py).

Three runs start from the same weights with the same samples: in fp32, in bf16 with weights rounded to nearest
even, and in bf16 with stochastic rounding. Weights and the optimizer's state stay in the device's HBM. The
first steps are compared with the interpreter, bit for bit, and with NumPy (reference.py). Each run is a
process, as a process simulates one device.

Prints loss and accuracy, writes them for every step as CSV and, if matplotlib is installed, draws the curves.
"""

import argparse
import concurrent.futures
import csv
import gzip
import multiprocessing
import os
import sys
import time
from pathlib import Path

import numpy as np
import reference
import step

import trnsim

CONFIG = "small16"
DIGITS = Path(__file__).resolve().parents[2] / "data/digits.csv.gz"
RUNS = {  # name: (type of the weights, stochastic rounding)
    "fp32": ("fp32", False),
    "bf16, nearest even": ("bf16", False),
    "bf16, stochastic": ("bf16", True),
}
STATE = ("w1", "w2", "m1", "m2", "v1", "v2")


def read_digits():
    """Returns pixels from 0 to 1, and labels.

    The first pixel is blank in every image; as a constant 1 it makes its weights the biases.
    """
    with gzip.open(DIGITS, "rt") as file:
        rows = np.loadtxt(file, delimiter=",", dtype=np.float32)
    pixels = rows[:, :-1] / 16
    pixels[:, 0] = 1
    return pixels, rows[:, -1].astype(int)


def first_state(dtype):
    random = np.random.default_rng(0)
    shapes = {"1": (step.PIXELS, step.HIDDEN), "2": (step.HIDDEN, step.CLASSES)}
    state = {}
    for name, shape in shapes.items():
        weights = random.normal(0, (2 / shape[0]) ** 0.5, shape).astype(np.float32)
        state["w" + name] = reference.nearest(weights, dtype)
        state["m" + name], state["v" + name] = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    return state


def check_bits(package, inputs, rounding, outputs):
    """Checks that every output is what the interpreter computes."""
    golden = trnsim.interpret(package, inputs, **rounding)
    for name, array in golden.items():
        if array.tobytes() != outputs[name].tobytes():
            raise SystemExit(f"train: {name} differs from the interpreter's")


def check_numpy(before, x, labels, count, rate, dtype, stochastic, logits, outputs):
    """Checks that outputs are close to NumPy's step from the same state, which adds in another order."""
    ulp = 2.0**-7 if dtype == "bf16" else 1e-5
    expected = {**before}
    wanted = reference.train_step(expected, x, labels, count, rate, dtype)
    if not np.allclose(logits, wanted, rtol=ulp, atol=ulp):
        raise SystemExit(f"train: logits of step {count} differ from NumPy's by {abs(logits - wanted).max()}")
    for name in ("w1", "w2"):
        difference = abs(outputs[name].astype(np.float32) - expected[name])
        # They differ by at most a step where a gradient is about 0, and by a rounding.
        near = (difference <= 2 * rate + ulp * abs(before[name])).all()
        # Most weights are equal, unless the rounding is random.
        if not near or (not stochastic and np.mean(difference <= rate / 100) < 0.95):
            raise SystemExit(f"train: {name} after step {count} differs from NumPy's by {difference.max()}")


def train(name, steps, rate, checked):
    """Returns loss and accuracy of every step."""
    dtype, stochastic = RUNS[name]
    pixels, digits = read_digits()
    package = step.build(CONFIG, dtype, rate)
    random = np.random.default_rng(1)
    curve = []
    with trnsim.Session(CONFIG) as session:
        state = {
            key: session.tensor(value, name=key, dtype=dtype if key[0] == "w" else "fp32")
            for key, value in first_state(dtype).items()
        }
        identity = session.tensor(np.eye(step.TILE, dtype=np.float32), name="identity", dtype=dtype)
        model = session.load(package, bindings={**state, "identity": identity})
        for count in range(1, steps + 1):
            batch = random.integers(0, len(digits), step.BATCH)
            x, labels = pixels[batch], np.eye(step.CLASSES, dtype=np.float32)[digits[batch]]
            inputs = {"x": x, "x_t": x.T, "labels": labels, "factors": step.factors(count, rate)}
            rounding = {"stochastic_rounding": stochastic, "seed": count}
            before = {key: tensor.read() for key, tensor in state.items()} if count <= checked else None
            logits = model.execute(inputs, **rounding)["logits"]
            if before:
                after = {key: tensor.read() for key, tensor in state.items()}
                check_bits(
                    package,
                    {**inputs, **before, "identity": identity.read()},
                    rounding,
                    {**after, "logits": logits},
                )
                before = {key: value.astype(np.float32) for key, value in before.items()}
                check_numpy(before, x, labels, count, rate, dtype, stochastic, logits, after)
            shifted = logits - logits.max(1, keepdims=True)
            losses = np.log(np.exp(shifted).sum(1)) - (shifted * labels).sum(1)
            curve.append((float(losses.mean()), float((logits.argmax(1) == digits[batch]).mean())))
    return curve


def smooth(values, width=20):
    """Returns the running means of the steps."""
    return [float(np.mean(values[max(0, i + 1 - width) : i + 1])) for i in range(len(values))]


def draw(curves, rate, path):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4), layout="constrained")
    styles = {
        "fp32": ("black", "-"),
        "bf16, nearest even": ("tab:red", "-"),
        "bf16, stochastic": ("tab:blue", "--"),
    }
    for name, curve in curves.items():
        color, line = styles[name]
        for axes, values in (
            (left, [loss for loss, _ in curve]),
            (right, [100 * accuracy for _, accuracy in curve]),
        ):
            axes.plot(range(1, len(values) + 1), values, color=color, alpha=0.12)
            axes.plot(range(1, len(values) + 1), smooth(values), line, color=color, label=name)
    left.set(title=f"Loss (learning rate {rate:g})", xlabel="step", ylabel="cross entropy", ylim=(0, None))
    right.set(title="Accuracy of the batch", xlabel="step", ylabel="%", ylim=(0, 100))
    left.legend()
    for axes in (left, right):
        axes.grid(alpha=0.3)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--rate", type=float, default=5e-4, help="learning rate (default 5e-4)")
    parser.add_argument(
        "--check", type=int, default=3, help="steps compared with interpreter and NumPy (default 3)"
    )
    parser.add_argument(
        "--out", type=Path, default=Path("out/train_digits"), help="folder for curves.csv and curves.png"
    )
    parser.add_argument("--picture", type=Path, help="where the picture goes instead")
    arguments = parser.parse_args()

    begin = time.monotonic()
    workers = min(len(RUNS), os.cpu_count() or 1)
    curves = {}
    with concurrent.futures.ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        # The longest run starts first.
        futures = {
            name: pool.submit(train, name, arguments.steps, arguments.rate, arguments.check) for name in RUNS
        }
        for name, future in futures.items():
            curves[name] = future.result()
            loss, accuracy = (smooth([values[i] for values in curves[name]])[-1] for i in range(2))
            print(
                f"{name:20} {arguments.steps} steps: loss {loss:.3f}, accuracy {100 * accuracy:.1f} % (mean "
                "of the last 20)",
                flush=True,
            )
    if arguments.check:
        print(
            f"first {min(arguments.check, arguments.steps)} steps: equal to the interpreter bit for bit, "
            "close to NumPy"
        )
    arguments.out.mkdir(parents=True, exist_ok=True)
    with (arguments.out / "curves.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["run", "step", "loss", "accuracy"])
        writer.writerows(
            [name, i, loss, accuracy]
            for name, curve in curves.items()
            for i, (loss, accuracy) in enumerate(curve, 1)
        )
    print(f"curves of every step: {arguments.out / 'curves.csv'}")
    try:
        picture = arguments.picture or arguments.out / "curves.png"
        draw(curves, arguments.rate, picture)
        print(f"picture: {picture}")
    except ImportError:
        print("no picture: matplotlib is not installed", file=sys.stderr)
    print(f"{time.monotonic() - begin:.0f} s")


if __name__ == "__main__":
    main()
