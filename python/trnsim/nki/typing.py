"""nki.typing: annotations of tensors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .tensor import Tensor


@dataclass(frozen=True)
class TensorType:
    """Shape and element type of a tensor; annotations of local variables are not looked at."""

    shape: tuple[int, ...] | None
    dtype: Any = None
    mutable: bool = False

    def __getitem__(self, key: Any) -> TensorType:
        """tensor[128, 512], tensor[[128, 512], nl.float32], tensor[mutable]"""
        if isinstance(key, TensorType):
            return TensorType(self.shape, self.dtype, self.mutable or key.mutable)
        keys = key if isinstance(key, tuple) else (key,)
        if isinstance(keys[0], (tuple, list)):
            return TensorType(tuple(keys[0]), keys[1] if len(keys) > 1 else None, self.mutable)
        return TensorType(keys, None, self.mutable)

    def __instancecheck__(self, value: Any) -> bool:
        """isinstance(x, nt.tensor) tests whether x is a tensor of a kernel, of any shape and type."""
        return isinstance(value, Tensor)


tensor = TensorType(None)
mutable_tensor = mutable = TensorType(None, mutable=True)


class scalar:
    """A number, not a tensor."""

    def __class_getitem__(cls, key: Any) -> type:
        return cls
