"""Checks of operands, and results with their masks, for the functions of the language."""

from __future__ import annotations

import dataclasses
from typing import Any, cast

import numpy as np

from . import alu, context, dtypes, limits
from .affine import boxes, region_of
from .buffers import Buffer
from .errors import NkiError
from .memory import check_tile, tile_storage
from .storage import Storage
from .tensor import Tensor, extended

ON_CHIP = ("sbuf", "psum")

#: Arguments of functions that tell a compiler how to schedule; they have no meaning here.
SCHEDULING = frozenset({"name", "lazy_initialization", "parallel_reduce", "asynchronous"})


#: Functions that work element by element: of a tile with more dimensions they are several instructions.
_BY_ELEMENT = frozenset(
    (*alu.NAMES, *alu.ACTIVATIONS, *alu.COMPOSED_FUNCTIONS, "negative", "where", "copy", "assignment", "+=")
)


def no_extras(function: str, extras: dict[str, Any], *also: str) -> None:
    for name in extras:
        if name not in SCHEDULING and name not in also:
            raise NkiError("err_argument", f"{function} has no argument {name}")


def _first_is_partition(tensor: Tensor) -> bool:
    """Returns whether dimension 0 goes along the partitions and no other dimension does."""
    blocks = len(tensor.storage.blocks)
    if tensor.is_whole:
        return blocks == 0
    if any(tensor.terms[:blocks]):
        return False
    for axis, _ in tensor.terms[blocks]:
        if axis != 0:
            return False
    for terms in tensor.terms[blocks + 1 :]:
        for axis, _ in terms:
            if axis == 0:
                return False
    return True


def tile(value: Any, function: str, name: str, spaces: tuple[str, ...] = ON_CHIP) -> Tensor:
    """Returns an operand that is a tile in one of the memories. Raises NkiError for any other."""
    if not isinstance(value, Tensor):
        context.current()  # a call outside of a kernel is the greater mistake
        raise NkiError("err_argument", f"{name} of {function} is {dtypes.described(value)}, expected a tile")
    if value.deferred is not None:
        value = value.deferred.resolved()
    space = value.storage.space
    if space not in spaces:
        raise NkiError(
            "err_unsupported_memory", f"{name} of {function} is in {space}, expected {' or '.join(spaces)}"
        )
    if value.dynamic is not None:
        raise NkiError(
            "err_indirect_indices_are_not_supported_with_nki_api",
            f"{name} of {function} has an index from a tile, expected nl.load, nl.store, nisa.dma_copy or "
            "nisa.tensor_copy_dynamic_*",
        )
    if space != "hbm":
        if not _first_is_partition(value):
            raise NkiError(
                "err_failed_to_infer_tile_from_local_tensor",
                f"{name} of {function} is {value.describe()} of {value.storage.describe()}, expected blocks "
                "indexed, partitions first",
            )
        count = _patterns(value) if value.ndim > limits.TILE_DIMENSIONS else 0
        if count > limits.TILE_DIMENSIONS and function not in _BY_ELEMENT:
            raise NkiError(
                "err_exceed_max_supported_dimension",
                f"{name} of {function} has {count} dimensions that an instruction does not join, expected at "
                f"most {limits.TILE_DIMENSIONS}",
            )
    return cast(Tensor, value)


def _patterns(tensor: Tensor) -> int:
    """Returns the number of dimensions of an access pattern: free ones that follow each other in memory are
    one.
    """
    count, inner = 1, 0
    for size, stride in reversed(list(zip(tensor.shape[1:], tensor.steps()[1][1:]))):
        if size != 1:
            count += count == 1 or stride != inner
            inner = size * stride
    return count


def rank(tensor: Tensor) -> int:
    """Returns the number of dimensions that count: all but free ones of size 1."""
    return 1 + sum(size != 1 for size in tensor.shape[1:])


def destination(value: Any, function: str, name: str, spaces: tuple[str, ...] = ON_CHIP) -> Tensor:
    """Returns an operand that is written."""
    found = tile(value, function, name, spaces)
    check_mutable(found)
    return found


