"""Index expressions, which nl.arange and nl.mgrid give, and masks, which are comparisons of them.

An expression is an integer for each point of a grid: offset + sum of coefficient[axis] * position[axis]. It
becomes an array only where one is needed: an instruction takes the offset and the steps, its access pattern.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from . import conjunctions
from .errors import NkiError

_broadcast = functools.lru_cache(maxsize=4096)(np.broadcast_shapes)


def together(shapes: Iterable[tuple[int, ...]]) -> tuple[int, ...]:
    """Returns the shape that several grids have together, by NumPy's rule."""
    found = tuple(shapes)
    try:
        return _broadcast(*found)
    except ValueError:
        raise NkiError(
            "err_shape", f"index shapes {' and '.join(map(str, found))}, expected shapes that broadcast"
        ) from None


def _is_tile(value: Any) -> bool:
    """Returns whether a value is a tensor, or a sum of one and an index."""
    return hasattr(value, "storage") or hasattr(value, "added")


def _joined(*expressions: Affine) -> tuple[int, ...]:
    """Returns the shape of the grids of expressions; an axis that none of them uses has the largest size."""
    used = together(e.used for e in expressions)
    shapes = [(1,) * (len(used) - e.ndim) + e.shape for e in expressions]
    return tuple(size if size > 1 else max(sizes) for size, *sizes in zip(used, *shapes))


class Affine:
    """An affine expression over a grid of positions.

    `used` has the sizes of its own axes, and 1 for other axes of nl.mgrid.
    """

    __slots__ = ("coefficients", "offset", "shape", "used")
    __array_ufunc__ = None

    def __init__(
        self,
        shape: tuple[int, ...],
        offset: int,
        coefficients: tuple[int, ...],
        used: tuple[int, ...] | None = None,
    ):
        self.shape, self.offset, self.coefficients = shape, offset, coefficients
        self.used = shape if used is None else used

    def __repr__(self) -> str:
        return f"index{list(self.shape)}"

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def key(self) -> tuple[tuple[int, ...], int, tuple[int, ...], tuple[int, ...]]:
        """A key that is equal for equal expressions: the arguments of the constructor."""
        return self.shape, self.offset, self.coefficients, self.used

    def values(self) -> np.ndarray:
        """Returns the integers, of a shape that broadcasts to the grid's."""
        total = np.array(self.offset)
        for axis, (size, step) in enumerate(zip(self.shape, self.coefficients)):
            if step:
                total = total + (step * np.arange(size)).reshape(size, *[1] * (self.ndim - axis - 1))
        return total.reshape((1,) * (self.ndim - total.ndim) + total.shape)

    def _combined(self, other: Any, sign: int) -> Any:
        if isinstance(other, (int, np.integer)):
            return Affine(self.shape, self.offset + sign * int(other), self.coefficients, self.used)
        if not isinstance(other, Affine):
            return self._not_affine(other, "+" if sign > 0 else "-")
        shape = _joined(self, other)
        padded = [(0,) * (len(shape) - e.ndim) + e.coefficients for e in (self, other)]
        steps = tuple(a + sign * b for a, b in zip(*padded))
        return Affine(shape, self.offset + sign * other.offset, steps, together((self.used, other.used)))

    def __add__(self, other: Any) -> Any:
        return self._combined(other, 1)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._combined(other, -1)

    def __rsub__(self, other: Any) -> Any:
        return (-self)._combined(other, 1)

    def __neg__(self) -> Affine:
        negative: Affine = self * -1
        return negative

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, (int, np.integer)):
            return Affine(
                self.shape,
                self.offset * int(other),
                tuple(c * int(other) for c in self.coefficients),
                self.used,
            )
        return self._not_affine(other, "*")

    __rmul__ = __mul__

    def _not_affine(self, other: Any, sign: str) -> Any:
        if _is_tile(other):
            return NotImplemented  # it may be added, and says what else is wrong
        raise NkiError(
            "err_index",
            f"index {sign} {other!r}, expected an affine expression: sums and products with integers",
        )

    def __mod__(self, other: Any) -> Any:
        return self._remainder(other, "%")

    def __floordiv__(self, other: Any) -> Any:
        return self._remainder(other, "//")

    def _remainder(self, other: Any, sign: str) -> Any:
        if isinstance(other, (int, np.integer)):
            return NotAffine(f"index {sign} {other}")
        return self._not_affine(other, sign)

    def __getitem__(self, key: Any) -> Affine:
        """Adds axes: index[:, None]."""
        keys = key if isinstance(key, tuple) else (key,)
        if any(k is not None and k != slice(None) for k in keys) or keys.count(slice(None)) > self.ndim:
            raise NkiError(
                "err_index", f"index expression [{key!r}], expected : for its axes and None for new ones"
            )
        keys += (slice(None),) * (self.ndim - keys.count(slice(None)))
        own = zip(self.shape, self.coefficients, self.used)
        shape, steps, used = zip(*[(1, 0, 1) if k is None else next(own) for k in keys])
        return Affine(shape, self.offset, steps, used)

    def __setitem__(self, key: Any, value: Any) -> None:
        raise NkiError(
            "err_cannot_assign_to_index",
            "an index of nl.arange or nl.mgrid is no tile, expected nisa.iota(index, dtype) to make one of "
            "it",
        )

    def __bool__(self) -> bool:
        raise NkiError(
            "err_control_flow_condition_depending_on_arange",
            "a condition depends on nl.arange or nl.mgrid, expected mask=",
        )

    def __lt__(self, other: Any) -> Any:
        return self._compared(other, lambda d: (-1 - d, ">="))

    def __le__(self, other: Any) -> Any:
        return self._compared(other, lambda d: (-d, ">="))

    def __gt__(self, other: Any) -> Any:
        return self._compared(other, lambda d: (d - 1, ">="))

    def __ge__(self, other: Any) -> Any:
        return self._compared(other, lambda d: (d, ">="))

    def __eq__(self, other: Any) -> Any:
        return NotImplemented if other is None else self._compared(other, lambda d: (d, "=="))

    def __ne__(self, other: Any) -> Any:
        return NotImplemented if other is None else self._compared(other, lambda d: (d, "!="))

    __hash__ = object.__hash__

    def _compared(self, other: Any, form: Any) -> Any:
        if isinstance(other, (float, np.floating)) and float(other).is_integer():
            other = int(other)
        difference = self._combined(other, -1)
        return difference if difference is NotImplemented else Mask((Comparison(*form(difference)),))


