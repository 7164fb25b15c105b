#!/usr/bin/env python3
"""Writes cases.txt: modules of a few instructions with the results that NumPy computes.

    tests/compiler/hlo/make_cases.py > tests/compiler/hlo/cases.txt

A case is a line "=== NAME [ULPS]", the text of a module without parameters, and after "---" a line for each result.
"""

import itertools

import numpy as np

random = np.random.default_rng(20260101)
NAMES = {"float32": "f32", "float16": "f16", "float64": "f64", "bool": "pred"} | {
    f"{kind}int{bits}": f"{'u' if kind else 's'}{bits}" for kind in ("", "u") for bits in (8, 16, 32, 64)
}
SUM = "sum {{ a = {0}[] parameter(0)\n b = {0}[] parameter(1)\n ROOT c = {0}[] {1}(a, b) }}\n"


def shape(array):
    return f"{NAMES[array.dtype.name]}[{','.join(map(str, array.shape))}]"


def literal(array):
    if array.ndim:
        return "{" + ", ".join(literal(part) for part in array) + "}"
    return str(array.item()).lower() if array.dtype == bool else repr(array.item())


def case(name, body, *results, ulps=0, before=""):
    """Prints a case; `body` is the text of instructions, the last of which is the root."""
    print(f"=== {name} {ulps}\nHloModule m\n{before}ENTRY main {{")
    lines = body.strip().split("\n")
    print("\n".join(f" {line.strip()}" for line in lines[:-1]))
    print(f" ROOT {lines[-1].strip()}\n}}\n---")
    for result in results:
        print(f"{shape(result)} {literal(result)}")


def constant(name, array):
    return f"{name} = {shape(array)} constant({literal(array)})\n"


def operation(name, *operands, result, attributes="", ulps=0, before=""):
    """A case of one instruction on constants."""
    results = result if isinstance(result, tuple) else (result,)
    body = "".join(constant(f"x{i}", x) for i, x in enumerate(operands))
    type_of_result = shape(results[0]) if len(results) == 1 else f"({', '.join(map(shape, results))})"
    opcode = name.split(" ")[0]
    names = ", ".join(f"x{i}" for i in range(len(operands)))
    case(
        name.replace(" ", "_"),
        f"{body}r = {type_of_result} {opcode}({names}){attributes}",
        *results,
        ulps=ulps,
        before=before,
    )


