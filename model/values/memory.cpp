#include "model/values/memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "isa/core_window.hpp"
#include "isa/isa_tables.hpp"

namespace trnsim::fast {
namespace {

// Bytes between partitions, so that the same bytes of all of them do not share a few sets of the host's
// caches.
constexpr std::size_t Gap = std::size_t{33} * 64;
// Bytes after the last partition: whole vectors are read even for fewer elements.
constexpr std::size_t Slack = 256;

}  // namespace

void Memories::Free::operator()(std::uint8_t* data) const {
    std::free(data);
}

// calloc() does not touch the pages, so unused ones take no memory.
Memories::Array::Array(std::uint64_t partition_bytes, std::uint64_t partitions)
    : partition_bytes(static_cast<std::uint32_t>(partition_bytes)),
      pitch(partition_bytes + Gap),
      data(static_cast<std::uint8_t*>(std::calloc(pitch * partitions + Slack, 1))) {
    if (data == nullptr) throw std::bad_alloc();
}

Memories::Memories(const config::Core& core)
    : partitions_(static_cast<std::uint32_t>(core.partitions)),
      window_stride_(isa::sbuf_partition_stride(partitions_)),
      sbuf_(core.sbuf_partition, core.partitions),
      psum_(core.psum_partition, core.partitions),
      sums_(core.psum_partition / SumBytes * core.partitions) {}

std::optional<MemoryAddress> Memories::locate(std::uint32_t window_address) const {
    const bool psum = window_address >= isa::window::PsumBase;
    const std::uint32_t address = psum ? window_address - isa::window::PsumBase : window_address;
    const std::uint32_t stride = psum ? isa::window::PsumPartitionStride : window_stride_;
    const MemoryAddress place{psum ? MemoryId::Psum : MemoryId::Sbuf, address / stride, address % stride};
    if (place.partition >= partitions_ || place.offset >= partition_bytes(place.memory)) return std::nullopt;
    return place;
}

std::uint32_t Memories::window_address(MemoryAddress place) const {
    const bool psum = place.memory == MemoryId::Psum;
    return (psum ? isa::window::PsumBase : 0) +
           place.partition * (psum ? isa::window::PsumPartitionStride : window_stride_) + place.offset;
}

void Memories::write(MemoryAddress place, std::span<const std::uint8_t> data) {
    std::ranges::copy(data, byte(place));
    written(place, data.size());
}

void Memories::written(MemoryAddress place, std::size_t bytes) {
    if (place.memory != MemoryId::Psum || bytes == 0) return;
    std::uint8_t* marks = sums(place.partition);
    std::fill(marks + place.offset / SumBytes, marks + (place.offset + bytes - 1) / SumBytes + 1, 0);
}

void Memories::forget_sums() {
    std::ranges::fill(sums_, 0);
}

}  // namespace trnsim::fast
