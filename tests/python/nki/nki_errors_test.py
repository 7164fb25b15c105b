"""Every error once: its name, the line of the kernel, one line of text."""

import dis

import numpy as np
import pytest

import trnsim.nki.compiler as ncc
import trnsim.nki.isa as nisa
import trnsim.nki.language as nl
import trnsim.nki.typing as nt
from trnsim import nki
from trnsim.nki import device, errors
from trnsim.nki.golden import Golden
from trnsim.nki.kernel import launch_of

# Kernels of one line read tiles that nothing has written.
pytestmark = pytest.mark.filterwarnings("ignore::trnsim.nki.NkiWarning")

CASES: list = []


def case(name, text=""):
    """Registers a kernel that is refused with a name and a part of the text, at its last line."""

    def add(function):
        CASES.append(pytest.param(name, text, function, id=f"{function.__name__}"))
        return function

    return add


F32 = nl.float32
P, F = nl.arange(64)[:, None], nl.arange(64)[None, :]


def tile(shape=(64, 64), dtype=F32, buffer=nl.sbuf):
    return nl.ndarray(shape, dtype, buffer=buffer)


@case("err_1d_arange_not_supported", "nl.arange(n)[:, None]")
def arange_of_one_dimension(x):
    tile()[nl.arange(64), 0]


@case("err_1d_arange_not_supported")
def iota_of_one_dimension(x):
    nisa.iota(nl.arange(64), F32)


@case("err_activation_bias_invalid_type", "int8")
def bias_of_integers(x):
    nisa.activation(nl.exp, tile(), bias=tile((64, 1), nl.int8))


@case("err_activation_bias_invalid_type", "0.5")
def bias_that_is_a_number(x):
    nisa.activation(nl.exp, tile(), bias=0.5)


@case("err_activation_scale_invalid_type", "bfloat16")
def scale_of_bf16(x):
    nisa.activation(nl.exp, tile(), scale=tile((64, 1), nl.bfloat16))


@case("err_activation_scale_scalar_or_vector", "[64, 2]")
def scale_of_two_columns(x):
    nisa.activation(nl.exp, tile(), scale=tile((64, 2)))


@case("err_ambiguous_tensor_truth_value", "mask=")
def truth_of_a_tile(x):
    bool(tile() > 0.0)


