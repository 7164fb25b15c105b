// Random tensors and their bytes in memory.
#pragma once

#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "arch/numerics/format.hpp"

namespace trnsim::test {

using Bits = std::vector<std::uint32_t>;  // storage bits, right-aligned

// Returns values of about unit size; a few are zero.
inline Bits random_tensor(std::mt19937_64& generator, std::size_t count, isa::Dtype dtype) {
    std::normal_distribution<float> normal;
    Bits bits(count);
    for (std::uint32_t& element : bits) {
        element = numerics::from_fp32(generator() % 16 == 0 ? 0.0f : normal(generator), dtype);
    }
    return bits;
}

inline std::vector<std::uint8_t> pack(const Bits& bits, isa::Dtype dtype) {
    const auto bytes = static_cast<std::size_t>(numerics::storage_bytes(dtype));
    std::vector<std::uint8_t> packed(bits.size() * bytes);
    for (std::size_t i = 0; i < bits.size(); ++i) std::memcpy(packed.data() + i * bytes, &bits[i], bytes);
    return packed;
}

inline std::vector<std::uint8_t> pack(const std::vector<float>& values) {
    std::vector<std::uint8_t> packed(values.size() * sizeof(float));
    std::memcpy(packed.data(), values.data(), packed.size());
    return packed;
}

}  // namespace trnsim::test
