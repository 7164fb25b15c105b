"""How functions of the language are called: every parameter of the reference, and values that none takes.

The table has the parameters of the public reference of SDK 2.26.1: those by position, then those by name, of
which the ones with `!` must be given.
"""

import inspect

import numpy as np
import pytest

import trnsim.nki.isa as nisa
import trnsim.nki.language as nl
from trnsim import nki

F32 = np.float32

_ELEMENT = "x | dtype mask"
_PAIR = "x y | dtype mask"
_REDUCTION = "x axis | dtype mask keepdims"
ISA = {
    "activation": "op data | bias scale reduce_op reduce_res reduce_cmd mask dtype",
    "activation_reduce": "op data | !reduce_op !reduce_res bias scale mask dtype",
    "affine_select": "pred on_true_tile on_false_value | mask dtype",
    "bn_aggr": "data | mask dtype",
    "bn_stats": "data | mask dtype",
    "dma_copy": "| !dst !src mask dst_rmw_op oob_mode dge_mode",
    "dma_transpose": "src | axes mask dtype",
    "dropout": "data prob | mask dtype",
    "get_nc_version": "|",
    "iota": "expr dtype | mask",
    "local_gather": "src_buffer index num_elem_per_idx num_valid_indices | mask",
    "max8": "| !src mask dtype",
    "memset": "shape value dtype | mask engine",
    "nc_find_index8": "| !data !vals mask dtype",
    "nc_match_replace8": "| !data !vals !imm dst_idx mask dtype",
    "nc_matmul": "stationary moving | is_stationary_onezero is_moving_onezero is_transpose tile_position "
    "tile_size mask",
    "nc_stream_shuffle": "src dst shuffle_mask | dtype mask",
    "nc_transpose": "data | mask dtype engine",
    "reciprocal": "data | dtype mask",
    "scalar_tensor_tensor": "| !data !op0 !operand0 !op1 !operand1 reverse0 reverse1 dtype mask",
    "select_reduce": "| !dst !predicate !on_true !on_false reduce_res reduce_cmd reduce_op reverse_pred mask "
    "dtype",
    "sequence_bounds": "| !segment_ids dtype",
    "tensor_copy": "src | mask dtype engine",
    "tensor_copy_dynamic_dst": "| !dst !src mask dtype engine",
    "tensor_copy_dynamic_src": "src | mask dtype engine",
    "tensor_copy_predicated": "| !src !dst !predicate reverse_pred mask dtype",
    "tensor_partition_reduce": "op data | mask dtype",
    "tensor_reduce": "op data axis | mask dtype negate keepdims",
    "tensor_scalar": "data op0 operand0 reverse0 op1 operand1 reverse1 | dtype mask engine",
    "tensor_scalar_reduce": "| !data !op0 !operand0 !reduce_op !reduce_res reverse0 dtype mask",
    "tensor_tensor": "data1 data2 op | dtype mask engine",
    "tensor_tensor_scan": "data0 data1 initial op0 op1 reverse0 reverse1 | dtype mask",
}
_ELEMENTS = """
abs arctan ceil cos erf erf_dx exp floor gelu gelu_apprx_sigmoid gelu_apprx_tanh gelu_dx invert log
logical_not mish negative reciprocal relu rsqrt sigmoid sign silu silu_dx sin softplus sqrt square tan tanh
transpose trunc
"""
_PAIRS = """
add bitwise_and bitwise_or bitwise_xor divide equal greater greater_equal left_shift less less_equal
logical_and logical_or logical_xor maximum minimum multiply
not_equal power right_shift subtract
"""
LANGUAGE = {
    **dict.fromkeys(_ELEMENTS.split(), _ELEMENT),
    **dict.fromkeys(_PAIRS.split(), _PAIR),
    **dict.fromkeys(["mod", "fmod"], "x y dtype mask |"),
    **dict.fromkeys(["max", "min", "mean", "prod", "sum"], _REDUCTION),
    "all": "x axis | dtype mask",
    "all_reduce": "x op program_axes | dtype mask parallel_reduce asynchronous",
    "atomic_rmw": "dst value op | mask",
    "broadcast_to": "src | !shape",
    "copy": "src | mask dtype",
    "device_print": "prefix x | mask",
    "dropout": "x rate | dtype mask",
    "ds": "start size |",
    "empty_like": "a dtype | buffer name",
    "expand_dims": "data axis |",
    "finfo": "dtype |",
    "full": "shape fill_value dtype | buffer name",
    "gather_flattened": "data indices | mask dtype",
    "load": "src | mask dtype",
    "load_transpose2d": "src | mask dtype",
    "loop_reduce": "x op loop_indices | dtype mask",
    "matmul": "x y | transpose_x mask",
    "ndarray": "shape dtype | buffer name",
    "num_programs": "axes |",
    "ones": "shape dtype | buffer name",
    "program_id": "axis |",
    "program_ndim": "|",
    "rand": "shape dtype |",
    "random_seed": "seed | mask",
    "rms_norm": "x w axis n epsilon | dtype compute_dtype mask",
    "shared_constant": "constant dtype |",
    "shared_identity_matrix": "n dtype |",
    "softmax": "x axis | dtype compute_dtype mask",
    "static_cast": "input_data dtype |",
    "store": "dst value | mask",
    "var": "x axis | dtype mask",
    "where": "condition x y | dtype mask",
    "zeros": "shape dtype | buffer name",
    "zeros_like": "a dtype | buffer name",
}
FUNCTIONS = [(nisa, name, text) for name, text in ISA.items()] + [
    (nl, name, text) for name, text in LANGUAGE.items()
]


