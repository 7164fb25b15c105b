"""Tensors: access patterns on a storage.

A pattern gives for each dimension of the storage a start, and steps along the dimensions of the tensor. So
slices, affine indices, broadcasts and masks are the same to an instruction: access patterns of the hardware.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Self, Unpack, cast

import numpy as np

from . import context, dtypes
from .affine import Region
from .buffers import ParDim, sizes
from .errors import NkiError
from .storage import Extent, Storage, reshaped_strides

#: The steps of one dimension of a storage: (dimension of the tensor, step) for each dimension that moves it.
Terms = tuple[tuple[int, int], ...]


#: Terms that move each dimension of the storage along the same dimension of the tensor.
_AXES: tuple[Terms, ...] = tuple(((axis, 1),) for axis in range(32))
# starts and terms of a whole tensor, by its number of dimensions
_IDENTITY = tuple(((0,) * rank, _AXES[:rank]) for rank in range(33))


class Check(NamedTuple):
    """An index that leaves its dimension; it is an error if an instruction with its mask uses it."""

    size: int
    start: int
    terms: Terms
    dimension: int


class Dynamic(NamedTuple):
    """A dimension of the storage. The elements of a tile in SBUF are added to its index.

    The tile is [partitions, 1] or one element.
    """

    dimension: int
    index: Tensor  # type: ignore[assignment]  # not the method of tuples


def span(start: int, terms: Terms, shape: tuple[int, ...]) -> tuple[int, int]:
    """Returns the least and the largest value of an index."""
    low = high = start
    for axis, step in terms:
        reach = step * (shape[axis] - 1)
        low, high = low + min(0, reach), high + max(0, reach)
    return low, high


def extended(shape: tuple[int, ...], rank: int) -> list[tuple[int, ...]]:
    """Returns the shapes of `rank` dimensions in which a shape of fewer may be meant.

    New dimensions of size 1 are the last ones, or come after the partitions as NumPy's rule has it. Of a
    shape with more dimensions those of size 1 are left out.
    """
    if len(shape) > rank:
        shape = (*shape[:1], *(size for size in shape[1:] if size != 1))
    missing = rank - len(shape)
    if missing < 0:
        return []
    ones = (1,) * missing
    return list(dict.fromkeys(((*shape, *ones), (*shape[:1], *ones, *shape[1:]))))


def _moved(start: int, terms: Terms, box: tuple[tuple[int, int], ...]) -> int:
    for axis, step in terms:
        start += step * box[axis][0]
    return start


if TYPE_CHECKING:
    from typing_extensions import TypeVarTuple

    _Of = TypeVarTuple("_Of", default=Unpack[tuple[Any, ...]])

    class _Annotated(Generic[*_Of]):
        """A tensor, of which an annotation may say more: nt.tensor[nt.mutable]."""

else:
    _Of = ()

    class _Annotated:
        __slots__ = ()

        def __class_getitem__(cls, key: Any) -> type:
            return cls


class Tensor(_Annotated[*_Of]):
    """A tensor in HBM, a tile, or a part of one. On the chip its first dimension is that of the partitions.

    Methods that make operations are added by modules above: indices by indexing.py, assignments by
    binding.py, copies by language/creation.py, operators by language/operators.py.
    """

    __slots__ = (
        "_valid",
        "checks",
        "cut_from",
        "deferred",
        "dynamic",
        "is_whole",
        "shape",
        "starts",
        "storage",
        "terms",
    )
    __array_ufunc__ = None
    __hash__ = object.__hash__

    def __init__(
        self,
        storage: Storage,
        shape: tuple[int, ...],
        starts: tuple[int, ...],
        terms: tuple[Terms, ...],
        checks: tuple[Check, ...] = (),
        dynamic: Dynamic | None = None,
    ):
        self.storage, self.shape, self.starts, self.terms = storage, shape, starts, terms
        self.checks, self.dynamic = checks, dynamic
        self.is_whole = False  # True if its dimensions are those of the storage
        self._valid: Region | None = None
        # For tile[mask] and results of it: the shape without the mask, and the box that the mask leaves.
        self.cut_from: tuple[tuple[int, ...], tuple[tuple[int, int], ...]] | None = None
        # For nl.loop_reduce and for a load that may leave rows out. An assignment calls its bind(), other
        # uses call resolved().
        self.deferred: Any = None

    if TYPE_CHECKING:  # added by the modules above

        def __getitem__(self, key: Any) -> Tensor: ...
        def __setitem__(self, key: Any, value: Any) -> None: ...
        def broadcast_to(self, shape: Any) -> Tensor: ...
        def astype(self, dtype: Any) -> Tensor: ...
        def __neg__(self) -> Tensor: ...
        def __invert__(self) -> Tensor: ...
        def __abs__(self) -> Tensor: ...
        def __add__(self, other: Any) -> Tensor: ...
        def __radd__(self, other: Any) -> Tensor: ...
        def __iadd__(self, other: Any) -> Self: ...
        def __sub__(self, other: Any) -> Tensor: ...
        def __rsub__(self, other: Any) -> Tensor: ...
        def __isub__(self, other: Any) -> Self: ...
        def __mul__(self, other: Any) -> Tensor: ...
        def __rmul__(self, other: Any) -> Tensor: ...
        def __imul__(self, other: Any) -> Self: ...
        def __truediv__(self, other: Any) -> Tensor: ...
        def __rtruediv__(self, other: Any) -> Tensor: ...
        def __itruediv__(self, other: Any) -> Self: ...
        def __pow__(self, other: Any) -> Tensor: ...
        def __rpow__(self, other: Any) -> Tensor: ...
        def __ipow__(self, other: Any) -> Self: ...
        def __mod__(self, other: Any) -> Tensor: ...
        def __rmod__(self, other: Any) -> Tensor: ...
        def __imod__(self, other: Any) -> Self: ...
        def __and__(self, other: Any) -> Tensor: ...
        def __rand__(self, other: Any) -> Tensor: ...
        def __iand__(self, other: Any) -> Self: ...
        def __or__(self, other: Any) -> Tensor: ...
        def __ror__(self, other: Any) -> Tensor: ...
        def __ior__(self, other: Any) -> Self: ...
        def __xor__(self, other: Any) -> Tensor: ...
        def __rxor__(self, other: Any) -> Tensor: ...
        def __ixor__(self, other: Any) -> Self: ...
        def __lshift__(self, other: Any) -> Tensor: ...
        def __rlshift__(self, other: Any) -> Tensor: ...
        def __ilshift__(self, other: Any) -> Self: ...
        def __rshift__(self, other: Any) -> Tensor: ...
        def __rrshift__(self, other: Any) -> Tensor: ...
        def __irshift__(self, other: Any) -> Self: ...
        def __eq__(self, other: Any) -> Tensor: ...  # type: ignore[override]
        def __ne__(self, other: Any) -> Tensor: ...  # type: ignore[override]
        def __gt__(self, other: Any) -> Tensor: ...
        def __ge__(self, other: Any) -> Tensor: ...
        def __lt__(self, other: Any) -> Tensor: ...
        def __le__(self, other: Any) -> Tensor: ...

    @classmethod
    def whole(cls, storage: Storage) -> Tensor:
        shape = storage.blocks + storage.shape
        tensor = cls(storage, shape, *_IDENTITY[len(shape)])
        tensor.is_whole = True
        return tensor

    # Properties.

    @property
    def valid(self) -> Region | None:
        """The part of a result that its instruction has written; None is all of it, or the kernel has written
        since.
        """
        return None if self.storage.bytes.touched else self._valid

    @valid.setter
    def valid(self, region: Region | None) -> None:
        self._valid = region

    @property
    def dtype(self) -> np.dtype:
        return self.storage.dtype

    @property
    def itemsize(self) -> int:
        return self.storage.dtype.itemsize

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def space(self) -> str:
        return self.storage.space

    @property
    def buffer(self) -> str:
        return self.storage.space

    @property
    def partitions(self) -> int:
        return self.shape[0]

    @property
    def elements(self) -> int:
        """The number of elements in each partition."""
        return math.prod(self.shape[1:])

    def __repr__(self) -> str:
        return (
            f"{self.space} tensor {self.storage.name or ''}{list(self.shape)} of {dtypes.name_of(self.dtype)}"
        )

    def describe(self) -> str:
        return f"{self.storage.name or 'tensor'}{list(self.shape)}"

    # Elements.

    def reach(self) -> tuple[tuple[int, int], ...]:
        """Returns the least and the largest index of each dimension of the storage."""
        return tuple(span(start, terms, self.shape) for start, terms in zip(self.starts, self.terms))

    def steps(self) -> tuple[int, list[int]]:
        """Returns byte offset and byte strides."""
        storage = self.storage
        blocks = len(storage.blocks)
        number = 0
        for size, start in zip(storage.blocks, self.starts):
            number = number * size + start
        offset = storage.offsets[number]
        strides = [0] * len(self.shape)
        for start, terms, stride in zip(self.starts[blocks:], self.terms[blocks:], storage.strides):
            offset += start * stride
            for axis, step in terms:
                strides[axis] += step * stride
        return offset, strides

    @property
    def pattern(self) -> Any:
        """A key that is equal for equal patterns on its bytes."""
        return self.starts, self.shape, self.terms, self.storage.offsets, self.storage.strides

    def extent(self) -> Extent:
        """Returns the rows and the bytes in each that it reaches; with an index from a tile all of them."""
        if self.dynamic is not None:
            return 0, self.storage.bytes.size, 0, self.storage.bytes.size
        offset, strides = self.steps()
        reaches = [stride * (size - 1) for size, stride in zip(self.shape, strides)]
        low, high = sum(min(0, reach) for reach in reaches), sum(max(0, reach) for reach in reaches)
        if self.space == "hbm" or not self.shape:
            return 0, 1, offset + low, offset + high + self.itemsize
        pitch = self.storage.geometry[0]
        row, byte = divmod(offset, pitch)
        rows = reaches[0] // pitch
        low, high = low - min(0, reaches[0]), high - max(0, reaches[0])
        return row + min(0, rows), row + max(0, rows) + 1, byte + low, byte + high + self.itemsize

    @property
    def leaves_bounds(self) -> bool:
        spans = [(check.size, *span(check.start, check.terms, self.shape)) for check in self.checks]
        return any(low < 0 or high >= size for size, low, high in spans)

    def check_bounds(self, place: tuple[str, int] | None = None) -> None:
        """Refuses indices out of bounds. `place` is that of an operation that is checked after the user's
        call.
        """
        for size, start, terms, dimension in self.checks:
            low, high = span(start, terms, self.shape)
            if low < 0 or high >= size:
                raise NkiError(
                    "err_tensor_access_out_of_bound",
                    f"{self.storage.describe()}: index {low} to {high} of dimension {dimension}, expected 0 "
                    f"to {size - 1}",
                    place,
                )

    def array(self) -> np.ndarray:
        """Returns a view of its elements."""
        if self.checks:
            self.check_bounds()
        offset, strides = self.steps()
        return np.ndarray(self.shape, self.storage.dtype, self.storage.raw, offset, strides)

    def marks(self, byte: int = 0) -> np.ndarray | None:
        """Returns a mask of the written elements, by one of their bytes; None if that is not checked."""
        written = self.storage.bytes.written
        if written is None:
            return None
        self.check_bounds()
        offset, strides = self.steps()
        return np.ndarray(self.shape, np.uint8, written, offset + byte, strides)

    def box(self, bounds: tuple[tuple[int, int], ...]) -> Tensor:
        """Returns a part of it. Dimensions of size 1 stay, as an instruction repeats their one element."""
        bounds = tuple(
            [
                (0, 1) if size == 1 and high > low else (low, high)
                for size, (low, high) in zip(self.shape, bounds)
            ]
        )
        shape = tuple([high - low for low, high in bounds])
        if self.is_whole:
            return Tensor(self.storage, shape, tuple([low for low, _ in bounds]), self.terms)
        starts = tuple([_moved(start, terms, bounds) for start, terms in zip(self.starts, self.terms)])
        checks = tuple(c._replace(start=_moved(c.start, c.terms, bounds)) for c in self.checks)
        dynamic = self.dynamic
        if dynamic is not None:
            dynamic = dynamic._replace(
                index=dynamic.index.box((bounds[0],) + ((0, 1),) * (dynamic.index.ndim - 1))
            )
        return Tensor(self.storage, shape, starts, self.terms, checks, dynamic)

    def emptied(self) -> Tensor:
        """Returns it as a part of which a mask has left nothing: instructions that have it do nothing."""
        context.current().voids = True
        empty = Tensor(self.storage.emptied(), self.shape, self.starts, self.terms, self.checks, self.dynamic)
        empty.is_whole, empty.cut_from = self.is_whole, self.cut_from
        return empty

    def recorded(self) -> Tensor:
        """Returns the same elements for a list of operations (`Storage.recorded`)."""
        dynamic = None if self.dynamic is None else self.dynamic._replace(index=self.dynamic.index.recorded())
        tensor = Tensor(self.storage.recorded(), self.shape, self.starts, self.terms, self.checks, dynamic)
        tensor.is_whole = self.is_whole
        return tensor

    # Views.

    def reshaped(self, shape: tuple[int, ...]) -> Tensor:
        """Returns the same elements in another shape, if that needs no copy."""
        if shape == self.shape:
            return self
        if math.prod(shape) != math.prod(self.shape):
            raise NkiError(
                "err_shape", f"reshape of {list(self.shape)} to {list(shape)}, expected as many elements"
            )
        if self.space != "hbm" and self.shape[:1] != shape[:1]:
            raise NkiError(
                "err_shape",
                f"reshape of {self.describe()} in {self.space} to {list(shape)}, expected as many partitions",
            )
        if any(terms for terms in self.terms[: len(self.storage.blocks)]):
            raise NkiError(
                "err_failed_to_infer_tile_from_local_tensor",
                f"reshape of {self.describe()} with block dimensions, expected a tile of it",
            )
        self.check_bounds()
        return self._alias(self.dtype, shape, self._recut_strides(self.shape, shape))

    def _alias(
        self, dtype: np.dtype, shape: tuple[int, ...], strides: tuple[int, ...], blocks: tuple[int, ...] = ()
    ) -> Tensor:
        """Returns another storage of its bytes, with `blocks` of the same blocks."""
        old = self.storage
        old.bytes.keep()
        alias = Storage(
            old.bytes,
            old.space,
            dtype,
            shape,
            blocks=blocks,
            offsets=old.offsets if blocks else (self.steps()[0],),
            strides=strides,
            name=old.name,
            mutable=old.mutable,
            shared=old.shared,
        )
        alias.geometry, alias.placed, alias.read_only = old.geometry, old.placed, old.read_only
        alias.void = old.void
        alias.bits = dtypes.is_float(dtype) and (old.bits or dtypes.is_integer(old.dtype))
        if dtype != old.dtype and (dtypes.is_float(dtype) or dtypes.is_float(old.dtype)):
            alias.bytes.viewed = True
        return Tensor.whole(alias)

    def reinterpreted(self, dtype: np.dtype) -> Tensor:
        """Returns the same bytes as elements of another type."""
        blocks, shape, strides = self.storage.blocks, self.shape, self.steps()[1]
        if not any(self.terms[: len(blocks)]):
            blocks = ()
        elif self.is_whole:
            shape, strides = self.storage.shape, list(self.storage.strides)
        else:
            raise NkiError(
                "err_failed_to_infer_tile_from_local_tensor",
                f"view of {self.describe()} with block dimensions, expected a tile of it or the whole tensor",
            )
        if self.dtype.itemsize == dtype.itemsize:
            return self._alias(dtype, shape, tuple(strides), blocks)
        bytes_last = shape[-1] * self.itemsize
        if strides[-1] != self.itemsize or bytes_last % dtype.itemsize:
            raise NkiError(
                "err_dtype",
                f"view of {self.describe()} of {dtypes.name_of(self.dtype)} as {dtypes.name_of(dtype)}, "
                "expected whole elements in a row",
            )
        self._check_alignment(dtype, shape, strides)
        return self._alias(
            dtype,
            (*shape[:-1], bytes_last // dtype.itemsize),
            (*tuple(strides[:-1]), dtype.itemsize),
            blocks,
        )

    def _check_alignment(self, dtype: np.dtype, shape: tuple[int, ...], strides: Sequence[int]) -> None:
        """Refuses elements that do not lie at multiples of their size in a partition; transfers move parts of
        them.
        """
        pitch, block = self.storage.geometry
        first = self.steps()[0] % block % pitch
        places = [first, *(stride for size, stride in zip(shape[1:-1], strides[1:-1]) if size > 1)]
        if self.space != "hbm" and any(place % dtype.itemsize for place in places):
            raise NkiError(
                "err_dtype",
                f"view of {self.describe()} of {self.storage.describe()} as {dtypes.name_of(dtype)}, whose "
                "elements would not lie "
                f"at multiples of {dtype.itemsize} bytes, expected a slice that begins and goes on there",
            )

    def permuted(self, order: tuple[int, ...]) -> Tensor:
        """Returns a view with the dimensions in another order."""
        new = {axis: position for position, axis in enumerate(order)}
        terms = tuple(tuple((new[axis], step) for axis, step in t) for t in self.terms)
        checks = tuple(
            c._replace(terms=tuple((new[axis], step) for axis, step in c.terms)) for c in self.checks
        )
        return Tensor(
            self.storage, tuple(self.shape[axis] for axis in order), self.starts, terms, checks, self.dynamic
        )

    def broadcast(self, shape: tuple[int, ...]) -> Tensor:
        """Returns a view with dimensions of size 1 repeated. Missing dimensions come after the partitions."""
        missing = len(shape) - len(self.shape)
        place = [0] + [axis + missing for axis in range(1, len(self.shape))]
        if missing < 0 or any(self.shape[axis] not in (1, shape[at]) for axis, at in enumerate(place)):
            raise NkiError(
                "err_shape", f"{self.describe()} broadcast to {list(shape)}, expected the same sizes or 1"
            )
        if self.shape == shape:
            return self
        kept = {axis: at for axis, at in enumerate(place) if self.shape[axis] != 1}
        terms = tuple(tuple((kept[axis], step) for axis, step in t if axis in kept) for t in self.terms)
        checks = tuple(
            c._replace(terms=tuple((kept[axis], step) for axis, step in c.terms if axis in kept))
            for c in self.checks
        )
        return Tensor(self.storage, shape, self.starts, terms, checks, self.dynamic)

    def widened(self, places: tuple[int, ...]) -> Tensor:
        """Adds dimensions of size 1 at these places of the result."""
        shape = list(self.shape)
        for place in places:
            shape.insert(place, 1)
        old = [axis for axis in range(len(shape)) if axis not in places]
        terms = tuple(tuple((old[axis], step) for axis, step in t) for t in self.terms)
        checks = tuple(
            c._replace(terms=tuple((old[axis], step) for axis, step in c.terms)) for c in self.checks
        )
        return Tensor(self.storage, tuple(shape), self.starts, terms, checks, self.dynamic)

    def fitted(self, shape: tuple[int, ...]) -> Tensor | None:
        """Returns the same elements with other dimensions of size 1, or with free dimensions cut otherwise.

        None means that they do not fit.
        """
        if self.shape == shape:
            return self
        if self.space != "hbm" and self.shape[:1] != shape[:1]:
            return None  # no engine moves elements to other partitions
        old = [axis for axis, size in enumerate(self.shape) if size != 1]
        new = [axis for axis, size in enumerate(shape) if size != 1]
        if [self.shape[axis] for axis in old] == [shape[axis] for axis in new]:
            at = dict(zip(old, new))
            terms = tuple(tuple((at[axis], step) for axis, step in t if axis in at) for t in self.terms)
            checks = tuple(
                c._replace(terms=tuple((at[axis], step) for axis, step in c.terms if axis in at))
                for c in self.checks
            )
            return Tensor(self.storage, shape, self.starts, terms, checks, self.dynamic)
        if self.dynamic is None and self.shape[0] == shape[0] and math.prod(self.shape) == math.prod(shape):
            return self.reshaped(shape)
        return None

    def spread(self, shape: tuple[int, ...]) -> Tensor | None:
        """Returns the same elements in a shape, or elements that are repeated where it has size 1 or lacks a
        dimension.

        NumPy's rule says which dimensions those are, if it can. None means that they do not fit.
        """
        found = self.fitted(shape)
        if found is not None:
            return found
        sizes = [s for s in extended(self.shape, len(shape)) if all(a in (1, b) for a, b in zip(s, shape))]
        found = self.fitted(sizes[-1]) if sizes else None
        return None if found is None else found.broadcast(shape)

    # Methods for kernels.

    def as_tile(self) -> Tensor:
        """Returns a part of a tile as a tile, which it is."""
        return self if self.deferred is None else cast(Tensor, self.deferred.resolved())

    def assert_shape(self, shape: Any) -> Tensor:
        if self.shape != tuple(shape):
            raise NkiError("err_shape", f"shape {list(self.shape)}, expected {list(shape)}")
        return self

    def reshape(self, shape: Any) -> Tensor:
        """Returns the same elements in another shape; one size may be -1, which is what is left.

        A tensor with block dimensions keeps the partitions of its tiles.
        """
        given = sizes(shape, "reshape")
        found = list(map(int, given))
        if found.count(-1) == 1:
            found[found.index(-1)] = math.prod(self.shape) // max(1, -math.prod(found))
        first = next((axis for axis, size in enumerate(given) if isinstance(size, ParDim)), None)
        if self.space != "hbm" and self.is_whole and (self.storage.blocks or first):
            return self._recut(tuple(found), first)
        return self.reshaped(tuple(found))

    def _recut(self, shape: tuple[int, ...], first: int | None) -> Tensor:
        """Returns the whole tensor with its block dimensions, and its free ones, cut otherwise.

        `first` is the dimension of the partitions; without it that is the first of as many that has as many
        blocks before it.
        """
        blocks, tile = self.storage.blocks, self.storage.shape
        places = range(len(shape)) if first is None else (first,)
        count = math.prod(blocks)
        at = next((at for at in places if math.prod(shape[:at]) == count and shape[at] == tile[0]), None)
        if at is None or math.prod(shape[at:]) != math.prod(tile):
            raise NkiError(
                "err_shape",
                f"reshape of {self.describe()} with block dimensions to {list(shape)}, expected {count} "
                f"blocks of {tile[0]} partitions and {math.prod(tile[1:])} elements in each",
            )
        return self._alias(self.dtype, shape[at:], self._recut_strides(tile, shape[at:]), shape[:at])

    def _recut_strides(self, old: tuple[int, ...], new: tuple[int, ...]) -> tuple[int, ...]:
        strides = reshaped_strides(old, self.steps()[1][-len(old) :], self.itemsize, new)
        if strides is None:
            raise NkiError(
                "err_shape",
                f"reshape of a part of {self.storage.describe()} to {list(new)}, expected one that needs "
                "no copy",
            )
        return strides

    def view(self, dtype: Any) -> Tensor:
        return self.reinterpreted(dtypes.as_dtype(dtype))

    def expand_dims(self, axis: Any) -> Tensor:
        axes = list(axis) if isinstance(axis, (tuple, list)) else [axis]
        if not all(isinstance(a, (int, np.integer)) for a in axes):
            raise NkiError("err_argument", f"expand_dims at {axis!r}, expected integers")
        rank = self.ndim + len(axes)
        axes = [int(a) + rank if a < 0 else int(a) for a in axes]
        if any(not 0 < a < rank for a in axes):
            raise NkiError(
                "err_argument", f"expand_dims at {axis} of {self.describe()}, expected free dimensions"
            )
        sizes = iter(self.shape)
        return self.reshape(tuple(1 if at in axes else next(sizes) for at in range(rank)))

    def __bool__(self) -> bool:
        raise NkiError(
            "err_ambiguous_tensor_truth_value",
            f"truth of {self.describe()}, whose elements are known only when the kernel runs, expected "
            "nl.where or mask=",
        )

    def __iter__(self) -> Any:
        raise NkiError(
            "err_dynamic_control_flow_not_supported",
            f"a loop over {self.describe()}, expected nl.affine_range and indices",
        )

    def __len__(self) -> int:
        raise NkiError("err_argument", f"len of {self.describe()}, expected its .shape")

    def __int__(self) -> int:
        raise NkiError(
            "err_dynamic_control_flow_not_supported",
            f"{self.describe()} as an integer, expected an index of nl.load or nisa.tensor_copy_dynamic_src",
        )

    __index__ = __int__
