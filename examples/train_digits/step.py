"""One step of training as one kernel: forward, backward and AdamW of a network of two layers.

    h = relu(x w1)    logits = h w2    loss = cross entropy of softmax(logits)

Samples lie on the partitions of the core or in the free dimension, as the next matmul needs them; h is
computed both ways, which costs no more than to transpose it. Every operand of a matmul has the type of the
weights, everything else is fp32. Only the write of the weights leaves its rounding to the core; the others
round to nearest even.
"""

import numpy as np

import trnsim

TILE = 16  # rows and columns of the array of small16
PIXELS, HIDDEN, CLASSES, BATCH = 64, 32, 10, 64
BETA1, BETA2, EPS, DECAY = 0.9, 0.999, 1e-8, 0.01


def factors(step, rate):
    """Returns the factors of AdamW for a step, numbered from 1: the rate and the correction of v, for every
    partition.
    """
    values = [rate / (1 - BETA1**step), 1 / (1 - BETA2**step)]
    return np.broadcast_to(np.float32(values), (TILE, 2)).copy()


def tiles(count):
    return range(count // TILE)


def part(index, width=TILE):
    """Returns the number of elements of a tile in the free dimension."""
    return slice(index * width, (index + 1) * width)


class Step:
    """Writes the kernel. Members that end in _t have the features on the partitions, others the samples."""

    def __init__(self, config, dtype, rate):
        self.k = trnsim.KernelBuilder("train_step", config, arguments=f"dtype={dtype} rate={rate}")
        self.dtype, self.rate = dtype, rate
        self.views = {}
        self.loads = self.k.queue("loads", owner="sync")
        self.stores = self.k.queue("stores", owner="gpsimd")

    def build(self):
        self.declare()
        self.forward()
        self.differentiate()
        self.backward()
        self.adamw(self.w1, self.dw1, "1")
        self.adamw(self.w2, self.dw2, "2")
        return self.k.finish()

    def rows(self, name, kind, dtype, shape):
        """Returns a tensor [rows, columns] in HBM, its view and its tile.

        The tile has TILE rows on the partitions, then blocks of rows.
        """
        self.views[name] = self.k.tensor(name, kind, dtype, shape)
        return self.views[name].split(0, TILE).swapped(0, 1), self.k.sbuf(
            TILE, dtype, [shape[0] // TILE, shape[1]]
        )

    def load(self, name, kind, dtype, shape):
        view, tile = self.rows(name, kind, dtype, shape)
        self.k.load(self.loads, tile, view)
        return view, tile

    def declare(self):
        k, dtype = self.k, self.dtype
        _, self.x_t = self.load("x_t", "input", dtype, [PIXELS, BATCH])
        self.w1 = self.load("w1", "update", dtype, [PIXELS, HIDDEN])
        self.w2 = self.load("w2", "update", dtype, [HIDDEN, CLASSES])
        _, self.x = self.load("x", "input", dtype, [BATCH, PIXELS])
        _, self.labels = self.load("labels", "input", "fp32", [BATCH, CLASSES])

        identity = k.tensor("identity", "input", dtype, [TILE, TILE])
        self.identity = k.sbuf(TILE, dtype, [TILE])
        k.load(self.loads, self.identity, identity)
        # w2 with the classes on the partitions is loaded element by element, as it is small.
        self.w2_t = k.sbuf(CLASSES, dtype, [HIDDEN])
        k.load(self.loads, self.w2_t, self.views["w2"].swapped(0, 1))
        step = k.tensor("factors", "input", "fp32", [TILE, 2])
        self.factors = k.sbuf(TILE, "fp32", [2])
        k.load(self.loads, self.factors, step)

    def forward(self):
        k = self.k
        x_t, (_, w1), (_, w2) = self.x_t, self.w1, self.w2
        # Here the features are on the partitions: [TILE, blocks of HIDDEN, BATCH].
        total = k.psum(0, TILE, HIDDEN // TILE * BATCH)
        for i in tiles(HIDDEN):
            for j in tiles(PIXELS):
                k.load_stationary(w1[:, j, part(i)])
                k.multiply_moving(total[:, part(i, BATCH)], x_t[:, j, :], accumulate=j > 0)
        self.h_t = k.sbuf(TILE, self.dtype, [HIDDEN // TILE * BATCH])
        k.tensor_scalar(self.h_t, total, "max", 0.0, rounding="nearest")
        # Here the samples are on the partitions: [TILE, blocks of BATCH, HIDDEN].
        total = k.psum(1, TILE, BATCH // TILE * HIDDEN)
        for i in tiles(BATCH):
            for j in tiles(PIXELS):
                k.load_stationary(x_t[:, j, part(i)])
                k.multiply_moving(total[:, part(i, HIDDEN)], w1[:, j, :], accumulate=j > 0)
        self.h = k.sbuf(TILE, self.dtype, [BATCH // TILE * HIDDEN])
        k.tensor_scalar(self.h, total, "max", 0.0, rounding="nearest")

        view, self.logits = self.rows("logits", "output", "fp32", [BATCH, CLASSES])
        total = k.psum(2, TILE, BATCH // TILE * CLASSES)
        for i in tiles(BATCH):
            for j in tiles(HIDDEN):
                column = j * BATCH + i * TILE
                k.load_stationary(self.h_t[:, column : column + TILE])
                k.multiply_moving(total[:, part(i, CLASSES)], w2[:, j, :], accumulate=j > 0)
            k.tensor_copy(self.logits[:, i, :], total[:, part(i, CLASSES)])
        k.store(self.stores, view, self.logits)

    def differentiate(self):
        """d = (softmax(logits) - labels) / BATCH."""
        k = self.k
        maximum, total, inverse = (k.sbuf(TILE, "fp32", [BATCH // TILE]) for _ in range(3))
        powers = k.sbuf(TILE, "fp32", [BATCH // TILE, CLASSES])
        self.d = k.sbuf(TILE, self.dtype, [BATCH // TILE, CLASSES])
        for i in tiles(BATCH):
            one = slice(i, i + 1)
            k.tensor_reduce(maximum[:, one], self.logits[:, i, :], "max", negate=True)
            k.activation(
                powers[:, i, :], self.logits[:, i, :], "exp", bias=maximum[:, one], reduce="reset_reduce"
            )
            k.act_read_accumulator(total[:, one])
            k.reciprocal(inverse[:, one], total[:, one])
            k.scalar_tensor_tensor(
                powers[:, i, :],
                powers[:, i, :],
                "multiply",
                inverse[:, one],
                "subtract",
                self.labels[:, i, :],
            )
            k.tensor_scalar(self.d[:, i, :], powers[:, i, :], "multiply", 1 / BATCH, rounding="nearest")

    def gradient(self, bank, rows, columns, left, right):
        """Returns left.T @ right, summed over the samples: [TILE, blocks of rows, columns] in fp32."""
        k = self.k
        total = k.psum(bank, TILE, rows // TILE * columns)
        gradient = k.sbuf(TILE, "fp32", [rows // TILE, columns])
        for i in tiles(rows):
            for j in tiles(BATCH):
                k.load_stationary(left(j, i))
                k.multiply_moving(total[:, part(i, columns)], right(j), accumulate=j > 0)
            k.tensor_copy(gradient[:, i, :], total[:, part(i, columns)])
        return gradient

    def backward(self):
        k = self.k
        self.dw2 = self.gradient(
            3,
            HIDDEN,
            CLASSES,
            lambda j, i: self.h[:, j * HIDDEN + i * TILE : j * HIDDEN + (i + 1) * TILE],
            lambda j: self.d[:, j, :],
        )
        # A product with the identity puts the classes of d on the partitions.
        total = k.psum(4, CLASSES, BATCH)
        for i in tiles(BATCH):
            k.load_stationary(self.d[:, i, :])
            k.multiply_moving(total[:, part(i)], self.identity)
        d_t = k.sbuf(CLASSES, self.dtype, [BATCH])
        k.tensor_copy(d_t, total, rounding="nearest")

        dh = k.sbuf(TILE, self.dtype, [BATCH // TILE * HIDDEN])
        total = k.psum(5, TILE, BATCH // TILE * HIDDEN)
        for i in tiles(BATCH):
            k.load_stationary(d_t[:, part(i)])
            k.multiply_moving(total[:, part(i, HIDDEN)], self.w2_t)
        k.scalar_tensor_tensor(dh, self.h, "greater", 0.0, "multiply", total, rounding="nearest")
        self.dw1 = self.gradient(
            6, PIXELS, HIDDEN, lambda j, i: self.x[:, j, part(i)], lambda j: dh[:, part(j, HIDDEN)]
        )

    def adamw(self, weights, gradient, name):
        """Updates m and v, running means of the gradient and its square, and takes a step.

        The step is rate m / (sqrt(correction v) + eps).
        """
        k = self.k
        (w_view, w), g = weights, gradient
        shape = [w.shape[1] * TILE, w.shape[2]]
        m_view, m = self.load(f"m{name}", "update", "fp32", shape)
        v_view, v = self.load(f"v{name}", "update", "fp32", shape)
        square, update = (k.sbuf(TILE, "fp32", list(w.shape[1:])) for _ in range(2))
        rate, correction = self.factors[:, 0:1], self.factors[:, 1:2]
        k.activation(square, g, "square", scale=(1 - BETA2) ** 0.5)
        k.tensor_scalar(update, g, "multiply", 1 - BETA1)
        k.scalar_tensor_tensor(m, m, "multiply", BETA1, "add", update)
        k.scalar_tensor_tensor(v, v, "multiply", BETA2, "add", square)
        k.activation(square, v, "sqrt", scale=correction)
        k.tensor_scalar(square, square, "add", EPS, op1="reciprocal", operand1=0.0)
        k.scalar_tensor_tensor(update, m, "multiply", rate, "multiply", square)
        k.scalar_tensor_tensor(w, w, "multiply", 1 - self.rate * DECAY, "subtract", update)
        k.store(self.stores, m_view, m)
        k.store(self.stores, v_view, v)
        k.store(self.stores, w_view, w)


def build(config, dtype, rate):
    return Step(config, dtype, rate).build()
