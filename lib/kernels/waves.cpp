#include "lib/kernels/waves.hpp"

#include <algorithm>

namespace trnsim::kernels {

using builder::After;
using builder::Event;
using builder::Tile;

namespace {

void append(After& after, const After& more) {
    after.insert(after.end(), more.begin(), more.end());
}

// What a load_stationary and the multiply_moving behind it come after. An instruction waits for one
// semaphore; a second one takes a nop, which drains the engine. So what the matmul comes after moves to the
// load where that waits for the same producer anyway.
struct PairAfter {
    After load, multiply;

    void unite() {
        const auto moves = [&](const Event& event) {
            return std::ranges::find(load, event.producer, &Event::producer) != load.end();
        };
        for (const Event& event : After(multiply)) {
            if (moves(event)) load.push_back(event);
        }
        std::erase_if(multiply, moves);
    }
};

// K tile `k` of a chunk: `rows` partitions, some columns.
Tile part_of(const Chunk& chunk, std::uint32_t k, std::uint32_t rows, const Wave::Part& part) {
    return chunk.tile.at(0, k).partition_slice(0, rows).slice(0, part.first, part.count);
}

}  // namespace

WaveRunner::WaveRunner(builder::KernelBuilder& builder)
    : builder_(&builder), bank_free_(static_cast<std::size_t>(builder.target().psum_banks)) {}

void WaveRunner::run(const Wave& wave, const KCut& cut, Operand& stationary, Operand& moving,
                     const Evacuate& evacuate, const After& start) {
    struct Accumulator {
        Tile tile;
        std::uint32_t bank;
        Event last;
    };
    std::vector<Accumulator> accumulators;
    for (const Wave::Part& part : wave.stationary) {
        accumulators.push_back({builder_->psum(next_bank_, part.count, wave.moving.count), next_bank_, {}});
        next_bank_ = (next_bank_ + 1) % static_cast<std::uint32_t>(bank_free_.size());
    }
    for (std::uint64_t c = 0; c < cut.chunks(); ++c) {
        const Chunk weights = stationary.get(c, wave.stationary_panel);
        const Chunk data = moving.get(c, wave.moving_panel);
        PairAfter after{weights.ready, data.ready};
        if (c == 0) append(after.load, start);
        for (std::size_t i = 0; i < accumulators.size(); ++i) {
            Accumulator& accumulator = accumulators[i];
            for (std::uint32_t k = 0; k < cut.tiles_in(c); ++k) {
                const bool first = c == 0 && k == 0;
                if (first) after.multiply.push_back(bank_free_[accumulator.bank]);
                after.unite();
                const std::uint32_t rows = cut.rows_in(c * cut.chunk + k);
                builder_->load_stationary(part_of(weights, k, rows, wave.stationary[i]), after.load);
                accumulator.last = builder_->multiply_moving(
                    accumulator.tile, part_of(data, k, rows, wave.moving), !first, after.multiply);
                after = {};
            }
        }
        stationary.used(c, wave.stationary_panel, accumulators.back().last);
        moving.used(c, wave.moving_panel, accumulators.back().last);
    }
    for (std::size_t i = 0; i < accumulators.size(); ++i) {
        bank_free_[accumulators[i].bank] = evacuate(i, accumulators[i].tile, accumulators[i].last);
    }
}

}  // namespace trnsim::kernels