@case("err_bias_tensor_must_be_specified_in_allocation")
def placed_without_bias(x):
    placed = nl.ndarray((64, 64), F32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
    placed[...] = nl.exp(placed)


@case("err_cannot_assign_to_index", "nisa.iota")
def assignment_to_an_index(x):
    P[0, 0] = 3


@case("err_cannot_update_immutable_parameter", "parameter x")
def store_to_a_parameter(x):
    nl.store(x, 0.0)


@case("err_control_flow_condition_depending_on_arange")
def condition_of_arange(x):
    bool(P > 3)


@case("err_control_flow_condition_depending_on_arange")
def truth_of_an_index(x):
    bool(P)


@case(
    "err_dynamic_control_flow_not_supported",
    "nl.affine_range is left in iteration 1 of range(0, 3), expected no return or break in it",
)
def break_in_a_loop(x):
    for i in nl.affine_range(3):
        if i == 1:
            break


@case("err_dynamic_control_flow_not_supported")
def loop_over_a_tile(x):
    nl.affine_range(tile((1, 1), nl.int32))


@case("err_dynamic_control_flow_not_supported")
def tile_as_an_integer(x):
    int(tile((1, 1), nl.int32))


@case("err_dynamic_control_flow_not_supported")
def iteration_over_a_tile(x):
    list(tile())


@case("err_exceed_max_supported_dimension", "2 dimensions")
def transpose_of_three_dimensions(x):
    nl.transpose(tile((64, 32, 2)))


@case("err_exceed_max_supported_dimension", "at most 5")
def six_dimensions(x):
    nisa.tensor_scalar(tile((4, 4, 4, 4, 4, 4))[:, 0:2, 0:2, 0:2, 0:2, 0:2], nl.add, 1.0)


@case("err_failed_to_infer_tile_from_local_tensor", "blocks indexed")
def blocks_as_a_tile(x):
    nl.add(nl.zeros((4, nl.par_dim(8), 8), F32), 32)


@case("err_failed_to_infer_tile_from_local_tensor")
def partitions_along_a_free_dimension(x):
    nl.exp(tile()[F, P])


@case("err_hbm_tensor_with_init_value_not_supported", "nl.store")
def zeros_in_hbm(x):
    nl.zeros((64, 64), F32, buffer=nl.hbm)


@case("err_indirect_indices_free_dim", "nl.arange")
def index_of_mgrid(x):
    nl.load(x[tile((64, 64), nl.int32), F])


@case("err_indirect_indices_free_dim", "partitions or blocks")
def index_of_a_free_dimension(x):
    nl.load(x[P, tile((64, 1), nl.int32)])


@case("err_nested_kernel_with_spmd_grid", "inner[2]")
def kernel_with_a_grid_in_a_kernel(x):
    @nki.trace
    def inner():
        pass

    inner[2]()


@case("err_num_partition_exceed_arch_limit", "256 partitions, expected at most 128")
def many_partitions(x):
    tile((256, 64))


@case("err_num_partition_exceed_arch_limit")
def load_of_many_partitions(x):
    nl.load(nl.shared_constant(np.zeros((129, 2), np.float32)))


@case("err_num_partition_mismatch", "data1[64, 64], data2[1, 64]")
def partitions_that_differ(x):
    nisa.tensor_tensor(tile(), tile((1, 64)), op=nl.add)


@case("err_num_partition_mismatch")
def columns_that_differ(x):
    nisa.tensor_scalar(tile(), nl.add, tile((32, 1)))


@case("err_program_id_axis_out_of_bounds", "axis 0")
def program_id_without_a_grid(x):
    nl.program_id(0)


@case("err_shared_hbm_must_in_kernel_level", "loop")
def shared_tensor_in_a_loop(x):
    for _ in nl.affine_range(2):
        nl.ndarray((64, 64), F32, buffer=nl.shared_hbm)


@case("err_size_of_dimension_exceed_arch_limit", "128")
def large_transpose(x):
    nl.transpose(tile((128, 512)))


@case("err_size_of_dimension_exceed_arch_limit", "2052 bytes a partition in psum, expected at most 2048")
def large_tile_in_psum(x):
    tile((64, 513), buffer=nl.psum)


@case("err_size_of_dimension_exceed_arch_limit", "columns, expected at most 128")
def large_stationary(x):
    nisa.nc_matmul(tile((64, 129)), tile())


@case("err_size_of_dimension_exceed_arch_limit", "at most 512")
def large_bn_stats(x):
    nisa.bn_stats(tile((64, 513)))


@case("err_size_of_dimension_exceed_arch_limit", "at most 128")
def large_transpose_on_vector(x):
    nisa.nc_transpose(tile((64, 129)), engine=nisa.vector_engine)


@case("err_shape", "expected 2 blocks of 8 partitions and 6 elements in each")
def reshape_that_moves_partitions(x):
    tile((2, nl.par_dim(8), 6)).reshape((2, 6, 8))


@case("err_shape", "expected 2 blocks of 8 partitions")
def reshape_that_moves_elements_to_other_blocks(x):
    tile((2, nl.par_dim(8), 6)).reshape((4, nl.par_dim(8), 3))


@case("err_size_of_dimension_exceed_arch_limit", "8 to 16384")
def few_elements_of_max8(x):
    nisa.max8(src=tile((64, 7)))


@case("err_store_dst_shape_smaller_than_other_shape", "[64, 64] assigned to [64, 1]")
def assignment_to_a_smaller_part(x):
    tile()[:, 0] = tile()


@case("err_tensor_access_out_of_bound", "x[64, 64]: index 32 to 95 of dimension 1, expected 0 to 63")
def index_beyond(x):
    nl.load(x[P, 32 + F])


@case("err_tensor_access_out_of_bound", "dimension 0")
def slice_beyond(x):
    nl.load(x[0:65, 0:64])


@case("err_tensor_access_out_of_bound", "index -1 to -1")
def negative_index(x):
    nl.load(x[-1])


@case("err_tensor_access_out_of_bound", "slice 0:-3 of dimension 1")
def slice_to_a_negative_end(x):
    nl.load(x[:, :-3])


@case("err_tensor_access_out_of_bound", "index -5 to 63 of dimension 0")
def slice_from_a_negative_start(x):
    nl.load(x[-5:])


@case("err_tensor_access_out_of_bound", "index 1 to 64")
def index_beyond_with_a_mask(x):
    nl.load(x[P + 1, F], mask=F < 10)


@pytest.mark.parametrize(
    ("function", "dtype"), [(nl.gather_flattened, nl.uint32), (nisa.local_gather, nl.uint16)]
)
@pytest.mark.golden("on the core the command is an error, without the index")
def test_indices_of_gathers_out_of_bounds(function, dtype):
    def kernel(x):
        index = nl.full((64, 2), 5, dtype)
        index[20:21, 1:2] = 64
        function(nl.load(x), index)

    with pytest.raises(
        nki.NkiError,
        match=r"err_tensor_access_out_of_bound.* index 64 of partition (16|20), expected 0 to 63",
    ) as error:
        nki.simulate_kernel(kernel, np.zeros((64, 64), np.float32))
    assert (error.value.file, error.value.line) == (__file__, kernel.__code__.co_firstlineno + 3)


@case("err_tensor_access_out_of_bound", "access out of bounds, index 70 of row 2")
def dynamic_index_beyond(x):
    nl.load(x[nisa.iota(35 * nl.arange(3)[:, None], nl.int32), F])


@case(
    "err_allocation",
    "place 5 of a tile of 64 partitions and 256 bytes in sbuf, expected (start partition, byte)",
)
def placed_by_an_integer(x):
    nl.ndarray((64, 64), F32, buffer=ncc.sbuf.alloc(lambda idx, pdim_size, fdim_size: 5))


@case(
    "err_allocation",
    "byte 6 of a tile of 64 partitions and 256 bytes in sbuf, expected 0 to 179968, a multiple of 4",
)
def placed_between_elements(x):
    nl.ndarray((64, 64), F32, buffer=ncc.sbuf.mod_alloc(base_addr=6))


@case("err_tensor_creation_on_scratchpad_with_init_value_not_supported")
def placed_with_a_value(x):
    nl.full((64, 64), 1.0, F32, buffer=ncc.sbuf.mod_alloc(base_addr=0))


@case("err_transpose_on_tensor_engine_not_allowed_in_allocated_kernel", "identity")
def placed_transpose(x):
    nisa.nc_transpose(nl.ndarray((64, 64), F32, buffer=ncc.sbuf.mod_alloc(base_addr=0)))


@case("err_transpose_on_tensor_engine_not_allowed_in_allocated_kernel", "transpose_x")
def placed_matmul(x):
    placed = nl.ndarray((64, 64), F32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
    nl.matmul(placed, placed)


@case("err_unsupported_memory", "src of load is in sbuf, expected hbm")
def load_of_a_tile(x):
    nl.load(tile())


@case("err_unsupported_memory", "expected sbuf or psum")
def function_of_hbm(x):
    nl.exp(x)


@case("err_unsupported_memory", "data1 and data2 of tensor_tensor are in psum")
def two_operands_in_psum(x):
    nisa.tensor_tensor(tile(buffer=nl.psum), tile(buffer=nl.psum), nl.add)


@case("err_unsupported_memory", "gpsimd")
def gpsimd_at_psum(x):
    nisa.tensor_copy(tile(buffer=nl.psum), engine=nisa.gpsimd_engine)


@case("err_unsupported_memory", "moving of nc_matmul is in psum")
def matmul_from_psum(x):
    nisa.nc_matmul(tile(), tile(buffer=nl.psum))


@case("err_unsupported_memory", "nl.store")
def assignment_in_hbm(x):
    nl.ndarray((64, 64), F32, buffer=nl.hbm)[...] = tile()


@case("err_unsupported_memory", "nl.load")
def assignment_from_hbm(x):
    tile()[...] = x


@case("err_unsupported_memory", "dst of dma_copy is in psum")
def dma_to_psum(x):
    nisa.dma_copy(dst=tile(buffer=nl.psum), src=x)


@case("err_unsupported_mixing_basic_advanced_tensor_indexing")
def mixed_indices(x):
    tile()[P, :]


@case("err_allocation", "start partition 64 of a tile of 128 partitions")
def place_of_a_high_tile(x):
    nl.ndarray((128, 4), F32, buffer=ncc.sbuf.alloc(lambda index, partitions, size: (64, 0)))


@case(
    "err_allocation", "start partition 32 of a tile of 64 partitions and 16 bytes in sbuf, expected 0 or 64"
)
def place_of_a_half_tile(x):
    nl.ndarray((64, 4), F32, buffer=ncc.sbuf.alloc(lambda index, partitions, size: (32, 0)))


@case("err_allocation", "byte 180200")
def place_beyond_sbuf(x):
    nl.ndarray((64, 64), F32, buffer=ncc.sbuf.mod_alloc(base_addr=180200))


@case(
    "err_size_of_dimension_exceed_arch_limit",
    "a tensor has 180228 bytes a partition in sbuf, expected at most 180224",
)
def tile_of_more_than_kernels_may_have(x):
    nl.ndarray((128, 176 * 256 + 1), F32, buffer=nl.sbuf)


@case("err_allocation", "bank 8")
def place_beyond_psum(x):
    nl.ndarray((2, nl.par_dim(64), 64), F32, buffer=ncc.psum.mod_alloc(base_bank=7, num_bank_tiles=(2,)))


@case("err_allocation", "expected one of the two")
def places_in_part(x):
    tile()
    nl.ndarray((64, 64), F32, buffer=ncc.sbuf.mod_alloc(base_addr=0))


@case("err_allocation", "num_free_tiles (2,) for 2 block dimensions")
def places_of_other_blocks(x):
    nl.ndarray((2, 2, nl.par_dim(64), 64), F32, buffer=ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2,)))


