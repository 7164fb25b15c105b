// Kernels that combine elements with those in HBM by DMA, and the results that the oracle of elements
// computes from their inputs.
#pragma once

#include <random>

#include "common/element_oracle.hpp"
#include "common/indexed_kernel.hpp"

namespace trnsim::test {

// Makes a kernel of u = op(x, u) in rows that indices name, one after the other (indices may repeat), and of
// w = op(x, w). Types, sizes and operations are random.
inline IndexedKernel random_combined_kernel(const target::Chip& target, std::mt19937_64& random) {
    using neff::TensorKind;
    constexpr isa::Dtype Types[] = {isa::Dtype::Fp32, isa::Dtype::Bf16, isa::Dtype::Fp16, isa::Dtype::I32,
                                    isa::Dtype::U8};
    constexpr isa::AluOp Operations[] = {isa::AluOp::Add, isa::AluOp::Multiply, isa::AluOp::Min,
                                         isa::AluOp::Max};
    const auto pick = [&](std::uint64_t most) { return static_cast<std::uint32_t>(random() % most); };
    const isa::Dtype dtype = Types[pick(std::size(Types))];
    const isa::AluOp op = Operations[pick(std::size(Operations))];
    const ElementFormat& format = element_format(dtype);
    const std::uint32_t partitions = 1 + pick(static_cast<std::uint32_t>(target.partitions));
    const std::uint32_t columns = 1 + pick(70), rows = 1 + pick(12);
    const RowRange range{static_cast<std::int32_t>(pick(9)) - 4, static_cast<std::int32_t>(rows)};

    IndexedKernel made;
    std::normal_distribution<float> normal(0, 3);
    const auto fill = [&](const std::string& name, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i)
            put_element(made.inputs[name], oracle_bits(normal(random), format), format.bytes);
    };
    fill("x", std::size_t{partitions} * columns);
    fill("u", std::size_t{rows} * columns);
    fill("w", std::size_t{partitions} * columns);
    const auto indices = range.indices(random, partitions, false, false);
    made.inputs["at"] = index_bytes(indices);

    builder::KernelBuilder k("combined", "", target);
    const auto x = k.tensor("x", TensorKind::Input, dtype, {partitions, columns});
    const auto u = k.tensor("u", TensorKind::Update, dtype, {rows, columns});
    const auto w = k.tensor("w", TensorKind::Update, dtype, {partitions, columns});
    const auto at = k.tensor("at", TensorKind::Input, isa::Dtype::I32, {partitions, 1});
    const auto q = k.queue("q"), other = k.queue("other", isa::Engine::Gpsimd);
    const builder::Tile tile = k.sbuf(partitions, dtype, {columns}),
                        index = k.sbuf(partitions, isa::Dtype::I32, {1});
    k.load(q, tile, x);
    k.load(other, index, at);
    k.combine(other, w, op, tile);
    k.scatter(q, u, tile, index, {.first = range.first, .combine = op});
    made.package = k.finish();

    const auto combine = [&](IndexedKernel::Bytes& there, std::size_t row, std::size_t from) {
        for (std::size_t i = 0; i < columns; ++i) {
            const std::size_t to = row * columns + i;
            const float moved =
                oracle_fp32(element_at(made.inputs["x"], from * columns + i, format.bytes), format);
            const float value =
                oracle_combine(op, 1, moved, oracle_fp32(element_at(there, to, format.bytes), format));
            IndexedKernel::Bytes bytes;
            put_element(bytes, oracle_bits(value, format), format.bytes);
            std::ranges::copy(bytes, there.begin() + static_cast<std::ptrdiff_t>(to * bytes.size()));
        }
    };
    auto &sums = made.expected["u"] = made.inputs["u"], &whole = made.expected["w"] = made.inputs["w"];
    for (std::size_t p = 0; p < partitions; ++p) {
        combine(sums, static_cast<std::size_t>(indices[p] - range.first), p);
        combine(whole, p, p);
    }
    return made;
}

}  // namespace trnsim::test
