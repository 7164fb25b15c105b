// SBUF and PSUM of a core in the host's memory, one partition behind the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "arch/checkpoint/core_state.hpp"
#include "arch/config/config.hpp"

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

    // The byte at a core-window address; nothing outside SBUF and PSUM, in the gap behind a partition, and
    // where there is no partition.
    std::optional<Place> locate(std::uint32_t window_address) const;
    std::uint32_t window_address(Place place) const;

    std::uint32_t partitions() const { return partitions_; }
    std::uint32_t partition_bytes(MemoryId memory) const { return of(memory).partition_bytes; }

    // The bytes at `place` and after, all in its partition; that they are there is up to the caller.
    std::span<const std::uint8_t> read(Place place, std::size_t bytes) const { return {byte(place), bytes}; }
    void write(Place place, std::span<const std::uint8_t> data);

    // The bytes from a place on, to read and to write. Whoever writes PSUM through it says so to written().
    std::uint8_t* byte(Place place) {
        const Array& array = of(place.memory);
        return array.data.get() + place.partition * array.pitch + place.offset;
    }
    const std::uint8_t* byte(Place place) const { return const_cast<Memories*>(this)->byte(place); }
    // From a byte of a partition to the same one of the next.
    std::size_t pitch(MemoryId memory) const { return of(memory).pitch; }
    // Something else than a matmul was the last to write these bytes.
    void written(Place place, std::size_t bytes);

    // A mark for each word of a partition of PSUM: 1 where a matmul wrote it last.
    std::uint8_t* sums(std::uint32_t partition) {
        return sums_.data() + std::size_t{partition} * (psum_.partition_bytes / SumBytes);
    }
    void forget_sums();

    void save(checkpoint::CoreState& state) const;
    void load(const checkpoint::CoreState& state);

  private:
    static constexpr std::uint32_t SumBytes = 4;
    struct Free {
        void operator()(std::uint8_t* data) const;
    };
    struct Array {
        Array(std::uint64_t partition_bytes, std::uint64_t partitions);
        std::uint32_t partition_bytes;
        std::size_t pitch;
        std::unique_ptr<std::uint8_t[], Free> data;
    };
    const Array& of(MemoryId memory) const { return memory == MemoryId::Sbuf ? sbuf_ : psum_; }

    std::uint32_t partitions_, window_stride_;  // of SBUF
    Array sbuf_, psum_;
    std::vector<std::uint8_t> sums_;
};

}  // namespace trnsim::fast
