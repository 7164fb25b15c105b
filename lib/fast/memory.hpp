// SBUF and PSUM of a core in the host's memory, one partition behind the other.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "lib/config/config.hpp"

namespace trnsim::fast {

enum class MemoryId : std::uint8_t { Sbuf, Psum };

// A byte of SBUF or PSUM.
struct Place {
    MemoryId memory = MemoryId::Sbuf;
    std::uint32_t partition = 0;
    std::uint32_t offset = 0;  // bytes from the partition's first
    bool operator==(const Place&) const = default;
};

// The two memories, which hold zeros at first. A word of PSUM also knows whether a matmul wrote it last.
class Memories {
  public:
    explicit Memories(const config::Core& core);

    // The byte at a core-window address; nothing outside SBUF and PSUM: gaps between partitions, partitions that are not there.
    std::optional<Place> locate(std::uint32_t window_address) const;
    std::uint32_t window_address(Place place) const;

    std::uint32_t partitions() const { return partitions_; }
    std::uint32_t partition_bytes(MemoryId memory) const { return arrays_[index(memory)].partition_bytes; }

    // The bytes at `place` and after, all in its partition; a place and size beyond it are an error of the caller.
    std::span<const std::uint8_t> read(Place place, std::size_t bytes) const { return {byte(place), bytes}; }
    void write(Place place, std::span<const std::uint8_t> data);

    // The bytes from a place on, to read and to write. Whoever writes PSUM through it calls written() for what it wrote.
    std::uint8_t* byte(Place place) {
        Array& array = arrays_[index(place.memory)];
        return array.data.data() + std::size_t{place.partition} * array.partition_bytes + place.offset;
    }
    const std::uint8_t* byte(Place place) const { return const_cast<Memories*>(this)->byte(place); }
    // No matmul was the last to write these bytes.
    void written(Place place, std::size_t bytes);

    // One mark for each word of a partition of PSUM: 1 where a matmul wrote it last.
    std::span<std::uint8_t> sums(std::uint32_t partition);
    void forget_sums();

  private:
    struct Array {
        std::uint32_t partition_bytes = 0;
        std::vector<std::uint8_t> data;
    };
    static std::size_t index(MemoryId memory) { return static_cast<std::size_t>(memory); }

    std::uint32_t partitions_;
    std::uint32_t sbuf_stride_;  // of the window
    Array arrays_[2];
    std::vector<std::uint8_t> sums_;
};

}  // namespace trnsim::fast
