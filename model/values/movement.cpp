// Instructions that move data between partitions.
#include <cstring>
#include <memory>

#include "arch/operands/operands.hpp"
#include "model/values/vector_engine.hpp"

namespace trnsim::fast {
namespace {

constexpr std::size_t MostOfQuadrant = std::tuple_size_v<ShuffleMask>;
using Elements = std::array<std::uint8_t, 4 * kernels::ChunkElements + kernels::Padding>;

std::uint32_t quadrant_of(const LaneRun& run) {
    return run.memories.partitions() / 4;
}

// Transposes a block of `partitions` rows from `row` on, with `elements` of each.
void turn(LaneRun& run, std::uint32_t row, std::size_t partitions, std::size_t elements) {
    const std::uint32_t size = run.operation.dst.size;
    alignas(kernels::Padding)
        std::array<std::array<std::uint8_t, 4 * MostOfQuadrant + kernels::Padding>, MostOfQuadrant>
            turned;
    for (std::size_t k = 0; k < partitions; ++k) {
        const std::uint8_t* from = run.a->elements(row + static_cast<std::uint32_t>(k));
        for (std::size_t i = 0; i < elements; ++i)
            std::memcpy(turned[i].data() + k * size, from + i * size, size);
    }
    for (std::size_t i = 0; i < elements; ++i) run.put(row + static_cast<std::uint32_t>(i), turned[i].data());
}

}  // namespace

void stream_shuffle(LaneRun& run, const ShuffleMask& mask) {
    const Operation& o = run.operation;
    const std::uint32_t quadrant = quadrant_of(run);
    const auto rows = std::make_unique<std::array<Elements, MostOfQuadrant>>();
    for (std::uint64_t done = 0; done < o.elements; done += kernels::ChunkElements) {
        const auto count =
            static_cast<std::size_t>(std::min<std::uint64_t>(kernels::ChunkElements, o.elements - done));
        run.a->next(count);
        run.dst->next(count);
        for (std::uint32_t first = 0; first < o.partitions; first += quadrant) {
            const std::uint32_t used = std::min(quadrant, o.partitions - first);
            for (std::uint32_t k = 0; k < used; ++k)
                std::memcpy((*rows)[k].data(), run.a->elements(first + k), count * o.a.size);
            for (std::uint32_t k = 0; k < used; ++k) {
                if (mask[k] != KeepRow) run.put(first + k, (*rows)[mask[k]].data());
            }
        }
    }
}

void transpose_block(LaneRun& run) {
    const Operation& o = run.operation;
    const std::uint32_t quadrant = quadrant_of(run);
    if (operands::turns_one_block(o.instruction.bytes(), quadrant)) {
        run.a->next(o.elements);
        run.dst->next(o.partitions);
        return turn(run, 0, o.partitions, o.elements);
    }
    for (std::uint64_t done = 0; done < o.elements; done += quadrant) {
        run.a->next(quadrant);
        run.dst->next(quadrant);
        for (std::uint32_t first = 0; first < o.partitions; first += quadrant)
            turn(run, first, quadrant, quadrant);
    }
}

}  // namespace trnsim::fast
