// Execution of instructions of the Vector and Scalar engines: chunks of elements, groups of lanes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "arch/checkpoint/core_state.hpp"
#include "arch/numerics/xorwow.hpp"
#include "model/values/kernels/kernels.hpp"
#include "model/values/operation.hpp"
#include "model/values/stream.hpp"

namespace trnsim::fast {

inline constexpr std::size_t MostLanes = 512;  // partitions of a core

// The generators of lanes, in groups of kernels::Lanes.
class LaneGenerators {
  public:
    LaneGenerators(numerics::Stream stream, std::size_t lanes) : stream_(stream), lanes_(lanes) { seed(0); }
    void seed(std::uint32_t seed);
    // Fills draws[i * kernels::Lanes + k] for lanes first + k, k < rows; other generators do not advance.
    // `first` begins a group.
    void draw(std::size_t first, std::size_t rows, std::uint32_t* draws, std::size_t count);

    checkpoint::GeneratorState save() const;
    void load(const checkpoint::GeneratorState& state);

  private:
    numerics::Stream stream_;
    std::size_t lanes_;
    std::vector<kernels::Generators> groups_;
};

// The state that an engine keeps from one instruction to the next.
struct LaneState {
    LaneState(numerics::Stream stream, std::size_t lanes)
        : accumulators((lanes + kernels::Lanes - 1) / kernels::Lanes * kernels::Lanes),
          rounding(stream, lanes) {}
    std::vector<float> accumulators;
    LaneGenerators rounding;

    checkpoint::LaneEngineState save(std::size_t lanes) const;
    void load(const checkpoint::LaneEngineState& state);
};

// Rows first to first + rows - 1, and the elements of the chunk.
struct Group {
    std::uint32_t first, rows;
    std::size_t count;
    std::size_t done;  // elements before the chunk
};

using Row = std::array<float, kernels::RowPitch>;
using BitRow = std::array<std::uint32_t, kernels::RowPitch>;
// One row for each lane of a group.
using Rows = std::array<float, kernels::Lanes * kernels::RowPitch>;
using BitRows = std::array<std::uint32_t, kernels::Lanes * kernels::RowPitch>;

class LaneRun {
  public:
    // `stochastic` is the core's rounding control.
    LaneRun(const Operation& operation, Memories& memories, LaneState& state, bool stochastic);

    const Operation& operation;
    Memories& memories;
    LaneState& state;
    bool nan = false;  // a NaN was written

    // Calls compute(group) for every chunk of the shape's elements and every group of rows; the streams are
    // at the chunk.
    template <typename Compute>
    void each_group(Compute compute) {
        for (std::uint64_t done = 0; done < operation.elements; done += kernels::ChunkElements) {
            const auto count = static_cast<std::size_t>(
                std::min<std::uint64_t>(kernels::ChunkElements, operation.elements - done));
            if (operation.has_a) a->next(count);
            if (operation.has_b && operation.b.elements == operation.elements) b->next(count);
            if (operation.has_dst && operation.dst.elements == operation.elements) dst->next(count);
            for (std::uint32_t first = 0; first < operation.partitions; first += kernels::Lanes) {
                const std::uint32_t rows =
                    std::min<std::uint32_t>(kernels::Lanes, operation.partitions - first);
                compute(Group{first, rows, count, static_cast<std::size_t>(done)});
            }
        }
    }
    // The same row by row: calls compute(row, count) after the draws of its group were made.
    template <typename Compute>
    void each_row(Compute compute) {
        each_group([&](const Group& group) {
            prepare_draws(group.first, group.rows, group.count);
            for (std::uint32_t row = group.first; row < group.first + group.rows; ++row)
                compute(row, group.count);
        });
    }
    // Calls compute(first, rows) for every group of rows: for instructions with different numbers of source
    // and result elements.
    template <typename Compute>
    void each_group_of_rows(Compute compute) {
        for (std::uint32_t first = 0; first < operation.partitions; first += kernels::Lanes) {
            restart_streams();
            compute(first, std::min<std::uint32_t>(kernels::Lanes, operation.partitions - first));
        }
    }

    // Makes the results storage bits: nothing is rounded, so nothing is drawn.
    void write_raw() { stochastic_ = false; }
    // Draws for the stochastic rounding of `count` elements of a group, before its results are put.
    void prepare_draws(std::uint32_t first, std::uint32_t rows, std::size_t count);
    // Writes the results of a row, fp32 or storage bits.
    void put(std::uint32_t row, const float* values) {
        nan |= dst->put(row, values, stochastic_ ? draws_.data() + row % kernels::Lanes : nullptr);
    }
    void put(std::uint32_t row, const std::uint8_t* elements) { nan |= dst->put(row, elements); }

    // Return the immediates of a row: as fp32 like other operands, or the bits.
    float imm0(std::uint32_t row) const { return values_[0][row]; }
    float imm1(std::uint32_t row) const { return values_[1][row]; }
    std::uint32_t imm0_bits(std::uint32_t row) const { return bits_[0][row]; }
    std::uint32_t imm1_bits(std::uint32_t row) const { return bits_[1][row]; }

    std::optional<Stream> dst, a, b;

  private:
    void restart_streams();
    void read_immediate(std::size_t index, const Immediate& immediate);

    bool stochastic_;  // results are rounded stochastically
    std::array<std::array<float, MostLanes>, 2> values_;
    std::array<std::array<std::uint32_t, MostLanes>, 2> bits_;
    alignas(kernels::Padding) std::array<std::uint32_t, kernels::ChunkElements * kernels::Lanes> draws_;
};

}  // namespace trnsim::fast
