"""Operations: what a kernel asks the engines for, one record a call, independent of who executes them.

Operands are tensors, which are access patterns (`tensor.py`), cut to what a mask leaves. `where` is left of a mask that is no box: the
elements of dst that are written. `place` is the file and the line of the user's call.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Iterator, Optional, Union

import numpy as np

from .affine import Affine, Comparison
from .alu import AluOp
from .tensor import Tensor

Scalar = Union[int, float, np.generic]
Operand = Union[Scalar, Tensor]  # a tensor has one element a partition


@dataclass
class Operation:
    place: Optional[tuple[str, int]] = field(init=False, repr=False, default=None)
    keeps_bits = False  # whether elements of equal types keep their bits

    def tensors(self) -> Iterator[Tensor]:
        """All tensors, indices from tiles among them."""
        for value in vars(self).values():
            if isinstance(value, Tensor):
                yield value
                if value.dynamic is not None:
                    yield value.dynamic.index


@dataclass
class Writing(Operation):
    """An operation with a destination."""

    dst: Tensor
    where: Optional[np.ndarray]


# Data movement.


@dataclass
class DmaCopy(Writing):
    """dst = src, or dst += src, between HBM and SBUF; one of the two may have an index from a tile."""

    keeps_bits = True
    src: Union[Tensor, Scalar]
    accumulate: bool = False
    skip_out_of_bounds: bool = False


@dataclass
class DmaTranspose(Writing):
    """dst = src with its dimensions permuted."""

    keeps_bits = True
    src: Tensor
    axes: tuple[int, ...]


@dataclass
class TensorCopy(Writing):
    """dst = src; one of the two may have an index from a tile. Bits are kept between equal types, others go through fp32."""

    keeps_bits = True
    src: Tensor
    engine: str = "any"


@dataclass
class CopyPredicated(Writing):
    """dst = src where the predicate is not 0 (or, inverted, is 0)."""

    keeps_bits = True
    src: Operand
    predicate: Tensor
    inverted: bool


@dataclass
class Memset(Writing):
    value: Scalar
    engine: str = "any"


@dataclass
class Iota(Writing):
    """dst = the values of an affine expression over its positions."""

    expression: Affine


@dataclass
class AffineSelect(Writing):
    """dst = src where a comparison of the position holds, else the value."""

    src: Tensor
    predicate: Union[bool, Comparison]
    otherwise: float


@dataclass
class StreamShuffle(Writing):
    """Row i of each quadrant of dst = row sources[i] of src's; 255 leaves a row."""

    keeps_bits = True
    src: Tensor
    sources: tuple[int, ...]


@dataclass
class LocalGather(Writing):
    """In each 16 partitions: elements of src at the indices of those partitions together, `run` in a row each."""

    keeps_bits = True
    src: Tensor
    index: Tensor
    run: int


@dataclass
class GatherFlattened(Writing):
    """In each partition: the elements of src at the indices."""

    keeps_bits = True
    src: Tensor
    index: Tensor


# Tensor engine.


@dataclass
class Matmul(Writing):
    """dst = stationary.T @ moving, in fp32. Operands are [contraction, columns]."""

    stationary: Tensor
    moving: Tensor
    is_transpose: bool = False


@dataclass
class Accumulate(Writing):
    """dst += src in PSUM: of a matmul's result, the adder of PSUM."""

    src: Tensor


@dataclass
class Transpose(Writing):
    """dst = src.T of [partitions, elements]."""

    keeps_bits = True
    src: Tensor
    engine: str


# Element by element.


@dataclass
class TensorTensor(Writing):
    """dst = a op b. Native integers if `integers`, else fp32, or bits for bit operations."""

    a: Tensor
    b: Tensor
    op: AluOp
    integers: bool = False
    engine: str = "any"


@dataclass
class TensorScalar(Writing):
    """dst = (a op0 operand0) op1 operand1."""

    a: Tensor
    op0: AluOp
    operand0: Operand
    reverse0: bool = False
    op1: Optional[AluOp] = None
    operand1: Optional[Operand] = None
    reverse1: bool = False
    engine: str = "any"


@dataclass
class ScalarTensorTensor(Writing):
    """dst = (a op0 operand0) op1 b."""

    a: Tensor
    op0: AluOp
    operand0: Operand
    op1: AluOp
    b: Tensor
    reverse0: bool
    reverse1: bool


@dataclass
class Select(Writing):
    """dst = a where the predicate is not 0, else b."""

    keeps_bits = True
    predicate: Tensor
    a: Operand
    b: Operand


@dataclass
class Activation(Writing):
    """dst = function(src * scale + bias). The registers of the Scalar engine add the results by `reduce_cmd`; `reduced` takes them."""

    function: str
    src: Tensor
    scale: Operand
    bias: Optional[Tensor]
    reduce_cmd: str = "idle"
    reduced: Optional[Tensor] = None


@dataclass
class Reciprocal(Writing):
    src: Tensor


@dataclass
class Dropout(Writing):
    """dst = src, or 0 with a probability."""

    src: Tensor
    probability: Operand


@dataclass
class Rng(Writing):
    """dst = 32 random bits an element."""


@dataclass
class RngSeed(Operation):
    seed: Operand


# Reductions and scans.


@dataclass
class TensorReduce(Writing):
    """dst = src reduced over its innermost `axes` dimensions."""

    src: Tensor
    op: AluOp
    axes: int
    negate: bool = False


@dataclass
class TensorScalarReduce(Writing):
    """dst = a op0 operand0; reduced = dst over all free dimensions."""

    a: Tensor
    op0: AluOp
    operand0: Operand
    reverse0: bool
    reduce_op: AluOp
    reduced: Tensor


@dataclass
class SelectReduce(Writing):
    """dst = a where the predicate is not 0, else `otherwise`. The registers of the Vector engine hold the maximum by `reduce_cmd`."""

    a: Tensor
    predicate: Tensor
    otherwise: Operand
    inverted: bool
    reduce_cmd: str
    reduced: Optional[Tensor]


@dataclass
class TensorTensorScan(Writing):
    """r[i] = (a[i] op0 r[i-1]) op1 b[i]."""

    a: Tensor
    b: Tensor
    initial: Operand
    op0: AluOp
    op1: AluOp
    reverse0: bool
    reverse1: bool


@dataclass
class PartitionReduce(Writing):
    """dst = src reduced over its partitions."""

    src: Tensor
    op: AluOp


@dataclass
class BnStats(Writing):
    src: Tensor


@dataclass
class BnAggr(Writing):
    src: Tensor


@dataclass
class Max8(Writing):
    src: Tensor


@dataclass
class FindIndex8(Writing):
    src: Tensor
    values: Tensor


@dataclass
class MatchReplace8(Writing):
    src: Tensor
    values: Tensor
    replacement: float
    indices: Optional[Tensor]


@dataclass
class SequenceBounds(Writing):
    src: Tensor


@dataclass
class DevicePrint(Operation):
    prefix: str
    src: Tensor
