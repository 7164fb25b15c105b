// The common parts of the kernels of Vector and Scalar.
#pragma once

#include <algorithm>

#include "compiler/kernels/queues.hpp"

namespace trnsim::kernels {

// GpSimd triggers the stores, because Scalar computes.
struct Kit {
    explicit Kit(builder::KernelBuilder& builder) : builder(builder), queues(builder, isa::Engine::Gpsimd) {}

    builder::KernelBuilder& builder;
    Queues queues;

    void load(const builder::Tile& to, const builder::TensorView& from,
              builder::Where where = builder::Where::current()) {
        builder.load(queues.loads, to, from, {}, where);
    }
    void store(const builder::TensorView& to, const builder::Tile& from,
               builder::Where where = builder::Where::current()) {
        builder.store(queues.stores, to, from, {}, where);
    }

    // Returns the rows and columns of the largest block that can be both operands of a matmul and its result.
    std::uint32_t block() const {
        return static_cast<std::uint32_t>(std::min(builder.target().rows, builder.target().columns));
    }
    std::uint32_t banks() const { return static_cast<std::uint32_t>(builder.target().psum_banks); }
    std::uint32_t partitions() const { return static_cast<std::uint32_t>(builder.target().partitions); }
};

}  // namespace trnsim::kernels
