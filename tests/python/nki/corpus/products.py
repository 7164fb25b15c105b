"""Matmuls, with operations fused to them."""

import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import neuronxcc.nki.typing as nt
import numpy as np
from neuronxcc import nki


@nki.jit
def matmul_basic(lhsT: nt.tensor, rhs: nt.tensor):
    """One tile; each operand is indexed with nl.arange."""
    result = nl.ndarray((64, 512), dtype=lhsT.dtype, buffer=nl.shared_hbm)
    i_lhsT_p, i_lhsT_f = nl.mgrid[0:128, 0:64]
    i_rhs_p, i_rhs_f = nl.mgrid[0:128, 0:512]
    i_out_p, i_out_f = nl.mgrid[0:64, 0:512]
    lhs_tile = nl.load(lhsT[i_lhsT_p, i_lhsT_f])
    rhs_tile = nl.load(rhs[i_rhs_p, i_rhs_f])
    result_psum = nl.zeros((64, 512), nl.float32, buffer=nl.psum)
    result_psum[i_out_p, i_out_f] += nl.matmul(lhs_tile, rhs_tile, transpose_x=True)
    result_sbuf = nl.copy(result_psum, dtype=result.dtype)
    nl.store(result[i_out_p, i_out_f], value=result_sbuf)
    return result


@nki.jit
def matmul_ragged(lhsT, rhs):
    """Sizes that are no multiples of the tiles, by slices of Python."""
    K, M = lhsT.shape
    K_, N = rhs.shape
    assert K == K_, f"lhsT and rhs must have the same contraction dimension, not {K} and {K_}"
    out = nl.ndarray((M, N), dtype=nl.float32, buffer=nl.shared_hbm)
    TM, TN, TK = nl.tile_size.gemm_stationary_fmax, nl.tile_size.gemm_moving_fmax, nl.tile_size.pmax
    for m in range(0, M, TM):
        for n in range(0, N, TN):
            me, ne = min(m + TM, M), min(n + TN, N)
            acc = nl.zeros((nl.par_dim(me - m), ne - n), nl.float32, buffer=nl.psum)
            for k in range(0, K, TK):
                ke = min(k + TK, K)
                acc += nisa.nc_matmul(nl.load(lhsT[k:ke, m:me]), nl.load(rhs[k:ke, n:ne]))
            nl.store(out[m:me, n:ne], acc)
    return out


