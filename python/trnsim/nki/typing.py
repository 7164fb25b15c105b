"""nki.typing: annotations of tensors.

They are classes, and a checker of types takes them for the class of tensors. Sizes are no types to it:
`nt.tensor[128, 512]` is for kernels that no checker reads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .tensor import Tensor

__all__ = ["mutable", "mutable_tensor", "scalar", "tensor"]


class _Wanted(NamedTuple):
    """What an annotation says. Shapes and types of local variables are not looked at."""

    shape: tuple[int, ...] | None = None
    dtype: Any = None
    mutable: bool = False


class TensorType(type):
    """The class of annotations: `tensor`, and what an index makes of it."""

    _wanted = _Wanted()

    @property
    def shape(cls) -> tuple[int, ...] | None:
        return cls._wanted.shape

    @property
    def dtype(cls) -> Any:
        return cls._wanted.dtype

    @property
    def mutable(cls) -> bool:
        return cls._wanted.mutable

    def __getitem__(cls, key: Any) -> TensorType:
        """tensor[128, 512], tensor[[128, 512], nl.float32], tensor[mutable]"""
        shape, dtype, is_mutable = cls._wanted
        if isinstance(key, TensorType):
            return _annotation(cls.__name__, _Wanted(shape, dtype, is_mutable or key.mutable))
        keys = key if isinstance(key, tuple) else (key,)
        if isinstance(keys[0], (tuple, list)):
            found = _Wanted(tuple(keys[0]), keys[1] if len(keys) > 1 else None, is_mutable)
            return _annotation(cls.__name__, found)
        return _annotation(cls.__name__, _Wanted(keys, None, is_mutable))

    def __eq__(cls, other: object) -> bool:
        return isinstance(other, TensorType) and cls._wanted == other._wanted

    def __hash__(cls) -> int:
        return hash(("tensor", cls._wanted.shape, cls._wanted.mutable))

    def __instancecheck__(cls, value: Any) -> bool:
        """isinstance(x, nt.tensor) tests whether x is a tensor of a kernel, of any shape and type."""
        return isinstance(value, Tensor)


def _annotation(name: str, wanted: _Wanted) -> TensorType:
    return TensorType(name, (Tensor,), {"__slots__": (), "__module__": __name__, "_wanted": wanted})


if TYPE_CHECKING:
    from typing import Generic, Unpack

    from typing_extensions import TypeVarTuple

    from .tensor import (
        Tensor as mutable,  # noqa: N813  # the names in neuronxcc.nki
        Tensor as mutable_tensor,  # noqa: N813
        Tensor as tensor,  # noqa: N813
    )

    _Of = TypeVarTuple("_Of", default=Unpack[tuple[Any, ...]])

    class scalar(int, Generic[*_Of]):
        """A number, not a tensor."""

else:

    class tensor(Tensor, metaclass=TensorType):
        """A tensor, which the kernel reads."""

        __slots__ = ()

    class mutable_tensor(Tensor, metaclass=TensorType):
        """A tensor that the kernel may write."""

        __slots__ = ()
        _wanted = _Wanted(mutable=True)

    mutable = mutable_tensor

    class scalar:
        """A number, not a tensor."""

        def __class_getitem__(cls, key: Any) -> type:
            return cls