class NotAffine:
    """A remainder or a whole quotient of an index: an error, whose name depends on what becomes of it."""

    __slots__ = ("_text",)
    __array_ufunc__ = None
    __hash__ = object.__hash__

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text

    def refuse(self, *_: Any) -> Any:
        raise NkiError(
            "err_index", f"{self._text}, expected an affine expression: sums and products with integers"
        )

    def refuse_mask(self, _: Any) -> Any:
        raise NkiError(
            "err_unsupported_expression_in_mask",
            f"a comparison of {self._text}, expected one of sums and products with integers",
        )

    __bool__ = __index__ = __neg__ = __getitem__ = __iter__ = refuse
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = refuse_mask


_RELATIONS = {">=": operator.ge, "==": operator.eq, "!=": operator.ne}


class Comparison(NamedTuple):
    """The comparison `expression relation 0`, where the relation is >=, == or !=."""

    expression: Affine
    relation: str

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        return (self,)

    @property
    def key(self) -> Any:
        return self.relation, self.expression.key

    def values(self) -> np.ndarray:
        held: np.ndarray = _RELATIONS[self.relation](self.expression.values(), 0)
        return held

    def mapped(self, function: Callable[[Affine], Affine]) -> Comparison:
        return Comparison(function(self.expression), self.relation)

    def inverted(self) -> Comparison:
        if self.relation == ">=":
            return Comparison(-self.expression - 1, ">=")
        return Comparison(self.expression, "!=" if self.relation == "==" else "==")


class Either(NamedTuple):
    """Masks of which at least one holds."""

    masks: tuple[Mask, ...]

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        return tuple(comparison for mask in self.masks for comparison in mask.comparisons)

    @property
    def key(self) -> Any:
        return "|", tuple(mask.key for mask in self.masks)

    def values(self) -> np.ndarray:
        held = np.array(False)
        for mask in self.masks:
            held = held | mask.values()
        return held

    def mapped(self, function: Callable[[Affine], Affine]) -> Either:
        return Either(tuple(mask.mapped(function) for mask in self.masks))


