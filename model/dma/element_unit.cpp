#include "model/dma/element_unit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "arch/numerics/arithmetic.hpp"
#include "arch/numerics/format.hpp"
#include "arch/numerics/xorwow.hpp"
#include "isa/element_type.hpp"

namespace trnsim::tlm::dma {
namespace {

// Number of elements that are worked on at once.
constexpr std::size_t BlockElements = 256;
using Block = std::array<float, BlockElements>;

// Returns whether every number stays the same when it is read and written as fp32: none is subnormal,
// infinite or a NaN. There are no branches, so that the compiler can vectorise it.
bool are_plain(std::span<const float> values) {
    constexpr std::uint32_t Magnitude = 0x7fffffff, Smallest = 0x00800000, Infinity = 0x7f800000;
    bool plain = true;
    for (const float value : values) {
        const std::uint32_t magnitude = std::bit_cast<std::uint32_t>(value) & Magnitude;
        const bool is_normal = magnitude - Smallest < Infinity - Smallest;
        plain = plain & (is_normal | (magnitude == 0));
    }
    return plain;
}

std::uint32_t word_at(const std::uint8_t* bytes, std::size_t size) {
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < size; ++i) word |= std::uint32_t{bytes[i]} << (8 * i);
    return word;
}

// Reads subnormals as zero and NaNs as the canonical one.
void read_rest(std::span<float> values) {
    if (are_plain(values)) return;
    for (float& value : values)
        value = numerics::to_fp32(std::bit_cast<std::uint32_t>(value), isa::Dtype::Fp32);
}

void read_fp32(const std::uint8_t* bytes, std::span<float> values) {
    std::memcpy(values.data(), bytes, values.size_bytes());
    read_rest(values);
}

// Reads bf16 elements, the upper halves of fp32.
void read_bf16(const std::uint8_t* bytes, std::span<float> values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::uint16_t half = 0;
        std::memcpy(&half, bytes + i * sizeof(half), sizeof(half));
        values[i] = std::bit_cast<float>(std::uint32_t{half} << 16);
    }
    read_rest(values);
}

void read_elements(const std::uint8_t* bytes, isa::Dtype dtype, std::span<float> values) {
    if (dtype == isa::Dtype::Fp32) return read_fp32(bytes, values);
    if (dtype == isa::Dtype::Bf16) return read_bf16(bytes, values);
    const std::size_t size = isa::element_size(dtype);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = numerics::to_fp32(word_at(bytes + i * size, size), dtype);
}

void write_fp32(std::span<const float> values, std::uint8_t* out) {
    if (!are_plain(values)) return numerics::from_fp32(values, isa::Dtype::Fp32, out);
    std::memcpy(out, values.data(), values.size_bytes());
}

// `element` is the number of the first one.
void write_elements(std::span<const float> values, const WriteMeta& result, const RoundingControl& control,
                    std::uint64_t element, std::uint8_t* out) {
    const bool stochastic = result.rounding == isa::Rounding::Stochastic ||
                            (result.rounding == isa::Rounding::Core && control.stochastic);
    if (result.dtype == isa::Dtype::Fp32) return write_fp32(values, out);
    if (!stochastic || !numerics::rounds_stochastically(result.dtype))
        return numerics::from_fp32(values, result.dtype, out);
    const std::size_t size = isa::element_size(result.dtype);
    for (const float value : values) {
        const std::uint32_t bits =
            numerics::from_fp32(value, result.dtype, numerics::element_draw(control.seed, element++));
        for (std::size_t i = 0; i < size; ++i) *out++ = static_cast<std::uint8_t>(bits >> (8 * i));
    }
}

void scale_elements(float scale, std::span<float> values) {
    if (scale == 1) return;  // the values that were read are not subnormal; NaNs are canonical
    for (float& value : values) value = numerics::multiply(scale, value);
}

