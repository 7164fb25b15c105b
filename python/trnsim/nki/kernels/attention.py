"""Attention: flash_fwd, flash_attn_bwd, and the attention of small heads in Stable Diffusion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .. import isa as nisa, language as nl
from ..kernel import jit
from ..tensor import Tensor
from .common import TILE, loaded_rows, parts, programs, require, transposed_rows, turned

_KEYS = 512  # keys whose scores are in PSUM at once
_LOWEST = -3e38
#: The scale of scores in Stable Diffusion, whose heads have 64 elements.
_SCALE_OF_64 = 0.125


@dataclass(frozen=True)
class FlashConfig:
    """Options of flash_fwd. The sizes of tiles are the public kernel's; here a tile has 128 rows."""

    seq_tile_size: int = 2048
    attn_core_tile_size: int = 256
    training: bool = True
    should_transpose_v: bool = False
    lse_dtype: str = ""


class Masking(NamedTuple):
    """The keys that a query sees: all, those up to its own position, or the last `window` of these."""

    causal: bool
    window: int  # 0 is no window

    @classmethod
    def of(cls, causal: bool, window: int) -> Masking:
        return cls(bool(causal) or window > 0, max(0, window))

    def blocks(self, first: int, keys: int) -> Iterator[tuple[int, int]]:
        """Yields first and number of the keys in blocks that 128 queries from `first` on see."""
        end = min(keys, first + TILE) if self.causal else keys
        begin = max(0, first - self.window + 1) // TILE * TILE if self.window else 0
        for at, count in parts(max(0, end - begin), _KEYS):
            yield begin + at, count

    def blocks_of_keys(self, at: int, count: int, queries: int) -> Iterator[int]:
        """Yields the first of each 128 queries that see a key of a block."""
        for first in range(0, queries, TILE):
            if self.causal and at > first + TILE - 1:
                continue
            if self.window and at + count - 1 < first - self.window + 1:
                continue
            yield first

    def applied(self, tile: Tensor, first: int, at: int, value: float) -> Tensor:
        """Returns scores of queries from `first` and keys from `at` on, with a value where none is seen."""
        rows, count = tile.shape
        row, column = nl.arange(rows)[:, None], nl.arange(count)[None, :]
        if self.causal and at + count - 1 > first:
            tile = nisa.affine_select(row + (first - at) >= column, tile, value)
        if self.window and at < first + rows - self.window:
            tile = nisa.affine_select(column - row + (at - first + self.window) > 0, tile, value)
        return tile


