// SBUF and PSUM, with a mark on every byte that has been written, and by whom.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "arch/target/memory.hpp"

namespace trnsim::functional {

// target::locate() for the interpreter: throws Error when `address` is in neither memory.
target::Location locate(const target::Core& target, std::uint32_t address);

class CoreMemory {
  public:
    // Not strict: what has not been written reads as zero.
    explicit CoreMemory(const target::Core& target, bool strict = true);

    // Little-endian elements of `bytes` (1, 2, 4) at a core-window address. Throw Error outside SBUF and
    // PSUM, across the end of a partition, and for reading a byte that nothing has written.
    std::uint32_t read(std::uint32_t address, std::uint32_t bytes) const;
    void write(std::uint32_t address, std::uint32_t bytes, std::uint32_t value);

    // Results of matmuls. Reading one throws Error unless a matmul was the last to write it.
    std::uint32_t read_sum(std::uint32_t address) const;
    void write_sum(std::uint32_t address, std::uint32_t value);

    // SBUF from a partition on, one partition behind the other: for those who say themselves what they have read, before marking
    // what they have written.
    std::span<std::uint8_t> sbuf(std::uint32_t partition);
    // Throws Error as read(), for bytes of one partition.
    void require_written(std::uint32_t address, std::uint64_t bytes) const;
    void mark_written(std::uint32_t address, std::uint64_t bytes);

    // Whether anything has written the byte.
    bool is_written(std::uint32_t address) const;

    void copy_out(std::uint32_t address, std::span<std::uint8_t> data) const;
    void copy_in(std::uint32_t address, std::span<const std::uint8_t> data);

  private:
    enum class Mark : std::uint8_t { Unwritten, Written, Sum };
    struct Array {
        std::uint64_t partition_bytes;
        std::vector<std::uint8_t> data;
        std::vector<Mark> marks;  // of each byte
    };
    void put(std::uint32_t address, std::span<const std::uint8_t> data, Mark mark);
    // Index in the array's data of `bytes` bytes at `address`.
    std::uint64_t place(std::uint32_t address, std::uint64_t bytes, const Array*& array) const;

    target::Core target_;
    bool strict_;
    Array sbuf_, psum_;
};

}  // namespace trnsim::functional
