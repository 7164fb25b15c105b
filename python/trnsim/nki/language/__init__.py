"""nki.language: tensors, indices, loops, and functions of tiles."""

from ..affine import arange, mgrid
from ..dtypes import (
    bfloat16,
    bfp16,
    bool_,
    finfo,
    float8_e4m3,
    float8_e5m2,
    float16,
    float32,
    fp32,
    int8,
    int16,
    int32,
    tfloat32,
    uint8,
    uint16,
    uint32,
)
from ..buffers import ParDim as par_dim
from ..buffers import hbm, private_hbm, psum, sbuf, shared_hbm
from ..indexing import ds
from ..limits import tile_size
from ..loops import affine_range, sequential_range, static_range
from . import constants, operators  # the second gives tiles their operators
from .creation import (
    broadcast_to,
    copy,
    device_print,
    empty_like,
    expand_dims,
    full,
    ndarray,
    ones,
    rand,
    shared_constant,
    shared_identity_matrix,
    static_cast,
    zeros,
    zeros_like,
)
from .loop_reduce import loop_reduce
from .math import abs_ as abs
from .math import (
    add,
    arctan,
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    ceil,
    cos,
    divide,
    equal,
    erf,
    erf_dx,
    exp,
    floor,
    fmod,
    gelu,
    gelu_apprx_sigmoid,
    gelu_apprx_tanh,
    gelu_dx,
    greater,
    greater_equal,
    invert,
    left_shift,
    less,
    less_equal,
    log,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    maximum,
    minimum,
    mish,
    mod,
    multiply,
    negative,
    not_equal,
    power,
    reciprocal,
    relu,
    right_shift,
    rsqrt,
    sigmoid,
    sign,
    silu,
    silu_dx,
    sin,
    softplus,
    sqrt,
    square,
    subtract,
    tan,
    tanh,
    trunc,
    where,
)
from .movement import atomic_rmw, gather_flattened, load, load_transpose2d, matmul, store, transpose
from .random import dropout, random_seed
from .reductions import all_ as all
from .reductions import max_ as max
from .reductions import mean, prod, rms_norm, softmax, var
from .reductions import min_ as min
from .reductions import sum_ as sum
from .spmd import all_reduce, nc, num_programs, program_id, program_ndim, spmd_dim


def gemm_grid():
    """Indices of a matmul's result and of its moving operand."""
    return mgrid[0 : tile_size.pmax, 0 : tile_size.gemm_moving_fmax]


def gemm_stationary_grid():
    """Indices of a matmul's stationary operand."""
    return mgrid[0 : tile_size.pmax, 0 : tile_size.gemm_stationary_fmax]