def elementwise():
    x = np.array([-2.5, -1, -0.0, 0.5, 1, 1.5, 2.5, 30], np.float32)
    p = np.abs(x) + np.float32(0.25)
    s = np.array([-0.75, -0.5, 0, 0.25, 0.5, 0.75], np.float32)
    wide = lambda f: lambda v: f(v.astype(np.float64)).astype(np.float32)
    for name, f, v in [
        ("abs", np.abs, x),
        ("ceil", np.ceil, x),
        ("floor", np.floor, x),
        ("negate", np.negative, x),
        ("sign", lambda v: np.copysign(np.sign(v), v), x),
        ("round-nearest-even", np.round, x),
        ("cbrt", wide(np.cbrt), x),
        ("round-nearest-afz", lambda v: np.copysign(np.floor(np.abs(v) + 0.5), v), x),
        ("cosine", wide(np.cos), x),
        ("sine", wide(np.sin), x),
        ("tan", wide(np.tan), x),
        ("tanh", wide(np.tanh), x),
        ("cosh", wide(np.cosh), s),
        ("sinh", wide(np.sinh), s),
        ("exponential", wide(np.exp), x),
        ("exponential-minus-one", wide(np.expm1), x),
        ("log", wide(np.log), p),
        ("log-plus-one", wide(np.log1p), p),
        ("sqrt", wide(np.sqrt), p),
        ("rsqrt", wide(lambda v: 1 / np.sqrt(v)), p),
        ("logistic", wide(lambda v: 1 / (1 + np.exp(-v))), x),
        ("acos", wide(np.arccos), s),
        ("asin", wide(np.arcsin), s),
        ("acosh", wide(np.arccosh), p + 1),
        ("asinh", wide(np.arcsinh), x),
        ("atanh", wide(np.arctanh), s),
    ]:
        operation(name, v, result=f(v).astype(np.float32))
    # Abramowitz and Stegun, table 7.1.
    operation(
        "erf",
        np.array([0.5, -1, 2], np.float32),
        result=np.array([0.5204998778, -0.8427007929, 0.9953222650], np.float32),
    )
    operation("is-finite", np.array([1, np.inf, np.nan], np.float32), result=np.array([True, False, False]))
    y = np.array([2, -3, 0.5, -0.25, 1, 4, 2, 0.125], np.float32)
    for name, f in [
        ("add", np.add),
        ("subtract", np.subtract),
        ("multiply", np.multiply),
        ("divide", np.divide),
        ("maximum", np.maximum),
        ("minimum", np.minimum),
        ("remainder", np.fmod),
    ]:
        operation(name, x, y, result=f(x, y))
    operation("power", p, y, result=np.power(p.astype(float), y).astype(np.float32))
    operation("atan2", x, y, result=np.arctan2(x.astype(float), y).astype(np.float32))
    nan = np.array([np.nan, 1], np.float32)
    operation("maximum of_nan", nan, nan[::-1].copy(), result=np.array([np.nan, np.nan], np.float32))
    for t in (np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64):
        i = np.iinfo(t)
        a = np.array([i.min, i.max, 7, 100, 3, i.max], t)
        b = np.array([1, 2, 3, 7, 5, i.max], t)
        with np.errstate(over="ignore"):
            for name, f in [
                ("add", np.add),
                ("subtract", np.subtract),
                ("multiply", np.multiply),
                ("and", np.bitwise_and),
                ("or", np.bitwise_or),
                ("xor", np.bitwise_xor),
                ("maximum", np.maximum),
                ("minimum", np.minimum),
                ("remainder", np.fmod),
            ]:
                operation(f"{name} of_{NAMES[np.dtype(t).name]}", a, b, result=f(a, b).astype(t))
            quotient = [
                int(abs(int(p)) // abs(int(q)) * (1 if (int(p) < 0) == (int(q) < 0) else -1))
                for p, q in zip(a, b)
            ]
            operation(f"divide of_{NAMES[np.dtype(t).name]}", a, b, result=np.array(quotient, t))
            operation(f"not of_{NAMES[np.dtype(t).name]}", a, result=~a)
            bits = [int(v) & (2**i.bits - 1) for v in a]
            operation(
                f"popcnt of_{NAMES[np.dtype(t).name]}",
                a,
                result=np.array([bin(v).count("1") for v in bits], t),
            )
            operation(
                f"count-leading-zeros of_{NAMES[np.dtype(t).name]}",
                a,
                result=np.array([i.bits - v.bit_length() for v in bits], t),
            )
            high = [int(p) * int(q) >> i.bits for p, q in zip(a, b)]
            operation(f"mulhi of_{NAMES[np.dtype(t).name]}", a, b, result=np.array(high, t))
            by = np.array([0, 1, 2, i.bits - 1, i.bits if i.bits < i.max else 0, 3], t)
            wrap = lambda v: (
                (int(v) & (2**i.bits - 1)) - (2**i.bits if i.min < 0 and int(v) >> (i.bits - 1) & 1 else 0)
            )
            shifts = {
                "shift-left": [wrap(v << int(n)) if n < i.bits else 0 for v, n in zip(bits, by)],
                "shift-right-logical": [wrap(v >> int(n)) if n < i.bits else 0 for v, n in zip(bits, by)],
                "shift-right-arithmetic": [
                    wrap((v - (2**i.bits if v >> (i.bits - 1) else 0)) >> min(int(n), i.bits - 1))
                    for v, n in zip(bits, by)
                ],
            }
            for name, values in shifts.items():
                operation(f"{name} of_{NAMES[np.dtype(t).name]}", a, by, result=np.array(values, t))
    operation(
        "divide by_zero",
        np.array([5, -5], np.int32),
        np.array([0, 0], np.int32),
        result=np.array([-1, -1], np.int32),
    )
    zero, most = np.array([0], np.uint32), np.array([2**32 - 1], np.uint32)
    operation("divide of_u32_by_zero", np.array([5], np.uint32), zero, result=most)
    operation(
        "remainder by_zero",
        np.array([5, -5], np.int32),
        np.array([0, 0], np.int32),
        result=np.array([5, -5], np.int32),
    )
    operation(
        "divide of_the_smallest",
        np.array([-(2**31)], np.int32),
        np.array([-1], np.int32),
        result=np.array([-(2**31)], np.int32),
    )
    operation(
        "power of_s32",
        np.array([3, -2, 2, -1], np.int32),
        np.array([4, 3, -1, -3], np.int32),
        result=np.array([81, -8, 0, -1], np.int32),
    )
    order = [
        (d, f)
        for d, f in zip(
            ("EQ", "NE", "LT", "LE", "GT", "GE"),
            (np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal),
        )
    ]
    a, b = np.array([1, 2, 3, np.nan], np.float32), np.array([2, 2, 1, np.nan], np.float32)
    u, v = np.array([1, 2**63 + 1], np.uint64), np.array([2, 1], np.uint64)
    for direction, f in order:
        operation(f"compare {direction}", a, b, result=f(a, b), attributes=f", direction={direction}")
        operation(f"compare {direction}_of_u64", u, v, result=f(u, v), attributes=f", direction={direction}")
    total = np.array([-np.nan, -np.inf, -0.0, 0.0, np.inf, np.nan], np.float32)
    total[0] = np.copysign(np.nan, -1)
    case(
        "compare_TOTALORDER",
        constant("a", total[1:4])
        + constant("b", total[2:5])
        + "r = pred[3] compare(a, b), direction=LT, type=TOTALORDER",
        np.array([True] * 3),
    )
    operation("select", np.array([True, False]), a[:2], b[1:3].copy(), result=np.array([1, 1], np.float32))
    operation(
        "clamp",
        np.float32(0),
        np.array([-1, 0.5, 9], np.float32),
        np.float32(1),
        result=np.array([0, 0.5, 1], np.float32),
    )


def conversions():
    x = np.array([-1.9, 0.4, 2.5, 300, -300], np.float32)
    operation("convert to_s32", x, result=x.astype(np.int32))
    operation("convert to_s8", x, result=np.array([-1, 0, 2, 127, -128], np.int8))
    operation("convert to_u8", x, result=np.array([0, 0, 2, 255, 0], np.uint8))
    operation("convert to_pred", np.array([0, -0.0, 0.1], np.float32), result=np.array([False, False, True]))
    operation(
        "convert to_f16",
        np.array([65519, 65520, 1e-8, 2049, 2051], np.float32),
        result=np.array([65519, 65520, 1e-8, 2049, 2051], np.float32).astype(np.float16),
    )
    long = np.array([2**24 + 1, 2**60 + 2**36 + 1, -(2**60) - 2**36 - 1], np.int64)
    operation("convert of_s64", long, result=long.astype(np.float32))
    big = np.array([2**64 - 1, 2**63 + 2**39 + 1], np.uint64)
    operation("convert of_u64", big, result=big.astype(np.float32))
    operation("convert of_s32_to_s8", np.array([257, -129], np.int32), result=np.array([1, 127], np.int8))
    operation(
        "bitcast-convert", np.array([1, -2], np.float32), result=np.array([1, -2], np.float32).view(np.uint32)
    )
    operation(
        "bitcast-convert to_narrower",
        np.array([[1.5, -2]], np.float32),
        result=np.array([[1.5, -2]], np.float32).view(np.uint8).reshape(1, 2, 4),
    )
    words = np.arange(8, dtype=np.uint8).reshape(1, 8)
    operation("bitcast-convert to_wider", words, result=words.view(np.int64).reshape(1))
    operation(
        "reduce-precision",
        np.array([1.001, 100000, 1e-6, np.nan], np.float32),
        result=np.array([1, np.inf, 0, np.nan], np.float32),
        attributes=", exponent_bits=5, mantissa_bits=3",
    )
    operation(
        "stochastic-convert",
        np.array([1.25, 1.25, -1.25], np.float32),
        np.array([0, 2**31, 2**28], np.uint32),
        result=np.array([2, 1, -2], np.int32),
    )


def movement():
    x = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
    operation("transpose", x, result=x.transpose(2, 0, 1), attributes=", dimensions={2,0,1}")
    operation("reshape", x, result=x.reshape(4, 6))
    operation("reverse", x, result=x[::-1, :, ::-1], attributes=", dimensions={0,2}")
    operation("slice", x, result=x[1:2, 0:3:2, 1:4], attributes=", slice={[1:2], [0:3:2], [1:4]}")
    operation(
        "broadcast",
        x[0, 0],
        result=np.broadcast_to(x[0, 0][:, None], (2, 4, 3)).copy(),
        attributes=", dimensions={1}",
    )
    operation(
        "concatenate",
        x[:, :1],
        x,
        x[:, 1:],
        result=np.concatenate([x[:, :1], x, x[:, 1:]], 1),
        attributes=", dimensions={1}",
    )
    padded = np.full((4, 7), -1, np.int32)
    padded[1:4:2, 1:7:2] = x[0, :2, :3]
    operation("pad", x[0, :2, :3], np.int32(-1), result=padded, attributes=", padding=1_0_1x1_1_1")
    operation("pad negative", x[0], np.int32(-1), result=x[0, 1:, :3], attributes=", padding=-1_0x0_-1")
    case("iota", "r = f32[2,3] iota(), iota_dimension=1", np.array([[0, 1, 2]] * 2, np.float32))
    one = np.int32(1)
    operation(
        "dynamic-slice",
        x,
        one,
        np.int32(9),
        np.int32(-4),
        result=x[1:2, 1:3, 0:2],
        attributes=", dynamic_slice_sizes={1,2,2}",
    )
    updated = x.copy()
    updated[1:2, 2:3, 0:4] = -x[:1, :1]
    operation("dynamic-update-slice", x, -x[:1, :1], one, np.int32(2), np.int32(3), result=updated)
    index = np.array([[1, 0], [5, 2], [-3, 1]], np.int32)
    rows = np.clip(index[:, 0], 0, 1)
    operation(
        "gather",
        x,
        index,
        result=np.stack([x[r, c] for r, c in zip(rows, index[:, 1])]),
        attributes=", offset_dims={1}, collapsed_slice_dims={0,1}, start_index_map={0,1}, index_vector_dim=1, slice_sizes={1,1,4}",
    )
    batched = np.array([[2], [0]], np.int32)
    operation(
        "gather batching",
        x,
        batched,
        result=np.stack([x[b, batched[b, 0]] for b in range(2)]),
        attributes=", offset_dims={1}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=1, slice_sizes={1,1,4}",
    )
    table = np.zeros((3, 2), np.float32)
    updates = random.integers(-4, 5, (4, 2)).astype(np.float32)
    where = np.array([0, 2, 0, 3], np.int32)
    added = table.copy()
    for r, u in zip(where, updates):
        if r < 3:
            added[r] += u
    operation(
        "scatter",
        table,
        where,
        updates,
        result=added,
        before=SUM.format("f32", "add"),
        attributes=", update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum",
    )


def contraction():
    a, b = (
        random.integers(-4, 5, (2, 3, 4)).astype(np.float32),
        random.integers(-4, 5, (4, 2, 5)).astype(np.float32),
    )
    operation(
        "dot",
        a[0],
        b[:, 0],
        result=a[0] @ b[:, 0],
        attributes=", lhs_contracting_dims={1}, rhs_contracting_dims={0}",
    )
    operation(
        "dot batched",
        a,
        b,
        result=np.einsum("bmk,kbn->bmn", a, b),
        attributes=", lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={1}, rhs_contracting_dims={0}",
    )
    operation(
        "dot of_s8",
        np.array([[100, 100]], np.int8),
        np.array([[100], [100]], np.int8),
        result=np.array([[20000]], np.int32),
        attributes=", lhs_contracting_dims={1}, rhs_contracting_dims={0}",
    )
    image, kernel = (
        random.integers(-3, 4, (1, 5, 6, 4)).astype(np.float32),
        random.integers(-3, 4, (2, 3, 2, 6)).astype(np.float32),
    )

    def convolved(image, kernel, stride, pads, base, dilation, groups, reverse):
        n, h, w, c = image.shape
        spread = np.zeros((n, (h - 1) * base[0] + 1, (w - 1) * base[1] + 1, c))
        spread[:, :: base[0], :: base[1]] = image
        full = np.pad(spread, ((0, 0), pads[0], pads[1], (0, 0)))
        kernel = kernel[:: -1 if reverse[0] else 1, :: -1 if reverse[1] else 1]
        kh, kw, ci, co = kernel.shape
        oh = (full.shape[1] - (kh - 1) * dilation[0] - 1) // stride[0] + 1
        ow = (full.shape[2] - (kw - 1) * dilation[1] - 1) // stride[1] + 1
        out = np.zeros((n, oh, ow, co))
        for y, x, i, j, o in itertools.product(range(oh), range(ow), range(kh), range(kw), range(co)):
            group = o // (co // groups)
            pixel = full[
                :,
                y * stride[0] + i * dilation[0],
                x * stride[1] + j * dilation[1],
                group * ci : (group + 1) * ci,
            ]
            out[:, y, x, o] += pixel @ kernel[i, j, :, o]
        return out.astype(np.float32)

    operation(
        "convolution",
        image,
        kernel,
        result=convolved(image, kernel, (1, 2), ((1, 0), (1, 2)), (2, 1), (1, 2), 2, (0, 1)),
        attributes=", window={size=2x3 stride=1x2 pad=1_0x1_2 lhs_dilate=2x1 rhs_dilate=1x2 rhs_reversal=0x1}, dim_labels=b01f_01io->b01f, feature_group_count=2",
    )
    batch = random.integers(-3, 4, (4, 5, 2)).astype(np.float32)
    small = random.integers(-3, 4, (2, 2, 6)).astype(np.float32)
    parts = [
        convolved(
            batch[g * 2 : g * 2 + 2, :, None],
            small[:, None, :, g * 3 : g * 3 + 3],
            (1, 1),
            ((0, 0), (0, 0)),
            (1, 1),
            (1, 1),
            1,
            (0, 0),
        )[:, :, 0]
        for g in range(2)
    ]
    operation(
        "convolution of_batch_groups",
        batch,
        small,
        result=np.concatenate(parts, 2),
        attributes=", window={size=2}, dim_labels=b0f_0io->b0f, batch_group_count=2",
    )
    lower = np.array([[2, 0, 0], [1, 3, 0], [-1, 2, 4]], np.float32)
    operation("cholesky", lower @ lower.T, result=lower, attributes=", lower=true")
    operation("cholesky upper", lower @ lower.T, result=lower.T.copy(), attributes="")
    x = np.array([[1, 2], [-3, 4], [2, -1]], np.float32)
    for left, low, transposed, unit in itertools.product((True, False), repeat=4):
        triangle = lower if low else lower.T
        matrix = triangle - np.diag(np.diag(triangle)) + np.eye(3, dtype=np.float32) if unit else triangle
        used = matrix.T if transposed else matrix
        b = used @ x if left else x.T @ used
        attributes = "".join(
            f", {k}=true" for k, v in (("left_side", left), ("lower", low), ("unit_diagonal", unit)) if v
        )
        operation(
            f"triangular-solve {left}{low}{transposed}{unit}",
            triangle.copy(),
            b,
            result=x if left else x.T.copy(),
            attributes=f"{attributes}, transpose_a={'TRANSPOSE' if transposed else 'NO_TRANSPOSE'}",
        )
    a, b = np.arange(8, dtype=np.float32).reshape(4, 2), np.arange(12, dtype=np.float32).reshape(2, 2, 3)
    operation(
        "ragged-dot",
        a,
        b,
        np.array([1, 2], np.int32),
        result=np.concatenate([a[:1] @ b[0], a[1:3] @ b[1], np.zeros((1, 3), np.float32)]),
        attributes=", lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}",
    )


def reductions():
    x = random.integers(-9, 10, (2, 3, 4)).astype(np.float32)
    zero = np.float32(0)
    operation(
        "reduce",
        x,
        zero,
        result=x.sum((0, 2)),
        attributes=", dimensions={0,2}, to_apply=sum",
        before=SUM.format("f32", "add"),
    )
    operation(
        "reduce to_a_scalar",
        x,
        np.float32(-100),
        result=x.max(),
        attributes=", dimensions={0,1,2}, to_apply=sum",
        before=SUM.format("f32", "maximum"),
    )
    large = np.array([2048, 1, 1, 1, 1], np.float16)
    operation(
        "reduce of_f16",
        large,
        np.float16(0),
        result=np.float16(2052),
        attributes=", dimensions={0}, to_apply=sum",
        before=SUM.format("f16", "add"),
    )
    operation(
        "reduce of_pred",
        np.array([[True, False], [True, True]]),
        np.bool_(True),
        result=np.array([False, True]),
        attributes=", dimensions={1}, to_apply=sum",
        before=SUM.format("pred", "and"),
    )
    argmax = """first { a = f32[] parameter(0)
 i = s32[] parameter(1)
 b = f32[] parameter(2)
 j = s32[] parameter(3)
 p = pred[] compare(a, b), direction=GE
 v = f32[] select(p, a, b)
 k = s32[] select(p, i, j)
 ROOT t = (f32[], s32[]) tuple(v, k) }
"""
    index = np.broadcast_to(np.arange(4, dtype=np.int32), (3, 4)).copy()
    operation(
        "reduce variadic",
        x[0],
        index,
        np.float32(-np.inf),
        np.int32(0),
        result=(x[0].max(1), x[0].argmax(1).astype(np.int32)),
        attributes=", dimensions={1}, to_apply=first",
        before=argmax,
    )
    windows = np.array(
        [[x[0, max(0, i - 1) : i + 1, j : j + 2].max() for j in range(0, 3, 2)] for i in range(3)], np.float32
    )
    operation(
        "reduce-window",
        x[0],
        np.float32(-np.inf),
        result=windows,
        attributes=", window={size=2x2 stride=1x2 pad=1_0x0_0}, to_apply=sum",
        before=SUM.format("f32", "maximum"),
    )
    sums = np.array([x[0, 0, 0] + x[0, 0, 2], x[0, 0, 1] + x[0, 0, 3]], np.float32)
    operation(
        "reduce-window dilated",
        x[0, 0],
        zero,
        result=sums,
        attributes=", window={size=2 rhs_dilate=2}, to_apply=sum",
        before=SUM.format("f32", "add"),
    )
    source = np.array([[10, 20], [30, 40]], np.float32)
    image = np.array([[1, 5, 2, 2], [0, 3, 7, 1], [4, 4, 0, 9], [1, 2, 3, 9]], np.float32)
    scattered = np.zeros((4, 4), np.float32)
    for i, j in itertools.product(range(2), range(2)):
        part = image[2 * i : 2 * i + 2, 2 * j : 2 * j + 2]
        a, b = np.unravel_index(part.argmax(), (2, 2))
        scattered[2 * i + a, 2 * j + b] += source[i, j]
    greater = "ge { a.1 = f32[] parameter(0)\n b.1 = f32[] parameter(1)\n ROOT c.1 = pred[] compare(a.1, b.1), direction=GE }\n"
    operation(
        "select-and-scatter",
        image,
        source,
        zero,
        result=scattered,
        attributes=", window={size=2x2 stride=2x2}, select=ge, scatter=sum",
        before=SUM.format("f32", "add") + greater,
    )
    operation(
        "map",
        x[0],
        x[1],
        result=x[0] * x[1],
        attributes=", dimensions={0,1}, to_apply=sum",
        before=SUM.format("f32", "multiply"),
    )
    keys, values = np.array([[3, 1, 2, 1]], np.float32), np.array([[0, 1, 2, 3]], np.int32)
    less = "less { a = f32[] parameter(0)\n b = f32[] parameter(1)\n i = s32[] parameter(2)\n j = s32[] parameter(3)\n ROOT c = pred[] compare(a, b), direction=LT }\n"
    order = keys.argsort(1, kind="stable")
    operation(
        "sort",
        keys,
        values,
        result=(np.take_along_axis(keys, order, 1), np.take_along_axis(values, order, 1)),
        attributes=", dimensions={1}, is_stable=true, to_apply=less",
        before=less,
    )
    operation(
        "topk",
        keys,
        result=(np.array([[3, 2]], np.float32), np.array([[0, 2]], np.int32)),
        attributes=", k=2, largest=true",
    )
    case(
        "custom-call_TopK",
        constant("x", keys) + 'r = (f32[1,2], s32[1,2]) custom-call(x), custom_call_target="TopK"',
        np.array([[3, 2]], np.float32),
        np.array([[0, 2]], np.int32),
    )
    add = "step { v = s32[2] parameter(0)\n c = s32[2] parameter(1)\n s = s32[2] add(v, c)\n ROOT t = (s32[2], s32[2]) tuple(s, s) }\n"
    ints = np.arange(6, dtype=np.int32).reshape(2, 3)
    operation(
        "scan",
        ints,
        np.array([10, 20], np.int32),
        result=(
            ints.cumsum(1, dtype=np.int32) + np.array([[10], [20]], np.int32),
            ints.sum(1, dtype=np.int32) + np.array([10, 20], np.int32),
        ),
        attributes=", dimensions={1}, num_carries=1, to_apply=step",
        before=add,
    )


def normalisation():
    x = random.integers(-9, 10, (2, 3, 4)).astype(np.float64)
    scale, offset, epsilon = np.array([1, 2, -1.0]), np.array([0.5, 0, 1]), 0.25
    mean, variance = x.mean((0, 2)), x.var((0, 2))
    wide = lambda v: v[None, :, None]
    normal = (x - wide(mean)) / np.sqrt(wide(variance) + epsilon)
    attributes = f", epsilon={epsilon}, feature_index=1"
    operation(
        "batch-norm-training",
        x,
        scale,
        offset,
        result=(normal * wide(scale) + wide(offset), mean, variance),
        attributes=attributes,
        ulps=64,
    )
    operation(
        "batch-norm-inference",
        x,
        scale,
        offset,
        mean,
        variance,
        result=normal * wide(scale) + wide(offset),
        attributes=attributes,
        ulps=64,
    )
    # The gradient by differences of the definition.
    gradient = random.integers(-4, 5, x.shape).astype(np.float64)

    def loss(x, scale):
        m, v = x.mean((0, 2)), x.var((0, 2))
        return ((x - wide(m)) / np.sqrt(wide(v) + epsilon) * wide(scale) * gradient).sum()

    def difference(f, at):
        result = np.zeros_like(at)
        for i in np.ndindex(at.shape):
            step = np.zeros_like(at)
            step[i] = 1e-5
            result[i] = (f(at + step) - f(at - step)) / 2e-5
        return result

    of_x, of_scale = difference(lambda v: loss(v, scale), x), difference(lambda v: loss(x, v), scale)
    operation(
        "batch-norm-grad",
        x,
        scale,
        mean,
        variance,
        gradient,
        result=(of_x, of_scale, gradient.sum((0, 2))),
        attributes=attributes,
        ulps=2**32,
    )


def control():
    loop = """body { s = (s32[], f32[2]) parameter(0)
 i = s32[] get-tuple-element(s), index=0
 x = f32[2] get-tuple-element(s), index=1
 one = s32[] constant(1)
 j = s32[] add(i, one)
 y = f32[2] add(x, x)
 ROOT t = (s32[], f32[2]) tuple(j, y) }
condition { s.1 = (s32[], f32[2]) parameter(0)
 i.1 = s32[] get-tuple-element(s.1), index=0
 n = s32[] constant(5)
 ROOT p = pred[] compare(i.1, n), direction=LT }
"""
    start = (
        constant("zero", np.int32(0))
        + constant("x", np.array([1, -3], np.float32))
        + "s = (s32[], f32[2]) tuple(zero, x)\n"
    )
    case(
        "while",
        start + "r = (s32[], f32[2]) while(s), condition=condition, body=body",
        np.int32(5),
        np.array([32, -96], np.float32),
        before=loop,
    )
    branches = "a { ROOT x = f32[] parameter(0) }\nb { y = f32[] parameter(0)\n ROOT z = f32[] negate(y) }\n"
    for name, selector, expected in [
        ("true", np.bool_(True), 2),
        ("false", np.bool_(False), -3),
        ("0", np.int32(0), 2),
        ("1", np.int32(1), -3),
        ("outside", np.int32(-7), -3),
    ]:
        body = constant("p", selector) + constant("u", np.float32(2)) + constant("v", np.float32(3))
        case(
            f"conditional_{name}",
            body + "r = f32[] conditional(p, u, v), branch_computations={a, b}",
            np.float32(expected),
            before=branches,
        )
    case(
        "call_and_fusion",
        constant("x", np.float32(4))
        + "y = f32[] call(x), to_apply=b\nz = f32[] fusion(y), kind=kLoop, calls=b\nw = f32[] opt-barrier(z)\nr = f32[] copy(w)",
        np.float32(4),
        before=branches,
    )
    case("replica-id", "a = u32[] replica-id()\nb = u32[] partition-id()\nr = u32[] add(a, b)", np.uint32(0))


def random_bits():
    # Known answers of the Random123 distribution (kat_vectors): threefry2x32 of 20 rounds, philox4x32 of 10.
    case(
        "threefry",
        "s = u64[2] constant({0, 0})\nr = (u64[2], u32[2]) rng-bit-generator(s), algorithm=rng_three_fry",
        np.array([0, 1], np.uint64),
        np.array([0x6B200159, 0x99BA4EFE], np.uint32),
    )
    case(
        "philox",
        "s = u64[3] constant({0, 0, 0})\nr = (u64[3], u32[4]) rng-bit-generator(s), algorithm=rng_philox",
        np.array([0, 1, 0], np.uint64),
        np.array([0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8], np.uint32),
    )
    ones = 2**64 - 1
    case(
        "threefry_of_ones",
        f"s = u64[2] constant({{{ones}, {ones}}})\nr = (u64[2], u64[1]) rng-bit-generator(s), algorithm=rng_three_fry",
        np.array([ones, 0], np.uint64),
        np.array([0xBB002BE71CB996FC], np.uint64),
    )


for part in (
    elementwise,
    conversions,
    movement,
    contraction,
    reductions,
    normalisation,
    control,
    random_bits,
):
    part()
