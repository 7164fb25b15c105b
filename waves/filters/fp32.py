#!/usr/bin/env python3
"""GTKWave process filter: 32-bit words as fp32 numbers."""

import number

if __name__ == "__main__":
    number.run(lambda bits: number.text(number.fp32(bits)))
