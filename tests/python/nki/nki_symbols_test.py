"""The public names of SDK 2.26.1: each exists, and a test uses it."""

import inspect
import re
from pathlib import Path

import pytest

import trnsim.nki.compiler as ncc
import trnsim.nki.isa as nisa
import trnsim.nki.language as nl
import trnsim.nki.typing as nt
from trnsim import nki

LANGUAGE = """
abs add affine_range all all_reduce arange arctan atomic_rmw bfloat16 bfp16 bitwise_and bitwise_or bitwise_xor
bool_ broadcast_to ceil copy cos device_print divide dropout ds empty_like equal erf erf_dx exp expand_dims
finfo float16 float32 float8_e4m3 float8_e5m2 floor fmod fp32 full gather_flattened gelu gelu_apprx_sigmoid
gelu_apprx_tanh gelu_dx gemm_grid gemm_stationary_grid greater greater_equal hbm int16 int32 int8 invert
left_shift less less_equal load load_transpose2d log logical_and logical_not logical_or logical_xor
loop_reduce matmul max maximum mean mgrid min minimum mish mod multiply nc ndarray negative not_equal
num_programs ones par_dim power private_hbm prod program_id program_ndim psum rand random_seed reciprocal relu
right_shift rms_norm rsqrt sbuf sequential_range shared_constant shared_hbm shared_identity_matrix sigmoid
sign silu silu_dx sin softmax softplus spmd_dim sqrt square static_cast static_range store subtract sum tan
tanh tfloat32 tile_size transpose trunc uint16 uint32 uint8 var where zeros zeros_like
"""
ISA = """
activation activation_reduce affine_select bn_aggr bn_stats builtin_custom_op dge_mode dma_copy dma_engine
dma_transpose dropout engine fp32 get_nc_version gpsimd_engine iota local_gather max8 memset nc_find_index8
nc_match_replace8 nc_matmul nc_stream_shuffle nc_transpose nc_version oob_mode range_select reciprocal
reduce_cmd scalar_engine scalar_tensor_tensor select_reduce sequence_bounds tensor_copy
tensor_copy_dynamic_dst tensor_copy_dynamic_src tensor_copy_predicated tensor_engine tensor_partition_reduce
tensor_reduce tensor_scalar tensor_scalar_reduce tensor_tensor tensor_tensor_scan unknown_engine vector_engine
"""
COMPILER = (
    "allocation_scope enable_stack_allocator force_auto_alloc multi_buffer no_reorder psum sbuf "
    "skip_middle_end_transformations"
)
TOP = "FrameworkKernel baremetal benchmark jit profile simulate_kernel tensor trace"
MODULES = [("nl", nl, LANGUAGE), ("nisa", nisa, ISA), ("ncc", ncc, COMPILER), ("nki", nki, TOP)]

#: Names that only the tests of this file use.
IMPLIED = {"nisa.fp32", "nisa.dma_engine", "nisa.engine", "nisa.unknown_engine", "nki.tensor"}


@pytest.mark.parametrize(
    ("short", "module", "names"),
    MODULES,
    ids=lambda value: value if isinstance(value, str) and len(value) < 5 else "",
)
def test_names(short, module, names):
    text = "\n".join(
        path.read_text()
        for path in Path(__file__).parent.glob("*_test.py")
        if path.name != Path(__file__).name
    )
    for name in names.split():
        assert hasattr(module, name), f"{short}.{name} is missing"
        assert f"{short}.{name}" in IMPLIED or re.search(rf"\b{short}\.{name}\b", text), (
            f"{short}.{name} is used by no test"
        )
        found = getattr(module, name)
        if inspect.isfunction(found):
            assert found.__doc__, f"{short}.{name} has no documentation"


def test_methods_of_tensors():
    for name in [
        "assert_shape",
        "astype",
        "broadcast_to",
        "dtype",
        "expand_dims",
        "itemsize",
        "ndim",
        "reshape",
        "shape",
        "view",
    ]:
        assert hasattr(nki.tensor, name)


def test_annotations():
    assert nt.tensor[[8192, 4096], nl.bfloat16].dtype == nl.bfloat16 and nt.tensor[128, 512].shape == (
        128,
        512,
    )
    assert nt.mutable_tensor.mutable and nt.mutable[3, 4].mutable and nt.scalar[nl.int32] is nt.scalar


def test_engines_and_modes():
    assert (
        nisa.dma_engine == nisa.engine.dma
        and nisa.unknown_engine == 0
        and nisa.vector_engine == 5
        and nisa.reduce_cmd.reset_reduce == 3
    )
    assert (
        nisa.dge_mode.swdge == 1
        and nisa.oob_mode.skip == 1
        and nisa.nc_version.gen3 == 3
        and nisa.fp32.min == nl.fp32.min
    )
    assert nisa.constants.engine is nisa.engine
