"""Attention of heads of 128 in Stable Diffusion, in the layout of the public kernel that places its tiles.

Here the back end places them.
"""

from __future__ import annotations

from typing import Any

from .. import language as nl
from ..kernel import jit
from ..tensor import Tensor
from .attention import small_head
from .common import TILE, loaded_rows, programs, require, turned


@jit
def allocated_fused_self_attn_for_SD_small_head_size(  # noqa: N802  # the public name
    q_ref: Any, k_ref: Any, v_ref: Any, use_causal_mask: bool = False, mixed_precision: bool = True
) -> Tensor:
    """(softmax(0.125 q.T k) v).T; a program of the grid [batch] each.

    q_ref and k_ref are [batch, d, length], v_ref is [batch, length, d], with d up to 128. Returns
    [batch, d, length].
    """
    name = "allocated_fused_self_attn_for_SD_small_head_size"
    batch, d, length = q_ref.shape
    require(d <= TILE, f"{name} of heads of {d} elements, expected at most {TILE}")
    require(length % TILE == 0, f"{name} of length {length}, expected a multiple of {TILE}")
    work = nl.bfloat16 if mixed_precision else q_ref.dtype
    out = nl.ndarray((batch, d, length), q_ref.dtype, buffer=nl.shared_hbm)
    for (b,) in programs(name, batch):

        def store(first: int, tile: Tensor, b: int = b) -> None:
            nl.store(out[b, :, nl.ds(first, TILE)], turned(tile, q_ref.dtype))

        keys, values = nl.load(k_ref[b], dtype=work), loaded_rows(v_ref[b], work)
        small_head(q_ref[b], keys, values, store, use_causal_mask, work, q_ref.dtype)
    return out