def _part_of(key: Any) -> Comparison | Either:
    """Returns the part of a mask that a key names."""
    kind, rest = key
    return Either(tuple(_mask_of(one) for one in rest)) if kind == "|" else Comparison(Affine(*rest), kind)


def _mask_of(key: Any) -> Mask:
    return Mask(tuple(map(_part_of, key)))


class Mask:
    """Parts of which all hold: comparisons, and choices of masks."""

    __slots__ = ("parts",)
    __array_ufunc__ = None

    def __init__(self, parts: tuple[Comparison | Either, ...]):
        self.parts = parts

    def __repr__(self) -> str:
        return f"mask{list(self.shape)}"

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        """All comparisons in it."""
        return tuple(comparison for part in self.parts for comparison in part.comparisons)

    @property
    def key(self) -> Any:
        """A key that is equal for equal masks."""
        return tuple(part.key for part in self.parts)

    @property
    def shape(self) -> tuple[int, ...]:
        return _joined(*(comparison.expression for comparison in self.comparisons))

    @property
    def used(self) -> tuple[int, ...]:
        """The sizes of the axes that it depends on, and 1 for others."""
        return together(comparison.expression.used for comparison in self.comparisons)

    def mapped(self, function: Callable[[Affine], Affine]) -> Mask:
        """Returns the mask with other expressions in its comparisons."""
        return Mask(tuple(part.mapped(function) for part in self.parts))

    def __and__(self, other: Any) -> Any:
        if isinstance(other, (bool, np.bool_)):
            return self if other else False
        return Mask(self.parts + other.parts) if isinstance(other, Mask) else self._no_mask(other, "&")

    __rand__ = __and__

    def __or__(self, other: Any) -> Any:
        if isinstance(other, (bool, np.bool_)):
            return True if other else self
        return Mask((Either((self, other)),)) if isinstance(other, Mask) else self._no_mask(other, "|")

    __ror__ = __or__

    def _no_mask(self, other: Any, sign: str) -> Any:
        if _is_tile(other):
            return NotImplemented  # the tile says what is wrong
        raise NkiError(
            "err_mask",
            f"a mask {sign} {other!r}, expected comparisons of nl.arange, loop variables, integers",
        )

    def __invert__(self) -> Mask:
        masks: list[Mask] = []  # the mask does not hold where one of these holds
        for part in self.parts:
            if isinstance(part, Comparison):
                masks.append(Mask((part.inverted(),)))
            else:
                masks.append(Mask(tuple(inner for mask in part.masks for inner in (~mask).parts)))
        return masks[0] if len(masks) == 1 else Mask((Either(tuple(masks)),))

    def __bool__(self) -> bool:
        if conjunctions.hold(self):
            return True
        raise NkiError(
            "err_control_flow_condition_depending_on_arange",
            "a condition depends on nl.arange or nl.mgrid, expected mask=",
        )

    def values(self) -> np.ndarray:
        held = np.array(True)
        for part in self.parts:
            held = held & part.values()
        return held


_SIGNS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "matmul": "@",
    "and": "&",
    "or": "|",
    "xor": "^",
    "lshift": "<<",
    "rshift": ">>",
}
_ORDERS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def _refuse_operators(kind: type, refuse: Callable[[Any, Any, str], Any]) -> None:
    """Gives a class the operators of Python that it does not have; they refuse their operand."""

    def refusal(sign: str) -> Callable[[Any, Any], Any]:
        return lambda self, other: refuse(self, other, sign)

    reversed_too = {f"r{name}": sign for name, sign in _SIGNS.items()}
    for name, sign in {**_SIGNS, **reversed_too, **_ORDERS}.items():
        if f"__{name}__" not in vars(kind):
            setattr(kind, f"__{name}__", refusal(sign))


_refuse_operators(Affine, Affine._not_affine)
_refuse_operators(NotAffine, NotAffine.refuse)
_refuse_operators(Mask, Mask._no_mask)


class Region(NamedTuple):
    """The part of a tile that an instruction works on: a box, and the positions in it if a mask is no box."""

    box: tuple[tuple[int, int], ...]
    where: np.ndarray | None = None

    @property
    def empty(self) -> bool:
        return any(low >= high for low, high in self.box)