@nki.jit
def matmul_masked(lhsT, rhs):
    """The same sizes by masks of full tiles."""
    K, M = lhsT.shape
    N = rhs.shape[1]
    out = nl.ndarray((M, N), dtype=lhsT.dtype, buffer=nl.shared_hbm)
    i_k, i_m = nl.arange(128)[:, None], nl.arange(128)[None, :]
    i_n, i_o = nl.arange(512)[None, :], nl.arange(128)[:, None]
    for m in nl.affine_range((M + 127) // 128):
        for n in nl.affine_range((N + 511) // 512):
            acc = nl.zeros((nl.par_dim(128), 512), nl.float32, buffer=nl.psum)
            for k in nl.affine_range((K + 127) // 128):
                a = nl.zeros((nl.par_dim(128), 128), dtype=lhsT.dtype)
                b = nl.zeros((nl.par_dim(128), 512), dtype=rhs.dtype)
                a[i_k, i_m] = nl.load(
                    lhsT[k * 128 + i_k, m * 128 + i_m], mask=(k * 128 + i_k < K) & (m * 128 + i_m < M)
                )
                b[i_k, i_n] = nl.load(
                    rhs[k * 128 + i_k, n * 512 + i_n], mask=(k * 128 + i_k < K) & (n * 512 + i_n < N)
                )
                acc[...] += nl.matmul(a, b, transpose_x=True)
            nl.store(out[m * 128 + i_o, n * 512 + i_n], acc, mask=(m * 128 + i_o < M) & (n * 512 + i_n < N))
    return out


@nki.jit
def matmul_blocked(lhsT, rhs, TILES_IN_BLOCK_M=2, TILES_IN_BLOCK_N=1, TILES_IN_BLOCK_K=2):
    """Blocks over three dimensions, partial sums of blocks of K by nl.loop_reduce."""
    K, M = lhsT.shape
    _, N = rhs.shape
    out = nl.ndarray((M, N), dtype=lhsT.dtype, buffer=nl.shared_hbm)
    TILE_M, TILE_K, TILE_N = 128, 128, 256
    BM, BN, BK = TILE_M * TILES_IN_BLOCK_M, TILE_N * TILES_IN_BLOCK_N, TILE_K * TILES_IN_BLOCK_K
    for n in nl.affine_range(N // BN):
        res = nl.zeros(
            (M // BM, TILES_IN_BLOCK_M, TILES_IN_BLOCK_N, nl.par_dim(TILE_M), TILE_N),
            dtype=nl.float32,
            buffer=nl.sbuf,
        )
        for k in nl.sequential_range(K // BK):
            i_r = nl.mgrid[0:TILE_K, 0:BN]
            rhs_tiles = nl.ndarray(
                (TILES_IN_BLOCK_K, nl.par_dim(TILE_K), BN), dtype=rhs.dtype, buffer=nl.sbuf
            )
            for bk in nl.affine_range(TILES_IN_BLOCK_K):
                rhs_tiles[bk, i_r.p, i_r.x] = nl.load(
                    rhs[(TILES_IN_BLOCK_K * k + bk) * TILE_K + i_r.p, BN * n + i_r.x]
                )
            for m in nl.affine_range(M // BM):
                i_l = nl.mgrid[0:TILE_K, 0:BM]
                lhsT_tiles = nl.ndarray(
                    (TILES_IN_BLOCK_K, nl.par_dim(TILE_K), BM), dtype=lhsT.dtype, buffer=nl.sbuf
                )
                for bk in nl.affine_range(TILES_IN_BLOCK_K):
                    lhsT_tiles[bk, i_l.p, i_l.x] = nl.load(
                        lhsT[(TILES_IN_BLOCK_K * k + bk) * TILE_K + i_l.p, BM * m + i_l.x]
                    )
                for bn in nl.affine_range(TILES_IN_BLOCK_N):
                    for bm in nl.affine_range(TILES_IN_BLOCK_M):
                        part = nl.zeros((TILE_M, TILE_N), dtype=nl.float32, buffer=nl.psum)
                        i_lm, i_rn = nl.mgrid[0:TILE_K, 0:TILE_M], nl.mgrid[0:TILE_K, 0:TILE_N]
                        i_res = nl.mgrid[0:TILE_M, 0:TILE_N]
                        for bk in nl.affine_range(TILES_IN_BLOCK_K):
                            part[...] += nisa.nc_matmul(
                                lhsT_tiles[bk, i_lm.p, bm * TILE_M + i_lm.x],
                                rhs_tiles[bk, i_rn.p, bn * TILE_N + i_rn.x],
                            )
                        res[m, bm, bn, i_res.p, i_res.x] += part[i_res.p, i_res.x]
        for m in nl.affine_range(M // BM):
            for bm in nl.affine_range(TILES_IN_BLOCK_M):
                i_res, i_pack = nl.mgrid[0:TILE_M, 0:TILE_N], nl.mgrid[0:TILE_M, 0:BN]
                packed = nl.ndarray((TILE_M, BN), dtype=nl.float32, buffer=nl.sbuf)
                for bn in nl.affine_range(TILES_IN_BLOCK_N):
                    packed[i_res.p, bn * TILE_N + i_res.x] = nl.copy(res[m, bm, bn, i_res.p, i_res.x])
                nl.store(
                    out[(TILES_IN_BLOCK_M * m + bm) * TILE_M + i_pack.p, BN * n + i_pack.x],
                    value=packed[i_pack.p, i_pack.x],
                )
    return out


@nki.jit
def matmul_loop_reduce(lhsT, rhs):
    """Sums over K, kept in SBUF by nl.loop_reduce."""
    K, M = lhsT.shape
    N = rhs.shape[1]
    out = nl.ndarray((M, N), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((nl.par_dim(M), N), dtype=nl.float32)
    for k in nl.affine_range(K // 128):
        part = nisa.nc_matmul(nl.load(lhsT[nl.ds(k * 128, 128), 0:M]), nl.load(rhs[nl.ds(k * 128, 128), 0:N]))
        total[...] = nl.loop_reduce(part, op=np.add, loop_indices=[k], dtype=nl.float32)
    nl.store(out, total)
    return out


def transpose_to(dst, src, dtype):
    """A helper writes an argument of its caller."""
    dst[...] = nisa.tensor_copy(nisa.nc_transpose(src), dtype=dtype)


@nki.jit
def mlp(x, w_gate, w_up, w_down):
    """silu(x Wg) * (x Wu), times Wd: x is [128, H], weights [H, I] and [I, H]."""
    tokens, hidden = x.shape
    inner = w_gate.shape[1]
    P = nl.tile_size.pmax
    out = nl.ndarray((tokens, hidden), dtype=x.dtype, buffer=nl.shared_hbm)
    x_sb = nl.load(x)
    xT = [nl.ndarray((nl.par_dim(P), tokens), dtype=x.dtype, buffer=nl.sbuf) for _ in range(hidden // P)]
    for h, tile in enumerate(xT):
        transpose_to(tile, x_sb[:, nl.ds(h * P, P)], x.dtype)
    y = nl.zeros((nl.par_dim(tokens), hidden), dtype=nl.float32, buffer=nl.psum)
    for i in nl.affine_range(inner // P):
        gate, up = (nl.zeros((nl.par_dim(P), tokens), dtype=nl.float32, buffer=nl.psum) for _ in range(2))
        for h in range(hidden // P):
            for total, weights in ((gate, w_gate), (up, w_up)):
                w = nl.load(weights[nl.ds(h * P, P), nl.ds(i * P, P)])
                total += nisa.nc_matmul(w, xT[h])
        act = nl.multiply(nl.silu(gate), up, dtype=x.dtype)
        y += nisa.nc_matmul(act, nl.load(w_down[nl.ds(i * P, P), :]))
    nl.store(out, y)
    return out


@nki.jit
def conv_as_matmul(x, w):
    """A 3 x 3 convolution over a padded image: a matmul for each tap, moving tiles of three dimensions."""
    c_in, height, width = x.shape
    taps_h, taps_w, _, c_out = w.shape
    ho, wo = height - taps_h + 1, width - taps_w + 1
    y = nl.ndarray((c_out, ho, wo), dtype=nl.float32, buffer=nl.shared_hbm)
    image = nl.load(x)
    weights = nl.ndarray((taps_h, taps_w, nl.par_dim(c_in), c_out), dtype=w.dtype)
    for r in nl.affine_range(taps_h):
        for s in nl.affine_range(taps_w):
            weights[r, s] = nl.load(w[r, s])
    acc = nl.zeros((nl.par_dim(c_out), ho, wo), dtype=nl.float32, buffer=nl.psum)
    for r in nl.affine_range(taps_h):
        for s in nl.affine_range(taps_w):
            acc[...] += nisa.nc_matmul(weights[r, s], image[:, nl.ds(r, ho), nl.ds(s, wo)])
    nl.store(y, nl.relu(acc))
    return y


@nki.jit
def linear_rmsnorm(x, w, gamma, eps=1e-5):
    """rmsnorm(x) W with one pass over x: the scale of a row is applied to the product."""
    tokens, hidden = x.shape
    out = nl.ndarray((tokens, w.shape[1]), dtype=x.dtype, buffer=nl.shared_hbm)
    P = 128
    w_sb = nl.ndarray((hidden // P, nl.par_dim(P), w.shape[1]), dtype=w.dtype, buffer=nl.sbuf)
    for h in nl.affine_range(hidden // P):
        g = nl.load(gamma[h * P + nl.arange(P)[:, None]])
        w_sb[h, :, :] = nisa.tensor_scalar(nl.load(w[h * P : (h + 1) * P, :]), op0=nl.multiply, operand0=g)
    for t in nl.affine_range(tokens // P):
        rows = nl.load(x[nl.ds(t * P, P), :])
        square_sum = nl.ndarray((P, 1), dtype=nl.float32)
        nisa.activation_reduce(
            op=nl.square, data=rows, reduce_op=np.add, reduce_res=square_sum, dtype=nl.float32
        )
        scale = nl.rsqrt(nl.add(nl.multiply(square_sum, 1.0 / hidden), eps))
        acc = nl.zeros((P, w.shape[1]), dtype=nl.float32, buffer=nl.psum)
        for h in nl.affine_range(hidden // P):
            xT = nisa.nc_transpose(rows[:, nl.ds(h * P, P)])
            acc[...] += nisa.nc_matmul(nisa.tensor_copy(xT), w_sb[h, :, :])
        nl.store(out[nl.ds(t * P, P), :], nl.multiply(acc, scale))
    return out


def cases(rng):
    a, b = rng.normal(size=(128, 64)).astype(np.float32), rng.normal(size=(128, 512)).astype(np.float32)
    yield matmul_basic, (a, b), a.astype(np.float64).T @ b, 1e-5
    a, b = rng.normal(size=(200, 150)).astype(np.float32), rng.normal(size=(200, 530)).astype(np.float32)
    yield matmul_ragged, (a, b), a.astype(np.float64).T @ b, 1e-5
    yield matmul_masked, (a, b), a.astype(np.float64).T @ b, 1e-5
    a, b = (rng.normal(size=shape).astype(nl.bfloat16) for shape in ((512, 256), (512, 256)))
    yield matmul_blocked, (a, b), a.astype(np.float64).T @ b.astype(np.float64), 2**-7
    a, b = rng.normal(size=(384, 96)).astype(np.float32), rng.normal(size=(384, 100)).astype(np.float32)
    yield matmul_loop_reduce, (a, b), a.astype(np.float64).T @ b, 1e-5
    x = rng.normal(size=(128, 256)).astype(np.float32)
    gate, up = (rng.normal(0, 0.1, size=(256, 384)).astype(np.float32) for _ in range(2))
    down = rng.normal(0, 0.1, size=(384, 256)).astype(np.float32)
    g = x.astype(np.float64) @ gate
    yield mlp, (x, gate, up, down), (g / (1 + np.exp(-g)) * (x.astype(np.float64) @ up)) @ down, 1e-4
    x, w = (
        rng.normal(size=(40, 10, 14)).astype(np.float32),
        rng.normal(size=(3, 3, 40, 24)).astype(np.float32),
    )
    windows = np.lib.stride_tricks.sliding_window_view(x.astype(np.float64), (3, 3), axis=(1, 2))
    yield conv_as_matmul, (x, w), np.maximum(np.einsum("chwrs,rsco->ohw", windows, w), 0), 1e-5
    x, w = rng.normal(size=(128, 256)).astype(np.float32), rng.normal(size=(256, 200)).astype(np.float32)
    gamma = rng.normal(size=256).astype(np.float32)
    wide = x.astype(np.float64)
    yield (
        linear_rmsnorm,
        (x, w, gamma),
        (wide / np.sqrt((wide**2).mean(1, keepdims=True) + 1e-5) * gamma) @ w,
        1e-5,
    )
