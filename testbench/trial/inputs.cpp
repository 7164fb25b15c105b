#include "testbench/trial/inputs.hpp"

#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

#include "lib/numerics/format.hpp"

namespace trnsim::trial {
namespace {

// FNV-1a
std::uint64_t hash(const std::string& text) {
    std::uint64_t value = 0xcbf29ce484222325;
    for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return value;
}

// Integers are labels: columns of the first tensor. A scalar has one.
std::uint64_t labels(const neff::Package& package) {
    const std::vector<std::uint64_t>& shape = package.tensors[0].shape;
    return shape.empty() ? 1 : shape.back();
}

}  // namespace

std::vector<std::uint8_t> random_input(const neff::Package& package, const neff::Tensor& tensor,
                                       std::uint64_t seed) {
    std::mt19937_64 random(seed ^ hash(package.name + " " + package.arguments + " " + tensor.name));
    const std::uint64_t count =
        std::accumulate(tensor.shape.begin(), tensor.shape.end(), std::uint64_t{1}, std::multiplies<>());
    const auto bytes = static_cast<std::size_t>(numerics::storage_bytes(tensor.dtype));
    const bool positive = tensor.kind == neff::TensorKind::Update;
    std::vector<std::uint8_t> contents(count * bytes);
    for (std::size_t i = 0; i < count; ++i) {
        const auto draw = static_cast<std::uint32_t>(random() >> 40);  // 24 bits: exact in fp32
        std::uint32_t bits = 0;
        if (numerics::is_float(tensor.dtype)) {
            const float value = std::ldexp(static_cast<float>(draw), positive ? -23 : -22);
            bits = numerics::from_fp32(positive ? value : value - 2, tensor.dtype);
        } else {
            bits = static_cast<std::uint32_t>(draw % labels(package));
        }
        std::memcpy(contents.data() + i * bytes, &bits, bytes);
    }
    return contents;
}

}  // namespace trnsim::trial
