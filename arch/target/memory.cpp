#include "arch/target/memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/target/error.hpp"
#include "isa/core_window.hpp"

namespace trnsim::target {

std::string_view name_of(Memory memory) {
    return memory == Memory::Sbuf ? "SBUF" : "PSUM";
}

std::uint32_t sbuf_partition_stride(const Core& target) {
    return isa::sbuf_partition_stride(static_cast<std::uint32_t>(target.partitions));
}

std::uint32_t gpsimd_cores(const Core& target) {
    constexpr std::uint32_t Most = 8;
    return std::min((static_cast<std::uint32_t>(target.partitions) + GpsimdPartitions - 1) / GpsimdPartitions,
                    Most);
}

std::uint32_t partition_stride(const Core& target, Memory memory) {
    return memory == Memory::Sbuf ? sbuf_partition_stride(target) : isa::window::PsumPartitionStride;
}

std::uint64_t partition_bytes(const Core& target, Memory memory) {
    return memory == Memory::Sbuf ? target.sbuf_partition : target.psum_partition;
}

std::uint32_t bank_bytes(const Core& target) {
    return static_cast<std::uint32_t>(target.psum_partition / static_cast<std::uint64_t>(target.psum_banks));
}

std::uint32_t bank_columns(const Core& target) {
    return bank_bytes(target) / 4;
}

std::uint32_t address_of(const Core& target, Memory memory, std::uint32_t partition, std::uint32_t offset) {
    const std::uint32_t base = memory == Memory::Sbuf ? isa::window::SbufBase : isa::window::PsumBase;
    return base + partition * partition_stride(target, memory) + offset;
}

Location locate(const Core& target, std::uint32_t address) {
    const Memory memory = address < isa::window::PsumBase ? Memory::Sbuf : Memory::Psum;
    const std::uint32_t base = memory == Memory::Sbuf ? isa::window::SbufBase : isa::window::PsumBase;
    const std::uint32_t stride = partition_stride(target, memory);
    const Location location{memory, (address - base) / stride, (address - base) % stride};
    if (location.partition >= static_cast<std::uint32_t>(target.partitions) ||
        location.offset >= partition_bytes(target, memory)) {
        throw Error(fmt::format("core-window address 0x{:07x} is in neither SBUF nor PSUM", address));
    }
    return location;
}

}  // namespace trnsim::target
