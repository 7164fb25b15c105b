// SBUF and PSUM. A mark on every byte says whether it has been written, and whether by a matmul.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "arch/target/memory.hpp"

namespace trnsim::functional {

// target::locate() for the interpreter. Throws Error when `address` is in neither memory.
target::Location locate(const target::Core& target, std::uint32_t address);

class CoreMemory {
  public:
    // If not `strict`, bytes that have not been written read as zero.
    explicit CoreMemory(const target::Core& target, bool strict = true);

    // Access little-endian elements of `bytes` (1, 2, 4) bytes at a core-window address. Throw Error outside
    // SBUF and PSUM, across the end of a partition, and for reading a byte that nothing has written.
    std::uint32_t read(std::uint32_t address, std::uint32_t bytes) const;
    void write(std::uint32_t address, std::uint32_t bytes, std::uint32_t value);

    // Access results of matmuls. Reading one throws Error unless a matmul was the last to write it.
    std::uint32_t read_sum(std::uint32_t address) const;
    void write_sum(std::uint32_t address, std::uint32_t value);

    // Returns SBUF from a partition on, one partition after the other. The caller checks what it reads with
    // require_written() and marks what it writes with mark_written().
    std::span<std::uint8_t> sbuf(std::uint32_t partition);
    // Throws Error like read(), for bytes of one partition.
    void require_written(std::uint32_t address, std::uint64_t bytes) const;
    void mark_written(std::uint32_t address, std::uint64_t bytes);

    // Returns whether anything has written the byte.
    bool is_written(std::uint32_t address) const;

    void copy_out(std::uint32_t address, std::span<std::uint8_t> data) const;
    void copy_in(std::uint32_t address, std::span<const std::uint8_t> data);

  private:
    enum class Mark : std::uint8_t { Unwritten, Written, Sum };
    struct Array {
        std::uint64_t partition_bytes;
        std::vector<std::uint8_t> data;
        std::vector<Mark> marks;  // one for each byte
    };
    void put(std::uint32_t address, std::span<const std::uint8_t> data, Mark mark);
    // Returns the index in the array's data of the `bytes` bytes at `address`.
    std::uint64_t place(std::uint32_t address, std::uint64_t bytes, const Array*& array) const;

    target::Core target_;
    bool strict_;
    Array sbuf_, psum_;
};

}  // namespace trnsim::functional
