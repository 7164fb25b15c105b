// Kernels that gather and scatter rows of HBM, and their outputs as loops on the host compute them.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "compiler/builder/kernel_builder.hpp"
#include "isa/element_type.hpp"

namespace trnsim::test {

struct IndexedKernel {
    using Bytes = std::vector<std::uint8_t>;
    neff::Package package;
    std::map<std::string, Bytes> inputs;
    std::map<std::string, Bytes> expected;  // every output
};

inline IndexedKernel::Bytes index_bytes(const std::vector<std::int32_t>& indices) {
    IndexedKernel::Bytes bytes(indices.size() * sizeof(std::int32_t));
    std::memcpy(bytes.data(), indices.data(), bytes.size());
    return bytes;
}

// A table of `count` rows; the first one has the index `first`.
struct RowRange {
    std::int32_t first, count;
    bool has(std::int32_t index) const { return index >= first && index - first < count; }

    // Returns an index for every partition: any valid one or, for a scatter, each at most once; with `skip`
    // also invalid ones.
    std::vector<std::int32_t> indices(std::mt19937_64& random, std::size_t partitions, bool once,
                                      bool skip) const {
        std::vector<std::int32_t> all(static_cast<std::size_t>(count)), chosen(partitions);
        std::iota(all.begin(), all.end(), first);
        std::ranges::shuffle(all, random);
        for (std::size_t p = 0; p < partitions; ++p) {
            chosen[p] = once ? all.at(p) : all[random() % all.size()];
            if (!skip || random() % 3 != 0) continue;
            chosen[p] = random() % 2 == 0 ? first - 1 - static_cast<std::int32_t>(random() % 9)
                                          : first + count + static_cast<std::int32_t>(random() % 9);
        }
        return chosen;
    }
};

// Makes a kernel of y = rows of x; u keeps its rows except for those that take rows of y; z = rows of this u.
// Indices are loaded or computed. Sizes, types, slices of columns, first indices, skipping and the form of
// the view are random.
inline IndexedKernel random_indexed_kernel(const target::Chip& target, std::mt19937_64& random) {
    using builder::TensorView;
    using builder::Tile;
    using neff::TensorKind;
    constexpr isa::Dtype Types[] = {isa::Dtype::Fp32, isa::Dtype::Bf16, isa::Dtype::U8, isa::Dtype::I32};
    const auto pick = [&](std::uint64_t most) { return static_cast<std::uint32_t>(random() % most); };
    const auto range = [&](std::int32_t count) {
        return RowRange{pick(2) == 0 ? 0 : static_cast<std::int32_t>(pick(60)) - 30, count};
    };
    const isa::Dtype dtype = Types[pick(4)];
    const std::size_t size = isa::element_size(dtype);
    const std::uint32_t partitions = 1 + pick(static_cast<std::uint32_t>(target.partitions));
    const std::uint32_t columns = 1 + pick(40), left = pick(4), width = columns + left + pick(4);
    const bool skip = pick(2) == 0, skip_u = pick(2) == 0, own_rows = pick(3) == 0;
    const RowRange of_x = range(1 + static_cast<std::int32_t>(pick(50)));
    const RowRange of_u = range(static_cast<std::int32_t>(partitions + pick(20)));
    const std::size_t rows_of_x = static_cast<std::size_t>(of_x.count) * (own_rows ? partitions : 1);

    IndexedKernel made;
    const auto fill = [&](const std::string& name, std::size_t count) {
        auto& bytes = made.inputs[name];
        bytes.resize(count);
        for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    };
    fill("x", rows_of_x * width * size);
    fill("u", static_cast<std::size_t>(of_u.count) * columns * size);
    const auto at_x = of_x.indices(random, partitions, false, skip);
    const auto at_u = of_u.indices(random, partitions, true, skip_u);
    const auto at_z = of_u.indices(random, partitions, false, false);
    const std::int32_t shift = pick(2) == 0 ? 0 : static_cast<std::int32_t>(pick(7)) - 3;
    auto loaded = at_x;
    for (std::int32_t& index : loaded) index -= shift;
    made.inputs["at_x"] = index_bytes(loaded);
    made.inputs["at_u"] = index_bytes(at_u);
    made.inputs["at_z"] = index_bytes(at_z);

    builder::KernelBuilder k("indexed", "", target);
    const std::vector<std::uint64_t> one_index{partitions, 1};
    TensorView x =
        own_rows ? k.tensor("x", TensorKind::Input, dtype,
                            {static_cast<std::uint64_t>(of_x.count), partitions, width})
                 : k.tensor("x", TensorKind::Input, dtype, {static_cast<std::uint64_t>(of_x.count), width});
    x = x.slice(x.axes.size() - 1, left, columns);
    const TensorView u =
        k.tensor("u", TensorKind::Update, dtype, {static_cast<std::uint64_t>(of_u.count), columns});
    const TensorView y = k.tensor("y", TensorKind::Output, dtype, {partitions, columns});
    const TensorView z = k.tensor("z", TensorKind::Output, dtype, {partitions, columns});
    const isa::Engine owners[] = {isa::Engine::Sync, isa::Engine::Scalar, isa::Engine::Gpsimd};
    const builder::Queue loads = k.queue("loads"), stores = k.queue("stores", owners[pick(3)]);
    const auto load_indices = [&](const char* name) {
        const Tile tile = k.sbuf(partitions, isa::Dtype::I32, {1});
        k.load(loads, tile, k.tensor(name, TensorKind::Input, isa::Dtype::I32, one_index));
        return tile;
    };
    const Tile index_x = load_indices("at_x"), index_u = load_indices("at_u"), index_z = load_indices("at_z");
    if (shift != 0) k.tensor_scalar(index_x, index_x, {isa::AluOp::Add, static_cast<float>(shift)});
    const Tile tile = k.sbuf(partitions, dtype, {columns}), other = k.sbuf(partitions, dtype, {columns});
    if (skip) k.memset(tile, 0.0f);
    k.gather(loads, tile, x, index_x, {.first = of_x.first, .skip = skip});
    k.store(stores, y, tile);
    k.scatter(pick(2) == 0 ? loads : stores, u, tile, index_u, {.first = of_u.first, .skip = skip_u});
    k.gather(pick(2) == 0 ? loads : stores, other, u, index_z, {.first = of_u.first});
    k.store(stores, z, other);
    made.package = k.finish();

    const std::size_t row = columns * size;
    auto &expected_y = made.expected["y"], &expected_u = made.expected["u"], &expected_z = made.expected["z"];
    expected_y.resize(partitions * row);
    expected_z.resize(partitions * row);
    expected_u = made.inputs["u"];
    for (std::size_t p = 0; p < partitions; ++p) {
        if (!of_x.has(at_x[p])) continue;
        const auto number = static_cast<std::size_t>(at_x[p] - of_x.first);
        const std::size_t line = own_rows ? number * partitions + p : number;
        std::memcpy(&expected_y[p * row], &made.inputs["x"][(line * width + left) * size], row);
    }
    for (std::size_t p = 0; p < partitions; ++p) {
        if (of_u.has(at_u[p]))
            std::memcpy(&expected_u[static_cast<std::size_t>(at_u[p] - of_u.first) * row],
                        &expected_y[p * row], row);
    }
    for (std::size_t p = 0; p < partitions; ++p)
        std::memcpy(&expected_z[p * row], &expected_u[static_cast<std::size_t>(at_z[p] - of_u.first) * row],
                    row);
    return made;
}

// Makes a kernel with a hardware loop that gathers rows of a table in each iteration, by indices that it
// loads there; with [1, 1] indices, one index for a whole tile. Iterations differ only in their indices.
inline IndexedKernel looped_indexed_kernel(const target::Chip& target, std::mt19937_64& random,
                                           std::uint32_t iterations, bool one_for_all) {
    using builder::Tile;
    using neff::TensorKind;
    const auto partitions = static_cast<std::uint32_t>(target.partitions) - 3;
    const std::uint32_t columns = 5, count = 23;
    IndexedKernel made;
    auto& table = made.inputs["table"];
    const std::uint32_t lines = one_for_all ? partitions : 1;  // lines of an index
    for (std::uint32_t i = 0; i < count * lines * columns * 4; ++i)
        table.push_back(static_cast<std::uint8_t>(random()));
    const std::uint32_t each = one_for_all ? 1 : partitions;
    const auto indices = RowRange{0, count}.indices(random, each * iterations, false, false);
    made.inputs["indices"] = index_bytes(indices);
    builder::KernelBuilder k("looped", "", target);
    const auto x = one_for_all
                       ? k.tensor("table", TensorKind::Input, isa::Dtype::Fp32, {count, partitions, columns})
                       : k.tensor("table", TensorKind::Input, isa::Dtype::Fp32, {count, columns});
    const auto at = k.tensor("indices", TensorKind::Input, isa::Dtype::I32, {each * iterations, 1});
    const auto y = k.tensor("y", TensorKind::Output, isa::Dtype::Fp32, {partitions * iterations, columns});
    const auto loads = k.queue("loads"), stores = k.queue("stores", isa::Engine::Gpsimd);
    const Tile index = k.sbuf(each, isa::Dtype::I32, {1}),
               rows = k.sbuf(partitions, isa::Dtype::Fp32, {columns});
    k.loop(iterations, [&](builder::LoopIndex i) {
        k.load(loads, index, at.slice(0, i * each, each));
        k.gather(loads, rows, x, index);
        k.store(stores, y.slice(0, i * partitions, partitions), rows);
    });
    made.package = k.finish();
    auto& expected = made.expected["y"];
    for (std::uint32_t i = 0; i < iterations; ++i) {
        for (std::uint32_t p = 0; p < partitions; ++p) {
            const auto number = static_cast<std::uint32_t>(indices[one_for_all ? i : i * partitions + p]);
            const auto begin = table.begin() + (one_for_all ? number * partitions + p : number) * columns * 4;
            expected.insert(expected.end(), begin, begin + columns * 4);
        }
    }
    return made;
}

}  // namespace trnsim::test
