"""Attention, forward and backward."""

from dataclasses import dataclass

import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np
from neuronxcc import nki
from neuronxcc.nki.language import par_dim


@nki.jit
def self_attention(q_ref, k_ref, v_ref, use_causal_mask=False, mixed_precision=True):
    """One head, q, k and v [length, d]: all scores of 128 queries at once."""
    kernel_dtype = q_ref.dtype
    pe_in_dt = nl.bfloat16 if mixed_precision else np.float32
    assert q_ref.dtype == k_ref.dtype == v_ref.dtype
    seqlen, d_head = q_ref.shape
    out_ref = nl.ndarray((seqlen, d_head), dtype=q_ref.dtype, buffer=nl.shared_hbm)
    softmax_scale = 1.0 / np.sqrt(d_head)
    tiles, size = seqlen // 128, 128
    trans_v = nl.ndarray((par_dim(128), tiles, d_head), dtype=pe_in_dt)
    k_local = nl.ndarray((tiles, par_dim(d_head), 128), dtype=pe_in_dt)
    q_local = nl.ndarray((tiles, par_dim(d_head), 128), dtype=pe_in_dt)
    for i in nl.affine_range(tiles):
        ip_v, if_v = nl.arange(128)[:, None], nl.arange(d_head)[None, :]
        trans_v[ip_v, i, if_v] = nl.load(v_ref[i * size + ip_v, if_v], dtype=pe_in_dt)
        ip_qk, if_qk = nl.arange(d_head)[:, None], nl.arange(128)[None, :]
        q_local[i, ip_qk, if_qk] = (
            nl.load_transpose2d(
                q_ref[i * size + nl.arange(128)[:, None], nl.arange(d_head)[None, :]], dtype=pe_in_dt
            )
            * softmax_scale
        )
        k_local[i, ip_qk, if_qk] = nl.load_transpose2d(
            k_ref[i * size + nl.arange(128)[:, None], nl.arange(d_head)[None, :]], dtype=pe_in_dt
        )
    for i_q in nl.affine_range(tiles):
        qk_res = nl.ndarray((par_dim(128), seqlen), dtype=kernel_dtype)
        neg_max = nl.ndarray((par_dim(128), tiles), dtype=kernel_dtype)
        ip_max, if_max = nl.arange(128)[:, None], nl.arange(1)[None, :]
        for i_k in nl.affine_range(tiles):
            qk_psum = nl.zeros((par_dim(128), 128), dtype=np.float32, buffer=nl.psum)
            ip, jf = nl.arange(128)[:, None], nl.arange(128)[None, :]
            mask = i_q >= i_k if use_causal_mask else None
            qk_psum[ip, jf] += nisa.nc_matmul(
                moving=k_local[i_k, nl.arange(d_head)[:, None], jf],
                stationary=q_local[i_q, nl.arange(d_head)[:, None], jf],
                mask=mask,
            )
            if use_causal_mask:
                qk_res[ip, i_k * 128 + jf] = nisa.affine_select(
                    pred=(i_q * 128 + ip >= i_k * 128 + jf),
                    on_true_tile=nl.copy(qk_psum[ip, jf]),
                    on_false_value=-9984.0,
                    dtype=kernel_dtype,
                )
            else:
                qk_res[ip, i_k * 128 + jf] = nl.copy(qk_psum[ip, jf], dtype=kernel_dtype)
            neg_max[ip_max, i_k] = nisa.tensor_reduce(
                np.max, data=qk_res[ip, i_k * 128 + jf], axis=(1,), dtype=kernel_dtype, negate=True
            )
        neg_max_all = nisa.tensor_reduce(
            np.min,
            data=neg_max[nl.arange(128)[:, None], nl.arange(tiles)[None, :]],
            axis=(1,),
            dtype=kernel_dtype,
        )
        ip, jf = nl.arange(128)[:, None], nl.arange(seqlen)[None, :]
        exp_res = nisa.activation(np.exp, data=qk_res[ip, jf], bias=neg_max_all, scale=1.0)
        divisor = nl.ndarray((par_dim(128), d_head), dtype=kernel_dtype)
        sum_res = nisa.tensor_reduce(np.add, data=exp_res, axis=(1,), dtype=kernel_dtype)
        divisor[nl.arange(128)[:, None], nl.arange(d_head)[None, :]] = (1.0 / sum_res).broadcast_to(
            (128, d_head)
        )
        softmax_t = nl.ndarray((tiles, par_dim(128), 128), dtype=pe_in_dt)
        for i_k in nl.affine_range(tiles):
            softmax_t[i_k] = nisa.nc_transpose(nl.copy(exp_res[:, nl.ds(i_k * 128, 128)], dtype=pe_in_dt))
        attn_psum = nl.zeros((par_dim(d_head), 128), dtype=np.float32, buffer=nl.psum)
        for i_k in nl.affine_range(tiles):
            attn_psum[...] += nisa.nc_matmul(
                moving=softmax_t[i_k],
                stationary=trans_v[:, i_k, :],
                mask=(i_q >= i_k) if use_causal_mask else None,
            )
        attn = nisa.nc_transpose(nl.copy(attn_psum, dtype=np.float32))
        nl.store(out_ref[nl.ds(i_q * 128, 128), :], nl.multiply(attn, divisor))
    return out_ref


