// The words of a memory that something has written, a row of one word of every partition at a time, as the RTL
// keeps them (rtl/memory/read_watch.sv). A word counts as written once one of its bytes is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace trnsim::fast {

// A set of partitions, a bit each.
class PartitionSet {
  public:
    static constexpr std::size_t Bits = 64, Parts = 4;

    // `count` partitions from `first` on.
    PartitionSet(std::uint32_t first, std::uint32_t count);
    void remove(std::uint32_t partition) {
        parts_[partition / Bits] &= ~(std::uint64_t{1} << partition % Bits);
    }

    std::uint64_t part(std::size_t index) const { return parts_[index]; }

  private:
    std::array<std::uint64_t, Parts> parts_{};
};

class WrittenWords {
  public:
    WrittenWords(std::uint32_t partition_bytes, std::uint32_t partitions)
        : width_((partitions + PartitionSet::Bits - 1) / PartitionSet::Bits),
          rows_(partition_bytes / WordBytes * width_) {}

    static constexpr std::uint32_t WordBytes = 4;

    void mark(std::uint32_t word, const PartitionSet& partitions) {
        for (std::size_t part = 0; part < width_; ++part)
            rows_[word * width_ + part] |= partitions.part(part);
    }
    // Returns whether the word has its mark in all of these partitions.
    bool has(std::uint32_t word, const PartitionSet& partitions) const {
        std::uint64_t missing = 0;
        for (std::size_t part = 0; part < width_; ++part)
            missing |= partitions.part(part) & ~rows_[word * width_ + part];
        return missing == 0;
    }
    bool has(std::uint32_t word, std::uint32_t partition) const {
        const std::uint64_t row = rows_[word * width_ + partition / PartitionSet::Bits];
        return (row >> partition % PartitionSet::Bits & 1) != 0;
    }

    void mark_all();
    void forget();

  private:
    std::size_t width_;  // parts of a row
    std::vector<std::uint64_t> rows_;
};

}  // namespace trnsim::fast
