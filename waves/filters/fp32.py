#!/usr/bin/env python3
"""GTKWave process filter: 32-bit words as fp32 numbers."""

import number


def convert(bits):
    return number.text(number.fp32(bits))


if __name__ == "__main__":
    number.run(convert)
