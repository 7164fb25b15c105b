"""Gate equivalents of a netlist of Yosys' word-level cells (write_json).

A gate equivalent is a two-input NAND: four transistors. The costs are those of static CMOS; a gate with
constant inputs costs what is left of it. Memories are not gates: their bits are counted separately, those of
a table of constants once for all readers.
"""

NOT, AND, XOR, MUX, FULL_ADDER, HALF_ADDER, BORROW, FLIP_FLOP = 0.5, 1.5, 3.0, 3.0, 7.0, 4.5, 4.0, 6.0
CONSTANT = ("0", "1", "x", "z")


def fixed(bit):
    return isinstance(bit, str)


def _pad(bits, width):
    return (bits + [bits[-1] if bits else "0"] * width)[:width]


def _pairwise(both, one):
    def cost(c):
        width = len(c["Y"])
        return sum(
            0 if fixed(a) and fixed(b) else one if fixed(a) or fixed(b) else both
            for a, b in zip(_pad(c["A"], width), _pad(c["B"], width))
        )

    return cost


def _compare(both, one):
    def cost(c):
        width = max(len(c["A"]), len(c["B"]))
        return sum(
            0 if fixed(a) and fixed(b) else one if fixed(a) or fixed(b) else both
            for a, b in zip(_pad(c["A"], width), _pad(c["B"], width))
        )

    return cost


def _mux(c):
    return sum(
        0 if a == b or (fixed(a) and fixed(b)) else AND if fixed(a) or fixed(b) else MUX
        for a, b in zip(c["A"], c["B"])
    )


def _select(c):  # $pmux: AND-OR, one term for each select line; $bmux: a tree of multiplexers
    return sum(0 if fixed(bit) else AND for bit in c["B"]) + len(c["S"]) * len(c["Y"]) * AND


def _tree(c):
    width, cost = len(c["Y"]), 0
    for bit in range(width):
        level = c["A"][bit::width]
        while len(level) > 1:
            pairs = list(zip(level[::2], level[1::2]))
            cost += sum(0 if a == b else AND if fixed(a) or fixed(b) else MUX for a, b in pairs)
            level = [a if a == b else object() for a, b in pairs]
    return cost


def _shift(c):
    varying = sum(not fixed(bit) for bit in c["B"])
    span = max(len(c["A"]), len(c["Y"]))
    return len(c["Y"]) * min(varying, max(1, (span - 1).bit_length())) * MUX if varying else 0


def _multiply(c):
    a, b, width = c["A"], c["B"], len(c["Y"])
    if all(fixed(bit) for bit in a):
        a, b = b, a
    factor = sum(not fixed(bit) for bit in a)
    if not all(fixed(bit) for bit in b):
        rows = range(sum(not fixed(bit) for bit in b))
        return sum(max(0, min(factor, width - row)) for row in rows) * (AND + FULL_ADDER)
    value = sum((bit == "1") << i for i, bit in enumerate(b))
    digits = value ^ (3 * value)  # bit i + 1: the signed digit i of the shortest form is not 0
    rows = [i for i in range(width) if digits >> (i + 1) & 1]
    return sum(max(0, min(factor, width - row)) for row in rows[1:]) * FULL_ADDER


def _divide(c):
    a, b = (sum(not fixed(bit) for bit in c[port]) for port in "AB")
    return a * b * (FULL_ADDER + MUX)


def _reduce(gate):
    return lambda c: max(0, sum(not fixed(bit) for bit in c["A"]) + len(c.get("B", [])) - 1) * gate


def _register(extra):
    return lambda c: len(c["Q"]) * (FLIP_FLOP + extra)


def _each(port, gate):
    return lambda c: sum(not fixed(bit) for bit in c[port]) * gate


COSTS = {
    "$and": _pairwise(AND, 0),
    "$or": _pairwise(AND, 0),
    "$xor": _pairwise(XOR, NOT),
    "$xnor": _pairwise(XOR, NOT),
    "$not": _each("A", NOT),
    "$mux": _mux,
    "$pmux": _select,
    "$bmux": _tree,
    "$bwmux": _each("Y", MUX),
    "$demux": _each("Y", AND),
    "$add": _pairwise(FULL_ADDER, HALF_ADDER),
    "$sub": _pairwise(FULL_ADDER, HALF_ADDER),
    "$neg": _each("A", HALF_ADDER),
    "$lt": _compare(BORROW, AND),
    "$le": _compare(BORROW, AND),
    "$gt": _compare(BORROW, AND),
    "$ge": _compare(BORROW, AND),
    "$eq": _compare(XOR + AND, AND),
    "$ne": _compare(XOR + AND, AND),
    "$mul": _multiply,
    "$div": _divide,
    "$mod": _divide,
    "$divfloor": _divide,
    "$modfloor": _divide,
    "$shl": _shift,
    "$shr": _shift,
    "$sshl": _shift,
    "$sshr": _shift,
    "$shift": _shift,
    "$shiftx": _shift,
    "$logic_not": _reduce(AND),
    "$logic_and": _reduce(AND),
    "$logic_or": _reduce(AND),
    "$reduce_and": _reduce(AND),
    "$reduce_or": _reduce(AND),
    "$reduce_bool": _reduce(AND),
    "$reduce_xor": _reduce(XOR),
    "$reduce_xnor": _reduce(XOR),
    "$dff": _register(0),
    "$adff": _register(NOT),
    "$sdff": _register(AND),
    "$dffe": _register(MUX),
    "$adffe": _register(NOT + MUX),
    "$sdffe": _register(AND + MUX),
    "$sdffce": _register(AND + MUX),
    "$aldff": _register(MUX),
    "$aldffe": _register(2 * MUX),
    "$dlatch": _register(-2),
    "$dffsr": _register(AND),
    "$dffsre": _register(AND + MUX),
}
FREE = {
    "$buf",
    "$pos",
    "$memrd",
    "$memrd_v2",
    "$memwr",
    "$memwr_v2",
    "$meminit",
    "$meminit_v2",
    "$mem_v2",
    "$scopeinfo",
    "$print",
    "$check",
    "$assert",
}


def count(module):
    """Counts {"gates", "flip_flop_bits", "cells", "memory_bits"} of a module of write_json.

    A cell without a cost is an error.
    """
    gates = flops = cells = 0
    roms = set()
    for cell in module["cells"].values():
        kind = cell["type"]
        if kind in FREE or not kind.startswith("$"):
            continue
        if kind == "$bmux" and all(map(fixed, cell["connections"]["A"])):
            roms.add(tuple(cell["connections"]["A"]))
            continue
        gates += COSTS[kind](cell["connections"])
        flops += len(cell["connections"].get("Q", []))
        cells += 1
    bits = sum(memory["width"] * memory["size"] for memory in module.get("memories", {}).values()) + sum(
        map(len, roms)
    )
    return {"gates": round(gates), "flip_flop_bits": flops, "cells": cells, "memory_bits": bits}
