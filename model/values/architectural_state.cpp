// The state that the functional core keeps between instructions, in the form of arch/checkpoint.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "arch/numerics/format.hpp"
#include "model/values/functional_core.hpp"
#include "model/values/scalar_engine.hpp"
#include "model/values/tensor_engine.hpp"

namespace trnsim::fast {

using kernels::BlockColumns;
using kernels::Tables;

namespace {

constexpr std::size_t TableBanks = 7;  // expansion points and coefficients; the segments follow

// Returns the value as a processing element keeps it: there are no subnormals, and one NaN.
std::uint32_t kept(float value) {
    constexpr std::uint32_t Sign = 0x8000'0000;
    const auto word = std::bit_cast<std::uint32_t>(value);
    if (std::isnan(value)) return numerics::CanonicalNan;
    return std::isnormal(value) || std::isinf(value) ? word : word & Sign;
}

}  // namespace

void Memories::save(checkpoint::CoreState& state) const {
    const auto copy = [&](const Array& array, std::vector<std::uint8_t>& bytes) {
        bytes.resize(std::size_t{array.partition_bytes} * partitions_);
        for (std::size_t p = 0; p < partitions_; ++p)
            std::memcpy(bytes.data() + p * array.partition_bytes, array.data.get() + p * array.pitch,
                        array.partition_bytes);
    };
    copy(sbuf_, state.sbuf);
    copy(psum_, state.psum);
    state.sums = sums_;
    state.sbuf_written.clear();
    state.psum_written.clear();
}

void Memories::load(const checkpoint::CoreState& state) {
    const auto copy = [&](const std::vector<std::uint8_t>& bytes, Array& array) {
        for (std::size_t p = 0; p < partitions_; ++p)
            std::memcpy(array.data.get() + p * array.pitch, bytes.data() + p * array.partition_bytes,
                        array.partition_bytes);
    };
    copy(state.sbuf, sbuf_);
    copy(state.psum, psum_);
    sums_ = state.sums;
    // The state does not say who has written what, or not as rows: nothing counts as unwritten.
    sbuf_words_.mark_all();
    psum_words_.mark_all();
}

checkpoint::GeneratorState LaneGenerators::save() const {
    checkpoint::GeneratorState state;
    for (std::size_t word = 0; word < state.size(); ++word) {
        state[word].resize(lanes_);
        for (std::size_t lane = 0; lane < lanes_; ++lane)
            state[word][lane] = groups_[lane / kernels::Lanes].state[word][lane % kernels::Lanes];
    }
    return state;
}

void LaneGenerators::load(const checkpoint::GeneratorState& state) {
    for (std::size_t word = 0; word < state.size(); ++word) {
        for (std::size_t lane = 0; lane < lanes_; ++lane)
            groups_[lane / kernels::Lanes].state[word][lane % kernels::Lanes] = state[word][lane];
    }
}

checkpoint::LaneEngineState LaneState::save(std::size_t lanes) const {
    checkpoint::LaneEngineState state{.accumulators = std::vector<std::uint32_t>(lanes),
                                      .rounding = rounding.save()};
    for (std::size_t lane = 0; lane < lanes; ++lane)
        state.accumulators[lane] = std::bit_cast<std::uint32_t>(accumulators[lane]);
    return state;
}

void LaneState::load(const checkpoint::LaneEngineState& state) {
    for (std::size_t lane = 0; lane < state.accumulators.size(); ++lane)
        accumulators[lane] = numerics::to_fp32(state.accumulators[lane], isa::Dtype::Fp32);
    rounding.load(state.rounding);
}

// Element (row, column) of a part is in block column / BlockColumns.
void TensorEngine::save(checkpoint::CoreState& state) const {
    state.row_tile = row_tile_;
    state.column_tile = column_tile_;
    for (std::size_t t = 0; t < stationaries_.size(); ++t) {
        const Stationary& from = stationaries_[t];
        checkpoint::StationaryState& to = state.stationaries[t] = {};
        if (!from.valid) continue;
        to.valid = true;
        to.wide = from.wide;
        to.low = from.low;
        to.rows = static_cast<std::uint32_t>(from.rows);
        to.columns = static_cast<std::uint32_t>(from.columns);
        const auto words = [&from](Part part) {
            const float* values = from.parts[static_cast<std::size_t>(part)].data();
            std::vector<std::uint32_t> words;
            words.reserve(from.rows * from.columns);
            for (std::size_t row = 0; row < from.rows; ++row) {
                for (std::size_t column = 0; column < from.columns; ++column) {
                    const std::size_t block = column / BlockColumns * from.rows * BlockColumns;
                    words.push_back(kept(values[block + row * BlockColumns + column % BlockColumns]));
                }
            }
            return words;
        };
        to.high = words(Part::High);
        if (to.low) to.low_parts = words(Part::Low);
    }
}

void TensorEngine::load(const checkpoint::CoreState& state) {
    row_tile_ = state.row_tile;
    column_tile_ = state.column_tile;
    for (std::size_t t = 0; t < stationaries_.size(); ++t) {
        const checkpoint::StationaryState& from = state.stationaries[t];
        Stationary& to = stationaries_[t];
        to.valid = from.valid;
        if (!from.valid) continue;
        to.wide = from.wide;
        to.low = from.low;
        to.rows = from.rows;
        to.columns = from.columns;
        const std::size_t pitch = to.rows * BlockColumns;
        const std::size_t blocks = (to.columns + BlockColumns - 1) / BlockColumns;
        const auto place = [&](Part part, auto value_of) {
            float* values = to.parts[static_cast<std::size_t>(part)].resized(blocks * pitch);
            for (std::size_t i = 0; i < from.high.size(); ++i) {
                const std::size_t row = i / to.columns, column = i % to.columns;
                values[column / BlockColumns * pitch + row * BlockColumns + column % BlockColumns] =
                    value_of(i);
            }
        };
        const auto high = [&from](std::size_t i) { return std::bit_cast<float>(from.high[i]); };
        place(Part::High, high);
        if (!from.wide) continue;
        place(Part::FiniteHigh, [&](std::size_t i) { return std::isfinite(high(i)) ? high(i) : 0.0F; });
        place(Part::Low,
              [&](std::size_t i) { return from.low ? std::bit_cast<float>(from.low_parts[i]) : 0.0F; });
    }
}

checkpoint::TableState ScalarEngine::save_tables() const {
    checkpoint::TableState state{table_set, std::vector<std::uint32_t>(TableBanks * Tables::Rows),
                                 exponents_};
    for (std::size_t bank = 0; bank < TableBanks; ++bank) {
        for (std::size_t row = 0; row < Tables::Rows; ++row)
            state.rows[bank * Tables::Rows + row] = rows_[row * Tables::RowWords + bank];
    }
    state.rows.insert(state.rows.end(), segments_.begin(), segments_.end());
    return state;
}

void ScalarEngine::load_tables(const checkpoint::TableState& state) {
    table_set = state.set;
    for (std::size_t bank = 0; bank < TableBanks; ++bank) {
        for (std::size_t row = 0; row < Tables::Rows; ++row)
            rows_[row * Tables::RowWords + bank] = state.rows[bank * Tables::Rows + row];
    }
    std::copy_n(state.rows.begin() + TableBanks * Tables::Rows, Tables::Rows, segments_.begin());
    exponents_ = state.exponents;
}

}  // namespace trnsim::fast
