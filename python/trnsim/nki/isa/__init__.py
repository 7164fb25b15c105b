"""nki.isa: one function for each instruction."""

from ..dtypes import fp32
from ..signatures import check_all
from . import constants
from .activation import activation, activation_reduce
from .elementwise import dropout, memset, reciprocal, scalar_tensor_tensor, tensor_scalar, tensor_tensor
from .engines import (
    dge_mode,
    dma_engine,
    engine,
    get_nc_version,
    gpsimd_engine,
    nc_version,
    oob_mode,
    reduce_cmd,
    scalar_engine,
    tensor_engine,
    unknown_engine,
    vector_engine,
)
from .matmul import nc_matmul, nc_transpose
from .movement import (
    dma_copy,
    dma_transpose,
    iota,
    local_gather,
    nc_stream_shuffle,
    tensor_copy,
    tensor_copy_dynamic_dst,
    tensor_copy_dynamic_src,
)
from .reductions import (
    bn_aggr,
    bn_stats,
    max8,
    nc_find_index8,
    nc_match_replace8,
    select_reduce,
    tensor_partition_reduce,
    tensor_reduce,
    tensor_scalar_reduce,
    tensor_tensor_scan,
)
from .selections import (
    affine_select,
    builtin_custom_op,
    range_select,
    sequence_bounds,
    tensor_copy_predicated,
)

__all__ = [
    "activation",
    "activation_reduce",
    "affine_select",
    "bn_aggr",
    "bn_stats",
    "builtin_custom_op",
    "constants",
    "dge_mode",
    "dma_copy",
    "dma_engine",
    "dma_transpose",
    "dropout",
    "engine",
    "fp32",
    "get_nc_version",
    "gpsimd_engine",
    "iota",
    "local_gather",
    "max8",
    "memset",
    "nc_find_index8",
    "nc_match_replace8",
    "nc_matmul",
    "nc_stream_shuffle",
    "nc_transpose",
    "nc_version",
    "oob_mode",
    "range_select",
    "reciprocal",
    "reduce_cmd",
    "scalar_engine",
    "scalar_tensor_tensor",
    "select_reduce",
    "sequence_bounds",
    "tensor_copy",
    "tensor_copy_dynamic_dst",
    "tensor_copy_dynamic_src",
    "tensor_copy_predicated",
    "tensor_engine",
    "tensor_partition_reduce",
    "tensor_reduce",
    "tensor_scalar",
    "tensor_scalar_reduce",
    "tensor_tensor",
    "tensor_tensor_scan",
    "unknown_engine",
    "vector_engine",
]

check_all(__all__, globals(), "nisa")
