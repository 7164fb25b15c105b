#!/usr/bin/env python3
"""GTKWave process filter: 32-bit words as fractions of 2^32."""

import number


def convert(bits):
    return f"{bits / 2**32:.6f}"


if __name__ == "__main__":
    number.run(convert)
