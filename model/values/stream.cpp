#include "model/values/stream.hpp"

#include <cstring>

namespace trnsim::fast {

void Stream::next(std::size_t count) {
    if (operand_.dense) {
        dense_offset_ += count_ * operand_.size;
    } else {
        walk_.next(std::span(offsets_).first(count));
    }
    count_ = count;
}

const std::uint8_t* Stream::elements(std::uint32_t row) {
    if (operand_.dense) return memories_.byte(place(row));
    gather(memories_.byte(operand_.row(row)), std::span(offsets_).first(count_), operand_.size,
           buffer_.data());
    return buffer_.data();
}

void Stream::scatter(std::uint32_t row, std::span<const std::int32_t> offsets, const std::uint8_t* elements) {
    const MemoryAddress first = operand_.row(row);
    fast::scatter(elements, offsets, operand_.size, memories_.byte(first));
    if (first.memory != MemoryId::Psum) return;
    for (const std::int32_t offset : offsets) {
        MemoryAddress place = first;
        place.offset += static_cast<std::uint32_t>(offset);
        memories_.written(place, operand_.size);
    }
}

bool Stream::put(std::uint32_t row, const std::uint8_t* elements) {
    if (operand_.dense) {
        std::memmove(memories_.byte(place(row)), elements, count_ * operand_.size);
        memories_.written(place(row), count_ * operand_.size);
    } else {
        scatter(row, std::span(offsets_).first(count_), elements);
    }
    return kernels::any_nan(operand_.dtype, elements, count_);
}

bool Stream::put(std::uint32_t row, const float* values, const std::uint32_t* draws) {
    std::uint8_t* to = operand_.dense ? memories_.byte(place(row)) : buffer_.data();
    const bool nan = draws == nullptr ? kernels::narrow(operand_.dtype, values, to, count_)
                                      : kernels::narrow(operand_.dtype, values, draws, to, count_);
    if (operand_.dense) {
        memories_.written(place(row), count_ * operand_.size);
    } else {
        scatter(row, std::span(offsets_).first(count_), to);
    }
    return nan;
}

bool Stream::put_some(std::uint32_t row, std::span<const std::uint16_t> indices,
                      const std::uint8_t* elements) {
    std::array<std::int32_t, kernels::ChunkElements> chosen;
    for (std::size_t i = 0; i < indices.size(); ++i) {
        chosen[i] = operand_.dense
                        ? static_cast<std::int32_t>(dense_offset_ + std::size_t{indices[i]} * operand_.size)
                        : offsets_[indices[i]];
    }
    scatter(row, std::span(chosen).first(indices.size()), elements);
    return kernels::any_nan(operand_.dtype, elements, indices.size());
}

}  // namespace trnsim::fast