@case("err_allocation", "base_addr 4, expected 0")
def place_within_a_bank(x):
    ncc.psum.mod_alloc(base_bank=0, base_addr=4)


@case("err_argument", "mod, which no engine has")
def operation_of_no_engine(x):
    nisa.tensor_scalar(tile(), nl.mod, 2.0)


@case("err_argument", "expected free dimensions: 1 to 1")
def reduction_of_partitions(x):
    nl.sum(tile(), axis=0)


@case("err_argument", "axis None of sum of 2 dimensions, expected free dimensions: 1 to 1")
def reduction_without_an_axis(x):
    nl.sum(tile(), axis=None)


@case("err_argument", "found ndarray of shape [64, 64], expected a tile or a number")
def array_as_an_operand(x):
    nisa.tensor_scalar(tile(), nl.add, np.ones((64, 64)))


@case("err_argument", "found ndarray of shape [64, 64], expected a tile or a number")
def array_beside_an_operator(x):
    np.ones((64, 64)) * tile()


@case("err_argument", "data of exp is ndarray of shape [64, 64], expected a tile")
def array_as_a_tile(x):
    nl.exp(np.ones((64, 64)))


@case("err_argument", "has no argument colour")
def argument_that_is_not_known(x):
    nl.exp(tile(), colour=1)


