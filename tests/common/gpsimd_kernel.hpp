// A kernel with every command of the GpSimd microcode, and its expected outputs.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "compiler/builder/kernel_builder.hpp"

namespace trnsim::test {

struct GpsimdKernel {
    neff::Package package;
    std::map<std::string, std::vector<std::uint8_t>> inputs, expected;  // storage bytes
};

template <class T>
std::vector<std::uint8_t> bytes_of(const std::vector<T>& values) {
    std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

// y = x + 5 on GpSimd, 8 columns in each iteration of a loop.
inline GpsimdKernel gpsimd_loop(const target::Chip& target, std::uint32_t iterations) {
    constexpr std::uint32_t Columns = 8;
    const auto rows = static_cast<std::uint32_t>(target.partitions);
    builder::KernelBuilder k("loop", "", target);
    const std::vector<std::uint64_t> shape{rows, std::uint64_t{Columns} * iterations};
    const auto x = k.tensor("x", neff::TensorKind::Input, isa::Dtype::I32, shape);
    const auto y = k.tensor("y", neff::TensorKind::Output, isa::Dtype::I32, shape);
    const auto loads = k.queue("loads"), stores = k.queue("stores", isa::Engine::Scalar);
    const builder::Tile in = k.sbuf(rows, isa::Dtype::I32, {Columns}),
                        out = k.sbuf(rows, isa::Dtype::I32, {Columns});
    k.gpsimd(k.microcode());
    k.loop(iterations, [&](builder::LoopIndex i) {
        k.load(loads, in, x.slice(1, i * Columns, Columns));
        k.tensor_scalar(out, in, {isa::AluOp::Add, 5.0f}, {}, {.engine = isa::Engine::Gpsimd});
        k.store(stores, y.slice(1, i * Columns, Columns), out);
    });
    GpsimdKernel kernel{k.finish(), {}, {}};
    std::vector<std::int32_t> values(std::size_t{rows} * Columns * iterations);
    std::iota(values.begin(), values.end(), -50);
    kernel.inputs["x"] = bytes_of(values);
    for (std::int32_t& value : values) value += 5;
    kernel.expected["y"] = bytes_of(values);
    return kernel;
}

// Writes the kernel call by call and computes the same on the host.
class GpsimdKernelWriter {
  public:
    static constexpr std::uint32_t Columns = 24;

    GpsimdKernelWriter(const target::Chip& target, std::mt19937_64& random)
        : partitions_(static_cast<std::uint32_t>(target.partitions)),
          random_(random),
          k_("gpsimd", "", target),
          loads_(k_.queue("loads")),
          stores_(k_.queue("stores", isa::Engine::Scalar)) {}

    GpsimdKernel write() {
        x_values_ = numbers<float>(partitions_ * Columns, -8, 8);
        n_values_ = numbers<std::int32_t>(partitions_ * Columns, -100, 100);
        x_ = input("x", isa::Dtype::Fp32, x_values_, {partitions_, Columns});
        n_ = input("n", isa::Dtype::I32, n_values_, {partitions_, Columns});
        elementwise();
        affine();
        reductions();
        order();
        if (partitions_ % 16 == 0) gather();
        kernel_.package = k_.finish();
        return std::move(kernel_);
    }

  private:
    using Tile = builder::Tile;
    using AluOp = isa::AluOp;
    using Dtype = isa::Dtype;

    template <class T>
    std::vector<T> numbers(std::size_t count, int low, int high) {
        std::vector<T> values(count);
        for (T& value : values)
            value = static_cast<T>(low + static_cast<int>(random_() % static_cast<unsigned>(high - low + 1)));
        return values;
    }

    template <class T>
    Tile input(const std::string& name, Dtype dtype, const std::vector<T>& values,
               const std::vector<std::uint32_t>& shape) {
        const Tile tile = k_.sbuf(shape[0], dtype, {shape.begin() + 1, shape.end()});
        k_.load(loads_, tile, k_.tensor(name, neff::TensorKind::Input, dtype, {shape.begin(), shape.end()}));
        kernel_.inputs[name] = bytes_of(values);
        return tile;
    }

    Tile tile(std::uint32_t partitions, Dtype dtype, std::uint32_t columns = Columns) {
        return k_.sbuf(partitions, dtype, {columns});
    }

    template <class T>
    void output(const std::string& name, const Tile& tile, const std::vector<T>& expected) {
        std::vector<std::uint64_t> shape{tile.partitions};
        for (const builder::Axis& axis : tile.axes) shape.push_back(axis.count);
        k_.store(stores_, k_.tensor(name, neff::TensorKind::Output, tile.dtype, shape), tile);
        kernel_.expected[name] = bytes_of(expected);
    }

    // Returns f(index) for every element of [partitions, Columns].
    template <class T, class F>
    std::vector<T> all(const F& f) const {
        std::vector<T> values;
        for (std::uint32_t i = 0; i < partitions_ * Columns; ++i) values.push_back(static_cast<T>(f(i)));
        return values;
    }

    void elementwise() {
        constexpr builder::OnEngine Gpsimd{.engine = isa::Engine::Gpsimd};
        const Tile shifted = tile(partitions_, Dtype::I32);
        k_.tensor_scalar(shifted, n_, {AluOp::Multiply, 3.0f}, {AluOp::BitwiseXor, 5.0f}, Gpsimd);
        output("shifted", shifted, all<std::int32_t>([&](auto i) { return (3 * n_values_[i]) ^ 5; }));

        const Tile sum = tile(partitions_, Dtype::I32);
        k_.tensor_tensor(sum, n_, AluOp::Subtract, shifted, Gpsimd);
        output("sum", sum,
               all<std::int32_t>([&](auto i) { return n_values_[i] - ((3 * n_values_[i]) ^ 5); }));

        const Tile constant = tile(partitions_, Dtype::I16), copied = tile(partitions_, Dtype::I8);
        k_.memset(constant, -7.0f, Gpsimd);
        output("constant", constant, all<std::int16_t>([](auto) { return -7; }));
        k_.tensor_copy(copied, n_, Gpsimd);
        output("copied", copied, all<std::int8_t>([&](auto i) { return n_values_[i]; }));

        // Squares of whole numbers are exact.
        const Tile two = tile(partitions_, Dtype::Fp32), squares = tile(partitions_, Dtype::Fp32);
        k_.memset(two, 2.0f, {.engine = isa::Engine::Vector});
        k_.tensor_tensor(squares, x_, AluOp::Power, two, Gpsimd);
        output("squares", squares, all<float>([&](auto i) { return x_values_[i] * x_values_[i]; }));
    }

    void affine() {
        const Tile index = k_.sbuf(partitions_, Dtype::I32, {4, 6});
        k_.iota(index, {.base = 3, .partition_step = 100, .steps = {10, -1}});
        output("index", index, all<std::int32_t>([](auto i) {
                   return 3 + 100 * static_cast<int>(i / Columns) + 10 * static_cast<int>(i % Columns / 6) -
                          static_cast<int>(i % 6);
               }));
        const Tile masked = tile(partitions_, Dtype::Fp32);
        k_.affine_select(masked, x_, {.base = 0, .partition_step = 1, .steps = {-1}}, AluOp::GreaterEqual,
                         -1e30f);
        output("masked", masked,
               all<float>([&](auto i) { return i / Columns >= i % Columns ? x_values_[i] : -1e30f; }));
    }

    void reductions() {
        const Tile sum = tile(1, Dtype::Fp32), most = tile(1, Dtype::I32);
        k_.all_partition_reduce(sum, x_, AluOp::Add);
        k_.all_partition_reduce(most, n_, AluOp::Max);
        std::vector<float> sums(Columns);
        std::vector<std::int32_t> mosts(Columns, -1000);
        for (std::uint32_t i = 0; i < partitions_ * Columns; ++i) {
            sums[i % Columns] += x_values_[i];
            mosts[i % Columns] = std::max(mosts[i % Columns], n_values_[i]);
        }
        output("sums", sum, sums);
        output("most", most, mosts);
        const Tile spread = tile(partitions_, Dtype::Fp32);
        k_.all_partition_broadcast(spread, sum);
        output("spread", spread, all<float>([&](auto i) { return sums[i % Columns]; }));
    }

    void order() {
        const Tile sorted = tile(partitions_, Dtype::Fp32), places = tile(partitions_, Dtype::U32);
        k_.sort(sorted, x_, {.descending = true, .indices = places});
        const auto place_of = [&](std::uint32_t i) {
            const auto row = x_values_.begin() + i / Columns * Columns;
            std::vector<std::uint32_t> order(Columns);
            std::iota(order.begin(), order.end(), 0U);
            std::ranges::stable_sort(order, std::greater(), [&](std::uint32_t k) { return row[k]; });
            return order[i % Columns];
        };
        const auto at = [&](std::uint32_t i) { return x_values_[i / Columns * Columns + place_of(i)]; };
        output("sorted", sorted, all<float>(at));
        output("places", places, all<std::uint32_t>(place_of));

        constexpr std::uint32_t Best = 5;
        const Tile best = tile(partitions_, Dtype::Fp32, Best), where = tile(partitions_, Dtype::U32, Best);
        k_.top_k(best, where, x_);
        std::vector<float> best_values;
        for (std::uint32_t p = 0; p < partitions_; ++p) {
            for (std::uint32_t k = 0; k < Best; ++k) best_values.push_back(at(p * Columns + k));
        }
        output("best", best, best_values);

        std::vector<std::int32_t> ids{1, 1, 4, 4, 4, 2};
        const std::vector<std::int32_t> first{0, 0, 2, 2, 2, 5}, end{2, 2, 5, 5, 5, 6};
        const Tile row = input("ids", Dtype::I32, ids, {1, 6});
        const Tile begins = tile(1, Dtype::I32, 6), ends = tile(1, Dtype::I32, 6);
        k_.sequence_bounds(begins, ends, row);
        output("begins", begins, first);
        output("ends", ends, end);
    }

    void gather() {
        constexpr std::uint32_t Groups = 6, Elements = 4, Indices = 20;
        // Index i of a core is in its partition i % 16, column i / 16.
        const std::vector<std::uint16_t> indices = numbers<std::uint16_t>(partitions_ * 2, 0, Groups - 1);
        const Tile list = input("indices", Dtype::U16, indices, {partitions_, 2});
        Tile groups = x_;
        groups.axes = builder::packed_axes({Groups, Elements});
        const Tile gathered = k_.sbuf(partitions_, Dtype::Fp32, {Indices, Elements});
        k_.local_gather(gathered, groups, list);
        std::vector<float> values;
        for (std::uint32_t p = 0; p < partitions_; ++p) {
            for (std::uint32_t i = 0; i < Indices; ++i) {
                const std::uint32_t index = indices[(p / 16 * 16 + i % 16) * 2 + i / 16];
                for (std::uint32_t e = 0; e < Elements; ++e)
                    values.push_back(x_values_[p * Columns + index * Elements + e]);
            }
        }
        output("gathered", gathered, values);
    }

    std::uint32_t partitions_;
    std::mt19937_64& random_;
    GpsimdKernel kernel_;
    builder::KernelBuilder k_;
    builder::Queue loads_, stores_;
    std::vector<float> x_values_;
    std::vector<std::int32_t> n_values_;
    Tile x_, n_;
};

}  // namespace trnsim::test
