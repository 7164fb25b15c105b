"""Tools that operations need to become calls: tiles and views of tensors, temporaries, constants."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from .. import dtypes, operations as ops
from ..storage import Storage
from ..tensor import Tensor
from .calls import Calls
from .patterns import MAX_AXES, fitted, free_steps, merged, partition_step
from .tiles import DTYPES, SIZES, Area, Axes, HbmTensor, Tile, View

#: Operations of the Tensor engine, which writes fp32 to PSUM whatever the type of the tensor is.
_BY_TENSOR_ENGINE = (ops.Matmul, ops.Transpose, ops.Accumulate)


Shapes = dict[int, tuple[int, ...]]  # shapes of tensors in HBM, by the identity of their storage

#: The longest name of a tensor in a package.
_MOST_DIMENSIONS = 8


class Selection(Calls):
    """Chooses calls for the operations of a kernel."""

    def __init__(
        self,
        name: str,
        config: Any,
        operations: Sequence[ops.Operation],
        names: dict[int, str],
        shapes: Shapes | None = None,
        results: dict[int, str] | None = None,
    ) -> None:
        """`names` are those of parameters in HBM, by the identity of their storage; `shapes` are those of
        parameters and of the kernel's results, `results` the names of results that the kernel does not name.
        """
        super().__init__(name, config)
        self._names, self._shapes, self._results = names, shapes or {}, results or {}
        self._taken = set(names.values())
        self._areas: dict[tuple[int, int], Area] = {}
        self._constants: dict[tuple[str, tuple[int, ...], bytes], HbmTensor] = {}
        self._masks: dict[tuple[int, bytes], Tensor] = {}
        self._wide = _kept_in_fp32(operations)
        self._narrowest = _narrowest(operations)
        self._kept: list[Tensor] = []  # temporaries, kept because their identities are those of objects

    def zero(self, tile: Tile, held: np.ndarray | None) -> None:
        if held is None:
            self.call("memset", dst=tile, value=0.0)
            return
        mask = self.tile(self.constant(held.astype(np.uint8)[:, None]))
        predicate = mask._replace(axes=tuple((count, 0) for count, _ in tile.axes))
        self.call("memset_predicated", dst=tile, predicate=predicate, value=0.0, inverted=False, updates=True)

    # Operands.

    def _dtype(self, tensor: Tensor) -> str:
        return "fp32" if tensor.storage.identity in self._wide else DTYPES[tensor.dtype]

    def _base(self, tensor: Tensor, offset: int) -> tuple[Area, int, int]:
        """Returns the area of a tensor on the chip that begins at a byte of its storage, its first partition
        and its first byte.
        """
        storage = tensor.storage
        pitch, block = storage.geometry
        number, rest = divmod(offset, block)
        identity = storage.identity
        key = (identity, number)
        wide = 4 // storage.dtype.itemsize if identity in self._wide else 1
        if key not in self._areas:
            placed = bool(storage.placed)  # then its area is the whole memory
            self._areas[key] = Area(storage.space, block // pitch, pitch * wide, storage.name, placed)
            if wide > 1 and (placed or pitch * wide > self.target.psum_bank):
                raise self.refuse(
                    f"{storage.describe()} in psum is written by the Tensor engine, which needs fp32, "
                    "expected float32"
                )
        partition, byte = divmod(rest, pitch)
        return self._areas[key], partition, byte * wide

    def tiles(self, *tensors: Tensor) -> list[Tile]:
        """Returns operands of one shape as tiles of the same axes."""
        shape = tensors[0].shape
        same = [fitted(tensor, shape) for tensor in tensors]
        steps = [tensor.steps() for tensor in same]
        axes = merged(
            shape[1:], [_in_elements(tensor, strides[1:]) for tensor, (_, strides) in zip(same, steps)]
        )
        if len(axes[0]) > MAX_AXES:
            raise self.refuse(
                f"operands of {len(axes[0])} free dimensions that are not contiguous, expected at most "
                f"{MAX_AXES}"
            )
        return [self._tile(tensor, a, *s) for tensor, a, s in zip(same, axes, steps)]

    def tile(self, tensor: Tensor) -> Tile:
        return self.tiles(tensor)[0]

    def unmerged(self, tensor: Tensor) -> Tile:
        """Returns a tile with all free dimensions except those of size 1."""
        steps = free_steps(tensor)[1:]
        axes = tuple((count, step) for count, step in zip(tensor.shape[1:], steps) if count != 1)
        return self.with_axes(tensor, axes or ((1, 1),))

    def with_axes(self, tensor: Tensor, axes: Axes) -> Tile:
        return self._tile(tensor, axes, *tensor.steps())

    def _tile(self, tensor: Tensor, axes: Axes, offset: int, strides: list[int]) -> Tile:
        if tensor.dynamic is not None:
            raise self.refuse(
                f"{tensor.describe()} has an index from a tile, which transfers and dynamic copies alone take"
            )
        tensor.check_bounds()
        area, partition, byte = self._base(tensor, offset)
        if tensor.shape[0] > 1 and strides[0] != tensor.storage.geometry[0]:
            raise self.refuse(
                f"{tensor.describe()} of {tensor.storage.describe()} skips partitions, expected neighbouring "
                "ones"
            )
        return Tile(area, partition, tensor.shape[0], byte, self._dtype(tensor), axes)

    def repeats_partitions(self, tensor: Tensor) -> bool:
        return tensor.partitions > 1 and partition_step(tensor) == 0

    def view(
        self, tensor: Tensor, shape: tuple[int, ...]
    ) -> tuple[HbmTensor, int, tuple[int, ...], list[int]]:
        """Returns tensor, offset, counts and steps of a tensor in HBM in the shape of a tile.

        If the tensor is cut into parts of elements, the steps are those of the parts.
        """
        if tensor.dynamic is not None:
            raise self.refuse(
                f"{tensor.describe()} has an index from a tile, which transfers and dynamic copies alone take"
            )
        tensor = fitted(tensor, shape)
        tensor.check_bounds()
        offset, strides = tensor.steps()
        base = self.hbm(tensor)
        size = SIZES[base.dtype]
        return (
            base,
            offset // size,
            (*tensor.shape, tensor.itemsize // size),
            [*(stride // size for stride in strides), 1],
        )

    # Tensors in HBM.

    def hbm(self, tensor: Tensor) -> HbmTensor:
        """Returns the tensor in HBM that a tensor is, or is a view of; it has the narrowest type of all
        views.
        """
        storage = tensor.storage
        found = self.tensors.get(storage.identity)
        if found is None:
            dtype = self._narrowest.get(storage.identity, storage.dtype)
            name, count = self._names.get(storage.identity), storage.bytes.size // dtype.itemsize
            if name is None and not storage.mutable:
                return self._constant(storage.raw.view(dtype), storage.identity)
            output = storage.shared or storage.identity in self._shapes
            kind = "input" if name is not None else "output" if output else "scratch"
            if name is not None and storage.bytes.writes:
                kind = "update"
            shape = self._shapes.get(storage.identity, ())  # views with another number of elements in a row
            shape = shape if math.prod(shape) == count and 0 < len(shape) <= _MOST_DIMENSIONS else (count,)
            found = HbmTensor(
                name or self._name_of(storage),
                kind,
                DTYPES[dtype],
                shape,
            )
            self.declare(storage.identity, found)
        return found

    def _name_of(self, storage: Storage) -> str:
        """Returns the name of a tensor that is no parameter: the kernel's, with a number if it is taken."""
        name = storage.name or self._results.get(storage.identity, "tensor")
        numbered = f"{name}_{len(self.tensors)}"
        return self.unused(numbered if name == "tensor" or name in self._taken else name)

    def unused(self, name: str) -> str:
        """Returns a name that no other tensor in HBM has; those of parameters and of kernels' tensors are
        arbitrary.
        """
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name

    def _constant(self, values: np.ndarray, identity: int | None = None) -> HbmTensor:
        key = (values.dtype.name, values.shape, values.tobytes())
        found = self._constants.get(key)
        if found is None:
            found = HbmTensor(
                self.unused(f"constant_{len(self._constants)}"),
                "input",
                DTYPES[values.dtype],
                values.shape,
                values,
            )
            self._constants[key] = found
        self.declare(id(found) if identity is None else identity, found)
        return found

    def constant(self, values: np.ndarray) -> Tensor:
        """Returns a tile in SBUF with the contents of an array [partitions, elements], loaded where it is
        first used.
        """
        key = (id(values.dtype), values.shape.__repr__().encode() + values.tobytes())
        found = self._masks.get(key)
        if found is None:
            found = self.temporary(values.shape, values.dtype)
            tensor = self._constant(np.ascontiguousarray(values))
            rows, columns = values.shape
            self.call(
                "load",
                to=self.tile(found),
                source=View(tensor, 0, ((rows, columns), (columns, 1))),
                writes=("to",),
            )
            self._masks[key] = found
        return found

    # Temporaries.

    def temporary(self, shape: Sequence[int], dtype: Any, space: str = "sbuf") -> Tensor:
        """Returns a tile of the lowering's own."""
        return self._keep(Tensor.whole(Storage(None, space, np.dtype(dtype), tuple(shape))))

    def scratch(self, shape: Sequence[int], dtype: Any) -> Tensor:
        """Returns a tensor in HBM of the lowering's own."""
        storage = Storage(None, "hbm", np.dtype(dtype), tuple(shape))
        return self._keep(Tensor.whole(storage))

    def _keep(self, tensor: Tensor) -> Tensor:
        self._kept.append(tensor)
        return tensor

    def converted(self, tensor: Tensor, dtype: Any, space: str | None = None) -> Tensor:
        """Returns a tile with the elements of another in a type, and in a memory if one is given."""
        dtype = np.dtype(dtype)
        if tensor.dtype == dtype and space in (None, tensor.space):
            return tensor
        result = self.temporary(tensor.shape, dtype)
        self.cast(result, tensor)
        return result

    def cast(self, dst: Tensor, src: Tensor) -> None:
        """dst = src, by Vector or Scalar; a bool is whether a number is not 0."""
        to, source = self.tiles(dst, src)
        if dst.dtype == bool and src.dtype != bool:
            self.call("tensor_scalar", dst=to, a=source, op0="not_equal", operand0=0.0)
        else:
            self.call("tensor_copy", dst=to, source=source, either=on_either(dst, src))

    def scalar(self, operand: ops.Operand) -> float | Tile:
        """Returns a constant, or a tile of one fp32 element a partition in SBUF."""
        if not isinstance(operand, Tensor):
            return float(np.float32(operand))
        return self.tile(self.converted(operand, np.float32, "sbuf"))


