"""nki.typing: annotations of tensors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional


@dataclass(frozen=True)
class TensorType:
    """Shape and element type of a tensor; annotations of local variables are not looked at."""

    shape: Optional[tuple[int, ...]]
    dtype: Any = None
    mutable: bool = False

    def __getitem__(self, key: Any) -> TensorType:
        """tensor[128, 512], tensor[[128, 512], nl.float32]"""
        keys = key if isinstance(key, tuple) else (key,)
        if isinstance(keys[0], (tuple, list)):
            return TensorType(tuple(keys[0]), keys[1] if len(keys) > 1 else None, self.mutable)
        return TensorType(keys, None, self.mutable)


tensor = TensorType(None)
mutable_tensor = mutable = TensorType(None, mutable=True)


class scalar:
    """A number, not a tensor."""

    def __class_getitem__(cls, key: Any) -> type:
        return cls
