"""The custom operators of firmware/examples on the RTL, compared with NumPy.

Build the libraries first (also of topk, embedding and augmentation):

    trnsim customop build firmware/examples/relu.cpp -o relu.lib
    python examples/gpsimd/operators.py FOLDER_OF_LIBRARIES [CONFIGURATION]
"""

import sys
from pathlib import Path

import numpy as np

import trnsim


def kernel(operator, library, config, inputs, outputs, scalars=()):
    """Makes a kernel that runs one operator.

    Inputs are arrays by name, outputs are (shape, type) by name.
    """
    k = trnsim.KernelBuilder(operator, config)
    image = k.gpsimd_image(library)
    loads, stores = k.queue("loads"), k.queue("stores", owner="scalar")
    tiles = {}
    for name, array in inputs.items():
        tiles[name] = k.sbuf(array.shape[0], array.dtype, list(array.shape[1:]))
        k.load(loads, tiles[name], k.tensor(name, "input", array.dtype, list(array.shape)))
    for name, (shape, dtype) in outputs.items():
        tiles[name] = k.sbuf(shape[0], dtype, list(shape[1:]))
    k.custom_op(image, operator, list(tiles.values()), list(scalars), results=len(outputs))
    for name, (shape, dtype) in outputs.items():
        k.store(stores, k.tensor(name, "output", dtype, list(shape)), tiles[name])
    return k.finish()


def relu(rows, random):
    x = random.standard_normal((rows, 300), np.float32)
    return {"x": x}, {"y": np.maximum(x, 0)}, ()


def topk(rows, random):
    x = random.permuted(np.arange(rows * 100, dtype=np.float32).reshape(rows, 100), axis=1)
    order = np.argsort(-x, axis=1, kind="stable")[:, :7]
    return {"x": x}, {"places": order.astype(np.int32), "values": np.take_along_axis(x, order, 1)}, ()


def embedding(rows, random):
    slots, width, queries, empty = 31, 4, 12, -1
    keys = np.full((rows, slots), empty, np.int32)
    vectors = random.standard_normal((rows, slots, width), np.float32)
    wanted = np.zeros((rows, queries), np.int32)
    result = np.zeros((rows, queries, width), np.float32)
    for row in range(rows):
        table = {}
        for key in random.choice(10**6, 20, replace=False):
            slot = int(key) * 0x9E3779B1 % 2**32 % slots
            while keys[row, slot] != empty:
                slot = (slot + 1) % slots
            keys[row, slot], table[int(key)] = key, slot
        known = list(table)
        for query in range(queries):
            key = known[query] if query % 3 else -5 - query  # there is no third one: zeros
            wanted[row, query] = key
            if key in table:
                result[row, query] = vectors[row, table[key]]
    inputs = {"keys": keys, "vectors": vectors.reshape(rows, -1), "queries": wanted}
    return inputs, {"result": result.reshape(rows, -1)}, (empty,)


def augmentation(rows, random):
    def mix(v):
        v = (v ^ v >> 16) * np.uint32(0x85EBCA6B)
        v = (v ^ v >> 13) * np.uint32(0xC2B2AE35)
        return v ^ v >> 16

    seed, drop, amplitude = 12345, np.float32(0.25), np.float32(0.125)
    x = random.standard_normal((rows, 200), np.float32)
    with np.errstate(over="ignore"):
        stream = np.uint32(seed) + np.arange(rows, dtype=np.uint32)[:, None] * np.uint32(0x9E3779B9)
        first = mix(np.arange(200, dtype=np.uint32)[None, :] ^ stream)
        second = mix(first + stream)
    unit = (second >> 8).astype(np.float32) * np.float32(2**-23) - np.float32(1)
    y = np.where(first < np.uint32(drop * np.float32(2**32)), np.float32(0), x + unit * amplitude)
    return {"x": x}, {"y": y}, (seed, float(drop), float(amplitude))


OPERATORS = {"relu": relu, "topk": topk, "embedding": embedding, "augmentation": augmentation}


def main(folder, config="small16"):
    rows, random = trnsim.load_config(config).keys()["core"]["partitions"], np.random.default_rng(1)
    with trnsim.Session(config) as session:
        for name, example in OPERATORS.items():
            inputs, expected, scalars = example(rows, random)
            outputs = {key: (array.shape, array.dtype) for key, array in expected.items()}
            package = kernel(name, Path(folder) / f"{name}.lib", config, inputs, outputs, scalars)
            result = session.run(package, inputs)
            for key, array in expected.items():
                if result[key].tobytes() != array.tobytes():
                    sys.exit(f"{name}: {key} differs from NumPy's")
            print(f"{name}: equal to NumPy's bit for bit, {result.cycles} cycles")


if __name__ == "__main__":
    main(*sys.argv[1:])
