#include "compiler/kernels/mlp_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/target/memory.hpp"
#include "compiler/builder/allocator.hpp"
#include "compiler/builder/error.hpp"
#include "isa/element_type.hpp"

namespace trnsim::kernels {
namespace {

using builder::SbufAllocator;

constexpr std::uint64_t OutputSlots = 4;

// Cuts one layer: weights [k, m] stationary.
Blocking cut_layer(std::uint64_t k, std::uint32_t k_tile, std::uint64_t m, std::uint32_t m_tile,
                   std::uint32_t k_chunk, std::uint32_t batch_tile, std::uint64_t element,
                   const target::Core& target) {
    Blocking b;
    b.cut = {k, k_tile, 1};
    b.cut.chunk = static_cast<std::uint32_t>(std::min<std::uint64_t>(k_chunk, b.cut.tiles()));
    b.m_tile = m_tile;
    b.n_tile = b.moving_width = batch_tile;
    b.group_tiles = static_cast<std::uint32_t>(std::min<std::uint64_t>(
        div_up(m, m_tile), std::max<std::uint64_t>(1, static_cast<std::uint64_t>(target.psum_banks) / 2)));
    b.stationary_width = panel_width(std::uint64_t{b.group_tiles} * m_tile, m, element);
    return b;
}

std::uint64_t weight_chunks(const Blocking& b, std::uint64_t m) {
    return b.cut.chunks() * div_up(m, b.stationary_width);
}

std::uint64_t slot_bytes(const Blocking& b, std::uint32_t width, std::uint64_t element) {
    return SbufAllocator::rounded(element * b.cut.chunk * width);
}

std::uint64_t bytes_of(const MlpPlan& plan, std::uint64_t element) {
    const Blocking& first = plan.first;
    const Blocking& second = plan.second;
    const std::uint64_t hidden = SbufAllocator::rounded(plan.hidden_tiles() * plan.batch_tile * element);
    return first.stationary_slots * slot_bytes(first, first.stationary_width, element) +
           first.moving_slots * slot_bytes(first, first.moving_width, element) +
           second.stationary_slots * slot_bytes(second, second.stationary_width, element) +
           second.moving_slots * hidden +
           second.output_slots * SbufAllocator::rounded(plan.batch_tile * 4ULL);
}

}  // namespace

MlpPlan plan_mlp(const MlpShape& shape, const target::Core& target, std::uint64_t sbuf) {
    const std::uint64_t element = isa::element_size(shape.dtype);
    const auto rows = static_cast<std::uint32_t>(target.rows);
    const auto columns = static_cast<std::uint32_t>(target.columns);
    const auto tile = [&](std::uint64_t size, std::uint32_t limit) {
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(size, limit));
    };
    const std::uint32_t hidden_tile = tile(shape.hidden, std::min(rows, columns));
    const std::uint32_t output_tile = tile(shape.outputs, columns);
    const std::uint64_t biases = SbufAllocator::rounded(4 * div_up(shape.hidden, hidden_tile)) +
                                 SbufAllocator::rounded(4 * div_up(shape.outputs, output_tile));
    constexpr std::uint32_t MaxChunk = 4;

    MlpPlan plan;
    for (plan.batch_tile = tile(shape.batch, target::bank_columns(target)); plan.batch_tile > 0;
         plan.batch_tile /= 2) {
        for (const bool resident : {true, false}) {
            for (std::uint32_t chunk = MaxChunk; chunk > 0; chunk /= 2) {
                plan.first = cut_layer(shape.inputs, rows, shape.hidden, hidden_tile, chunk, plan.batch_tile,
                                       element, target);
                plan.second = cut_layer(shape.hidden, std::min(rows, columns), shape.outputs, output_tile,
                                        chunk, plan.batch_tile, element, target);
                const auto slots = [&](std::uint64_t streaming, std::uint64_t all) {
                    return resident ? all : std::min(streaming, all);
                };
                const std::uint64_t batch_tiles = plan.batch_tiles(shape);
                plan.first.stationary_slots = slots(2, weight_chunks(plan.first, shape.hidden));
                plan.second.stationary_slots = slots(2, weight_chunks(plan.second, shape.outputs));
                const std::uint64_t samples =
                    plan.first.cut.chunks() * std::min<std::uint64_t>(batch_tiles, 2);
                plan.first.moving_slots = slots(2, samples);
                plan.second.moving_slots = std::min<std::uint64_t>(batch_tiles, 2);  // hidden layers
                plan.second.output_slots = resident ? OutputSlots : 2;
                if (biases + bytes_of(plan, element) <= sbuf) return plan;
            }
        }
    }
    throw builder::Error(fmt::format("an mlp of {} -> {} -> {} does not fit {} bytes a partition",
                                     shape.inputs, shape.hidden, shape.outputs, sbuf));
}

}  // namespace trnsim::kernels
