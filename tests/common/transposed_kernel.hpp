// Kernels that transpose by DMA, and their outputs as loops on the host compute them.
#pragma once

#include <algorithm>

#include "common/indexed_kernel.hpp"
#include "isa/element_type.hpp"

namespace trnsim::test {

// Makes a kernel of y[c, ..., r] = x[r, ..., c], of a slice of x, and z = x, from the tile of y. In HBM and
// in SBUF there are gaps between rows. Sizes, types, the number of dimensions and a hardware loop over
// neighbouring rows are random.
inline IndexedKernel random_transposed_kernel(const target::Chip& target, std::mt19937_64& random) {
    using builder::TensorView;
    using neff::TensorKind;
    constexpr isa::Dtype Types[] = {isa::Dtype::Fp32, isa::Dtype::Bf16, isa::Dtype::U8, isa::Dtype::I32};
    const auto pick = [&](std::uint64_t most) { return static_cast<std::uint32_t>(random() % most); };
    const isa::Dtype dtype = Types[pick(4)];
    const std::size_t size = isa::element_size(dtype);
    const std::uint32_t most_rows = 1 + pick(70),
                        columns = 1 + pick(static_cast<std::uint32_t>(target.partitions));
    const std::uint32_t iterations = 1 + pick(2) * pick(4), left = pick(4), width = columns + left + pick(4);
    std::vector<std::uint64_t> middle(pick(3));
    std::size_t lines = 1;  // lines of a row
    for (std::uint64_t& count : middle) lines *= count = 1 + pick(4);
    constexpr std::uint32_t Apart = 3;  // more rows in the tile, which must fit in a partition of SBUF
    const auto room = static_cast<std::uint32_t>(target.sbuf_partition / (lines * size)) - Apart;
    const std::uint32_t rows = std::min(most_rows, room);
    const std::size_t all_rows = std::size_t{rows} * iterations;

    IndexedKernel made;
    auto& x = made.inputs["x"];
    for (std::size_t i = 0; i < all_rows * lines * width * size; ++i)
        x.push_back(static_cast<std::uint8_t>(random()));

    const auto shape = [&](std::uint64_t first, std::uint64_t last) {
        std::vector<std::uint64_t> counts{first};
        counts.insert(counts.end(), middle.begin(), middle.end());
        counts.push_back(last);
        return counts;
    };
    builder::KernelBuilder k("transposed", "", target);
    const TensorView from = k.tensor("x", TensorKind::Input, dtype, shape(all_rows, width))
                                .slice(1 + middle.size(), left, columns);
    const TensorView y =
        k.tensor("y", TensorKind::Output, dtype, shape(std::uint64_t{columns} * iterations, rows));
    const TensorView z = k.tensor("z", TensorKind::Output, dtype, shape(all_rows, columns));
    const isa::Engine owners[] = {isa::Engine::Sync, isa::Engine::Scalar, isa::Engine::Gpsimd};
    const builder::Queue loads = k.queue("loads"), stores = k.queue("stores", owners[pick(3)]);
    std::vector<std::uint32_t> free(middle.begin(), middle.end());
    free.push_back(rows + Apart);
    const builder::Tile whole = k.sbuf(columns, dtype, free),
                        tile = whole.slice(middle.size(), pick(Apart + 1), rows);
    const auto move = [&](const TensorView& rows_of_x, const TensorView& columns_of_y,
                          const TensorView& rows_of_z) {
        k.load_transposed(loads, tile, rows_of_x);
        k.store(stores, columns_of_y, tile);
        k.store_transposed(stores, rows_of_z, tile);
    };
    if (iterations == 1) {
        move(from, y, z);
    } else {
        k.loop(iterations, [&](builder::LoopIndex i) {
            move(from.slice(0, i * rows, rows), y.slice(0, i * columns, columns), z.slice(0, i * rows, rows));
        });
    }
    made.package = k.finish();

    auto &expected_y = made.expected["y"], &expected_z = made.expected["z"];
    expected_y.resize(all_rows * lines * columns * size);
    expected_z.resize(expected_y.size());
    for (std::size_t row = 0; row < all_rows; ++row) {
        const std::size_t turn = row / rows, within = row % rows;
        for (std::size_t line = 0; line < lines; ++line) {
            for (std::size_t column = 0; column < columns; ++column) {
                const auto* element = &x[((row * lines + line) * width + left + column) * size];
                std::memcpy(&expected_z[((row * lines + line) * columns + column) * size], element, size);
                std::memcpy(&expected_y[(((turn * columns + column) * lines + line) * rows + within) * size],
                            element, size);
            }
        }
    }
    return made;
}

}  // namespace trnsim::test