@case("err_argument", "expected bit operations only or none")
def bits_and_arithmetic(x):
    nisa.tensor_scalar(tile(dtype=nl.uint8), nl.add, 1, op1=nl.bitwise_and, operand1=1)


@case("err_argument", "variables of loops, or numbers")
def reduction_over_a_text(x):
    nl.loop_reduce(tile(), np.add, ["k"])


@case("err_argument", "a tile or a number")
def text_as_an_operand(x):
    nl.add(tile(), "1")


@case("err_argument", "multiples of 32")
def pe_tile_of_odd_size(x):
    nisa.nc_matmul(tile((16, 16)), tile((16, 16)), tile_position=(0, 0), tile_size=(48, 64))


@case("err_argument", "oob_mode.error")
def sums_that_skip(x):
    nisa.dma_copy(dst=tile(), src=x, dst_rmw_op=np.add, oob_mode=nisa.oob_mode.skip)


@case("err_argument", "begins at partition 32")
def shuffle_at_a_quadrant(x):
    nisa.nc_stream_shuffle(tile((128, 4))[32:96], tile((64, 4)), list(range(32)))


@case("err_argument", "expected 32 integers of 0 to 31 or 255")
def shuffle_mask_of_floats(x):
    nisa.nc_stream_shuffle(tile(), tile(), [0.5] * 32)


@case("err_dtype", "float64, expected one of")
def double_precision(x):
    tile(dtype=np.float64)


@case("err_dtype", "expected integers of one size")
def bits_of_floats(x):
    nl.bitwise_and(tile(), tile())


@case("err_dtype", "tensor_scalar with bitwise_and of 1.5, expected an integer")
def bits_of_a_fraction(x):
    nisa.tensor_scalar(tile(dtype=nl.int32), nl.bitwise_and, 1.5)


@case("err_dtype", "reduce_res of select_reduce is int32, expected a float type")
def maxima_of_integers(x):
    operands = {"dst": tile(), "predicate": tile(dtype=nl.uint8), "on_true": tile(), "on_false": 0.0}
    nisa.select_reduce(**operands, reduce_res=tile((64, 1), nl.int32))


@case("err_dtype", "would not lie at multiples of 4 bytes")
def view_of_a_slice_at_an_odd_place(x):
    tile(dtype=nl.int16)[:, 1:5].view(nl.int32)


@case("err_dtype", "would not lie at multiples of 4 bytes")
def view_of_rows_of_an_odd_length(x):
    tile((64, 3, 5), nl.int16)[:, :, 0:4].view(nl.int32)


@case("err_dtype", "stationary of nc_matmul is int32")
def matmul_of_integers(x):
    nisa.nc_matmul(tile(dtype=nl.int32), tile())


@case("err_dtype", "expected uint8, uint16 or uint32")
def predicate_of_floats(x):
    nisa.tensor_copy_predicated(src=tile(), dst=tile(), predicate=tile())


@case("err_dtype", "uint16")
def gather_at_int32(x):
    nisa.local_gather(tile(), tile((64, 4), nl.int32))


@case("err_engine", "engine tensor of tensor_copy")
def copy_on_tensor(x):
    nisa.tensor_copy(tile(), engine=nisa.tensor_engine)


@case("err_engine", "expected multiply and add")
def subtraction_on_scalar(x):
    nisa.tensor_scalar(tile(), nl.subtract, 1.0, engine=nisa.scalar_engine)


@case("err_engine", "NeuronCore-v2 has none")
def hardware_descriptors(x):
    nisa.dma_transpose(x, dge_mode=nisa.dge_mode.hwdge)


@case("err_index", "index * index[1, 64], expected an affine expression")
def product_of_indices(x):
    P * F


