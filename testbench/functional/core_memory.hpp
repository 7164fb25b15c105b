// SBUF and PSUM, with a mark on every byte that has been written.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "testbench/builder/memory.hpp"

namespace trnsim::functional {

// builder::locate() for the interpreter: throws Error when `address` is in neither memory.
builder::Location locate(const neff::Target& target, std::uint32_t address);

class CoreMemory {
  public:
    explicit CoreMemory(const neff::Target& target);

    // Little-endian elements of `bytes` (1, 2, 4) at a core-window address. Throw Error outside SBUF and
    // PSUM, across the end of a partition, and for reading a byte that nothing has written.
    std::uint32_t read(std::uint32_t address, std::uint32_t bytes) const;
    void write(std::uint32_t address, std::uint32_t bytes, std::uint32_t value);

    void copy_out(std::uint32_t address, std::span<std::uint8_t> data) const;
    void copy_in(std::uint32_t address, std::span<const std::uint8_t> data);

  private:
    struct Array {
        std::uint64_t partition_bytes;
        std::vector<std::uint8_t> data, written;
    };
    // Index in the array's data of `bytes` bytes at `address`.
    std::uint64_t place(std::uint32_t address, std::uint64_t bytes, const Array*& array) const;

    neff::Target target_;
    Array sbuf_, psum_;
};

}  // namespace trnsim::functional
