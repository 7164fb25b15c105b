#include "model/values/operand.hpp"

#include <algorithm>
#include <cstring>

#include "isa/element_type.hpp"

namespace trnsim::fast {
namespace {

template <typename Element>
void gather_elements(const std::uint8_t* first, std::span<const std::int32_t> offsets, std::uint8_t* to) {
    for (std::size_t i = 0; i < offsets.size(); ++i)
        std::memcpy(to + i * sizeof(Element), first + offsets[i], sizeof(Element));
}

template <typename Element>
void scatter_elements(const std::uint8_t* from, std::span<const std::int32_t> offsets, std::uint8_t* first) {
    for (std::size_t i = 0; i < offsets.size(); ++i)
        std::memcpy(first + offsets[i], from + i * sizeof(Element), sizeof(Element));
}

}  // namespace

Operand make_operand(MemoryAddress first, isa::Dtype dtype, std::uint32_t partitions, const Counts& counts,
                     const Steps& steps) {
    Operand operand{first, dtype, isa::element_size(dtype), partitions, 1, {}, true};
    const auto size = static_cast<std::int32_t>(operand.size);
    std::size_t axes = 0;
    for (std::size_t d = 0; d < counts.size(); ++d) {
        operand.elements *= counts[d];
        if (counts[d] == 1) continue;
        const Axis axis{counts[d], steps[d] * size};
        Axis* inner = axes == 0 ? nullptr : &operand.axes[axes - 1];
        if (inner != nullptr && axis.step == std::int64_t{inner->step} * inner->count &&
            std::uint64_t{inner->count} * axis.count <= UINT32_MAX) {
            inner->count *= axis.count;
        } else {
            operand.axes[axes++] = axis;
        }
    }
    operand.dense = axes == 0 || (axes == 1 && operand.axes[0].step == size);
    return operand;
}

void Walk::next(std::span<std::int32_t> offsets) {
    std::size_t done = 0;
    while (done < offsets.size()) {
        const std::int32_t outer = static_cast<std::int32_t>(at_[1]) * axes_[1].step +
                                   static_cast<std::int32_t>(at_[2]) * axes_[2].step +
                                   static_cast<std::int32_t>(at_[3]) * axes_[3].step;
        const std::size_t run = std::min<std::size_t>(offsets.size() - done, axes_[0].count - at_[0]);
        std::int32_t offset = outer + static_cast<std::int32_t>(at_[0]) * axes_[0].step;
        for (std::size_t i = 0; i < run; ++i, offset += axes_[0].step) offsets[done + i] = offset;
        done += run;
        at_[0] += static_cast<std::uint32_t>(run);
        for (std::size_t d = 0; d < axes_.size() && at_[d] == axes_[d].count; ++d) {
            at_[d] = 0;
            if (d + 1 < axes_.size()) ++at_[d + 1];
        }
    }
}

void gather(const std::uint8_t* first, std::span<const std::int32_t> offsets, std::uint32_t size,
            std::uint8_t* to) {
    switch (size) {
        case 1:
            return gather_elements<std::uint8_t>(first, offsets, to);
        case 2:
            return gather_elements<std::uint16_t>(first, offsets, to);
        default:
            return gather_elements<std::uint32_t>(first, offsets, to);
    }
}

void scatter(const std::uint8_t* from, std::span<const std::int32_t> offsets, std::uint32_t size,
             std::uint8_t* first) {
    switch (size) {
        case 1:
            return scatter_elements<std::uint8_t>(from, offsets, first);
        case 2:
            return scatter_elements<std::uint16_t>(from, offsets, first);
        default:
            return scatter_elements<std::uint32_t>(from, offsets, first);
    }
}

}  // namespace trnsim::fast