@case("err_index", "index // 2")
def quotient_of_an_index(x):
    tile()[P // 2, F]


@case("err_index", "expected it after the partitions, beside slices")
def new_axis_before_the_partitions(x):
    nl.copy(tile()[None, :, 0:3])


@case("err_index", "expected it after the partitions, beside slices")
def new_axis_beside_an_integer_that_stays(x):
    nl.copy(tile()[:, 3, None])


@case("err_shape", "expected as many elements")
def reshape_that_leaves_a_rest(x):
    tile().reshape((64, 5, -1))


@case("err_index", "3 indices")
def too_many_indices(x):
    tile()[0, 0, 0]


@case("err_index", "expected 2 beside nl.arange")
def too_few_affine_indices(x):
    tile()[P]


@case("err_index", "expected an index from a tile")
def atomic_without_a_tile(x):
    nl.atomic_rmw(nl.ndarray((64, 64), F32, buffer=nl.hbm), tile(), np.add)


@case("err_mask", "a mask | 3")
def number_in_a_mask(x):
    (P < 3) | 3


@case("err_mask", "a mask & None")
def nothing_in_a_mask(x):
    (P < 3) & None


@case("err_mask", "expected the same sizes")
def mask_of_another_size(x):
    nl.exp(tile((32, 64)), mask=P < 60)


@case("err_mask", "no box")
def reduction_with_a_triangle(x):
    nisa.activation_reduce(nl.exp, tile(), reduce_op=np.add, reduce_res=tile((64, 1)), mask=P > F)


@case("err_mask", "a predicate of 2 comparisons")
def select_with_two_comparisons(x):
    nisa.affine_select((P > F) & (P > 3), tile(), 0.0)


@case("err_mask", "masks of operands")
def matmul_with_a_mask_of_columns(x):
    nisa.nc_matmul(tile(), tile(), mask=F < 3)


@case("err_unsupported_expression_in_mask", "type Tensor")
def mask_that_is_a_tile(x):
    nl.exp(tile(), mask=tile(dtype=nl.uint8))


@case("err_unsupported_expression_in_mask", "index % 4")
def mask_of_remainders(x):
    nl.exp(tile(), mask=(F % 4) < 2)


@case("err_unsupported_expression_in_mask", "type Tensor")
def mask_of_elements(x):
    nl.exp(tile(), mask=tile()[0:1, 0:1] > 2)


@case("err_indirect_indices_are_not_supported_with_nki_api", "load_transpose2d")
def transposed_load_at_an_index_from_a_tile(x):
    nl.load_transpose2d(x[tile((64, 1), nl.int32), F])


@case("err_copy_dynamic_indirect_indices_not_natively_supported", "tensor_copy_dynamic_src")
def assignment_at_an_index_from_a_tile(x):
    at, planes = tile((1, 1), nl.int32), tile((64, 4, 64))
    tile()[P, F] = planes[P, at, F]


@case("err_argument", "expected nl.sum")
def method_of_an_array(x):
    tile().sum()


@case("err_argument", "expected nl.transpose")
def transpose_of_an_array(x):
    nl.exp(tile().T)


@case("err_argument", "expected its .shape")
def length_of_a_tile(x):
    len(tile())


@case("err_argument", "as nl.exp for np.exp")
def function_of_numpy(x):
    np.exp(tile())


@case("err_argument", "np.add(tile(), 1)")
def operation_of_numpy(x):
    np.add(tile(), 1)


@case("err_index", "2 times ...")
def two_ellipses(x):
    tile()[..., ...]


@case("err_argument", "axis '1'")
def axis_that_is_a_text(x):
    nl.sum(tile(), axis="1")


@case("err_argument", "buffer 'sbuf'")
def buffer_that_is_a_text(x):
    nl.zeros((8, 8), F32, buffer="sbuf")


@case("err_shape", "shape None of reshape")
def reshape_to_nothing(x):
    tile().reshape(None)


@case("err_shape", "[8, 3, 1] or [8, 1, 3] in place of [8, 3]")
def tiles_that_fit_in_two_ways(x):
    nisa.tensor_tensor(tile((8, 3, 3)), tile((8, 3)), nl.add)


@case("err_not_available", "nki.isa.range_select")
def select_of_version_3(x):
    nisa.range_select(on_true_tile=tile())


@case("err_not_available", "nki.isa.builtin_custom_op")
def operator_of_the_sdk(x):
    nisa.builtin_custom_op("f", "l", {}, {}, [], [])


@case("err_not_available", "FrameworkKernel")
def kernel_of_a_framework(x):
    nki.FrameworkKernel()


@case("err_shape", "at least 2 dimensions")
def tile_of_no_dimension(x):
    tile(())


@case("err_shape", "expected shapes that broadcast")
def shapes_that_do_not_broadcast(x):
    nl.add(tile((64, 3)), tile((64, 4)))


@case("err_shape", "expected [64, 1]")
def column_of_two(x):
    nisa.tensor_scalar(tile(), nl.add, tile((64, 2)))


@case("err_shape", "as many elements")
def reshape_to_another_size(x):
    tile().reshape((64, 63))


@case("err_shape", "needs no copy")
def reshape_of_columns(x):
    tile((64, 4, 8))[:, :, 0:3].reshape((64, 12))


@case("err_shape", "as many partitions")
def reshape_across_partitions(x):
    tile((16, 4)).reshape((8, 8))


@case("err_store_dst_shape_smaller_than_other_shape", "[16, 1] assigned to [1, 16]")
def assignment_across_partitions(x):
    tile((1, 16))[...] = tile((16, 1))


@case("err_allocation", "alloc(5), expected a function")
def placement_by_a_number(x):
    ncc.sbuf.alloc(5)


@case("err_shape", "2 par_dim")
def two_partition_dimensions(x):
    tile((nl.par_dim(4), nl.par_dim(4)))


@case("err_index", "slice 0:64:0 in dimension 1")
def slice_without_a_step(x):
    nl.load(x[:, ::0])


@case("err_argument", "nl.affine_range of (0, 4, 0)")
def loop_without_a_step(x):
    nl.affine_range(0, 4, 0)


@case("err_argument", "nl.arange(0, 8, 0), expected a step that is not 0")
def index_without_a_step(x):
    nl.arange(0, 8, 0)


@case("err_index", "a step that is not 0")
def grid_without_a_step(x):
    nl.mgrid[0:8:0, 0:4]


@case("err_index", "nl.mgrid of 4")
def grid_of_a_number(x):
    nl.mgrid[4, 0:4]


@case("err_allocation", "num_free_tiles (0,), expected integers of 1 or more")
def placed_in_no_tile(x):
    nl.ndarray((2, nl.par_dim(64), 64), F32, buffer=ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(0,)))


