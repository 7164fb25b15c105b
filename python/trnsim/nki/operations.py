"""Operations: requests of a kernel to the engines, one record for each call, independent of their executor.

Operands are tensors, which are access patterns (`tensor.py`), cut to the part that a mask leaves. If a mask
is no box, `where` marks the elements of dst that are written. `place` is the file and the line of the user's
call.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, TypeAlias, TypeVar, dataclass_transform

import numpy as np

from .affine import Affine, Comparison
from .alu import AluOp
from .tensor import Tensor

Scalar: TypeAlias = int | float | np.generic
Operand: TypeAlias = Scalar | Tensor  # a tensor has one element a partition


_Class = TypeVar("_Class")

#: Names of the fields that are written.
_RESULTS = ("dst", "reduced", "indices")


@dataclass_transform(field_specifiers=(field,))
def _record(cls: type[_Class]) -> type[_Class]:
    """Makes a dataclass with slots that knows its fields; a kernel has many operations."""
    made: Any = dataclass(slots=True)(cls)
    made.field_names = tuple(f.name for f in fields(made))
    made.result_names = tuple(name for name in made.field_names if name in _RESULTS)
    made.operand_names = tuple(name for name in made.field_names if name not in (*_RESULTS, "where", "place"))
    return made  # type: ignore[no-any-return]


@_record
class Operation:
    place: tuple[str, int] | None = field(init=False, repr=False, default_factory=type(None))
    keeps_bits: ClassVar[bool] = False  # True if elements of equal types keep their bits
    field_names: ClassVar[tuple[str, ...]] = ()  # names of all fields, in the order of the constructor
    result_names: ClassVar[tuple[str, ...]] = ()  # names of the fields that are written
    operand_names: ClassVar[tuple[str, ...]] = ()  # names of the fields that are read

    @property
    def is_void(self) -> bool:
        """Whether a mask has left nothing of an operand, so that it does nothing."""
        for name in self.field_names:
            value = getattr(self, name)
            if isinstance(value, Tensor) and value.storage.void:
                return True
        return False

    def tensors(self) -> Iterator[Tensor]:
        """Yields all tensors, including indices from tiles."""
        for name in self.field_names:
            value = getattr(self, name)
            if isinstance(value, Tensor):
                yield value
                if value.dynamic is not None:
                    yield value.dynamic.index


@_record
class Writing(Operation):
    """An operation with a destination."""

    dst: Tensor
    where: np.ndarray | None


# Data movement.


@_record
class DmaCopy(Writing):
    """dst = src, or dst += src, between HBM and SBUF; one of the two may have an index from a tile."""

    keeps_bits = True
    src: Tensor | Scalar
    accumulate: bool = False
    skip_out_of_bounds: bool = False


@_record
class DmaTranspose(Writing):
    """dst = src with its dimensions permuted."""

    keeps_bits = True
    src: Tensor
    axes: tuple[int, ...]


@_record
class TensorCopy(Writing):
    """dst = src; one of the two may have an index from a tile. Equal types keep their bits, others go through
    fp32.
    """

    keeps_bits = True
    src: Tensor
    engine: str = "any"


@_record
class CopyPredicated(Writing):
    """dst = src where the predicate is not 0 (or, inverted, is 0)."""

    keeps_bits = True
    src: Operand
    predicate: Tensor
    inverted: bool


@_record
class Memset(Writing):
    value: Scalar
    engine: str = "any"


@_record
class Iota(Writing):
    """dst = the values of an affine expression over its positions."""

    expression: Affine


@_record
class AffineSelect(Writing):
    """dst = src where a comparison of the position holds, else the value."""

    src: Tensor
    predicate: bool | Comparison
    otherwise: float


@_record
class StreamShuffle(Writing):
    """Sets row i of each quadrant of dst to row sources[i] of src's; 255 leaves a row."""

    keeps_bits = True
    src: Tensor
    sources: tuple[int, ...]


@_record
class LocalGather(Writing):
    """Gathers elements of src in each 16 partitions at the indices of them together, `run` consecutive ones
    each.
    """

    keeps_bits = True
    src: Tensor
    index: Tensor
    run: int