class Dropout(NamedTuple):
    """Elements of a tile that stay, the same in every kernel with the same seed."""

    rate: float
    seed: Any  # [1, 1] in SBUF

    @classmethod
    def of(cls, rate: float, seed: Any) -> Dropout:
        if rate <= 0:
            return cls(0.0, None)
        require(seed is not None, "dropout_p without a seed, expected a tensor of one 32-bit integer")
        return cls(rate, nl.load(seed.reshape((1, 1))))

    def applied(self, tile: Tensor, head: int, first: int, at: int) -> Tensor:
        """Returns the tile times 1 / (1 - rate) where an element stays, 0 elsewhere."""
        if self.seed is None:
            return tile
        rows, count = tile.shape
        result = nl.ndarray((rows, count), tile.dtype)
        for place, width in parts(count, TILE):
            number = (
                ((head << 20) ^ ((first // TILE) << 10) ^ ((at + place) // TILE)) * 2654435761 % (1 << 31)
            )
            nl.random_seed(nl.bitwise_xor(self.seed, number))
            ones = nl.full((rows, width), 1.0 / (1.0 - self.rate), nl.float32)
            kept = nl.dropout(ones, self.rate)
            part = nl.ds(place, width)
            result[:, part] = nl.multiply(tile[:, part], kept, dtype=tile.dtype)
        return result


class _Rows:
    """128 queries while the keys go by: their largest scores, sums of powers and sums of values."""

    def __init__(self, width: int) -> None:
        self.lowest = nl.full((TILE, 1), -_LOWEST, nl.float32)  # the largest score so far, negated
        self.total = nl.zeros((TILE, 1), nl.float32)
        self.sums = nl.zeros((TILE, width), nl.float32)

    def see(self, scores: Any, values: Any, first_value: int, dropped: Any, dtype: Any) -> None:
        """Takes scores [128, n] and the tiles of n values; `dropped` changes the powers that weigh them."""
        now = nl.minimum(self.lowest, nisa.tensor_reduce(np.max, scores, axis=(1,), negate=True))
        kept = nl.exp(nl.subtract(now, self.lowest))
        here = nl.ndarray((TILE, 1), nl.float32)
        powers = nisa.activation_reduce(
            np.exp, scores, bias=now, reduce_op=np.add, reduce_res=here, dtype=dtype
        )
        powers = dropped(powers)
        part = nl.zeros((TILE, self.sums.shape[1]), nl.float32, buffer=nl.psum)
        for place, _ in parts(scores.shape[1], TILE):
            weights = turned(powers[:, nl.ds(place, TILE)], dtype)
            part += nisa.nc_matmul(weights, values[first_value + place // TILE])
        for kind, more in ((self.total, here), (self.sums, part)):
            kind[...] = nisa.scalar_tensor_tensor(
                data=kind, op0=np.multiply, operand0=kept, op1=np.add, operand1=more
            )
        self.lowest[...] = nisa.tensor_copy(now)

    def result(self, dtype: Any) -> Tensor:
        return nisa.tensor_scalar(self.sums, np.multiply, nisa.reciprocal(self.total), dtype=dtype)

    def logarithms(self, dtype: Any) -> Tensor:
        """Returns the logarithm of the sum of exp(score) of each query."""
        return nl.subtract(nl.log(self.total), self.lowest, dtype=dtype)


def _check_lengths(function: str, **lengths: int) -> None:
    for name, length in lengths.items():
        require(length % TILE == 0, f"{function} of {name} {length}, expected a multiple of {TILE}")


@jit
def flash_fwd(
    q: Any,
    k: Any,
    v: Any,
    seed: Any,
    logit_bias: Any = None,
    softmax_scale: float | None = None,
    use_causal_mask: bool = True,
    sliding_window: int = -1,
    mixed_precision: bool = True,
    dropout_p: float = 0.0,
    config: FlashConfig | None = None,
) -> Any:
    """Attention with any number of keys; a program of the grid [batch, heads of k] each.

    q is [batch, heads, d, queries], k [batch, heads of k, d, keys], v [batch, heads of k, keys, d], or
    [batch, heads of k, d, keys] with config.should_transpose_v. Returns o, [batch, heads, queries, d], and
    with config.training the logarithms of the sums of each row, [batch, heads, 128, queries / 128].
    """
    config = config or FlashConfig()
    batch, heads, d, queries = q.shape
    kv_heads, keys = k.shape[1], k.shape[3]
    require(d <= TILE, f"flash_fwd of heads of {d} elements, expected at most {TILE}")
    require(
        heads % kv_heads == 0, f"flash_fwd of {heads} heads of q and {kv_heads} of k, expected a multiple"
    )
    _check_lengths("flash_fwd", queries=queries, keys=keys)
    _check_bias("flash_fwd", logit_bias, batch, heads, queries, keys)
    work = nl.bfloat16 if mixed_precision else q.dtype
    wide = nl.float32 if mixed_precision else q.dtype
    scale = 1.0 / d**0.5 if softmax_scale is None else softmax_scale
    out = nl.ndarray((batch, heads, queries, d), q.dtype, buffer=nl.shared_hbm)
    logs = None
    if config.training:
        kind = getattr(nl, config.lse_dtype) if config.lse_dtype else wide
        logs = nl.ndarray((batch, heads, TILE, queries // TILE), kind, buffer=nl.shared_hbm)
    masking, dropout = Masking.of(use_causal_mask, sliding_window), Dropout.of(dropout_p, seed)
    for b, group in programs("flash_fwd", batch, kv_heads):
        all_keys = nl.load(k[b, group], dtype=work)
        values = _values(v[b, group], work, config.should_transpose_v)
        for head in range(group * heads // kv_heads, (group + 1) * heads // kv_heads):
            for first in range(0, queries, TILE):
                part = nl.ds(first, TILE)
                query = nisa.tensor_scalar(nl.load(q[b, head, :, part]), np.multiply, scale, dtype=work)
                rows = _Rows(d)
                for at, count in masking.blocks(first, keys):
                    scores = nisa.nc_matmul(query, all_keys[:, nl.ds(at, count)])
                    if logit_bias is not None:
                        bias = nl.load(
                            _bias_of(logit_bias, b, head)[part, nl.ds(at, count)], dtype=nl.float32
                        )
                        scores = nl.add(scores, bias)
                    scores = masking.applied(scores, first, at, _LOWEST)
                    rows.see(
                        scores,
                        values,
                        at // TILE,
                        lambda powers, head=b * heads + head, first=first, at=at: dropout.applied(
                            powers, head, first, at
                        ),
                        work,
                    )
                nl.store(out[b, head, part, :], rows.result(q.dtype))
                if logs is not None:
                    nl.store(logs[b, head, :, nl.ds(first // TILE, 1)], rows.logarithms(logs.dtype))
    return out if logs is None else (out, logs)


def _bias_of(bias: Any, b: int, head: int) -> Any:
    """Returns the bias of a head; one of size 1 is that of all batches or heads."""
    return bias[b if bias.shape[0] > 1 else 0, head if bias.shape[1] > 1 else 0]


def _check_bias(function: str, bias: Any, batch: int, heads: int, queries: int, keys: int) -> None:
    require(
        bias is None
        or (
            bias.shape[0] in (1, batch) and bias.shape[1] in (1, heads) and bias.shape[2:] == (queries, keys)
        ),
        f"a bias{'' if bias is None else list(bias.shape)} of {function}, expected [{batch} or 1, {heads} or "
        f"1, {queries}, {keys}]",
    )


def _values(v: Any, dtype: Any, transposed: bool) -> Tensor:
    """Returns tiles [n, 128, d] of values [128 n, d], or of [d, 128 n]."""
    if not transposed:
        return loaded_rows(v, dtype)
    d, keys = v.shape
    tile = nl.load(v, dtype=dtype)
    values = nl.ndarray((keys // TILE, nl.par_dim(TILE), d), dtype)
    for at in range(keys // TILE):
        values[at] = turned(tile[:, nl.ds(TILE * at, TILE)], dtype)
    return values


class _Gradients:
    """The gradients of the heads of one batch that share keys and values."""

    def __init__(self, of: Any, b: int, masking: Masking, dropout: Dropout, scale: float, work: Any) -> None:
        self.of, self.b, self.masking, self.dropout, self.scale, self.work = (
            of,
            b,
            masking,
            dropout,
            scale,
            work,
        )
        self.d, self.queries = of.q.shape[2:]
        self.chunks = list(parts(self.d, TILE))

    def loaded(self, tensor: Any, head: int, first: int, count: int, dtype: Any) -> list[Tensor]:
        """Returns a tile [elements, count] for each 128 elements of a head."""
        return [
            nl.load(tensor[self.b, head, nl.ds(at, size), nl.ds(first, count)], dtype=dtype)
            for at, size in self.chunks
        ]

    def shares(self, head: int) -> Tensor:
        """Returns rowsum(dy o) of all queries, [128, queries / 128]."""
        result = nl.ndarray((TILE, self.queries // TILE), nl.float32)
        for first in range(0, self.queries, TILE):
            total = nl.zeros((TILE, 1), nl.float32, buffer=nl.psum)
            both = (self.loaded(x, head, first, TILE, nl.float32) for x in (self.of.dy, self.of.o))
            for dy, o in zip(*both):
                ones = nl.full((dy.shape[0], 1), 1.0, nl.float32)
                total += nisa.nc_matmul(nl.multiply(dy, o), ones)
            result[:, nl.ds(first // TILE, 1)] = nl.copy(total)
        return result

    def product(self, stationary: list[Tensor], moving: list[Tensor]) -> Tensor:
        """Returns the sum of products of all chunks."""
        total = nl.zeros((stationary[0].shape[1], moving[0].shape[1]), nl.float32, buffer=nl.psum)
        for a, b in zip(stationary, moving):
            total += nisa.nc_matmul(a, b)
        return total

    def powers(self, head: int, q: list[Tensor], k: list[Tensor], low: Any, first: int, at: int) -> Tensor:
        """Returns softmax(scale q.T k + bias), computed again from the logarithms of the sums."""
        scores, scale = self.product(q, k), self.scale
        if self.of.logit_bias is not None:
            count = scores.shape[1]
            bias = nl.load(
                _bias_of(self.of.logit_bias, self.b, head)[nl.ds(first, TILE), nl.ds(at, count)],
                dtype=nl.float32,
            )
            scores = nisa.scalar_tensor_tensor(
                data=scores, op0=np.multiply, operand0=scale, op1=np.add, operand1=bias
            )
            scale = 1.0
        result = nisa.activation(np.exp, scores, bias=low, scale=scale, dtype=nl.float32)
        return self.masking.applied(result, first, at, 0.0)


class _Arguments(NamedTuple):
    q: Any
    k: Any
    v: Any
    o: Any
    dy: Any
    lse: Any
    logit_bias: Any
    sinks: Any


@jit
def flash_attn_bwd(
    q_ref: Any,
    k_ref: Any,
    v_ref: Any,
    o_ref: Any,
    dy_ref: Any,
    lse_ref: Any,
    seed_ref: Any,
    logit_bias_ref: Any = None,
    use_causal_mask: bool = False,
    mixed_precision: bool = False,
    dropout_p: float = 0.0,
    softmax_scale: float | None = None,
    sliding_window: int = -1,
    sinks: Any = None,
) -> Any:
    """Gradients of q, k and v of flash_fwd; a program of the grid [batch, heads of k] each.

    All tensors are [batch, heads, d, length]; lse_ref is [batch, heads, 128, length / 128], as flash_fwd
    returns it. sinks are scores [batch, heads] that take a share of each row and have no value; with them
    their gradients are returned as well.
    """
    of = _Arguments(q_ref, k_ref, v_ref, o_ref, dy_ref, lse_ref, logit_bias_ref, sinks)
    batch, heads, d, queries = q_ref.shape
    kv_heads, keys = k_ref.shape[1], k_ref.shape[3]
    require(
        d <= TILE or d % TILE == 0, f"flash_attn_bwd of heads of {d} elements, expected a multiple of {TILE}"
    )
    require(
        heads % kv_heads == 0,
        f"flash_attn_bwd of {heads} heads of q and {kv_heads} of k, expected a multiple",
    )
    _check_lengths("flash_attn_bwd", queries=queries, keys=keys)
    _check_bias("flash_attn_bwd", logit_bias_ref, batch, heads, queries, keys)
    work = nl.bfloat16 if mixed_precision else q_ref.dtype
    scale = 1.0 / d**0.5 if softmax_scale is None else softmax_scale
    dq, dk, dv = (nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm) for x in (q_ref, k_ref, v_ref))
    dsinks = None if sinks is None else nl.ndarray(sinks.shape, sinks.dtype, buffer=nl.shared_hbm)
    masking, dropout = Masking.of(use_causal_mask, sliding_window), Dropout.of(dropout_p, seed_ref)
    for b, group in programs("flash_attn_bwd", batch, kv_heads):
        here = _Gradients(of, b, masking, dropout, scale, work)
        of_group = range(group * heads // kv_heads, (group + 1) * heads // kv_heads)
        lows, shares, sums = {}, {}, {}
        for head in of_group:
            lows[head] = nl.negative(nl.load(lse_ref[b, head], dtype=nl.float32))
            shares[head] = here.shares(head)
            sums[head] = [nl.zeros((size, queries), nl.float32) for _, size in here.chunks]
            if dsinks is not None:
                _store_sink(dsinks, b, head, _of_sink(sinks, b, head, lows[head], shares[head]))
        for at, count in parts(keys, _KEYS):
            _backward_of_keys(here, (dk, dv), group, of_group, at, count, lows, shares, sums)
        for head in of_group:
            for (place, size), total in zip(here.chunks, sums[head]):
                nl.store(dq[b, head, nl.ds(place, size), :], nl.multiply(total, scale))
    return (dq, dk, dv) if dsinks is None else (dq, dk, dv, dsinks)


def _backward_of_keys(
    here: _Gradients,
    results: tuple[Any, Any],
    group: int,
    of_group: range,
    at: int,
    count: int,
    lows: dict[int, Tensor],
    shares: dict[int, Tensor],
    sums: dict[int, list[Tensor]],
) -> None:
    """Adds the shares of a block of keys to the sums of dq, and stores their dk and dv."""
    of, work = here.of, here.work
    k, v = (here.loaded(x, group, at, count, work) for x in (of.k, of.v))
    k_rows = [[turned(chunk[:, nl.ds(place, TILE)], work) for place, _ in parts(count, TILE)] for chunk in k]
    totals = [[nl.zeros((size, count), nl.float32, buffer=nl.psum) for _, size in here.chunks] for _ in "kv"]
    for head in of_group:
        number = here.b * of.q.shape[1] + head
        for first in here.masking.blocks_of_keys(at, count, here.queries):
            column = nl.ds(first // TILE, 1)
            q, dy = (here.loaded(x, head, first, TILE, work) for x in (of.q, of.dy))
            powers = here.powers(head, q, k, lows[head][:, column], first, at)
            change = here.dropout.applied(here.product(dy, v), number, first, at)
            change = nisa.scalar_tensor_tensor(
                data=change,
                op0=np.subtract,
                operand0=shares[head][:, column],
                op1=np.multiply,
                operand1=powers,
                dtype=work,
            )
            weights = nl.copy(here.dropout.applied(powers, number, first, at), dtype=work)
            for chunk in range(len(here.chunks)):
                totals[0][chunk] += nisa.nc_matmul(turned(q[chunk], work), change)
                totals[1][chunk] += nisa.nc_matmul(turned(dy[chunk], work), weights)
            for place, _ in parts(count, TILE):
                columns = turned(change[:, nl.ds(place, TILE)], work)
                for chunk, rows in enumerate(k_rows):
                    part = sums[head][chunk][:, nl.ds(first, TILE)]
                    part += nisa.nc_matmul(rows[place // TILE], columns)
    for result, total, factor in zip(results, totals, (here.scale, 1.0)):
        for (place, size), chunk_total in zip(here.chunks, total):
            to = result[here.b, group, nl.ds(place, size), nl.ds(at, count)]
            nl.store(to, nl.multiply(chunk_total, factor, dtype=result.dtype))


def _of_sink(sinks: Any, b: int, head: int, low: Any, share: Any) -> Tensor:
    """Returns the gradient of a head's sink, [1, 1]: minus the sum of its share of each row times dy o."""
    score = nl.load(sinks[nl.ds(b, 1), nl.ds(head, 1)], dtype=nl.float32)
    powers = nisa.activation(np.exp, low, bias=nl.broadcast_to(score, shape=(TILE, 1)))
    rows = nl.sum(nl.multiply(powers, share), axis=1)
    return nl.negative(nisa.tensor_partition_reduce(np.add, rows))


def _store_sink(dsinks: Any, b: int, head: int, value: Tensor) -> None:
    nl.store(dsinks[nl.ds(b, 1), nl.ds(head, 1)], value)


def small_head(q: Any, keys: Tensor, values: Tensor, store: Any, causal: bool, work: Any, dtype: Any) -> None:
    """Attention of q [d, queries] in HBM with keys [d, n] and tiles of values in SBUF.

    `store(first, tile)` gets each 128 rows of the result.
    """
    masking = Masking.of(causal, -1)
    for first in range(0, q.shape[1], TILE):
        query = nl.load(q[:, nl.ds(first, TILE)])
        query = nisa.tensor_scalar(query, np.multiply, _SCALE_OF_64, dtype=work)
        rows = _Rows(values.shape[2])
        for at, count in masking.blocks(first, keys.shape[1]):
            scores = masking.applied(nisa.nc_matmul(query, keys[:, nl.ds(at, count)]), first, at, _LOWEST)
            rows.see(scores, values, at // TILE, lambda powers: powers, work)
        store(first, rows.result(dtype))


@jit
def fused_self_attn_for_SD_small_head_size(  # noqa: N802  # the public name
    q_ref: Any, k_ref: Any, v_ref: Any, use_causal_mask: bool = False, mixed_precision: bool = True
) -> Tensor:
    """softmax(0.125 q.T k.T) v; a program of the grid [batch] each.

    q_ref is [batch, d, length], k_ref and v_ref are [batch, length, d], with d up to 128. Returns
    [batch, length, d].
    """
    name = "fused_self_attn_for_SD_small_head_size"
    batch, d, length = q_ref.shape
    require(d <= TILE, f"{name} of heads of {d} elements, expected at most {TILE}")
    _check_lengths(name, length=length)
    work = nl.bfloat16 if mixed_precision else q_ref.dtype
    out = nl.ndarray((batch, length, d), q_ref.dtype, buffer=nl.shared_hbm)
    for (b,) in programs(name, batch):

        def store(first: int, tile: Tensor, b: int = b) -> None:
            nl.store(out[b, nl.ds(first, TILE), :], tile)

        keys, values = transposed_rows(k_ref[b], work), loaded_rows(v_ref[b], work)
        small_head(q_ref[b], keys, values, store, use_causal_mask, work, q_ref.dtype)
    return out
