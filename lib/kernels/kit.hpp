// What the kernels of Vector and Scalar are made with.
#pragma once

#include <algorithm>

#include "lib/kernels/queues.hpp"

namespace trnsim::kernels {

// Scalar computes, so GpSimd triggers the stores.
struct Kit {
    explicit Kit(builder::KernelBuilder& builder) : builder(builder), queues(builder, isa::Engine::Gpsimd) {}

    builder::KernelBuilder& builder;
    Queues queues;

    // Rows and columns of the largest block that can be both operands of a matmul and its result.
    std::uint32_t block() const {
        return static_cast<std::uint32_t>(std::min(builder.target().rows, builder.target().columns));
    }
    std::uint32_t banks() const { return static_cast<std::uint32_t>(builder.target().psum_banks); }

    // Nothing after this starts before `done`: what follows may use the SBUF and PSUM of what came before.
    void barrier(builder::Event done) {
        for (const isa::EnumValue& engine : isa::engine_values())
            builder.wait(static_cast<isa::Engine>(engine.value), {done});
    }

    std::uint32_t partitions() const { return static_cast<std::uint32_t>(builder.target().partitions); }
};

namespace detail {
inline void append(builder::After& after, const builder::Event& event) {
    after.push_back(event);
}
inline void append(builder::After& after, const builder::After& more) {
    after.insert(after.end(), more.begin(), more.end());
}
}  // namespace detail

// Events and lists of them as one list.
template <typename... Parts>
builder::After join(const Parts&... parts) {
    builder::After after;
    (detail::append(after, parts), ...);
    return after;
}

}  // namespace trnsim::kernels
