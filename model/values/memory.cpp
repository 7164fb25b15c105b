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
      sums_(core.psum_partition / SumBytes * core.partitions),
      sbuf_words_(sbuf_.partition_bytes, partitions_),
      psum_words_(psum_.partition_bytes, partitions_),
      touched_(static_cast<std::uint8_t*>(std::calloc(sbuf_words(), partitions_))) {
    if (touched_ == nullptr) throw std::bad_alloc();
}

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
    if (data.empty()) return;
    constexpr std::uint32_t WordBytes = WrittenWords::WordBytes;
    const PartitionSet partition(place.partition, 1);
    const auto last = static_cast<std::uint32_t>((place.offset + data.size() - 1) / WordBytes);
    for (std::uint32_t word = place.offset / WordBytes; word <= last; ++word)
        words(place.memory).mark(word, partition);
}

void Memories::written(MemoryAddress place, std::size_t bytes) {
    if (place.memory != MemoryId::Psum || bytes == 0) return;
    std::uint8_t* marks = sums(place.partition);
    std::fill(marks + place.offset / SumBytes, marks + (place.offset + bytes - 1) / SumBytes + 1, 0);
}

bool Memories::is_written(MemoryAddress place) const {
    const std::uint32_t word = place.offset / WrittenWords::WordBytes;
    if (words(place.memory).has(word, place.partition)) return true;
    constexpr unsigned WrittenBytes = 4;  // bits of the bytes that were written, above those that were read
    return place.memory == MemoryId::Sbuf &&
           touched_[place.partition * sbuf_words() + word] >> WrittenBytes != 0;
}

void Memories::forget_marks() {
    std::ranges::fill(sums_, 0);
    sbuf_words_.forget();
    psum_words_.forget();
    // Pages that nobody has touched stay without memory.
    constexpr std::size_t Page = 4096;
    const std::span all(touched_.get(), sbuf_words() * partitions_);
    for (std::size_t at = 0; at < all.size(); at += Page) {
        const auto page = all.subspan(at, std::min(Page, all.size() - at));
        if (std::ranges::any_of(page, [](std::uint8_t byte) { return byte != 0; }))
            std::ranges::fill(page, std::uint8_t{0});
    }
}

}  // namespace trnsim::fast