@dataclass(frozen=True)
class Config:
    block: int = 256
    causal: bool = True


def block_of_keys(q, k, v, state, i_q, i_block, config):
    """Updates largest score, sum and result with a block of keys; nested functions see the variables around
    them.
    """
    largest, total, acc = state
    d, width = k.shape
    scores = nl.ndarray((par_dim(128), width), dtype=nl.float32)

    def scored(j):
        return nisa.nc_matmul(q, k[:, nl.ds(j * 128, 128)])

    for j in nl.affine_range(width // 128):
        here = scored(j)
        if config.causal:
            i_p, i_f = nl.mgrid[0:128, 0:128]
            first = i_block * config.block + j * 128
            scores[:, nl.ds(j * 128, 128)] = nisa.affine_select(
                pred=(i_q * 128 + i_p >= first + i_f),
                on_true_tile=nl.copy(here, dtype=nl.float32),
                on_false_value=nl.fp32.min,
            )
        else:
            scores[:, nl.ds(j * 128, 128)] = nl.copy(here)
    now = nisa.tensor_tensor(largest, nl.max(scores, axis=1), op=nl.maximum)
    alpha = nisa.activation(nl.exp, now, bias=largest, scale=-1.0)
    row_sum = nl.ndarray((par_dim(128), 1), dtype=nl.float32)
    p = nisa.activation_reduce(
        nl.exp, scores, bias=nl.negative(now), scale=1.0, reduce_op=nl.add, reduce_res=row_sum, dtype=v.dtype
    )
    part = nl.zeros((par_dim(128), d), dtype=nl.float32, buffer=nl.psum)
    for j in nl.affine_range(width // 128):
        part += nl.matmul(nl.copy(nl.transpose(p[:, nl.ds(j * 128, 128)])), v[j], transpose_x=True)
    acc[...] = nl.add(nl.multiply(acc, alpha), part)
    total[...] = nl.add(nl.multiply(total, alpha), row_sum)
    largest[...] = now


@nki.jit
def flash_forward(q, k, v, config=Config()):
    """Heads are programs; q and k are [batch, heads, d, length], v [batch, heads, length, d].

    The logarithms of the sums are a result as well.
    """
    b, h, d, length = q.shape
    batch_id, head_id = nl.program_id(axis=0), nl.program_id(axis=1)
    o = nl.ndarray((b, h, length, d), dtype=q.dtype, buffer=nl.shared_hbm)
    lse = nl.ndarray(
        (b, h, nl.tile_size.pmax, length // nl.tile_size.pmax), dtype=nl.float32, buffer=nl.shared_hbm
    )
    for i_q in nl.affine_range(length // 128):
        q_tile = nl.multiply(
            nl.load(q[batch_id, head_id, :, nl.ds(i_q * 128, 128)]), 1.0 / d**0.5, dtype=q.dtype
        )
        largest = nl.full((par_dim(128), 1), nl.fp32.min, dtype=nl.float32)
        total = nl.zeros((par_dim(128), 1), dtype=nl.float32)
        acc = nl.zeros((par_dim(128), d), dtype=nl.float32)
        for i_block in nl.sequential_range(length // config.block):
            k_tile = nl.load(k[batch_id, head_id, :, nl.ds(i_block * config.block, config.block)])
            v_tiles = nl.ndarray((config.block // 128, par_dim(128), d), dtype=v.dtype)
            for j in nl.affine_range(config.block // 128):
                v_tiles[j] = nl.load(v[batch_id, head_id, nl.ds(i_block * config.block + j * 128, 128), :])
            if not config.causal or i_q * 128 >= i_block * config.block:
                block_of_keys(q_tile, k_tile, v_tiles, (largest, total, acc), i_q, i_block, config)
        nl.store(o[batch_id, head_id, nl.ds(i_q * 128, 128), :], nl.divide(acc, total))
        nl.store(lse[batch_id, head_id, :, i_q], nl.add(largest, nl.log(total)))
    return o, lse


@nki.jit
def flash_backward(q, k, v, dy, o, lse, scale=1.0):
    """One head, all [length, d], lse [length, 1]; dq is summed in HBM-sized tiles kept in SBUF."""
    length, d = q.shape
    n = length // 128
    dq, dk, dv = (nl.ndarray((length, d), dtype=q.dtype, buffer=nl.shared_hbm) for _ in range(3))
    sizes = (n, par_dim(128), d)
    q_rows, dy_rows = nl.ndarray(sizes, dtype=q.dtype), nl.ndarray(sizes, dtype=q.dtype)
    turned = (n, par_dim(d), 128)
    qT, dyT = nl.ndarray(turned, dtype=q.dtype), nl.ndarray(turned, dtype=q.dtype)
    neg_lse, delta = (
        nl.ndarray((n, par_dim(128), 1), dtype=nl.float32),
        nl.ndarray((n, par_dim(128), 1), dtype=nl.float32),
    )
    dq_acc = nl.zeros(sizes, dtype=nl.float32)
    for i in nl.affine_range(n):
        rows = nl.ds(i * 128, 128)
        q_rows[i], dy_rows[i] = nl.load(q[rows, :]), nl.load(dy[rows, :])
        qT[i], dyT[i] = nisa.nc_transpose(q_rows[i]), nisa.nc_transpose(dy_rows[i])
        neg_lse[i] = nl.negative(nl.load(lse[rows, :]))
        delta[i] = nl.sum(
            nl.multiply(dy_rows[i], nl.load(o[rows, :]), dtype=nl.float32), axis=1, keepdims=True
        )
    for j in nl.affine_range(n):
        columns = nl.ds(j * 128, 128)
        k_rows = nl.load(k[columns, :])
        kT, vT = nl.copy(nisa.nc_transpose(k_rows)), nl.copy(nisa.nc_transpose(nl.load(v[columns, :])))
        dv_psum = nl.zeros((par_dim(128), d), dtype=nl.float32, buffer=nl.psum)
        dk_psum = nl.zeros((par_dim(128), d), dtype=nl.float32, buffer=nl.psum)
        for i in nl.sequential_range(n):
            s = nisa.nc_matmul(qT[i], kT)
            p = nisa.activation(np.exp, s, scale=scale, bias=neg_lse[i], dtype=q.dtype)
            dv_psum += nisa.nc_matmul(p, dy_rows[i])
            dp = nisa.nc_matmul(dyT[i], vT)
            ds = nisa.scalar_tensor_tensor(
                data=dp, op0=nl.subtract, operand0=delta[i], op1=nl.multiply, operand1=p, dtype=q.dtype
            )
            ds = nl.multiply(ds, scale, dtype=q.dtype)
            dk_psum += nisa.nc_matmul(ds, q_rows[i])
            dsT = nl.copy(nisa.nc_transpose(ds), dtype=q.dtype)
            dq_acc[i] += nisa.nc_matmul(dsT, k_rows)
        nl.store(dv[columns, :], nl.copy(dv_psum, dtype=q.dtype))
        nl.store(dk[columns, :], nl.copy(dk_psum, dtype=q.dtype))
    for i in nl.affine_range(n):
        nl.store(dq[nl.ds(i * 128, 128), :], dq_acc[i])
    return dq, dk, dv


@nki.jit
def decode_attention(q, k_cache, v_cache, length):
    """One new token of 8 heads against a cache; keys beyond `length` are masked."""
    heads, d = q.shape
    slots = k_cache.shape[1]
    out = nl.ndarray((heads, d), dtype=q.dtype, buffer=nl.shared_hbm)
    q_t = nl.load_transpose2d(q)
    result = nl.ndarray((1, heads, d), dtype=nl.float32)
    for h in nl.affine_range(heads):
        k_t = nl.load(k_cache[h].reshape((slots, d)).reshape((slots, d)))
        k_turned = nl.copy(nisa.nc_transpose(k_t))
        s = nl.copy(nisa.nc_matmul(q_t[:, h : h + 1], k_turned))
        i_f = nl.arange(slots)[None, :]
        s = nisa.affine_select(
            pred=(i_f < length + 0 * nl.arange(1)[:, None]), on_true_tile=s, on_false_value=-1e30
        )
        p = nl.softmax(nl.multiply(s, d**-0.5), axis=1)
        p_t = nisa.nc_matmul(p, nl.ones((1, 1), dtype=nl.float32))
        result[0, h, :] = nl.copy(nisa.nc_matmul(nl.copy(p_t), nl.load(v_cache[h])))
    nl.store(out.reshape((1, heads, d)), result)
    return out


def softmax(scores):
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def cases(rng):
    q, k, v = rng.normal(size=(3, 256, 64)).astype(np.float32)
    scores = (q.astype(np.float64) @ k.T) / 8
    yield self_attention, (q, k, v), softmax(scores) @ v, 2e-2
    causal = np.where(np.tri(256, dtype=bool), scores, -np.inf)
    yield self_attention, (q, k, v, True, False), softmax(causal) @ v, 1e-4
    q, k = rng.normal(size=(2, 1, 2, 64, 512)).astype(nl.bfloat16)
    v = rng.normal(size=(1, 2, 512, 64)).astype(nl.bfloat16)
    scores = np.einsum("bhdi,bhdj->bhij", q.astype(np.float64), k.astype(np.float64)) / 8
    causal = np.where(np.tri(512, dtype=bool), scores, -np.inf)
    lse = np.log(np.exp(causal).sum(-1)).reshape(1, 2, 4, 128).transpose(0, 1, 3, 2)
    yield flash_forward[1, 2], (q, k, v), (softmax(causal) @ v.astype(np.float64), lse), (2e-2, 2e-2)
    lse = np.log(np.exp(scores).sum(-1)).reshape(1, 2, 4, 128).transpose(0, 1, 3, 2)
    yield (
        flash_forward[1, 2],
        (q, k, v, Config(512, False)),
        (softmax(scores) @ v.astype(np.float64), lse),
        (2e-2, 2e-2),
    )
    q, k, v, dy = rng.normal(size=(4, 256, 32)).astype(np.float32)
    scale = 32**-0.5
    scores = q.astype(np.float64) @ k.T * scale
    p = softmax(scores)
    o, lse = (p @ v).astype(np.float32), np.log(np.exp(scores).sum(1, keepdims=True)).astype(np.float32)
    dp = dy.astype(np.float64) @ v.T
    ds = p * (dp - (dy * (p @ v)).sum(1, keepdims=True)) * scale
    yield flash_backward, (q, k, v, dy, o, lse, scale), (ds @ k, ds.T @ q, p.T @ dy), (1e-4,) * 3
    q = rng.normal(size=(4, 32)).astype(np.float32)
    k, v = rng.normal(size=(2, 4, 96, 32)).astype(np.float32)
    scores = np.einsum("hd,hsd->hs", q.astype(np.float64), k) * 32**-0.5
    yield decode_attention, (q, k, v, 70), np.einsum("hs,hsd->hd", softmax(scores[:, :70]), v[:, :70]), 1e-4