def _named(case):
    module, name, _ = case
    return f"{module.__name__.rpartition('.')[2]}.{name}"


@pytest.mark.parametrize("case", FUNCTIONS, ids=_named)
def test_parameters_are_those_of_the_reference(case):
    module, name, text = case
    by_position, _, by_name = text.partition("|")
    parameters = inspect.signature(getattr(module, name)).parameters
    first = [p for p in parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    wanted = by_position.split()
    assert [p.name for p in first][: len(wanted)] == wanted
    for argument in by_name.split():
        found = parameters[argument.lstrip("!")]
        assert (found.default is found.empty) == argument.startswith("!"), argument


def _run(body, *arrays):
    @nki.jit(mode="simulation")
    def kernel(*inputs):
        out = nl.ndarray((1, 1), nl.float32, buffer=nl.shared_hbm)
        nl.store(out, nl.zeros((1, 1), nl.float32))
        body(*inputs)
        return out

    return kernel(*arrays)


#: Values that no parameter of a tile takes.
STRANGE = [None, "text", 1.5, (1, 2), {}, object(), [None], np.zeros(3), b"", slice(None), lambda: 0, int]


@pytest.mark.golden("errors of arguments, which no RTL sees")
@pytest.mark.parametrize("case", FUNCTIONS, ids=_named)
def test_strange_arguments_are_errors_of_the_kernel(case):
    """Whatever is given, nothing but an NkiError with the line of the call leaves a function."""
    module, name, text = case
    function = getattr(module, name)
    by_position, _, by_name = text.partition("|")
    count = len(by_position.split())
    required = [a[1:] for a in by_name.split() if a.startswith("!")]
    optional = [a for a in by_name.split() if not a.startswith("!")]
    failures = []

    def attempt(*args, **kwargs):
        try:
            function(*args, **kwargs)
        except nki.NkiError as error:
            if error.file != __file__:
                failures.append(f"{args} {kwargs}: {error}")
        except Exception as error:
            failures.append(f"{args} {kwargs}: {type(error).__name__}: {error}")

    def body(x):
        tile = nl.zeros((8, 8), nl.float32)
        for value in STRANGE:
            attempt(*[value] * count, **dict.fromkeys(required, value))
            for at in range(count):
                attempt(*[value if k == at else tile for k in range(count)], **dict.fromkeys(required, tile))
            for odd in required:
                attempt(*[tile] * count, **{k: value if k == odd else tile for k in required})
            for odd in optional:
                attempt(*[tile] * count, **dict.fromkeys(required, tile), **{odd: value})
        attempt(*[tile] * 20)
        attempt(no_such_argument=1)
        if count or required:
            attempt()

    _run(body, np.zeros((8, 8), F32))
    assert not failures, "\n".join(failures[:9])


@pytest.mark.golden("errors of arguments, which no RTL sees")
def test_strange_operands_of_operators(rng):
    failures = []

    def attempt(text, left, value):
        try:
            eval(compile(text, __file__, "eval"), {"left": left, "value": value})
        except nki.NkiError:
            pass
        except Exception as error:
            failures.append(f"{text} of {left!r} and {value!r}: {type(error).__name__}: {error}")

    def body(x):
        tile, index = nl.zeros((8, 8), nl.float32), nl.arange(8)[:, None]
        for left in (tile, index, index < 3):
            for value in (*STRANGE, index, index < 3, tile):
                for sign in ("+", "-", "*", "/", "//", "%", "&", "|", "^", "<<", ">>", "**", "@", "<", ">="):
                    for text in (f"left {sign} value", f"value {sign} left"):
                        if text != "value % left" or not isinstance(value, (str, bytes)):  # that formats
                            attempt(text, left, value)
            for key in STRANGE:
                if left is tile and not isinstance(key, (slice, tuple, type(None))):
                    with pytest.raises(nki.NkiError):
                        left[key]
        assert tile is not None and (tile != None) and (tile == None) is False  # noqa: E711

    _run(body, np.zeros((8, 8), F32))
    assert not failures, "\n".join(failures[:9])


def test_arguments_that_must_be_there_go_by_position(rng):
    @nki.jit(mode="simulation")
    def kernel(x):
        tile = nl.load(x)
        y = nl.ndarray((6, 8, 8), nl.float32, buffer=nl.shared_hbm)
        total = nl.ndarray((8, 1), nl.float32)
        kept = nl.zeros((8, 8), nl.float32)
        nisa.tensor_copy_predicated(tile, kept, nl.copy(nl.greater(tile, 0.0), dtype=nl.uint8))
        nl.store(y[0], nl.broadcast_to(tile[:, 0:1], (8, 8)))
        nisa.dma_copy(y[1], tile)
        nl.store(y[2], nisa.scalar_tensor_tensor(tile, nl.multiply, 2.0, nl.add, tile))
        nl.store(y[3], nisa.max8(tile))
        nl.store(y[4], nisa.tensor_scalar_reduce(tile, nl.multiply, 3.0, nl.add, total))
        nl.store(y[5], kept)
        return y

    x = rng.integers(-9, 9, (8, 8)).astype(F32)
    expected = (np.broadcast_to(x[:, :1], (8, 8)), x, 3 * x, -np.sort(-x, axis=1), 3 * x, np.maximum(x, 0))
    for at, (found, wanted) in enumerate(zip(kernel(x), expected)):
        assert np.array_equal(found, wanted), at


#: Calls that Python would refuse with a TypeError, and a part of the error's text.
REFUSED = {
    "nl.broadcast_to(tile)": r"expected nl.broadcast_to\(src, \*, shape\)",
    "nl.load(x, True)": "nl.load: .*expected nl.load",
    "nl.copy(tile, no=1)": "copy has no argument no",
    "nl.ndarray((8, 8))": "dtype.*expected nl.ndarray",
    "nisa.dma_copy(tile)": "expected nisa.dma_copy",
    "nisa.max8(src=tile, sorce=tile)": "max8 has no argument sorce",
    "tile.reshape(8, 8)": "expected tensor.reshape",
    "tile.broadcast_to()": "expected tensor.broadcast_to",
    "tile + 'text'": "add of a tile and str 'text'",
    "tile < None": "less of a tile and NoneType",
    "nl.arange(8)[:, None] + 1.5": "index",
    "nl.affine_range(None)": "expected integers",
}


@pytest.mark.golden("errors of arguments, which no RTL sees")
@pytest.mark.parametrize("text", REFUSED)
def test_refusals_have_the_line_and_the_parameters(text):
    def body(x):
        call = compile(text, __file__, "eval")
        names = {"nl": nl, "nisa": nisa, "x": x, "tile": nl.zeros((8, 8), nl.float32)}
        result = eval(call, names)
        list(result)

    with pytest.raises(nki.NkiError, match=REFUSED[text]) as caught:
        _run(body, np.zeros((8, 8), F32))
    assert caught.value.file == __file__


def test_a_call_of_a_kernel_with_wrong_arguments():
    @nki.jit(mode="simulation")
    def kernel(x, y):
        return x

    with pytest.raises(
        nki.NkiError, match=r"kernel: missing a required argument: 'y', expected kernel\(x, y\)"
    ):
        kernel(np.zeros((8, 8), F32))