def check_mutable(tensor: Tensor) -> None:
    """Refuses a tensor that the kernel may not write to."""
    tensor.storage.bytes.touched = True
    if not tensor.storage.mutable:
        raise NkiError(
            "err_cannot_update_immutable_parameter",
            f"parameter {tensor.storage.name or ''} is written, expected a tensor of its own, or "
            "nt.mutable_tensor as its annotation",
        )
    if tensor.storage.read_only:
        raise NkiError(
            "err_argument",
            f"parameter {tensor.storage.name} is written and its array is read-only, expected one that can "
            "be written",
        )


def same_partitions(function: str, **operands: Tensor) -> None:
    if len({operand.shape[0] for operand in operands.values()}) > 1:
        found = ", ".join(f"{name}{list(operand.shape)}" for name, operand in operands.items())
        raise NkiError(
            "err_num_partition_mismatch", f"{function} of {found}, expected as many partitions in each"
        )


def not_both_psum(function: str, **operands: Tensor) -> None:
    if all(operand.space == "psum" for operand in operands.values()):
        raise NkiError(
            "err_unsupported_memory",
            f"{' and '.join(operands)} of {function} are in psum, expected one of them in sbuf",
        )


def alike(function: str, **operands: Tensor) -> tuple[Tensor, Tensor]:
    """Returns two operands in one shape.

    They have as many elements a partition, or free dimensions of size 1 are repeated. Dimensions that one of
    them lacks have size 1.
    """
    a, b = operands.values()
    if a.shape == b.shape:
        return a, b
    if a.ndim != b.ndim or not _broadcasts(a.shape, b.shape):
        fitted = b.fitted(a.shape)
        if fitted is not None:
            return a, fitted
    ndim = next((x.ndim for x, other in ((a, b), (b, a)) if other.elements == 1), max(a.ndim, b.ndim))
    ways = [(x, y) for x in extended(a.shape, ndim) for y in extended(b.shape, ndim) if _broadcasts(x, y)]
    if len(ways) != 1:
        found = " and ".join(f"{name}{list(operand.shape)}" for name, operand in operands.items())
        smaller = 0 if a.ndim < b.ndim else 1
        expected = (
            f"{' or '.join(str(list(way[smaller])) for way in ways)} in place of "
            f"{list((a, b)[smaller].shape)}, which a reshape chooses"
            if ways
            else "as many elements a partition, or free dimensions of size 1"
        )
        raise NkiError("err_shape", f"{function} of {found}, expected {expected}")
    shape = tuple(map(max, *ways[0]))
    first, second = (cast(Tensor, x.fitted(way)).broadcast(shape) for x, way in zip((a, b), ways[0]))
    return first, second


