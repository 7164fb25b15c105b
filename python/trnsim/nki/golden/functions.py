"""Activation functions of the Scalar engine, in double precision where NumPy's fp32 is not enough."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import dtypes, operations as ops
from ..tensor import Tensor
from . import access


def _erf_series(x: np.ndarray) -> np.ndarray:
    """erf for |x| < 2: 2/sqrt(pi) exp(-x^2) sum of 2^n x^(2n+1) / (1 3 5 ... (2n+1)). All terms have one
    sign.
    """
    square = x * x
    term = x.copy()
    total = x.copy()
    for n in range(1, 48):
        term *= 2 * square / (2 * n + 1)
        total += term
    result: np.ndarray = 2 / math.sqrt(math.pi) * np.exp(-square) * total
    return result


def _erfc_fraction(x: np.ndarray) -> np.ndarray:
    """erfc for x >= 2 by its continued fraction, from the inside."""
    tail = x.copy()
    for n in range(60, 0, -1):
        tail = x + (n / 2) / tail
    result: np.ndarray = np.exp(-x * x) / math.sqrt(math.pi) / tail
    return result


def erfc(x: np.ndarray) -> np.ndarray:
    """The complementary error function in double precision; its tail has a small relative error."""
    size = np.abs(x)
    near = size < 2
    result = np.empty(x.shape)
    result[near] = 1 - _erf_series(x[near])
    far = np.minimum(np.where(near, 2, size), 40)[~near]
    result[~near] = np.where(x[~near] > 0, _erfc_fraction(far), 2 - _erfc_fraction(far))
    result[np.isnan(x)] = np.nan
    return result


def erf(x: np.ndarray) -> np.ndarray:
    near = np.abs(x) < 2
    result = 1 - erfc(x)
    result[near] = _erf_series(x[near])
    return result


def _sigmoid(x: np.ndarray) -> np.ndarray:
    result: np.ndarray = 1 / (1 + np.exp(-x))
    return result


def _softplus(x: np.ndarray) -> np.ndarray:
    result: np.ndarray = np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))
    return result


def _times(x: np.ndarray, share: np.ndarray) -> np.ndarray:
    """x times a share that falls to 0; the product is 0 where x is minus infinity."""
    return np.where(np.isneginf(x), 0.0, x * share)


def _normal_share(x: np.ndarray) -> np.ndarray:
    return 0.5 * erfc(-x / math.sqrt(2))


def _normal_density(x: np.ndarray) -> np.ndarray:
    result: np.ndarray = np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    return result


def _gelu_dx(x: np.ndarray) -> np.ndarray:
    return _normal_share(x) + np.where(np.isinf(x), 0.0, x * _normal_density(x))


def _silu_dx(x: np.ndarray) -> np.ndarray:
    share = _sigmoid(x)
    return share + np.where(np.isinf(x), 0.0, x * share * _sigmoid(-x))


def _gelu_tanh(x: np.ndarray) -> np.ndarray:
    return _times(x, _sigmoid(2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))


#: Functions that are evaluated in double precision and rounded once.
_DOUBLE: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "sigmoid": _sigmoid,
    "gelu": lambda x: _times(x, _normal_share(x)),
    "gelu_dx": _gelu_dx,
    "gelu_apprx_tanh": _gelu_tanh,
    "gelu_apprx_sigmoid": lambda x: _times(x, _sigmoid(1.702 * x)),
    "silu": lambda x: _times(x, _sigmoid(x)),
    "silu_dx": _silu_dx,
    "softplus": _softplus,
    "mish": lambda x: _times(x, np.tanh(_softplus(x))),
    "erf": erf,
    "erf_dx": lambda x: 2 / math.sqrt(math.pi) * np.exp(-x * x),
    "rsqrt": lambda x: 1 / np.sqrt(x),
}

#: Functions that NumPy has in fp32.
_SINGLE: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "copy": lambda x: x,
    "square": np.square,
    "relu": lambda x: np.maximum(x, np.float32(0)),
    "tanh": np.tanh,
    "exp": np.exp,
    "sign": np.sign,
    "abs": np.abs,
    "log": np.log,
    "sin": np.sin,
    "arctan": np.arctan,
    "sqrt": np.sqrt,
    "reciprocal": lambda x: np.float32(1) / x,
    "cos": np.cos,
    "tan": np.tan,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
}


#: Functions that tell a subnormal number, which the engine takes as 0, from 0.
_OF_ZEROS = frozenset(("log", "reciprocal", "rsqrt", "sign", "sqrt"))


def evaluate(name: str, x: np.ndarray) -> np.ndarray:
    """Returns a function of fp32 values, as fp32."""
    x = dtypes.flushed(x) if name in _OF_ZEROS else x
    if name in _SINGLE:
        return _SINGLE[name](x)
    return _DOUBLE[name](x.astype(np.float64)).astype(np.float32)


def _neutral(op: ops.Activation) -> bool:
    return op.bias is None and not isinstance(op.scale, Tensor) and op.scale == 1


def _activation(op: ops.Activation, state: Any) -> None:
    x = access.fp32(op.src)
    if not _neutral(op):
        x = x * access.fp32(op.scale)
        if op.bias is not None:
            x = x + access.fp32(op.bias)
    result = evaluate(op.function, x)
    access.write(op, result)
    if op.reduce_cmd == "idle":
        return
    sums = state.scalar_sums[: result.shape[0]]
    if op.reduce_cmd != "reduce":
        sums[:] = 0
    if op.reduce_cmd != "reset":
        sums += result.reshape(result.shape[0], -1).sum(axis=1, dtype=np.float32)
    if op.reduced is not None:
        access.store(op.reduced, sums.reshape(op.reduced.shape))


HANDLERS = {ops.Activation: _activation}
