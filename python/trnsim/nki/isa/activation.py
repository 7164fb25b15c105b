"""Activation functions, on the Scalar engine."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import alu, context, dtypes, operations
from ..errors import NkiError
from ..operands import Result, column, destination, tile
from ..tensor import Tensor
from .engines import member, reduce_cmd as commands

_BIAS_TYPES = (np.dtype(np.float32), np.dtype(np.float16), dtypes.bfloat16)


def _bias(value: Any, data: Tensor, function: str) -> Tensor | None:
    if value is None:
        if context.current().direct:
            raise NkiError(
                "err_bias_tensor_must_be_specified_in_allocation",
                f"{function} without bias in a kernel that places its tensors, expected a tile",
            )
        return None
    if not isinstance(value, Tensor) or value.dtype not in _BIAS_TYPES:
        found = dtypes.name_of(value.dtype) if isinstance(value, Tensor) else repr(value)
        raise NkiError(
            "err_activation_bias_invalid_type",
            f"bias of {function} is {found}, expected a tile of float32, float16 or bfloat16",
        )
    return column(tile(value, function, "bias"), data, function, "bias")


def _scale(value: Any, data: Tensor, function: str) -> Any:
    if not isinstance(value, Tensor):
        dtypes.of_scalar(value)
        return value
    if value.elements != 1 or value.partitions != data.partitions:
        raise NkiError(
            "err_activation_scale_scalar_or_vector",
            f"scale of {function} has shape {list(value.shape)}, expected a number or [{data.partitions}, 1]",
        )
    if value.dtype != np.float32:
        raise NkiError(
            "err_activation_scale_invalid_type",
            f"scale of {function} is {dtypes.name_of(value.dtype)}, expected float32",
        )
    return column(tile(value, function, "scale"), data, function, "scale")


def activation(
    op: Any,
    data: Any,
    *,
    bias: Any = None,
    scale: Any = 1.0,
    reduce_op: Any = None,
    reduce_res: Any = None,
    reduce_cmd: Any = commands.idle,
    mask: Any = None,
    dtype: Any = None,
    **extras: Any,
) -> Tensor:
    """op(data * scale + bias) on Scalar; its registers may add the results of each partition."""
    function, command = alu.activation(op, "activation"), member(commands, reduce_cmd, "activation")
    return activated(
        "activation", function, data, bias, scale, reduce_op, reduce_res, command, mask, dtype, extras
    )


def activation_reduce(
    op: Any,
    data: Any,
    *,
    reduce_op: Any,
    reduce_res: Any,
    bias: Any = None,
    scale: Any = 1.0,
    mask: Any = None,
    dtype: Any = None,
    **extras: Any,
) -> Tensor:
    """Works as activation does; the sum of the results of each partition goes to reduce_res."""
    return activated(
        "activation_reduce",
        alu.activation(op, "activation_reduce"),
        data,
        bias,
        scale,
        reduce_op,
        reduce_res,
        commands.reset_reduce,
        mask,
        dtype,
        extras,
    )


def activated(
    function: str,
    name: str,
    data: Any,
    bias: Any,
    scale: Any,
    reduce_op: Any,
    reduce_res: Any,
    command: commands,
    mask: Any,
    dtype: Any,
    extras: dict[str, Any],
) -> Tensor:
    a = tile(data, function, "data")
    bias, scale = _bias(bias, a, function), _scale(scale, a, function)
    if reduce_op is not None and alu.alu_op(reduce_op, function, "reduce_op").name != "add":
        raise NkiError(
            "err_argument", f"reduce_op of {function} is {alu.alu_op(reduce_op, function).name}, expected add"
        )
    if reduce_res is not None:
        if command == commands.idle:
            raise NkiError(
                "err_argument",
                f"reduce_res of {function} with reduce_cmd idle, expected reset, reduce or reset_reduce",
            )
        reduce_res = column(destination(reduce_res, function, "reduce_res"), a, function, "reduce_res")
    result = Result(
        a.shape, a.dtype if dtype is None else dtypes.as_dtype(dtype), mask, function=function, extras=extras
    )
    if result.where is not None and command != commands.idle:
        raise NkiError(
            "err_mask",
            f"{function} with a reduction and a mask that is no box, expected comparisons of one dimension "
            "each",
        )
    return result.emit(
        operations.Activation,
        function=name,
        src=result.cut(a),
        scale=result.cut(scale),
        bias=result.cut(bias),
        reduce_cmd=command.name,
        reduced=result.cut(reduce_res),
    )
