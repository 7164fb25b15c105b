// What the kernels of Vector and Scalar are made with.
#pragma once

#include "testbench/kernels/queues.hpp"

namespace trnsim::kernels {

// Scalar computes, so GpSimd triggers the stores.
struct Kit {
    explicit Kit(builder::KernelBuilder& builder) : builder(builder), queues(builder, isa::Engine::Gpsimd) {}

    builder::KernelBuilder& builder;
    Queues queues;

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