def boxes(held: np.ndarray) -> list[tuple[tuple[int, int], ...]]:
    """Cuts the positions where a mask holds into boxes of equal neighbours along each dimension; each is in
    one box.
    """
    if held.ndim == 0:
        return [()] if held else []
    found: list[tuple[tuple[int, int], ...]] = []
    first = 0
    for end in range(1, len(held) + 1):
        if end == len(held) or not np.array_equal(held[end], held[first]):
            found += [((first, end), *rest) for rest in boxes(held[first])]
            first = end
    return found


def _bounds(comparison: Comparison, axis: int, size: int) -> tuple[int, int] | None:
    """Returns the positions of one axis at which a comparison of that axis alone holds, if they are
    contiguous.
    """
    step, offset = comparison.expression.coefficients[axis], comparison.expression.offset
    if comparison.relation == ">=":
        return (max(0, -(offset // step)), size) if step > 0 else (0, min(size, offset // -step + 1))
    if comparison.relation == "==":
        at = -offset // step
        return (at, at + 1) if offset % step == 0 and 0 <= at < size else (0, 0)
    return None


def _fit(expression: Affine, axes: int, ndim: int) -> Affine:
    """Fits an expression of `axes` axes to a tile of `ndim`: adds or removes axes of size 1 at the end."""
    missing, more = axes - expression.ndim, ndim - axes
    shape, used = ((1,) * missing + sizes + (1,) * more for sizes in (expression.shape, expression.used))
    return Affine(
        shape[:ndim],
        expression.offset,
        ((0,) * missing + expression.coefficients + (0,) * more)[:ndim],
        used[:ndim],
    )


def _fitted(mask: Mask, shape: tuple[int, ...]) -> Mask:
    """Returns a mask with as many axes as a tile."""
    found = mask.used
    if any(size != 1 for size in (found[1:] if len(found) < len(shape) else found[len(shape) :])):
        raise NkiError(
            "err_mask",
            f"a mask of shape {found} on a tile of shape {shape}, expected one axis for each of the tile's",
        )
    return mask.mapped(lambda expression: _fit(expression, len(found), len(shape)))


def predicate_of(mask: Mask, shape: tuple[int, ...]) -> Comparison:
    """Returns the one comparison of a predicate, with as many axes as a tile."""
    if len(mask.comparisons) != 1:
        raise NkiError("err_mask", f"a predicate of {len(mask.comparisons)} comparisons, expected one")
    (found,) = _fitted(mask, shape).comparisons
    if any(
        step and have != size
        for step, have, size in zip(found.expression.coefficients, found.expression.shape, shape)
    ):
        raise NkiError(
            "err_mask",
            f"a predicate of shape {found.expression.shape} on a tile of shape {shape}, expected the same "
            "sizes",
        )
    return found


def cut(comparison: Comparison, region: Region | None) -> Comparison:
    """Returns a comparison on the part of its positions that a mask leaves."""
    if region is None:
        return comparison
    e = comparison.expression
    offset = e.offset + sum(step * low for step, (low, _) in zip(e.coefficients, region.box))
    shape = tuple(high - low if size != 1 else 1 for size, (low, high) in zip(e.shape, region.box))
    return Comparison(Affine(shape, offset, e.coefficients), comparison.relation)


def region_of(mask: bool | Mask | Region | None, shape: tuple[int, ...]) -> Region | None:
    """Returns the part of a tile of a shape that a mask leaves; None means all of it."""
    if isinstance(mask, Region):
        return mask
    if mask is None or (isinstance(mask, (bool, np.bool_)) and mask):
        return None
    if isinstance(mask, (bool, np.bool_)):
        return Region(((0, 0),) * len(shape))
    if not isinstance(mask, Mask):
        raise NkiError(
            "err_unsupported_expression_in_mask" if _is_tile(mask) else "err_mask",
            f"mask of type {type(mask).__name__}, expected comparisons of nl.arange, loop variables and "
            "integers",
        )
    return _left(mask.key, tuple(shape))


@functools.lru_cache(maxsize=256)
def _left(key: Any, shape: tuple[int, ...]) -> Region | None:
    """Returns the part of a tile that a mask leaves, which is given as its key.

    It is cached, because loops use the same masks again.
    """
    fitted = _fitted(_mask_of(key), shape)
    for comparison in fitted.comparisons:
        expression = comparison.expression
        for step, have, size in zip(expression.coefficients, expression.shape, shape):
            if step and have != size:
                raise NkiError(
                    "err_mask",
                    f"a mask of shape {fitted.shape} on a tile of shape {shape}, expected the same sizes",
                )
    box = [(0, size) for size in shape]
    rest: list[Comparison | Either] = []
    for part in fitted.parts:
        steps = () if isinstance(part, Either) else part.expression.coefficients
        axes = [axis for axis, step in enumerate(steps) if step]
        if isinstance(part, Comparison) and not axes:
            if not part.values().all():
                return Region(((0, 0),) * len(shape))
            continue
        bounds = (
            _bounds(part, axes[0], shape[axes[0]])
            if isinstance(part, Comparison) and len(axes) == 1
            else None
        )
        if bounds is None:
            rest.append(part)
        else:
            low, high = box[axes[0]]
            box[axes[0]] = (max(low, bounds[0]), min(high, bounds[1]))
    region = Region(tuple(box))
    if region.empty or not rest:
        return None if box == [(0, size) for size in shape] else region
    held = np.broadcast_to(Mask(tuple(rest)).values(), shape)[tuple(slice(*bounds) for bounds in box)]
    if not held.any():
        return Region(((0, 0),) * len(shape))
    # A comparison of several dimensions may hold in a box as well, often everywhere.
    for axis, (low, _) in enumerate(box):
        places = np.flatnonzero(held.any(axis=tuple(other for other in range(held.ndim) if other != axis)))
        first, end = int(places[0]), int(places[-1]) + 1
        held = held.take(range(first, end), axis)
        box[axis] = (low + first, low + end)
    if not held.all():
        held.flags.writeable = False
        return Region(tuple(box), held)
    return None if box == [(0, size) for size in shape] else Region(tuple(box))


def _step(numbers: range) -> int:
    """Returns the coefficient of an axis; it is 0 for an axis of one position, which may so be repeated."""
    return numbers.step if len(numbers) > 1 else 0


class Grid:
    """nl.mgrid[0:128, 0:512] gives an expression for each axis, also as .p, .x, .y, .z and .w."""

    def __init__(self, ranges: tuple[slice, ...]):
        for r in ranges:
            bounds = (
                [bound for bound in (r.start, r.stop, r.step) if bound is not None]
                if isinstance(r, slice)
                else []
            )
            if (
                not bounds
                or r.stop is None
                or r.step == 0
                or not all(isinstance(bound, (int, np.integer)) for bound in bounds)
            ):
                raise NkiError(
                    "err_index",
                    f"nl.mgrid of {r}, expected start:stop of integers for each axis, and a step that is not "
                    "0",
                )
        starts = [r.start or 0 for r in ranges]
        steps = [1 if r.step is None else r.step for r in ranges]
        shape = tuple(len(range(start, r.stop, step)) for start, r, step in zip(starts, ranges, steps))
        self._axes = tuple(
            Affine(
                shape,
                start,
                tuple(
                    _step(range(start, r.stop, step)) if other == axis else 0 for other in range(len(shape))
                ),
                tuple(size if other == axis else 1 for other, size in enumerate(shape)),
            )
            for axis, (start, r, step) in enumerate(zip(starts, ranges, steps))
        )

    def __iter__(self) -> Any:
        return iter(self._axes)

    def __len__(self) -> int:
        return len(self._axes)

    def __getitem__(self, axis: int) -> Affine:
        return self._axes[axis]

    def __getattr__(self, name: str) -> Affine:
        axis = "pxyzw".find(name) if len(name) == 1 else -1
        if not 0 <= axis < len(self._axes):
            raise AttributeError(f"nl.mgrid of {len(self._axes)} axes has no {name}")
        return self._axes[axis]


class _MeshGrid:
    def __getitem__(self, key: Any) -> Grid:
        return Grid(key if isinstance(key, tuple) else (key,))


mgrid = _MeshGrid()


def arange(*bounds: int) -> Affine:
    """Consecutive integers for indexing; nl.arange(128)[:, None] with a new axis is an index of a tile."""
    if not 1 <= len(bounds) <= 3 or not all(isinstance(b, (int, np.integer)) for b in bounds):
        raise NkiError("err_argument", f"nl.arange{bounds}, expected integers: stop, or start and stop")
    if len(bounds) == 3 and bounds[2] == 0:
        raise NkiError("err_argument", f"nl.arange{bounds}, expected a step that is not 0")
    numbers = range(*(int(b) for b in bounds))
    return Affine((len(numbers),), numbers.start, (_step(numbers),))
