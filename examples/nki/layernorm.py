"""Layer normalization of rows: means and variances by bn_stats and bn_aggr."""

import common
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np
from neuronxcc import nki

PIECE = 512  # elements of a row that bn_stats takes


@nki.jit
def layernorm(x, gamma, beta, epsilon):
    rows, columns = x.shape
    pieces = columns // PIECE
    out = nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm)
    weight = nl.broadcast_to(nl.load(gamma.reshape((1, columns))), shape=(128, columns))
    shift = nl.broadcast_to(nl.load(beta.reshape((1, columns))), shape=(128, columns))
    for tile in nl.affine_range(rows // 128):
        part = nl.load(x[nl.ds(tile * 128, 128), :])
        statistics = nl.ndarray((128, 6 * pieces), nl.float32)
        for piece in nl.affine_range(pieces):
            statistics[:, nl.ds(6 * piece, 6)] = nisa.bn_stats(part[:, nl.ds(piece * PIECE, PIECE)])
        moments = nisa.bn_aggr(statistics)
        scale = nl.rsqrt(nl.add(moments[:, 1:2], epsilon))
        centred = nisa.tensor_scalar(part, np.subtract, moments[:, 0:1], op1=np.multiply, operand1=scale)
        nl.store(out[nl.ds(tile * 128, 128), :], nl.add(nl.multiply(centred, weight), shift))
    return out


def main():
    rng = np.random.default_rng(1)
    x, gamma, beta = rng.normal(1, 2, (256, 1024)), rng.normal(size=1024), rng.normal(size=1024)
    x, gamma, beta = (a.astype(np.float32) for a in (x, gamma, beta))
    wide = x.astype(np.float64)
    expected = (wide - wide.mean(1, keepdims=True)) / np.sqrt(
        wide.var(1, keepdims=True) + 1e-5
    ) * gamma + beta
    common.check(layernorm, layernorm(x, gamma, beta, 1e-5), expected, 1e-6)


if __name__ == "__main__":
    main()