@case("err_argument", "engine 'vector' of tensor_copy")
def engine_by_its_name(x):
    nisa.tensor_copy(tile(), engine="vector")


@case("err_argument", "oob_mode 5 of load, expected one of nisa.oob_mode.error, nisa.oob_mode.skip")
def unknown_mode_of_a_load(x):
    nl.load(x, mode=5)


@case("err_argument", "oob_mode 5 of store")
def unknown_mode_of_a_store(x):
    nl.store(nl.ndarray((64, 64), F32, buffer=nl.hbm), 0.0, mode=5)


@case("err_argument", "dge_mode 'x' of dma_transpose")
def unknown_descriptors(x):
    nisa.dma_transpose(x, dge_mode="x")


@case("err_argument", "reduce_cmd 17 of activation")
def unknown_command(x):
    nisa.activation(nl.exp, tile(), reduce_cmd=17)


@case("err_argument", "expected at most 200 bytes on one line")
def long_name(x):
    nl.ndarray((64, 2), F32, name="a" * 5000)


@case("err_argument", "expected at most 200 bytes on one line")
def name_of_two_lines(x):
    nl.ndarray((64, 2), F32, name="a\nb")


@case("err_shape", "size 3.9 of rand, expected integers")
def random_tile_of_a_part(x):
    nl.rand((64, 3.9))


@case("err_shape", "size 2.7 of a tensor, expected integers")
def tile_of_a_part(x):
    nl.ndarray((64, 2.7), F32)


@case("err_shape", "size 3.9 of memset")
def memset_of_a_part(x):
    nisa.memset((64, 3.9), 0, F32)


@case("err_shape", "size 4.2 of reshape")
def reshape_to_a_part(x):
    tile().reshape((64, 4.2, 16))


@case("err_shape", "size 3.7 of broadcast_to")
def broadcast_to_a_part(x):
    nl.broadcast_to(tile((64, 1)), shape=(64, 3.7))


@case("err_shape", "size 64.5 of par_dim")
def part_of_a_partition(x):
    nl.par_dim(64.5)


@case("err_shape", "size 2.5 of nl.spmd_dim")
def part_of_a_program(x):
    nl.spmd_dim(2, 2.5)


@pytest.mark.parametrize("seed", [2**40, 2**32, -1, 1.5])
def test_seeds_of_other_sizes(seed):
    with pytest.raises(
        nki.NkiError,
        match=r"err_argument: seed of random_seed is .*, expected a 32-bit integer: 0 to 4294967295",
    ):
        nki.simulate_kernel(lambda x: nl.random_seed(seed), np.zeros((4, 4), np.float32))


@case("err_argument", "op of loop_reduce is subtract")
def difference_over_a_loop(x):
    nl.loop_reduce(tile(), np.subtract, [3])


@case("err_engine", "engine vector of tensor_tensor with power, expected gpsimd")
def power_on_vector(x):
    nisa.tensor_tensor(tile(), tile(), np.power, engine=nisa.vector_engine)


@case("err_tensor_access_out_of_bound", "index 30 to 65 of dimension 1, expected 0 to 63")
def part_of_a_tile_beyond(x):
    nl.exp(tile()[:, 30:66])


@case("err_tensor_access_out_of_bound", "index 1 to 1 of dimension 1, expected 0 to 0")
def part_of_an_index_beyond(x):
    nl.load(x[tile((64, 1), nl.int32)[:, 1:2], F])


@case("err_tensor_access_out_of_bound", "index 1 to 64 of dimension 1, expected 0 to 63")
def columns_beside_an_index_from_a_tile(x):
    nl.load(x[nisa.iota(P, nl.int32), F + 1])


@case("err_tensor_access_out_of_bound", "index 1 to 64 of dimension 0, expected 0 to 63")
def store_beyond(x):
    nl.store(nl.ndarray((64, 64), F32, buffer=nl.hbm)[P + 1, F], 0.0)


@pytest.mark.parametrize(("name", "text", "function"), CASES)
def test_error(name, text, function):
    def kernel(x):
        function(x)
        return x

    with pytest.raises(nki.NkiError) as error:
        nki.jit(kernel, mode="simulation")(np.zeros((64, 64), np.float32))
    found = error.value
    code = function.__code__
    lines = [line for _, line in dis.findlinestarts(code) if line]
    assert (found.name, found.file) == (name, __file__), str(found)
    assert found.line in (max(lines), tile.__code__.co_firstlineno + 1), str(found)
    assert text in found.text and "\n" not in str(found)
    assert str(found) == f"{found.file}:{found.line}: {name}: {found.text}"


#: Errors that depend on the values of tiles: a recording does not know them.
OF_VALUES = ("dynamic_index_beyond",)


