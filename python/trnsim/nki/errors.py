"""Errors of kernels: one line with the user's place, a name, what was found and what was expected."""

from __future__ import annotations

import functools
import os
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import ml_dtypes
import numpy as np

#: Folders of this package, and of libraries that call its methods.
_PACKAGE = tuple(str(Path(file).parent) + os.sep for file in (__file__, np.__file__, ml_dtypes.__file__))

#: Names of the public error catalogue that this front end uses.
PUBLIC_NAMES = (
    "err_1d_arange_not_supported",
    "err_activation_bias_invalid_type",
    "err_activation_scale_invalid_type",
    "err_activation_scale_scalar_or_vector",
    "err_ambiguous_tensor_truth_value",
    "err_bias_tensor_must_be_specified_in_allocation",
    "err_cannot_assign_to_index",
    "err_cannot_update_immutable_parameter",
    "err_control_flow_condition_depending_on_arange",
    "err_copy_dynamic_indirect_indices_not_natively_supported",
    "err_dynamic_control_flow_not_supported",
    "err_exceed_max_supported_dimension",
    "err_failed_to_infer_tile_from_local_tensor",
    "err_hbm_tensor_with_init_value_not_supported",
    "err_indirect_indices_are_not_supported_with_nki_api",
    "err_indirect_indices_free_dim",
    "err_mutable_parameter_not_returned",
    "err_nested_kernel_with_spmd_grid",
    "err_nki_api_outside_of_nki_kernel",
    "err_num_partition_exceed_arch_limit",
    "err_num_partition_mismatch",
    "err_program_id_axis_out_of_bounds",
    "err_shared_hbm_must_in_kernel_level",
    "err_size_of_dimension_exceed_arch_limit",
    "err_store_dst_shape_smaller_than_other_shape",
    "err_tensor_access_out_of_bound",
    "err_tensor_creation_on_scratchpad_with_init_value_not_supported",
    "err_tensor_output_not_written_to",
    "err_transpose_on_tensor_engine_not_allowed_in_allocated_kernel",
    "err_unsupported_expression_in_mask",
    "err_unsupported_memory",
    "err_unsupported_mixing_basic_advanced_tensor_indexing",
)

#: Names for errors that the public catalogue does not name.
OWN_NAMES = (
    "err_allocation",  # a placement of a tensor outside the memories
    "err_argument",  # an argument of a kernel or of a function
    "err_dtype",
    "err_engine",  # an engine that cannot do what it is asked for
    "err_index",  # an index that is not affine, or of an unknown kind
    "err_mask",
    "err_not_available",  # the SDK has it, this package does not
    "err_read_of_unwritten_memory",
    "err_shape",
)

_NAMES = frozenset(PUBLIC_NAMES + OWN_NAMES)


class _Inside(dict[str, bool]):
    """Returns whether a file, by name, belongs to this package or to a library that it calls."""

    def __missing__(self, file: str) -> bool:
        found = self[file] = file.startswith(_PACKAGE)
        return found


_inside = _Inside()


def inside(file: str) -> bool:
    """Returns whether a file belongs to this package or to a library that it calls."""
    return _inside[file]


def user_frame() -> FrameType:
    """Returns the innermost frame outside this package."""
    frame = sys._getframe(1)
    while _inside[frame.f_code.co_filename] and frame.f_back is not None:
        frame = frame.f_back
    return frame


@functools.lru_cache(maxsize=4096)
def _place(file: str, line: int) -> tuple[str, int]:
    """Returns the place of a line, one object for all operations of the line."""
    return file, line


def user_place() -> tuple[str, int]:
    """Returns file and line of the user's call."""
    frame = user_frame()
    return _place(frame.f_code.co_filename, frame.f_lineno)


class NkiError(Exception):
    """A kernel that the language or the hardware does not allow.

    `name` is one of the names above, `file` and `line` are the user's.
    """

    def __new__(cls, name: str = "", *args: Any, **options: Any) -> NkiError:
        return super().__new__(NkiIndexError if name == "err_tensor_access_out_of_bound" else cls)

    def __init__(self, name: str, text: str, place: tuple[str, int] | None = None) -> None:
        """`place` is file and line, if the error is found after the user's call."""
        assert name in _NAMES, name
        self.name, self.text = name, text
        self.file, self.line = place or user_place()
        super().__init__(f"{self.file}:{self.line}: {name}: {text}")


class NkiIndexError(NkiError, IndexError):
    """An index out of bounds, which programs also catch as Python's."""
