#include "testbench/trial/inputs.hpp"

#include <algorithm>
#include <cstring>
#include <random>
#include <span>

#include "arch/numerics/format.hpp"
#include "compiler/neff/sizes.hpp"

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

// Makes the bytes of a tensor piece by piece.
class InputGenerator {
  public:
    InputGenerator(const neff::Package& package, const neff::Tensor& tensor, std::uint64_t seed)
        : random_(seed ^ hash(package.name + " " + package.arguments + " " + tensor.name)),
          dtype_(tensor.dtype),
          width_(static_cast<std::size_t>(numerics::storage_bytes(tensor.dtype))),
          positive_(tensor.kind == neff::TensorKind::Update),
          below_(labels(package)) {}

    // Fills whole elements.
    void fill(std::span<std::uint8_t> bytes) {
        const std::size_t count = bytes.size() / width_;
        if (numerics::is_float(dtype_)) {
            const float scale = positive_ ? 0x1p-23F : 0x1p-22F, least = positive_ ? 0 : -2;
            std::vector<float> values(count);
            for (float& value : values) value = static_cast<float>(draw()) * scale + least;
            numerics::from_fp32(values, dtype_, bytes.data());
        } else {
            for (std::size_t i = 0; i < count; ++i) {
                const auto bits = static_cast<std::uint32_t>(draw() % below_);
                std::memcpy(bytes.data() + i * width_, &bits, width_);
            }
        }
    }

  private:
    // Draws 24 bits: they are exact in fp32.
    std::uint32_t draw() { return static_cast<std::uint32_t>(random_() >> 40); }

    std::mt19937_64 random_;
    isa::Dtype dtype_;
    std::size_t width_;
    bool positive_;
    std::uint64_t below_;
};

}  // namespace

std::vector<std::uint8_t> random_input(const neff::Package& package, const neff::Tensor& tensor,
                                       std::uint64_t seed) {
    std::vector<std::uint8_t> contents(neff::tensor_bytes(tensor));
    InputGenerator(package, tensor, seed).fill(contents);
    return contents;
}

loader::Content random_content(const neff::Package& package, const neff::Tensor& tensor, std::uint64_t seed) {
    return loader::Content([&package, tensor, seed](const loader::Content::Take& take) {
        InputGenerator generator(package, tensor, seed);
        std::vector<std::uint8_t> piece;
        for (std::uint64_t left = neff::tensor_bytes(tensor); left != 0; left -= piece.size()) {
            piece.resize(std::min(left, loader::PieceBytes));
            generator.fill(piece);
            take(piece);
        }
    });
}

}  // namespace trnsim::trial
