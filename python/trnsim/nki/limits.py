"""Sizes of a NeuronCore-v2 as kernels see them: numbers of the public reference unless said otherwise."""

import functools
import os
from typing import Any

PARTITIONS = 128
QUADRANT = 32
STATIONARY_COLUMNS = 128
MOVING_COLUMNS = 512
BN_STATS_ELEMENTS = 512
MAX8_ELEMENTS = (8, 16384)
VECTOR_TRANSPOSE = 32
GATHER_PARTITIONS = 16  # partitions of a GpSimd core
GATHER_INDICES = 4096  # partitions of a GpSimd core

#: Bytes of a partition that a kernel's tiles may take: 192 KiB less 16 KiB, which the SDK's compiler keeps
#: (the reference of nki.compiler.sbuf.alloc).
SBUF_BYTES = (192 - 16) * 1024
PSUM_BANKS = 8
PSUM_BANK_BYTES = 2048
SBUF_ALIGN = 1
PSUM_ALIGN = 4

#: The dimensions of a tile that an instruction can address, including the partitions.
TILE_DIMENSIONS = 5


def configuration() -> str:
    """Returns the configuration that kernels run on: NKI_TRNSIM_CONFIG, or trn1."""
    return os.environ.get("NKI_TRNSIM_CONFIG", "trn1")


@functools.cache
def _target(config: str) -> Any:
    import trnsim

    return trnsim.KernelBuilder("sizes", config).target


def _of_target(size: str, public: int) -> int:
    """Returns a size of the configuration's cores, at most that of the public reference, which trn1 has."""
    config = configuration()
    return public if config == "trn1" else min(public, getattr(_target(config), size))


class _TileSize:
    """nl.tile_size: sizes for kernels that fit any configuration."""

    psum_fmax = PSUM_BANK_BYTES // 4
    gemm_moving_fmax = MOVING_COLUMNS
    bn_stats_fmax = BN_STATS_ELEMENTS
    psum_min_align = PSUM_ALIGN
    sbuf_min_align = SBUF_ALIGN

    @property
    def pmax(self) -> int:
        return _of_target("partitions", PARTITIONS)

    @property
    def gemm_stationary_fmax(self) -> int:
        return _of_target("columns", STATIONARY_COLUMNS)

    @property
    def total_available_sbuf_size(self) -> int:
        return _of_target("sbuf_partition", SBUF_BYTES)


tile_size = _TileSize()


def start_partitions(height: int) -> tuple[int, ...]:
    """Returns the partitions at which a tile of a height may begin."""
    if height > 64:
        return (0,)
    return (0, 64) if height > QUADRANT else (0, 32, 64, 96)
