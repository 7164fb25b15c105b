#include "model/dma/indices.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/dma/encodings.hpp"

namespace trnsim::tlm::dma {
namespace {

// Returns the number of the row; 0 means no row.
constexpr std::uint32_t row_of(std::uint32_t meta) {
    return meta >> RowShift;
}

std::string fault_of_length(const Descriptor& descriptor, std::uint32_t bytes) {
    if (descriptor.length != bytes) return fmt::format("{} bytes, expected {}", descriptor.length, bytes);
    return descriptor.last ? "the packet ends with it, expected what it reads" : "";
}

}  // namespace

std::string Indices::take_step(const Descriptor& descriptor, bool first) {
    if (!first) return "an index step within a packet, expected at its beginning";
    stage_ = Stage::Step;
    step_ = descriptor.address;
    return fault_of_length(descriptor, NumberBytes);
}

std::string Indices::take_bounds(const Descriptor& descriptor) {
    if (stage_ != Stage::Step) return "index bounds, expected after the index step";
    stage_ = Stage::Bounds;
    first_ = static_cast<std::int32_t>(descriptor.address);
    last_ = static_cast<std::int32_t>(descriptor.address >> 32);
    skip_ = (descriptor.meta & SkipBit) != 0;
    wait_ = (descriptor.meta & WaitBit) != 0;
    if (first_ > last_) return fmt::format("index bounds {} to {}, expected an index", first_, last_);
    return fault_of_length(descriptor, NumberBytes);
}

std::string Indices::take_index(const Descriptor& descriptor, std::uint32_t number_in_ring) {
    if (stage_ != Stage::Bounds && stage_ != Stage::Rows) return "an index, expected after index bounds";
    stage_ = Stage::Rows;
    if (count() == MaxIndices) return fmt::format("more than {} indices in a packet", MaxIndices);
    if (descriptor.address % IndexBytes != 0)
        return fmt::format("an index at 0x{:x}, expected a multiple of {}", descriptor.address, IndexBytes);
    entries_.push_back({descriptor.address, number_in_ring});
    ++missing_;
    return fault_of_length(descriptor, IndexBytes);
}

std::string Indices::take_row(std::uint32_t meta) const {
    if (stage_ != Stage::Rows) return "no index before what is read, expected one";
    if (row_of(meta) <= count()) return "";
    return fmt::format("the row of index {}, expected 1 to {}", row_of(meta), count());
}

void Indices::arrived(unsigned number, std::span<const std::uint8_t> bytes) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < IndexBytes; ++i) value |= std::uint32_t{bytes[i]} << (8 * i);
    entries_.at(number).value = static_cast<std::int32_t>(value);
    --missing_;
}

const Indices::Entry* Indices::bad() const {
    if (skip_) return nullptr;
    const auto found =
        std::ranges::find_if(entries_, [this](const Entry& entry) { return !in_bounds(entry); });
    return found == entries_.end() ? nullptr : &*found;
}

std::string Indices::describe(const Entry& entry) const {
    return fmt::format("index {} is out of bounds, expected {} to {}", entry.value, first_, last_);
}

bool Indices::in_bounds(std::uint32_t meta) const {
    return row_of(meta) == 0 || in_bounds(entries_[row_of(meta) - 1]);
}

std::uint64_t Indices::offset(std::uint32_t meta) const {
    if (row_of(meta) == 0) return 0;
    return step_ * static_cast<std::uint64_t>(std::int64_t{entries_[row_of(meta) - 1].value});
}

}  // namespace trnsim::tlm::dma