// Combines `registers`, the result so far, with values and stores the result in values.
void combine(Operation operation, float scale, std::span<const float> registers, std::span<float> values) {
    if (operation == Operation::Add) {
        Block scales, sums;
        std::ranges::fill(scales, scale);
        std::ranges::copy(registers, sums.begin());
        const std::span<float> sum = std::span(sums).first(values.size());
        numerics::fma_steps(std::span(scales).first(values.size()), values, sum);
        std::ranges::copy(sum, values.begin());
        return;
    }
    scale_elements(scale, values);
    if (operation == Operation::Load) return;
    const auto apply = operation == Operation::Multiply ? numerics::multiply
                       : operation == Operation::Min    ? numerics::minimum
                                                        : numerics::maximum;
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = apply(values[i], registers[i]);
}

}  // namespace

void ElementUnit::begin_packet() {
    registers_.clear();
    part_.clear();
    source_ = 0;
    several_ = false;
    index_ = 0;
}

std::string ElementUnit::end_source() const {
    if (!several_ || source_ == 0 || index_ == registers_.size()) return "";
    return fmt::format("source {} has {} elements, expected {}, as source 0", source_, index_,
                       registers_.size());
}

std::string ElementUnit::end_packet() const {
    return end_source();
}

std::string ElementUnit::take(const Source& source, std::span<const std::uint8_t> bytes,
                              const WriteMeta& result, const RoundingControl& control,
                              std::vector<std::uint8_t>& out) {
    if (source.meta.source != source_) {
        if (std::string wrong = end_source(); !wrong.empty()) return wrong;
        source_ = source.meta.source;
        index_ = 0;
    }
    several_ = source.meta.last_source != 0;
    const std::size_t size = isa::element_size(source.meta.dtype);
    const std::uint64_t elements = (part_.size() + bytes.size()) / size;
    if (several_ && source_ == 0 && index_ + elements > MaxCombinedElements)
        return fmt::format("source 0 has more than {} elements", MaxCombinedElements);
    if (source_ != 0 && index_ + elements > registers_.size())
        return fmt::format("source {} has more than the {} elements of source 0", source_, registers_.size());
    const auto keep = [&](std::size_t count) {
        part_.insert(part_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count));
        bytes = bytes.subspan(count);
    };
    if (!part_.empty()) {
        keep(std::min(size - part_.size(), bytes.size()));
        if (part_.size() != size) return "";
        take_elements(source, part_, result, control, out);
        part_.clear();
    }
    const std::size_t whole = bytes.size() / size * size;
    take_elements(source, bytes.first(whole), result, control, out);
    bytes = bytes.subspan(whole);
    keep(bytes.size());
    return "";
}

// Takes whole elements, block by block.
void ElementUnit::take_elements(const Source& source, std::span<const std::uint8_t> bytes,
                                const WriteMeta& result, const RoundingControl& control,
                                std::vector<std::uint8_t>& out) {
    const std::size_t size = isa::element_size(source.meta.dtype);
    const std::size_t result_size = isa::element_size(result.dtype);
    while (!bytes.empty()) {
        Block block;
        const std::span<float> values = std::span(block).first(std::min(bytes.size() / size, BlockElements));
        read_elements(bytes.data(), source.meta.dtype, values);
        bytes = bytes.subspan(values.size() * size);
        const std::span<float> registers =
            std::span(registers_).subspan(source_ == 0 ? 0 : index_, source_ == 0 ? 0 : values.size());
        combine(source.meta.operation, source.scale, registers, values);
        if (source_ == source.meta.last_source) {
            const std::size_t written = out.size();
            out.resize(written + values.size() * result_size);
            write_elements(values, result, control, source.first_element + index_, out.data() + written);
        } else if (source_ == 0) {
            registers_.insert(registers_.end(), values.begin(), values.end());
        } else {
            std::ranges::copy(values, registers.begin());
        }
        index_ += values.size();
    }
}

}  // namespace trnsim::tlm::dma
