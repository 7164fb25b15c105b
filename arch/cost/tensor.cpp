#include "arch/cost/tensor.hpp"

#include <algorithm>

#include "arch/cost/rate_limit.hpp"

namespace trnsim::cost {
namespace {

// Cycles from the hand-over of an instruction in which no part of it is processed: the start, the way from a
// read to the array, the completion.
constexpr std::uint64_t MatmulRest = 4, LoadRest = 3;

// Returns the reads of the stationary operand: neighbouring columns in an aligned pair of words are read
// together, at most LoadColumns of them.
std::uint64_t load_reads(const TensorCommand& command) {
    const Counts& count = command.count;
    const auto step = [&](unsigned d) { return command.step[d] * static_cast<std::int32_t>(command.bytes); };
    const auto pair_of = [](std::uint32_t offset) { return offset / figure(Figure::LoadPairBytes); };
    std::uint64_t reads = 0;
    for (std::uint32_t row = 0; row < count[1] * count[2] * count[3]; ++row) {
        const std::uint32_t first = command.offset + row % count[1] * static_cast<std::uint32_t>(step(1)) +
                                    row / count[1] % count[2] * static_cast<std::uint32_t>(step(2)) +
                                    row / count[1] / count[2] * static_cast<std::uint32_t>(step(3));
        for (std::uint32_t column = 0; column < count[0]; ++reads) {
            const auto place = [&](std::uint32_t c) {
                return pair_of(first + c * static_cast<std::uint32_t>(step(0)));
            };
            const std::uint32_t last = std::min(column + figure(Figure::LoadColumns), count[0]);
            const std::uint32_t pair = place(column);
            do ++column;
            while (column < last && place(column) == pair);
        }
    }
    return reads;
}

}  // namespace

Cycles tensor_cycles(const TensorCommand& command, const config::Core& core, unsigned passes) {
    const std::uint64_t issue = core.tensor.issue_latency, each = command.wide ? 2 : 1;
    if (command.load) {
        const std::uint64_t reads = each * load_reads(command);
        return {.occupies = reads, .completes = issue + reads + LoadRest};
    }
    const std::uint64_t moving = elements_of(command.count);
    const RateLimit limit = moving_limit(core.tensor);
    const std::uint64_t pass = std::max(pass_cycles(command.columns, each * moving), limit.cycles(moving));
    const std::uint64_t last =
        std::max(each * moving, limit.cycles(moving - 1) + 1);  // from the start to the last element
    const std::uint64_t rows = command.row_tile ? core.array.rows / isa::array::RowGroups : core.array.rows;
    return {.occupies = passes * pass,
            .completes = issue + (passes - 1) * pass + last + rows + core.array.columns - 1 + MatmulRest};
}

}  // namespace trnsim::cost
