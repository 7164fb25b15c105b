#!/usr/bin/env python3
"""GTKWave process filter: elements with their type.

The digit above 32 bits is the dtype code of isa/isa.yaml; the element is in the lowest bits, and bits above
it belong to other elements.
"""

import number

# dtype code: (bits, conversion)
TYPES = {
    0x2: (8, lambda bits: number.integer(bits, 8, True)),
    0x3: (8, lambda bits: number.integer(bits, 8, False)),
    0x4: (16, lambda bits: number.integer(bits, 16, True)),
    0x5: (16, lambda bits: number.integer(bits, 16, False)),
    0x6: (16, lambda bits: number.fp32(bits << 16)),
    0x7: (16, lambda bits: number.narrow(bits, 5, 10)),
    0x8: (32, lambda bits: number.integer(bits, 32, True)),
    0x9: (32, lambda bits: number.integer(bits, 32, False)),
    0xA: (32, number.fp32),
    0xB: (32, lambda bits: number.fp32(bits & 0xFFFFE000)),
    0xD: (8, lambda bits: number.narrow(bits, 3, 4)),
    0xE: (8, lambda bits: number.narrow(bits, 4, 3)),
    0xF: (8, lambda bits: number.narrow(bits, 5, 2)),
}


def convert(word):
    dtype = word >> 32
    if dtype not in TYPES:
        return "-"
    bits, meaning = TYPES[dtype]
    value = meaning(word & ((1 << bits) - 1))
    return str(value) if isinstance(value, int) else number.text(value)


if __name__ == "__main__":
    number.run(convert)
