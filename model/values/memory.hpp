// SBUF and PSUM of a core in the host's memory, one partition after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "arch/checkpoint/core_state.hpp"
#include "arch/config/config.hpp"
#include "model/values/written_words.hpp"

namespace trnsim::fast {

enum class MemoryId : std::uint8_t { Sbuf, Psum };

// The place of a byte of SBUF or PSUM.
struct MemoryAddress {
    MemoryId memory = MemoryId::Sbuf;
    std::uint32_t partition = 0;
    std::uint32_t offset = 0;  // bytes from the partition's first
    bool operator==(const MemoryAddress&) const = default;
};

// The two memories, which hold zeros at first. Each word also records whether something has written it, and each
// word of PSUM whether a matmul wrote it last.
class Memories {
  public:
    explicit Memories(const config::Core& core);

    // Returns the place of the byte at a core-window address; nothing outside SBUF and PSUM, in the gap after
    // a partition, and for an absent partition.
    std::optional<MemoryAddress> locate(std::uint32_t window_address) const;
    std::uint32_t window_address(MemoryAddress place) const;

    std::uint32_t partitions() const { return partitions_; }
    std::uint32_t partition_bytes(MemoryId memory) const { return of(memory).partition_bytes; }

    // Reads the bytes from `place` on, all in its partition; the caller must know that they exist.
    std::span<const std::uint8_t> read(MemoryAddress place, std::size_t bytes) const {
        return {byte(place), bytes};
    }
    void write(MemoryAddress place, std::span<const std::uint8_t> data);

    // Returns the bytes from a place on, to read and to write. An instruction that writes PSUM must call
    // written(); note_writes() marks what it wrote.
    std::uint8_t* byte(MemoryAddress place) {
        const Array& array = of(place.memory);
        return array.data.get() + place.partition * array.pitch + place.offset;
    }
    const std::uint8_t* byte(MemoryAddress place) const { return const_cast<Memories*>(this)->byte(place); }
    // Returns the distance from a byte of a partition to the same one of the next.
    std::size_t pitch(MemoryId memory) const { return of(memory).pitch; }
    // Notes that something other than a matmul was the last to write these bytes of PSUM.
    void written(MemoryAddress place, std::size_t bytes);

    // Returns a mark for each word of a partition of PSUM: 1 if a matmul wrote it last.
    std::uint8_t* sums(std::uint32_t partition) {
        return sums_.data() + std::size_t{partition} * (psum_.partition_bytes / SumBytes);
    }
    // Forgets who has written what.
    void forget_marks();

    // Returns the words that instructions and write() have written.
    WrittenWords& words(MemoryId memory) { return memory == MemoryId::Sbuf ? sbuf_words_ : psum_words_; }
    const WrittenWords& words(MemoryId memory) const {
        return memory == MemoryId::Sbuf ? sbuf_words_ : psum_words_;
    }
    // Returns whether anything has written the word of a place, GpSimd cores among them.
    bool is_written(MemoryAddress place) const;
    // Returns the accesses of a GpSimd core to its slice of SBUF, from a partition on (rv32::Slice::touched).
    std::uint8_t* touched(std::uint32_t partition) { return touched_.get() + partition * sbuf_words(); }

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

    std::size_t sbuf_words() const { return sbuf_.partition_bytes / WrittenWords::WordBytes; }

    std::uint32_t partitions_, window_stride_;  // window_stride_: of SBUF
    Array sbuf_, psum_;
    std::vector<std::uint8_t> sums_;
    WrittenWords sbuf_words_, psum_words_;
    std::unique_ptr<std::uint8_t[], Free> touched_;  // a byte for each word of SBUF
};

}  // namespace trnsim::fast
