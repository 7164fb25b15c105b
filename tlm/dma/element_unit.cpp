#include "tlm/dma/element_unit.hpp"

#include <fmt/format.h>

#include "isa/element_type.hpp"
#include "lib/numerics/arithmetic.hpp"
#include "lib/numerics/format.hpp"
#include "lib/numerics/xorwow.hpp"

namespace trnsim::tlm::dma {
namespace {

std::uint32_t word_of(std::span<const std::uint8_t> bytes) {
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) word |= std::uint32_t{bytes[i]} << (8 * i);
    return word;
}

std::uint32_t narrow(float value, const WriteMeta& result, const RoundingControl& control,
                     std::uint64_t element) {
    const bool stochastic = result.rounding == isa::Rounding::Stochastic ||
                            (result.rounding == isa::Rounding::Core && control.stochastic);
    if (!stochastic || !numerics::rounds_stochastically(result.dtype))
        return numerics::from_fp32(value, result.dtype);
    return numerics::from_fp32(value, result.dtype, numerics::element_draw(control.seed, element));
}

}  // namespace

void ElementUnit::begin_packet() {
    registers_.clear();
    part_.clear();
    source_ = 0;
    several_ = false;
    index_ = 0;
}

// The element index_ of the result so far.
float ElementUnit::combine(const Source& source, float x) {
    const float scale = source.scale;
    if (source.meta.operation == Operation::Load) return numerics::multiply(scale, x);
    const float r = registers_[index_];
    if (source.meta.operation == Operation::Add) return numerics::fma_step(scale, x, r);
    const float scaled = numerics::multiply(scale, x);
    switch (source.meta.operation) {
        case Operation::Multiply:
            return numerics::multiply(scaled, r);
        case Operation::Min:
            return numerics::minimum(scaled, r);
        default:
            return numerics::maximum(scaled, r);
    }
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
    const bool last = source_ == source.meta.last_source;
    const std::size_t size = isa::element_size(source.meta.dtype);
    const std::size_t result_size = isa::element_size(result.dtype);
    for (const std::uint8_t byte : bytes) {
        part_.push_back(byte);
        if (part_.size() != size) continue;
        if (several_ && source_ == 0 && index_ == MaxCombinedElements)
            return fmt::format("source 0 has more than {} elements", MaxCombinedElements);
        if (source_ != 0 && index_ >= registers_.size())
            return fmt::format("source {} has more than the {} elements of source 0", source_,
                               registers_.size());
        const float value = combine(source, numerics::to_fp32(word_of(part_), source.meta.dtype));
        part_.clear();
        if (last) {
            const std::uint32_t bits = narrow(value, result, control, source.first_element + index_);
            for (std::size_t i = 0; i < result_size; ++i)
                out.push_back(static_cast<std::uint8_t>(bits >> (8 * i)));
        } else if (source_ == 0) {
            registers_.push_back(value);
        } else {
            registers_[index_] = value;
        }
        ++index_;
    }
    return "";
}

}  // namespace trnsim::tlm::dma
