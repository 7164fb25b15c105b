"""What all operations need to become calls: tiles and views of tensors, temporaries, constants."""

from __future__ import annotations

import math
from typing import Any, Callable, Iterable, Optional, Sequence, Union

import numpy as np

from .. import operations as ops
from ..errors import NkiError
from ..limits import PSUM_BANK_BYTES, QUADRANT, start_partitions
from ..storage import Storage
from ..tensor import Tensor
from .calls import DTYPES, SIZES, TRANSFERS, Area, Axes, Call, HbmTensor, Tile, View, engine_of
from .patterns import MAX_AXES, contiguous, fitted, free_steps, merged
from .psum import Sums

#: Operations of the Tensor engine, which leaves fp32 in PSUM whatever the type of the tensor is.
_BY_TENSOR_ENGINE = (ops.Matmul, ops.Transpose, ops.Accumulate)


Shapes = dict[int, tuple[int, ...]]  # of tensors in HBM, by the identity of their storage

#: Of a tensor in a package.
_MOST_DIMENSIONS = 8


class Selection:
    """The calls of a kernel, in the order of its operations."""

    def __init__(self, operations: Sequence[ops.Operation], names: dict[int, str], shapes: Optional[Shapes] = None) -> None:
        """`names`: of parameters in HBM, by the identity of their storage; `shapes`: of parameters and of what the kernel returns."""
        self.calls: list[Call] = []
        self.tensors: dict[int, HbmTensor] = {}
        self.sums = Sums()
        self.place: tuple[str, int] = ("", 0)
        self._names, self._shapes = names, shapes or {}
        self._taken = set(names.values())
        self._areas: dict[tuple[int, int], Area] = {}
        self._constants: dict[tuple[str, tuple[int, ...], bytes], HbmTensor] = {}
        self._masks: dict[tuple[int, bytes], Tensor] = {}
        self._wide = _kept_in_fp32(operations)
        self._narrowest = _narrowest(operations)
        self._kept: list[Tensor] = []  # temporaries: their identities are those of objects
        self._load = {"vector": 0, "scalar": 0}  # elements so far, of those that may run on either

    # Calls.

    def call(self, method: str, *, writes: tuple[str, ...] = ("dst",), updates: bool = False, **arguments: Any) -> None:
        call = Call(method, arguments, writes, updates, self.place)
        for written in (False, True):  # zeros that are read come first
            for _, tile in call.tiles(written):
                if tile.area.space == "psum" and method != "multiply_moving":
                    self.sums.touched(self, tile, written and not updates)
        late = [] if method in TRANSFERS else self._aligned(call)
        self.calls.append(call)
        self.calls.extend(late)

    def _aligned(self, call: Call) -> list[Call]:
        """Moves operands that begin where none of the engine's can to partition 0, those of GpSimd, whose cores reach their own
        partitions only, to that of the result. Gives calls that move results back."""
        late: list[Call] = []
        home = _first_partition(call) if engine_of(call) == "gpsimd" else None
        for name, tile in call.arguments.items():
            if not isinstance(tile, Tile):
                continue
            if tile.partition in (_starts(call.method, tile.partitions) if home is None else (home,)):
                continue
            moved = self._packed(tile, home or 0)
            call.arguments[name] = moved
            if name not in call.writes or call.updates:
                self.calls += self._moved(moved, tile)
            if name in call.writes:
                late += self._moved(tile, moved)
        return late

    def zero(self, tile: Tile, held: Optional[np.ndarray]) -> None:
        """Writes zeros to a tile in PSUM, to those of its partitions that `held` names."""
        if held is None:
            self.call("memset", dst=tile, value=0.0)
            return
        mask = self.tile(self.constant(held.astype(np.uint8)[:, None]))
        predicate = mask._replace(axes=tuple((count, 0) for count, _ in tile.axes))
        self.call("memset_predicated", dst=tile, predicate=predicate, value=0.0, inverted=False, updates=True)

    def readable(self, method: str, tile: Tile) -> Tile:
        """An operand that a method reads, or a copy of it at partition 0 where it can not begin there."""
        call = Call(method, {"operand": tile}, ())
        self._aligned(call)
        return call.arguments["operand"]

    def _moved(self, dst: Tile, src: Tile) -> list[Call]:
        """dst = src at other partitions: by Vector where it can begin at both, else through HBM."""
        if all(tile.partition in start_partitions(tile.partitions) for tile in (dst, src)):
            return [Call("tensor_copy", {"dst": dst, "source": src, "engine": "vector"}, place=self.place)]
        return self._through_hbm(dst, src)

    def _packed(self, tile: Tile, partition: int) -> Tile:
        elements = math.prod(count for count, _ in tile.axes)
        area = Area("sbuf", partition + tile.partitions, elements * SIZES[tile.dtype])
        return Tile(area, partition, tile.partitions, 0, tile.dtype, contiguous([count for count, _ in tile.axes]))

    def _through_hbm(self, dst: Tile, src: Tile) -> list[Call]:
        """dst = src by two transfers."""
        if len(src.axes) >= MAX_AXES:
            raise self.refuse(f"a tile of {len(src.axes)} free dimensions at partition {src.partition}, expected one at {QUADRANT} n")
        counts = [src.partitions, *(count for count, _ in src.axes)]
        tensor = HbmTensor(self._unused(f"moved_{len(self.tensors)}"), "scratch", src.dtype, (math.prod(counts),))
        self.tensors[id(tensor)] = tensor
        view = View(tensor, 0, contiguous(counts))
        return [
            Call("store", {"to": view, "source": src}, ("to",), place=self.place),
            Call("load", {"to": dst, "source": view}, ("to",), place=self.place),
        ]

    def refuse(self, text: str) -> NkiError:
        return NkiError("err_not_available", text, place=self.place)

    # Operands.

    def _dtype(self, tensor: Tensor) -> str:
        return "fp32" if tensor.storage.identity in self._wide else DTYPES[tensor.dtype]

    def _base(self, tensor: Tensor) -> tuple[Area, int, int]:
        """The area of a tensor on the chip, its first partition and its first byte."""
        storage = tensor.storage
        pitch, block = storage.geometry
        number, rest = divmod(tensor.steps()[0], block)
        key = (storage.identity, number)
        wide = 4 // storage.dtype.itemsize if storage.identity in self._wide else 1
        if key not in self._areas:
            placed = 0 if storage.placed else None  # then its area is the whole memory
            self._areas[key] = Area(storage.space, block // pitch, pitch * wide, storage.name, placed)
            if wide > 1 and (placed is not None or pitch * wide > PSUM_BANK_BYTES):
                raise self.refuse(f"{storage.describe()} in psum is written by the Tensor engine, which needs fp32, expected float32")
        partition, byte = divmod(rest, pitch)
        return self._areas[key], partition, byte * wide

    def tiles(self, *tensors: Tensor) -> list[Tile]:
        """Operands of one shape, as tiles of the same axes."""
        shape = tensors[0].shape
        same = [fitted(tensor, shape) for tensor in tensors]
        axes = merged(shape[1:], [free_steps(tensor)[1:] for tensor in same])
        if len(axes[0]) > MAX_AXES:
            raise self.refuse(f"operands of {len(axes[0])} free dimensions that are not contiguous, expected at most {MAX_AXES}")
        return [self._with_axes(tensor, a) for tensor, a in zip(same, axes)]

    def tile(self, tensor: Tensor) -> Tile:
        return self.tiles(tensor)[0]

    def unmerged(self, tensor: Tensor) -> Tile:
        """A tile with all free dimensions but those of size 1."""
        steps = free_steps(tensor)[1:]
        axes = tuple((count, step) for count, step in zip(tensor.shape[1:], steps) if count != 1)
        return self._with_axes(tensor, axes or ((1, 1),))

    def _with_axes(self, tensor: Tensor, axes: Axes) -> Tile:
        if tensor.dynamic is not None:
            raise self.refuse(f"{tensor.describe()} has an index from a tile, which transfers and dynamic copies alone take")
        tensor.check_bounds()
        area, partition, byte = self._base(tensor)
        step = tensor.steps()[1][0]
        if tensor.partitions > 1 and step != tensor.storage.geometry[0]:
            raise self.refuse(f"{tensor.describe()} of {tensor.storage.describe()} skips partitions, expected neighbouring ones")
        return Tile(area, partition, tensor.partitions, byte, self._dtype(tensor), axes)

    def repeats_partitions(self, tensor: Tensor) -> bool:
        return tensor.partitions > 1 and tensor.steps()[1][0] == 0

    def view(self, tensor: Tensor, shape: tuple[int, ...]) -> tuple[HbmTensor, int, tuple[int, ...], list[int]]:
        """Tensor, offset, counts and steps of a tensor in HBM in the shape of a tile, and of the parts of an element where it has any."""
        if tensor.dynamic is not None:
            raise self.refuse(f"{tensor.describe()} has an index from a tile, which transfers and dynamic copies alone take")
        tensor = fitted(tensor, shape)
        tensor.check_bounds()
        offset, strides = tensor.steps()
        base = self.hbm(tensor)
        size = SIZES[base.dtype]
        return base, offset // size, (*tensor.shape, tensor.itemsize // size), [*(stride // size for stride in strides), 1]

    # Tensors in HBM.

    def hbm(self, tensor: Tensor) -> HbmTensor:
        """The tensor in HBM that a tensor is one of, or a view: of the narrowest type of them all."""
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
            shape = self._shapes.get(storage.identity, ())  # of views with other elements a row of them
            shape = shape if math.prod(shape) == count and 0 < len(shape) <= _MOST_DIMENSIONS else (count,)
            found = HbmTensor(name or self._unused(f"{storage.name or 'tensor'}_{len(self.tensors)}"), kind, DTYPES[dtype], shape)
            self.tensors[storage.identity] = found
        return found

    def _unused(self, name: str) -> str:
        """A name that no other tensor in HBM has: parameters and tensors of the kernel have any."""
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name

    def _constant(self, values: np.ndarray, identity: Optional[int] = None) -> HbmTensor:
        key = (values.dtype.name, values.shape, values.tobytes())
        found = self._constants.get(key)
        if found is None:
            found = HbmTensor(self._unused(f"constant_{len(self._constants)}"), "input", DTYPES[values.dtype], values.shape, values)
            self._constants[key] = found
        self.tensors[id(found) if identity is None else identity] = found
        return found

    def constant(self, values: np.ndarray) -> Tensor:
        """A tile in SBUF with the contents of an array [partitions, elements], loaded where it is used first."""
        key = (id(values.dtype), values.shape.__repr__().encode() + values.tobytes())
        found = self._masks.get(key)
        if found is None:
            found = self.temporary(values.shape, values.dtype)
            tensor = self._constant(np.ascontiguousarray(values))
            rows, columns = values.shape
            self.call("load", to=self.tile(found), source=View(tensor, 0, ((rows, columns), (columns, 1))), writes=("to",))
            self._masks[key] = found
        return found

    # Temporaries.

    def temporary(self, shape: Sequence[int], dtype: Any, space: str = "sbuf") -> Tensor:
        """A tile of the lowering's own."""
        return self._keep(Tensor.whole(Storage(None, space, np.dtype(dtype), tuple(shape))))

    def scratch(self, shape: Sequence[int], dtype: Any) -> Tensor:
        """A tensor in HBM of the lowering's own."""
        storage = Storage(None, "hbm", np.dtype(dtype), tuple(shape))
        return self._keep(Tensor.whole(storage))

    def _keep(self, tensor: Tensor) -> Tensor:
        self._kept.append(tensor)
        return tensor

    def converted(self, tensor: Tensor, dtype: Any, space: Optional[str] = None) -> Tensor:
        """A tile with the elements of another in a type, and in a memory if that is given."""
        dtype = np.dtype(dtype)
        if tensor.dtype == dtype and space in (None, tensor.space):
            return tensor
        result = self.temporary(tensor.shape, dtype)
        self.cast(result, tensor)
        return result

    def cast(self, dst: Tensor, src: Tensor) -> None:
        """dst = src, by Vector; a bool says whether a number is not 0."""
        to, source = self.tiles(dst, src)
        if dst.dtype == bool and src.dtype != bool:
            self.call("tensor_scalar", dst=to, a=source, op0="not_equal", operand0=0.0)
        else:
            self.call("tensor_copy", dst=to, source=source)

    def scalar(self, operand: ops.Operand) -> Union[float, Tile]:
        """A constant, or a tile of one fp32 element a partition in SBUF."""
        if not isinstance(operand, Tensor):
            return float(np.float32(operand))
        return self.tile(self.converted(operand, np.float32, "sbuf"))

    def engine(self, tile: Tile) -> str:
        """Vector or Scalar, whoever has had less to do."""
        name = min(self._load, key=self._load.__getitem__)
        self._load[name] += 64 + math.prod(count for count, _ in tile.axes)
        return name

    def busy(self, engine: str, tile: Tile) -> None:
        self._load[engine] += 64 + math.prod(count for count, _ in tile.axes)


def _first_partition(call: Call) -> int:
    """Where the operands of a call of GpSimd begin: where its result does, if the other engines can move them there."""
    _, result = next(call.tiles(True))
    return result.partition if result.partition in start_partitions(result.partitions) else 0


def _starts(method: str, partitions: int) -> tuple[int, ...]:
    """Where an operand may begin."""
    return (0,) if method in ("load_stationary", "multiply_moving") else start_partitions(partitions)


def _kept_in_fp32(operations: Iterable[ops.Operation]) -> set[int]:
    """Tensors in PSUM of a narrow type that the Tensor engine alone writes: their elements are fp32 there."""
    writers: dict[int, bool] = {}
    for op in operations:
        dst = getattr(op, "dst", None)
        if dst is None or dst.space != "psum" or dst.itemsize == 4:
            continue
        tensor_engine = isinstance(op, _BY_TENSOR_ENGINE) and getattr(op, "engine", "tensor") in ("tensor", "any")
        writers[dst.storage.identity] = writers.get(dst.storage.identity, True) and tensor_engine
    return {identity for identity, only in writers.items() if only}


def _reached(tensor: Tensor) -> np.dtype:
    """The type of a tensor in HBM, or a narrower one if its elements do not lie at multiples of their size."""
    offset, strides = tensor.steps()
    places = (offset, *strides, *(tensor.storage.strides if tensor.dynamic is not None else ()))
    size = math.gcd(tensor.itemsize, *places)
    return tensor.dtype if size == tensor.itemsize else np.dtype(f"u{size}")


def _narrowest(operations: Iterable[ops.Operation]) -> dict[int, np.dtype]:
    """The narrowest type of the views of each tensor in HBM, the first of equal ones."""
    found: dict[int, np.dtype] = {}
    for op in operations:
        for tensor in op.tensors():
            if tensor.space == "hbm":
                identity = tensor.storage.identity
                dtype = _reached(tensor)
                found[identity] = min(found.get(identity, dtype), dtype, key=lambda dtype: dtype.itemsize)
    return found


Handler = Callable[[Any, Selection], None]