def _broadcasts(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    return a[:1] == b[:1] and all(x == y or 1 in (x, y) for x, y in zip(a, b))


def flat(value: Tensor) -> Tensor:
    """Returns a tile with its free dimensions of size 1 left out, but for one of two dimensions."""
    return value if value.ndim == 2 or rank(value) > 2 else ranked(value, 2)


def column(value: Tensor, like: Tensor, function: str, name: str) -> Tensor:
    """Returns an operand with one element a partition, with as many dimensions as another."""
    if value.elements != 1:
        raise NkiError(
            "err_shape",
            f"{name} of {function} has shape {list(value.shape)}, expected [{like.partitions}, 1]",
        )
    same_partitions(function, data=like, **{name: value})
    return ranked(value, like.ndim)


def ranked(value: Tensor, ndim: int) -> Tensor:
    """Adds dimensions of size 1 after the partitions, or removes them, so that there are `ndim`."""
    if value.ndim == ndim:
        return value
    free = [size for size in value.shape[1:] if size != 1]
    if len(free) > ndim - 1:
        raise NkiError("err_shape", f"{value.describe()}, expected {ndim} dimensions")
    return cast(Tensor, value.fitted((value.shape[0],) + (1,) * (ndim - 1 - len(free)) + tuple(free)))


def scalar_or_tile(value: Any, function: str, name: str) -> Any:
    """Returns a number as it is, and a tile after its checks."""
    if isinstance(value, Tensor):
        return tile(value, function, name)
    dtypes.of_scalar(value)
    return value


def dtype_of(value: Any) -> np.dtype:
    return value.dtype if isinstance(value, Tensor) else dtypes.of_scalar(value)


def emit(operation: Any) -> None:
    """Emits an operation with a mask.

    If operands leave their bounds outside of the mask, it emits one operation for each box of the mask.
    """
    if operation.where is None:
        context.emit(operation)
        return
    values = {name: getattr(operation, name) for name in operation.field_names}
    tensors = {name: value for name, value in values.items() if isinstance(value, Tensor)}
    if not any(x.leaves_bounds for x in tensors.values()):
        context.emit(operation)
        return
    for box in boxes(np.broadcast_to(operation.where, operation.dst.shape)):
        parts = {name: x.box(box) for name, x in tensors.items()}
        context.emit(dataclasses.replace(operation, where=None, **parts))


class Result:
    """The tile that an instruction makes. A mask cuts its domain, the positions that the instruction works
    on.
    """

    def __init__(
        self,
        shape: tuple[int, ...],
        dtype: np.dtype,
        mask: Any = None,
        *,
        domain: tuple[int, ...] | None = None,
        axes: tuple[int | None, ...] | None = None,
        function: str = "",
        space: str = "sbuf",
        extras: dict[str, Any] | None = None,
    ):
        """`axes` gives for each dimension of the result the dimension of the domain; None is one without a
        mask.
        """
        no_extras(function, extras or {}, "buffer")
        buffer = (extras or {}).get("buffer")
        if isinstance(buffer, Buffer):
            space = buffer.space
        domain = shape if domain is None else domain
        self.axes: tuple[int | None, ...] = tuple(range(len(shape))) if axes is None else axes
        check_tile(shape, space, dtype, f"result of {function}")
        self.region = region_of(mask, domain)
        self.reduces = domain != shape or axes not in (None, tuple(range(len(shape))))
        self.function = function
        storage: Storage = tile_storage(shape, space, dtype, filled=self.region is not None)
        if self.region is not None:
            storage.bytes.parts = None  # what a mask leaves out is not assigned either
        self.tile = Tensor.whole(storage)
        self.part, self.where = self.tile, None
        if self.region is not None:
            if self.reduces and self.region.where is not None:
                raise NkiError(
                    "err_mask",
                    f"{function} with a mask that is no box, expected comparisons of one dimension each",
                )
            box = self._along(self.region.box, tuple((0, size) for size in shape))
            if self.region.empty:
                box = ((0, 0),) * len(shape)
            self.where = self.region.where
            self.tile.valid = self.region._replace(box=box)
            if self.runs:
                self.part = self.tile.box(box)

    def _along(self, of_domain: tuple[Any, ...], otherwise: tuple[Any, ...]) -> tuple[Any, ...]:
        """Returns for each dimension of the result what its dimension of the domain has."""
        return tuple(other if axis is None else of_domain[axis] for axis, other in zip(self.axes, otherwise))

    def of(self, operand: Tensor) -> Result:
        """Notes that the operand has the domain's dimensions: a result of tile[mask] is for such a part."""
        if operand.cut_from is not None:
            shape, box = operand.cut_from
            sizes = self.tile.shape
            self.tile.cut_from = self._along(shape, sizes), self._along(box, tuple((0, n) for n in sizes))
        return self

    @property
    def runs(self) -> bool:
        """False if a mask leaves nothing; then there is no instruction."""
        return self.region is None or not self.region.empty

    def cut(self, operand: Any) -> Any:
        """Returns the part of an operand with the domain's dimensions."""
        return (
            operand.box(self.region.box)
            if self.region is not None and isinstance(operand, Tensor)
            else operand
        )

    def emit(self, operation: Any, **operands: Any) -> Tensor:
        """Emits an operation that writes the result, and returns the result."""
        for operand in operands.values():
            if not isinstance(operand, Tensor):
                continue
            if operand.storage.void:
                self.tile.storage.void = True
            if operand.shape != self.tile.shape or self.reduces:
                continue
            if operand.cut_from is not None:
                self.tile.cut_from = operand.cut_from
            if operand.valid is not None and self.region is None:
                # a result of unwritten elements is unwritten too
                self.tile.valid = operand.valid
        if self.runs:
            emit(operation(dst=self.part, where=self.where, **operands))
        return self.tile
