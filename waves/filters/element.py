#!/usr/bin/env python3
"""GTKWave process filter: elements with their type. The digit above 32 bits is the dtype code of testbench/isa/isa.yaml."""

import number

TYPES = {
    0x2: lambda bits: number.integer(bits, 8, True),
    0x3: lambda bits: number.integer(bits, 8, False),
    0x4: lambda bits: number.integer(bits, 16, True),
    0x5: lambda bits: number.integer(bits, 16, False),
    0x6: lambda bits: number.fp32(bits << 16),
    0x7: lambda bits: number.narrow(bits, 5, 10),
    0x8: lambda bits: number.integer(bits, 32, True),
    0x9: lambda bits: number.integer(bits, 32, False),
    0xA: number.fp32,
    0xB: lambda bits: number.fp32(bits & 0xFFFFE000),
    0xD: lambda bits: number.narrow(bits, 3, 4),
    0xE: lambda bits: number.narrow(bits, 4, 3),
    0xF: lambda bits: number.narrow(bits, 5, 2),
}


def convert(word):
    dtype, bits = word >> 32, word & 0xFFFFFFFF
    if dtype not in TYPES:
        return "-"
    value = TYPES[dtype](bits)
    return str(value) if isinstance(value, int) else number.text(value)


if __name__ == "__main__":
    number.run(convert)
