"""The step of step.py in NumPy: the same operations, types and roundings.

Sums and functions are as NumPy computes them.
"""

import ml_dtypes
import numpy as np
from step import BATCH, BETA1, BETA2, DECAY, EPS

TYPES = {"fp32": np.float32, "bf16": ml_dtypes.bfloat16}


def nearest(x, dtype):
    return x.astype(TYPES[dtype]).astype(np.float32)


def stochastic(x, random):
    """Rounds fp32 to bf16: up with the probability of the bits that are cut off."""
    bits = x.view(np.uint32) + random.integers(0, 1 << 16, x.shape, dtype=np.uint32)
    return (bits & np.uint32(0xFFFF0000)).view(np.float32)


def train_step(state, x, labels, step, rate, dtype, narrow=None):
    """Updates `state`, arrays in fp32, and returns the logits.

    `narrow` rounds the weights; without it they are rounded to nearest even.
    """
    narrow = narrow or (lambda w: nearest(w, dtype))
    w1, w2, x = state["w1"], state["w2"], nearest(x, dtype)
    h = nearest(np.maximum(x @ w1, 0), dtype)
    logits = h @ w2
    powers = np.exp(logits - logits.max(1, keepdims=True))
    d = nearest((powers / powers.sum(1, keepdims=True) - labels) / np.float32(BATCH), dtype)
    dh = nearest((h > 0) * (d @ w2.T), dtype)
    for name, g in (("1", x.T @ dh), ("2", h.T @ d)):
        m = state["m" + name] = np.float32(BETA1) * state["m" + name] + np.float32(1 - BETA1) * g
        v = state["v" + name] = np.float32(BETA2) * state["v" + name] + np.float32(1 - BETA2) * g * g
        update = (
            np.float32(rate / (1 - BETA1**step))
            * m
            / (np.sqrt(v * np.float32(1 / (1 - BETA2**step))) + np.float32(EPS))
        )
        state["w" + name] = narrow(np.float32(1 - rate * DECAY) * state["w" + name] - update)
    return logits
