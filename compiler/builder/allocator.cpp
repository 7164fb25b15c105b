#include "compiler/builder/allocator.hpp"

#include <fmt/format.h>

#include "compiler/builder/error.hpp"
#include "isa/element_type.hpp"

namespace trnsim::builder {

Tile SbufAllocator::tile(std::uint32_t partitions, isa::Dtype dtype,
                         const std::vector<std::uint32_t>& shape) {
    Tile tile{target::Memory::Sbuf, dtype, 0, partitions, static_cast<std::uint32_t>(used_),
              packed_axes(shape)};
    if (partitions < 1 || partitions > static_cast<std::uint32_t>(target_.partitions)) {
        throw Error(fmt::format("{}: {} partitions, expected 1 to {}", tile.describe(), partitions,
                                target_.partitions));
    }
    const std::uint64_t bytes = tile.elements() * isa::element_size(dtype);
    if (bytes == 0) throw Error(fmt::format("{} is empty", tile.describe()));
    if (rounded(bytes) > left()) {
        throw Error(fmt::format("{} takes {} bytes of each SBUF partition, {} of {} are left",
                                tile.describe(), rounded(bytes), left(), target_.sbuf_partition));
    }
    used_ += rounded(bytes);
    return tile;
}

Tile psum_tile(const target::Core& target, Bank bank, std::uint32_t partitions, std::uint32_t columns) {
    Tile tile{target::Memory::Psum,  isa::Dtype::Fp32, 0, partitions, bank.number * bank_bytes(target),
              packed_axes({columns})};
    if (bank.number >= static_cast<std::uint32_t>(target.psum_banks)) {
        throw Error(fmt::format("PSUM bank {}: the target has {}", bank.number, target.psum_banks));
    }
    if (partitions < 1 || partitions > static_cast<std::uint32_t>(target.partitions))
        throw Error(fmt::format("{}: {} partitions, expected 1 to {}", tile.describe(), partitions,
                                target.partitions));
    if (columns < 1 || columns > bank_columns(target))
        throw Error(fmt::format("{}: {} columns of 4 bytes, expected 1 to {}, as a bank has", tile.describe(),
                                columns, bank_columns(target)));
    return tile;
}

}  // namespace trnsim::builder