@pytest.mark.parametrize(("name", "text", "function"), CASES)
def test_error_of_a_recording(name, text, function):
    """The way to the RTL finds the same errors as the simulation, at the same line."""
    if function.__name__ in OF_VALUES:
        pytest.skip("a recording does not know what tiles hold")

    def kernel(x):
        function(x)
        return x

    found = []
    for run in (lambda launch: launch.trace(Golden()), device.traced):
        with pytest.raises(nki.NkiError) as error:
            run(launch_of(nki.jit(kernel), (np.zeros((64, 64), np.float32),), {}))
        found.append(str(error.value))
    assert found[0] == found[1] and f" {name}: " in found[0] and text in found[0]


def test_outside_of_a_kernel():
    for call in (
        lambda: nl.zeros((4, 4), F32),
        lambda: nl.program_ndim(),
        lambda: next(nl.affine_range(3)),
        lambda: nl.shared_constant(np.ones(3)),
    ):
        with pytest.raises(nki.NkiError, match="err_nki_api_outside_of_nki_kernel"):
            call()


def test_outputs_that_are_not_written():
    @nki.jit(mode="simulation")
    def kernel(x, count):
        out = nl.ndarray((64, 64), F32, buffer=nl.shared_hbm)
        for _ in nl.affine_range(count):
            nl.store(out, nl.load(x))
        return out

    x = np.ones((64, 64), np.float32)
    assert (kernel(x, 1) == 1).all()
    with pytest.raises(nki.NkiError, match="err_tensor_output_not_written_to") as error:
        kernel(x, 0)
    assert (error.value.file, error.value.line) == (__file__, kernel.function.__code__.co_firstlineno)
    with pytest.raises(nki.NkiError, match="err_tensor_output_not_written_to"):
        nki.simulate_kernel(lambda a: None, x)
    with pytest.raises(
        nki.NkiError,
        match=r"err_tensor_output_not_written_to: .* returns int and no tensor "
        r"and writes none of its parameters",
    ):
        nki.simulate_kernel(lambda a: 3, x)
    with pytest.raises(
        nki.NkiError, match=r"err_tensor_output_not_written_to: .* returns tuple and no tensor"
    ):
        device.traced(launch_of(lambda a: (3, [4.0]), (x,), {}))
    with pytest.raises(nki.NkiError, match=r"err_unsupported_memory.*shared_hbm"):
        nki.simulate_kernel(lambda a: nl.load(a), x)


def test_files_without_a_folder(tmp_path):
    (tmp_path / "none").write_text("a file")
    for decorate in (
        lambda: nki.profile(working_directory=str(tmp_path / "none")),
        lambda: nki.profile(working_directory=str(tmp_path / "none/a/b")),
        lambda: nki.benchmark(save_trace_name=str(tmp_path / "none/k.ntff")),
    ):
        with pytest.raises(
            nki.NkiError,
            match=r"err_argument: .*none/.* there is no folder .*none, expected one that is there",
        ):
            decorate()


@pytest.mark.parametrize(
    ("decorate", "text"),
    [
        (
            lambda folder: nki.jit(mode="simulation", foo=3),
            "option foo of nki.jit, expected one of platform_target, .*show_compiler_tb$",
        ),
        (lambda folder: nki.jit(lambda x: x, iters=3), "option iters of nki.jit"),
        (
            lambda folder: nki.benchmark(foo=1),
            "option foo of nki.benchmark, expected one of .*, warmup, iters",
        ),
        (
            lambda folder: nki.benchmark(warmup=-1),
            "warmup -1 of nki.benchmark, expected an integer of 0 or more",
        ),
        (lambda folder: nki.benchmark(iters=0), "iters 0 of nki.benchmark, expected an integer of 1 or more"),
        (lambda folder: nki.baremetal(working_directory="."), "option working_directory of nki.baremetal"),
        (lambda folder: nki.trace(lambda x: x, foo=1), "option foo of nki.trace"),
        (
            lambda folder: nki.profile(lambda x: x),
            "nki.profile without working_directory, expected the folder of its files",
        ),
        (
            lambda folder: nki.profile(lambda x: x, working_directory=folder, foo=3),
            "option foo of nki.profile",
        ),
        (lambda folder: nki.profile(working_directory=folder, profile_nth=0), "profile_nth 0 of nki.profile"),
    ],
)
def test_options_that_no_decorator_has(decorate, text, tmp_path):
    with pytest.raises(nki.NkiError, match=f"err_argument: {text}"):
        decorate(tmp_path)


def test_options_of_the_sdk(tmp_path):
    """Decorators with the options that kernels in the field give."""
    compiler = {
        "additional_compile_opt": "-O1",
        "debug_kernel": True,
        "show_compiler_tb": True,
        "experimental_flags": "a, b",
    }
    for decorate in (
        nki.jit(
            mode="auto",
            platform_target="inf2",
            kernel_return=True,
            enable_out_of_bound_check=False,
            **compiler,
        ),
        nki.jit(mode="benchmark", warmup=2, iters=3, save_neff_name=None),
        nki.baremetal(save_neff_name=None, artifacts_dir="a", **compiler),
        nki.benchmark(
            warmup=0, iters=100, save_neff_name="file.neff", save_trace_name="profile.ntff", **compiler
        ),
        nki.profile(
            working_directory=tmp_path,
            save_neff_name="a.neff",
            save_trace_name="a.ntff",
            num_execs=20,
            profile_nth=10,
            overwrite=False,
        ),
        nki.trace(platform_target="trn1"),
    ):
        assert decorate(test_options_of_the_sdk).__name__ == "test_options_of_the_sdk"