@_record
class GatherFlattened(Writing):
    """Gathers the elements of src at the indices in each partition."""

    keeps_bits = True
    src: Tensor
    index: Tensor


# Tensor engine.


@_record
class Matmul(Writing):
    """dst = stationary.T @ moving, in fp32. Operands are [contraction, columns]."""

    stationary: Tensor
    moving: Tensor
    is_transpose: bool = False


@_record
class Accumulate(Writing):
    """dst += src in PSUM, for the result of a matmul, by the adder of PSUM."""

    src: Tensor


@_record
class Transpose(Writing):
    """dst = src.T of [partitions, elements]."""

    keeps_bits = True
    src: Tensor
    engine: str


# Elementwise operations.


@_record
class TensorTensor(Writing):
    """dst = a op b, of integers if `integers`, of bits for bit operations, else of fp32."""

    a: Tensor
    b: Tensor
    op: AluOp
    integers: bool = False
    engine: str = "any"


@_record
class TensorScalar(Writing):
    """dst = (a op0 operand0) op1 operand1."""

    a: Tensor
    op0: AluOp
    operand0: Operand
    reverse0: bool = False
    op1: AluOp | None = None
    operand1: Operand | None = None
    reverse1: bool = False
    engine: str = "any"


@_record
class ScalarTensorTensor(Writing):
    """dst = (a op0 operand0) op1 b."""

    a: Tensor
    op0: AluOp
    operand0: Operand
    op1: AluOp
    b: Tensor
    reverse0: bool
    reverse1: bool


@_record
class Select(Writing):
    """dst = a where the predicate is not 0, else b."""

    keeps_bits = True
    predicate: Tensor
    a: Operand
    b: Operand


@_record
class Activation(Writing):
    """dst = function(src * scale + bias).

    The registers of the Scalar engine add the results by `reduce_cmd`; `reduced` takes the sums.
    """

    function: str
    src: Tensor
    scale: Operand
    bias: Tensor | None
    reduce_cmd: str = "idle"
    reduced: Tensor | None = None


@_record
class Reciprocal(Writing):
    src: Tensor


@_record
class Dropout(Writing):
    """dst = src, or 0 with a probability."""

    src: Tensor
    probability: Operand


@_record
class Rng(Writing):
    """dst = 32 random bits an element."""


@_record
class RngSeed(Operation):
    seed: Operand


# Reductions and scans.


@_record
class TensorReduce(Writing):
    """dst = src reduced over its innermost `axes` dimensions."""

    src: Tensor
    op: AluOp
    axes: int
    negate: bool = False


@_record
class TensorScalarReduce(Writing):
    """dst = a op0 operand0; reduced = dst over all free dimensions."""

    a: Tensor
    op0: AluOp
    operand0: Operand
    reverse0: bool
    reduce_op: AluOp
    reduced: Tensor


@_record
class SelectReduce(Writing):
    """dst = a where the predicate is not 0, else `otherwise`.

    The registers of the Vector engine hold the maximum by `reduce_cmd`.
    """

    a: Tensor
    predicate: Tensor
    otherwise: Operand
    inverted: bool
    reduce_cmd: str
    reduced: Tensor | None


@_record
class TensorTensorScan(Writing):
    """r[i] = (a[i] op0 r[i-1]) op1 b[i]."""

    a: Tensor
    b: Tensor
    initial: Operand
    op0: AluOp
    op1: AluOp
    reverse0: bool
    reverse1: bool


@_record
class PartitionReduce(Writing):
    """dst = src reduced over its partitions."""

    src: Tensor
    op: AluOp


@_record
class BnStats(Writing):
    src: Tensor


@_record
class BnAggr(Writing):
    src: Tensor


@_record
class Max8(Writing):
    src: Tensor


@_record
class FindIndex8(Writing):
    src: Tensor
    values: Tensor


@_record
class MatchReplace8(Writing):
    src: Tensor
    values: Tensor
    replacement: float
    indices: Tensor | None


@_record
class SequenceBounds(Writing):
    src: Tensor


@_record
class DevicePrint(Operation):
    prefix: str
    src: Tensor
