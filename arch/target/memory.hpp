// The places of the on-chip memories of a target in its core window.
#pragma once

#include <cstdint>
#include <string_view>

#include "arch/target/target.hpp"

namespace trnsim::target {

enum class Memory : std::uint8_t { Sbuf, Psum };

std::string_view name_of(Memory memory);

// Returns isa::sbuf_partition_stride() of the target.
std::uint32_t sbuf_partition_stride(const Core& target);

// A GpSimd core has the partitions of a slice, the last core perhaps fewer. There are at most eight cores, as
// many as commands address: no core has the partitions after those of the eighth.
constexpr std::uint32_t GpsimdPartitions = 16;  // partitions of a GpSimd core
std::uint32_t gpsimd_cores(const Core& target);

// Bytes from one partition of `memory` to the next in the core window.
std::uint32_t partition_stride(const Core& target, Memory memory);

// Bytes of one partition.
std::uint64_t partition_bytes(const Core& target, Memory memory);

// Bytes of one PSUM bank in one partition, and how many fp32 values that is.
std::uint32_t bank_bytes(const Core& target);
std::uint32_t bank_columns(const Core& target);

// Core-window address of byte `offset` of `partition`.
std::uint32_t address_of(const Core& target, Memory memory, std::uint32_t partition, std::uint32_t offset);

// The parts of a core-window address of SBUF or PSUM.
struct Location {
    Memory memory;
    std::uint32_t partition, offset;
};

// Throws Error when `address` is in neither memory.
Location locate(const Core& target, std::uint32_t address);

}  // namespace trnsim::target
