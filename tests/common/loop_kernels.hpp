// Kernels with a loop of the builder, and the same kernels with their calls one after the other.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "compiler/builder/kernel_builder.hpp"

namespace trnsim::test {

enum class Written : std::uint8_t { AsLoop, Unrolled };

// Calls `body` with each iteration's number, in the form that slices take.
template <typename Body>
void repeat(builder::KernelBuilder& k, Written written, std::uint32_t iterations, const Body& body) {
    if (written == Written::AsLoop) {
        k.loop(iterations, [&](builder::LoopIndex i) { body(i); });
    } else {
        for (std::uint32_t i = 0; i < iterations; ++i) body(i);
    }
}

struct LoopKernel {
    std::uint32_t iterations = 3;
    Written written = Written::AsLoop;
};

// y = max(2 x + 1, 0) on two tiles of columns in each iteration: one is loaded while the engines work on the
// other.
constexpr std::uint32_t ElementwiseColumns = 24, ElementwiseTiles = 2;

inline neff::Package elementwise_loop(const target::Chip& target, const LoopKernel& kernel) {
    using neff::TensorKind;
    constexpr std::uint32_t Columns = ElementwiseColumns, Tiles = ElementwiseTiles;
    const auto rows = static_cast<std::uint32_t>(target.partitions);
    builder::KernelBuilder k("elementwise", "", target);
    const std::vector<std::uint64_t> shape{rows, std::uint64_t{Columns} * Tiles * kernel.iterations};
    const auto x = k.tensor("x", TensorKind::Input, isa::Dtype::Fp32, shape);
    const auto y = k.tensor("y", TensorKind::Output, isa::Dtype::Fp32, shape);
    const auto loads = k.queue("loads"), stores = k.queue("stores", isa::Engine::Gpsimd);
    const builder::Tile in = k.sbuf(rows, isa::Dtype::Fp32, {Tiles, Columns}),
                        out = k.sbuf(rows, isa::Dtype::Fp32, {Tiles, Columns});
    repeat(k, kernel.written, kernel.iterations, [&](auto i) {
        for (std::uint32_t tile = 0; tile < Tiles; ++tile) {
            const auto columns = i * (Tiles * Columns) + tile * Columns;
            k.load(loads, in.at(0, tile), x.slice(1, columns, Columns));
            k.tensor_scalar(in.at(0, tile), in.at(0, tile), {isa::AluOp::Multiply, 2.0f},
                            {isa::AluOp::Add, 1.0f});
            k.activation(out.at(0, tile), in.at(0, tile), isa::Activation::Relu);
            k.store(stores, y.slice(1, columns, Columns), out.at(0, tile));
        }
    });
    return k.finish();
}

// c = max(a.T @ b, 0), with a block of rows of both in each iteration; the first block begins the sum and
// comes before the loop.
constexpr std::uint32_t MatmulColumns = 20;

inline neff::Package matmul_loop(const target::Chip& target, const LoopKernel& kernel) {
    using neff::TensorKind;
    const auto rows = static_cast<std::uint32_t>(target.rows);
    const std::uint64_t all = std::uint64_t{rows} * (kernel.iterations + 1);
    builder::KernelBuilder k("matmul", "", target);
    const auto a = k.tensor("a", TensorKind::Input, isa::Dtype::Fp32, {all, rows});
    const auto b = k.tensor("b", TensorKind::Input, isa::Dtype::Fp32, {all, MatmulColumns});
    const auto c = k.tensor("c", TensorKind::Output, isa::Dtype::Fp32, {rows, MatmulColumns});
    const auto loads = k.queue("loads"), stores = k.queue("stores", isa::Engine::Scalar);
    const builder::Tile stationary = k.sbuf(rows, isa::Dtype::Fp32, {rows}),
                        moving = k.sbuf(rows, isa::Dtype::Fp32, {MatmulColumns}),
                        result = k.sbuf(rows, isa::Dtype::Fp32, {MatmulColumns}),
                        sum = k.psum(builder::Bank{1}, rows, MatmulColumns);
    const auto block = [&](auto first, bool accumulate) {
        k.load(loads, stationary, a.slice(0, first, rows));
        k.load(loads, moving, b.slice(0, first, rows));
        k.load_stationary(stationary);
        k.multiply_moving(sum, moving, {.accumulate = accumulate});
    };
    block(0u, false);
    repeat(k, kernel.written, kernel.iterations, [&](auto i) { block(i * rows + rows, true); });
    k.tensor_scalar(result, sum, {isa::AluOp::Max, 0.0f});
    k.store(stores, c, result);
    return k.finish();
}

// Softmax of rows, a tile of rows in each iteration, and the largest value of each row.
constexpr std::uint32_t SoftmaxColumns = 33;

inline neff::Package softmax_loop(const target::Chip& target, const LoopKernel& kernel) {
    using neff::TensorKind;
    const auto rows = static_cast<std::uint32_t>(target.partitions);
    const std::uint64_t all = std::uint64_t{rows} * kernel.iterations;
    builder::KernelBuilder k("softmax", "", target);
    const auto x = k.tensor("x", TensorKind::Input, isa::Dtype::Fp32, {all, SoftmaxColumns});
    const auto y = k.tensor("y", TensorKind::Output, isa::Dtype::Fp32, {all, SoftmaxColumns});
    const auto most = k.tensor("most", TensorKind::Output, isa::Dtype::Fp32, {all, 1});
    const auto loads = k.queue("loads"), stores = k.queue("stores", isa::Engine::Gpsimd);
    const builder::Tile in = k.sbuf(rows, isa::Dtype::Fp32, {SoftmaxColumns}),
                        out = k.sbuf(rows, isa::Dtype::Fp32, {SoftmaxColumns}),
                        max = k.sbuf(rows, isa::Dtype::Fp32, {1}),
                        minus = k.sbuf(rows, isa::Dtype::Fp32, {1}),
                        sum = k.sbuf(rows, isa::Dtype::Fp32, {1});
    repeat(k, kernel.written, kernel.iterations, [&](auto i) {
        k.load(loads, in, x.slice(0, i * rows, rows));
        k.tensor_reduce(max, in, isa::AluOp::Max);
        k.store(stores, most.slice(0, i * rows, rows), max);
        k.tensor_scalar(minus, max, {isa::AluOp::Multiply, -1.0f});
        k.activation(out, in, isa::Activation::Exp, {.bias = minus});
        k.tensor_reduce(sum, out, isa::AluOp::Add);
        k.reciprocal(sum, sum);
        k.tensor_scalar(out, out, {isa::AluOp::Multiply, sum});
        k.store(stores, y.slice(0, i * rows, rows), out);
    });
    return k.finish();
}

}  // namespace trnsim::test
