#include "compiler/kernels/blocking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "arch/cost/tensor.hpp"
#include "arch/target/memory.hpp"
#include "compiler/builder/allocator.hpp"
#include "compiler/builder/error.hpp"
#include "isa/element_type.hpp"

namespace trnsim::kernels {
namespace {

constexpr std::uint64_t MinRowBytes = 1024;  // bytes of a DMA row; shorter ones waste bandwidth
constexpr std::uint64_t ChunkBytes =
    512ULL * 1024;  // bytes of a load: about 2 us at the sustained rate of the DMA engines
constexpr std::uint64_t MaxOutputSlots = 16;

// The chunks that stay in SBUF, which determine the slots.
enum class Residency { Both, Stationary, Neither };

struct Sizes {
    std::uint64_t stationary_slot, moving_slot, output_slot;  // bytes a partition
    std::uint64_t stationary_chunks, moving_chunks;           // chunks of all panels
    std::uint64_t outputs;                                    // number of output tiles
};

Sizes sizes_of(const MatmulShape& shape, const Blocking& b) {
    using builder::SbufAllocator;
    const std::uint64_t element = isa::element_size(shape.dtype);
    return {SbufAllocator::rounded(element * b.cut.chunk * b.stationary_width),
            SbufAllocator::rounded(element * b.cut.chunk * b.moving_width),
            SbufAllocator::rounded(b.n_tile * 4ULL),
            b.cut.chunks() * div_up(shape.m, b.stationary_width),
            b.cut.chunks() * div_up(shape.n, b.moving_width),
            div_up(shape.m, b.m_tile) * div_up(shape.n, b.n_tile)};
}

std::uint64_t bytes_of(const Sizes& sizes, const Blocking& b) {
    return b.stationary_slots * sizes.stationary_slot + b.moving_slots * sizes.moving_slot +
           b.output_slots * sizes.output_slot;
}

// Raises `slots` towards `wanted` with what `sbuf` has left.
void grow(std::uint64_t& slots, std::uint64_t wanted, std::uint64_t slot_bytes, std::uint64_t left) {
    if (wanted > slots) slots += std::min(wanted - slots, left / slot_bytes);
}

std::optional<Blocking> fit(const MatmulShape& shape, Blocking b, Residency residency, std::uint64_t sbuf) {
    // Several groups in a pair of panels would read its moving chunks again.
    if (residency == Residency::Neither) {
        b.stationary_width = b.group_tiles * b.m_tile;
        b.moving_width = b.n_tile;
    }
    const bool one_group = b.stationary_width == b.group_tiles * b.m_tile && b.moving_width == b.n_tile;
    const Sizes sizes = sizes_of(shape, b);
    const std::uint64_t chunks = b.cut.chunks();
    const auto at_most = [](std::uint64_t wanted, std::uint64_t all) { return std::min(wanted, all); };
    b.output_slots = at_most(2, sizes.outputs);
    b.stationary_slots = sizes.stationary_chunks;
    b.moving_slots = sizes.moving_chunks;
    if (residency == Residency::Stationary) {
        b.stationary_slots = at_most(chunks + 1, sizes.stationary_chunks);
        b.moving_slots = at_most(one_group ? 3 : chunks + 1, sizes.moving_chunks);
    }
    if (residency == Residency::Neither) {
        b.stationary_slots = at_most(2, sizes.stationary_chunks);
        b.moving_slots = at_most(2, sizes.moving_chunks);
    }
    if (bytes_of(sizes, b) > sbuf) return std::nullopt;
    const auto left = [&] { return sbuf - bytes_of(sizes, b); };
    grow(b.output_slots, at_most(2ULL * b.group_tiles, sizes.outputs), sizes.output_slot, left());
    grow(b.stationary_slots, at_most(2 * chunks, sizes.stationary_chunks), sizes.stationary_slot, left());
    grow(b.moving_slots, at_most(6, sizes.moving_chunks), sizes.moving_slot, left());
    grow(b.output_slots, at_most(MaxOutputSlots, sizes.outputs), sizes.output_slot, left());
    return b;
}

// Returns the Tensor cycles of a multiply_moving.
std::uint64_t matmul_cycles(isa::Dtype dtype, std::uint64_t columns, std::uint64_t moving) {
    return cost::pass_cycles(columns, moving) * (dtype == isa::Dtype::Fp32 ? 4 : 1);
}

}  // namespace

Blocking plan_blocking(const MatmulShape& shape, const target::Core& target, std::uint64_t sbuf) {
    const std::uint64_t element = isa::element_size(shape.dtype);
    const auto banks = static_cast<std::uint64_t>(target.psum_banks);
    Blocking b;
    b.m_tile = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(shape.m, static_cast<std::uint64_t>(target.columns)));
    b.n_tile = static_cast<std::uint32_t>(std::min<std::uint64_t>(shape.n, target::bank_columns(target)));
    b.group_tiles = static_cast<std::uint32_t>(std::min(
        div_up(shape.m, b.m_tile), std::max<std::uint64_t>(1, banks / 2)));  // the other half is emptied
    b.stationary_width = panel_width(std::uint64_t{b.group_tiles} * b.m_tile, shape.m, element);
    b.moving_width = panel_width(b.n_tile, shape.n, element);
    b.cut.rows = shape.k;
    b.cut.tile = static_cast<std::uint32_t>(target.rows);
    const std::uint64_t tile_bytes = b.cut.tile * element * std::max(b.stationary_width, b.moving_width);
    const auto chunk =
        static_cast<std::uint32_t>(std::clamp<std::uint64_t>(ChunkBytes / tile_bytes, 1, b.cut.tiles()));
    for (const Residency residency : {Residency::Both, Residency::Stationary, Residency::Neither}) {
        for (b.cut.chunk = chunk; b.cut.chunk > 0; b.cut.chunk /= 2) {
            if (const auto fitting = fit(shape, b, residency, sbuf)) return *fitting;
        }
    }
    throw builder::Error(fmt::format("a matmul of {} x {} x {} does not fit {} bytes a partition", shape.m,
                                     shape.k, shape.n, sbuf));
}

