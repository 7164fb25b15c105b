// Where the on-chip memories of a target lie in its core window.
#pragma once

#include <cstdint>
#include <string_view>

#include "compiler/neff/package.hpp"
#include "compiler/neff/sizes.hpp"

namespace trnsim::builder {

enum class Memory : std::uint8_t { Sbuf, Psum };

std::string_view name_of(Memory memory);

using neff::sbuf_partition_stride;

// Bytes from one partition of `memory` to the next in the core window.
std::uint32_t partition_stride(const neff::Target& target, Memory memory);

// Bytes of one partition.
std::uint64_t partition_bytes(const neff::Target& target, Memory memory);

// Bytes of one PSUM bank in one partition, and how many fp32 values that is.
std::uint32_t bank_bytes(const neff::Target& target);
std::uint32_t bank_columns(const neff::Target& target);

// Core-window address of byte `offset` of `partition`.
std::uint32_t address_of(const neff::Target& target, Memory memory, std::uint32_t partition,
                         std::uint32_t offset);

// A core-window address of SBUF or PSUM taken apart.
struct Location {
    Memory memory;
    std::uint32_t partition, offset;
};

// Throws Error when `address` is in neither memory.
Location locate(const neff::Target& target, std::uint32_t address);

}  // namespace trnsim::builder