def test_files_of_a_profile_stay(tmp_path):
    """An absent `overwrite` means False."""
    (tmp_path / "profile.json").write_text("{}")
    with pytest.raises(
        nki.NkiError,
        match=r"err_argument: .*profile.json of nki.profile is there, expected .* overwrite=True",
    ):
        nki.profile(working_directory=tmp_path)
    nki.profile(working_directory=tmp_path, overwrite=True)
    nki.profile(working_directory=tmp_path, save_trace_name="other.ntff")


def test_arguments_that_no_kernel_has():
    with pytest.raises(
        nki.NkiError,
        match=r"err_dtype: argument x is >f4, expected the byte order of the host, as .astype\('float32'\)",
    ):
        nki.simulate_kernel(lambda x: None, np.ones(3, ">f4"))
    with pytest.raises(nki.NkiError, match=r"err_dtype: argument x is float64"):
        nki.simulate_kernel(lambda x: None, np.ones(3))
    with pytest.raises(
        nki.NkiError,
        match=r"err_argument: argument x is a masked array, whose mask would be lost, "
        r"expected an array, as .filled",
    ):
        nki.simulate_kernel(
            lambda x: None, np.ma.masked_array(np.ones(3, np.float32), mask=[True, False, False])
        )
    with pytest.raises(nki.NkiError, match="err_argument: mode 'fast'"):
        nki.jit(mode="fast")(lambda: None)
    with pytest.raises(nki.NkiError, match="err_argument: grid"):
        nki.jit(mode="simulation")(test_outside_of_a_kernel)[0]
    with pytest.raises(nki.NkiError, match=r"err_not_available: .* for platform_target 'trn2'"):
        nki.jit(lambda x: x, mode="simulation", platform_target="trn2")(np.ones((2, 2), np.float32))


def test_arrays_that_are_read_only():
    """Such an argument is refused only where the kernel writes to it, at that line."""

    def kernel(x, out):
        nl.store(out, nl.load(x))

    kept, free = np.zeros((4, 4), np.float32), np.ones((4, 4), np.float32)
    kept.flags.writeable = False
    assert nki.simulate_kernel(kernel, kept, free) is None and (free == 0).all()
    for out in (kept, kept[:, ::-1]):
        for run in (lambda launch: launch.trace(Golden()), device.traced):
            with pytest.raises(
                nki.NkiError, match="err_argument: parameter out is written and its array is read-only"
            ) as error:
                run(launch_of(kernel, (free, out), {}))
            assert error.value.line == kernel.__code__.co_firstlineno + 1


def test_a_kernel_after_an_error():
    """An error ends the launch of the kernel."""
    with pytest.raises(nki.NkiError):
        nki.simulate_kernel(function_of_hbm, np.ones((4, 4), np.float32))
    with pytest.raises(nki.NkiError, match="outside"):
        nl.program_ndim()


def test_every_name_has_a_case():
    elsewhere = {
        "err_mutable_parameter_not_returned",
        "err_nki_api_outside_of_nki_kernel",
        "err_tensor_output_not_written_to",
        "err_read_of_unwritten_memory",
    }
    assert {case.values[0] for case in CASES} | elsewhere == set(errors.PUBLIC_NAMES + errors.OWN_NAMES)


@pytest.mark.parametrize("returned", [True, False])
def test_a_mutable_parameter_is_returned(returned):
    def kernel(x: nt.mutable_tensor):
        y = nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm)
        t = nl.load(x) + 1.0
        nl.store(y, t)
        nl.store(x, t)
        return (y, x) if returned else y

    x = np.zeros((4, 6), np.float32)
    if returned:
        y, z = nki.simulate_kernel(nki.jit(kernel), x)
        assert z is x and np.array_equal(x, y) and (x == 1).all()
        return
    for run in (nki.simulate_kernel, lambda *call: device.recording(launch_of(*call[:1], call[1:], {}))):
        with pytest.raises(nki.NkiError, match="parameter x of kernel is written and not returned") as error:
            run(nki.jit(kernel), x)
        assert error.value.name == "err_mutable_parameter_not_returned"


@pytest.mark.parametrize("value", [None, 3])
def test_what_is_no_kernel(value):
    for call in (lambda: nki.simulate_kernel(value, np.zeros(3)), lambda: nki.trace(3)):
        with pytest.raises(nki.NkiError, match="expected a function") as error:
            call()
        assert error.value.name == "err_argument"


def test_an_array_outside_of_a_kernel():
    with pytest.raises(nki.NkiError, match="outside of a kernel") as error:
        nl.load(np.zeros((4, 6), np.float32))
    assert error.value.name == "err_nki_api_outside_of_nki_kernel"


def test_attributes_that_a_tile_has_not():
    @nki.jit(mode="simulation")
    def kernel(x):
        assert not hasattr(nl.load(x), "sum")
        assert getattr(nl.load(x), "mean", None) is None
        return x

    with pytest.raises(nki.NkiError, match="err_tensor_output_not_written_to"):
        kernel(np.zeros((4, 6), np.float32))