def on_either(*tensors: Tensor) -> bool:
    """Returns whether Vector and Scalar give the same elements: Scalar copies through fp32, which flushes
    subnormals and makes all NaN alike. That shows in integers, and in a `view` of floats.
    """
    return all(dtypes.is_float(tensor.dtype) and not tensor.storage.bytes.viewed for tensor in tensors)


def _in_elements(tensor: Tensor, strides: list[int]) -> list[int]:
    size = tensor.storage.dtype.itemsize
    return [stride // size for stride in strides]


def _kept_in_fp32(operations: Iterable[ops.Operation]) -> set[int]:
    """Returns the tensors in PSUM of a narrow type that only the Tensor engine writes; their elements are
    fp32 there.
    """
    writers: dict[int, bool] = {}
    for op in operations:
        dst = getattr(op, "dst", None)
        if dst is None or dst.space != "psum" or dst.itemsize == 4:
            continue
        tensor_engine = isinstance(op, _BY_TENSOR_ENGINE) and getattr(op, "engine", "tensor") in (
            "tensor",
            "any",
        )
        writers[dst.storage.identity] = writers.get(dst.storage.identity, True) and tensor_engine
    return {identity for identity, only in writers.items() if only}


def _reached(tensor: Tensor) -> np.dtype:
    """Returns the type of a tensor in HBM, or a narrower one if its elements do not lie at multiples of their
    size.
    """
    offset, strides = tensor.steps()
    places = (offset, *strides, *(tensor.storage.strides if tensor.dynamic is not None else ()))
    size = math.gcd(tensor.itemsize, *places)
    return tensor.dtype if size == tensor.itemsize else np.dtype(f"u{size}")


def _narrowest(operations: Iterable[ops.Operation]) -> dict[int, np.dtype]:
    """Returns the narrowest type of the views of each tensor in HBM, the first of equal ones."""
    found: dict[int, np.dtype] = {}
    for op in operations:
        for tensor in op.tensors():
            if tensor.space == "hbm":
                identity = tensor.storage.identity
                dtype = _reached(tensor)
                found[identity] = min(found.get(identity, dtype), dtype, key=lambda dtype: dtype.itemsize)
    return found


Handler = Callable[[Any, Selection], None]
