#include "testbench/trial/inputs.hpp"

#include <cstring>
#include <numeric>
#include <random>

#include "arch/numerics/format.hpp"

namespace trnsim::trial {
namespace {

// FNV-1a
std::uint64_t hash(const std::string& text) {
    std::uint64_t value = 0xcbf29ce484222325;
    for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return value;
}

// Returns the number of labels that integers have: the columns of the first tensor. A scalar has one.
std::uint64_t labels(const neff::Package& package) {
    const std::vector<std::uint64_t>& shape = package.tensors[0].shape;
    return shape.empty() ? 1 : shape.back();
}

}  // namespace

std::vector<std::uint8_t> random_input(const neff::Package& package, const neff::Tensor& tensor,
                                       std::uint64_t seed) {
    std::mt19937_64 random(seed ^ hash(package.name + " " + package.arguments + " " + tensor.name));
    const auto draw = [&random] {
        return static_cast<std::uint32_t>(random() >> 40);
    };  // 24 bits: exact in fp32
    const std::uint64_t count =
        std::accumulate(tensor.shape.begin(), tensor.shape.end(), std::uint64_t{1}, std::multiplies<>());
    const auto bytes = static_cast<std::size_t>(numerics::storage_bytes(tensor.dtype));
    std::vector<std::uint8_t> contents(count * bytes);
    if (numerics::is_float(tensor.dtype)) {
        const bool positive = tensor.kind == neff::TensorKind::Update;
        const float scale = positive ? 0x1p-23F : 0x1p-22F, least = positive ? 0 : -2;
        std::vector<float> values(count);
        for (float& value : values) value = static_cast<float>(draw()) * scale + least;
        numerics::from_fp32(values, tensor.dtype, contents.data());
    } else {
        const std::uint64_t below = labels(package);
        for (std::size_t i = 0; i < count; ++i) {
            const auto bits = static_cast<std::uint32_t>(draw() % below);
            std::memcpy(contents.data() + i * bytes, &bits, bytes);
        }
    }
    return contents;
}

}  // namespace trnsim::trial
