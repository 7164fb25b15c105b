#include "tools/gdb/address_space.hpp"

#include <algorithm>

#include "firmware/include/trnsim/slice.hpp"
#include "isa/core_window.hpp"
#include "isa/isa_tables.hpp"

namespace trnsim::gdb {

std::optional<Piece> piece_at(unsigned core, std::uint32_t address, std::uint32_t bytes,
                              std::uint32_t partitions) {
    constexpr std::uint32_t WordBytes = 4, SliceBytes = firmware::Partitions * firmware::PartitionBytes;
    if (address - TRNSIM_TCM_BASE < TRNSIM_TCM_BYTES) {
        const std::uint32_t place = address - TRNSIM_TCM_BASE;
        return Piece{isa::window::GpsimdTcmBase + core * isa::window::GpsimdTcmStride + place,
                     std::min(bytes, TRNSIM_TCM_BYTES - place)};
    }
    const std::uint32_t place = address - TRNSIM_SLICE_BASE;
    if (place >= SliceBytes) return std::nullopt;
    const std::uint32_t word = place / firmware::WordStride, in_word = place % WordBytes;
    const std::uint32_t partition = core * firmware::Partitions + place % firmware::WordStride / WordBytes;
    if (partition >= partitions) return std::nullopt;
    return Piece{partition * isa::sbuf_partition_stride(partitions) + word * WordBytes + in_word,
                 std::min(bytes, WordBytes - in_word)};
}

}  // namespace trnsim::gdb
