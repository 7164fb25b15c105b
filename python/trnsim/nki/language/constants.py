"""Sizes, under the names that kernels import from nki.language.constants."""

from __future__ import annotations

from typing import Any

from .. import dtypes
from ..limits import tile_size

__all__ = ["psum_min_align", "sbuf_min_align", "sizeinbytes", "tile_size", "total_available_sbuf_size"]

psum_min_align = tile_size.psum_min_align
sbuf_min_align = tile_size.sbuf_min_align
total_available_sbuf_size = tile_size.total_available_sbuf_size


def sizeinbytes(dtype: Any) -> int:
    """Returns the bytes of an element."""
    return dtypes.as_dtype(dtype).itemsize
