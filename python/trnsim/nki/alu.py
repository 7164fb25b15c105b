"""ALU operations and activation functions: their names and the ways a kernel may write them.

Names are those of the instruction set. It does not have `composed` ones; a lowering makes them of others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .errors import NkiError


@dataclass(frozen=True)
class AluOp:
    name: str
    kind: str  # arithmetic, test (gives 0 or 1) or bits
    operands: int = 2
    reduces: bool = False
    composed: bool = False


_ROWS = (
    AluOp("add", "arithmetic", reduces=True),
    AluOp("subtract", "arithmetic", reduces=True),
    AluOp("multiply", "arithmetic", reduces=True),
    AluOp("max", "arithmetic", reduces=True),
    AluOp("min", "arithmetic", reduces=True),
    AluOp("power", "arithmetic"),
    AluOp("divide", "arithmetic", composed=True),
    AluOp("mod", "arithmetic", composed=True),
    AluOp("fmod", "arithmetic", composed=True),
    AluOp("abs", "arithmetic", operands=1),
    AluOp("reciprocal", "arithmetic", operands=1),
    AluOp("rsqrt", "arithmetic", operands=1),
    AluOp("is_equal", "test"),
    AluOp("not_equal", "test"),
    AluOp("greater", "test"),
    AluOp("greater_equal", "test"),
    AluOp("less", "test"),
    AluOp("less_equal", "test"),
    AluOp("logical_and", "test", reduces=True),
    AluOp("logical_or", "test", reduces=True),
    AluOp("logical_xor", "test", reduces=True),
    AluOp("logical_not", "test", operands=1),
    AluOp("bitwise_and", "bits", reduces=True),
    AluOp("bitwise_or", "bits", reduces=True),
    AluOp("bitwise_xor", "bits", reduces=True),
    AluOp("bitwise_not", "bits", operands=1),
    AluOp("shift_left", "bits"),
    AluOp("shift_right", "bits"),
)
ALU = {row.name: row for row in _ROWS}

#: Names of nl and NumPy that differ from the instruction set's.
_ALU_ALIASES = {
    "maximum": "max",
    "minimum": "min",
    "amax": "max",
    "amin": "min",
    "sum": "add",
    "prod": "multiply",
    "equal": "is_equal",
    "invert": "bitwise_not",
    "left_shift": "shift_left",
    "right_shift": "shift_right",
    "true_divide": "divide",
    "remainder": "mod",
    "absolute": "abs",
    "all": "logical_and",
    "any": "logical_or",
    "bitwise_invert": "bitwise_not",
    "bitwise_left_shift": "shift_left",
    "bitwise_right_shift": "shift_right",
    "pow": "power",
}

#: All names of ALU operations.
NAMES = frozenset(ALU) | frozenset(_ALU_ALIASES)

ACTIVATIONS = frozenset(
    {
        "copy",
        "square",
        "sigmoid",
        "relu",
        "gelu",
        "gelu_dx",
        "gelu_apprx_tanh",
        "gelu_apprx_sigmoid",
        "silu",
        "silu_dx",
        "tanh",
        "softplus",
        "mish",
        "erf",
        "erf_dx",
        "exp",
        "sign",
        "abs",
        "log",
        "sin",
        "arctan",
        "sqrt",
        "rsqrt",
        "reciprocal",
    }
)

#: Functions of one operand that no engine has as an instruction of its own.
COMPOSED_FUNCTIONS = frozenset({"cos", "tan", "floor", "ceil", "trunc"})

_ACTIVATION_ALIASES = {"absolute": "abs", "positive": "copy", "identity": "copy"}


def _name(op: Any) -> str:
    return op if isinstance(op, str) else getattr(op, "__name__", repr(op))


def alu_op(op: Any, function: str, argument: str = "op") -> AluOp:
    """Returns the operation that nl.add, np.add or "add" names."""
    if isinstance(op, AluOp):
        return op
    name = _name(op)
    found = ALU.get(_ALU_ALIASES.get(name, name))
    if found is None:
        raise NkiError(
            "err_argument", f"{argument} of {function} is {name}, expected one of nl.{', nl.'.join(ALU)}"
        )
    return found


def isa_op(op: Any, function: str, argument: str = "op") -> AluOp:
    """Returns what alu_op does, and refuses operations that the engines do not have."""
    found = alu_op(op, function, argument)
    if found.composed:
        raise NkiError(
            "err_argument",
            f"{argument} of {function} is {found.name}, which no engine has, expected a call of the function "
            f"nl.{found.name}",
        )
    return found


def reduction(op: Any, function: str, argument: str = "op") -> AluOp:
    found = alu_op(op, function, argument)
    if not found.reduces:
        raise NkiError(
            "err_argument",
            f"{argument} of {function} is {found.name}, expected one of "
            f"{', '.join(row.name for row in _ROWS if row.reduces)}",
        )
    return found


def activation(op: Any, function: str) -> str:
    """Returns the name of an activation function."""
    name = _ACTIVATION_ALIASES.get(_name(op), _name(op))
    if name not in ACTIVATIONS:
        raise NkiError(
            "err_argument",
            f"op of {function} is {name}, expected one of nl.{', nl.'.join(sorted(ACTIVATIONS))}",
        )
    return name