std::uint32_t panel_width(std::uint64_t group, std::uint64_t total, std::uint64_t element_bytes) {
    const std::uint64_t multiple = std::max<std::uint64_t>(1, MinRowBytes / (group * element_bytes));
    return static_cast<std::uint32_t>(std::min(group * multiple, div_up(total, group) * group));
}

TileGroup::Part part_of(std::uint64_t first, std::uint64_t tile, std::uint64_t total) {
    return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(std::min(tile, total - first))};
}

void append_groups(std::vector<TileGroup>& groups, const Blocking& b, std::uint64_t stationary_panel,
                   std::uint64_t columns, std::uint64_t moving_panel, const TileGroup::Part& moving) {
    for (std::uint64_t m = 0; m < columns;) {
        TileGroup group{stationary_panel, moving_panel, {}, moving};
        for (std::uint32_t i = 0; i < b.group_tiles && m < columns; ++i, m += b.m_tile) {
            group.stationary.push_back(part_of(m, b.m_tile, columns));
        }
        groups.push_back(std::move(group));
    }
}

std::vector<TileGroup> plan_groups(const MatmulShape& shape, const Blocking& b) {
    std::vector<TileGroup> groups;
    for (std::uint64_t s = 0; s * b.stationary_width < shape.m; ++s) {
        const std::uint64_t rows =
            std::min<std::uint64_t>(b.stationary_width, shape.m - s * b.stationary_width);
        for (std::uint64_t p = 0; p * b.moving_width < shape.n; ++p) {
            const std::uint64_t columns =
                std::min<std::uint64_t>(b.moving_width, shape.n - p * b.moving_width);
            for (std::uint64_t n = 0; n < columns; n += b.n_tile) {
                append_groups(groups, b, s, rows, p, part_of(n, b.n_tile, columns));
            }
        }
    }
    return groups;
}

std::vector<ChunkName> plan_prefetch(const MatmulShape& shape, const Blocking& b, const target::Core& target,
                                     const OperandRing& stationary, const OperandRing& moving) {
    // The rate that DMA engines sustain, with room for stores: 17 GB/s is 6 bytes a Tensor cycle.
    constexpr std::uint64_t BytesPerCycle = 5;
    const std::uint64_t rate = BytesPerCycle * static_cast<std::uint64_t>(target.dma_engines);

    std::vector<ChunkName> loads;
    std::vector<std::uint64_t> done;  // bytes loaded when each chunk has arrived
    std::uint64_t bytes = 0, cycles = 0, start = 0;
    const auto need = [&](const OperandRing& ring, const ChunkName& name, std::uint64_t slots,
                          std::uint64_t& filled) {
        const auto same = [&](const ChunkName& other) {
            return other.stationary == name.stationary && other.chunk == name.chunk &&
                   other.panel == name.panel;
        };
        if (std::ranges::any_of(loads, same)) return true;
        if (filled == slots) return false;
        ++filled;
        loads.push_back(name);
        bytes += ring.bytes(name.chunk, name.panel);
        done.push_back(bytes);
        const std::uint64_t finish = bytes / rate;
        if (finish > cycles) start = std::max(start, finish - cycles);
        return true;
    };
    std::uint64_t stationary_filled = 0, moving_filled = 0;
    bool free = true;
    for (const TileGroup& group : plan_groups(shape, b)) {
        for (std::uint64_t c = 0; free && c < b.cut.chunks(); ++c) {
            free =
                need(stationary, {true, c, group.stationary_panel}, b.stationary_slots, stationary_filled) &&
                need(moving, {false, c, group.moving_panel}, b.moving_slots, moving_filled);
            for (const TileGroup::Part& part : group.stationary)
                cycles += b.cut.tiles_in(c) * matmul_cycles(shape.dtype, part.count, group.moving.count);
        }
        if (!free) break;
    }
    const auto enough = std::ranges::find_if(done, [&](std::uint64_t sum) { return sum / rate >= start; });
    if (enough != done.end()) loads.resize(static_cast<std::size_t>(enough - done.begin()) + 1);
    return loads;
}

}  // namespace trnsim::kernels
