// Timing of the Tensor engine (rtl/tensor/tensor_engine.sv): commands start in order, loads run during
// matmuls, and all complete in order.
#pragma once

#include <array>
#include <cstdint>
#include <deque>

#include "arch/config/config.hpp"
#include "model/core/fast/decoded.hpp"
#include "model/core/fast/tensor_loader.hpp"
#include "model/core/fast/tensor_stream.hpp"

namespace trnsim::tlm::core_fast {

class TensorEngine {
  public:
    explicit TensorEngine(const config::Core& core);

    bool ready() const { return queue_.size() < figure(Figure::TensorQueue); }
    bool done() const { return !order_.empty() && finished_[order_.front()] != 0; }
    bool busy() const { return !queue_.empty() || !order_.empty() || any_busy() || array_busy(); }
    // Activity in this cycle.
    bool matmul() const;
    std::uint32_t load_columns() const { return loader_.entering(); }

    // Returns the cycles from this one on in which only times pass, 0 if there are none; skip() lets them
    // pass.
    std::uint64_t quiet() const;
    void skip(std::uint64_t cycles) { now_ += cycles; }

    // `accepted` null: no instruction is accepted. Returns whether a stream of moving operands waited for
    // SBUF.
    bool cycle(const TensorCommand* accepted);
    // Sets in an engine at rest how the stationary operands were loaded.
    void set_tiles(bool row, bool column) {
        row_tile_ = row;
        column_tile_ = column;
    }

  private:
    static constexpr unsigned RowGroups = isa::array::RowGroups, ColumnGroups = isa::array::ColumnGroups;
    static constexpr unsigned Kinds = TensorStreams + 1, KindLoad = TensorStreams;

    struct Entry {
        TensorCommand command;
        std::uint64_t due;  // first cycle in which it may start
    };
    // The place that the last matmul of a stream writes.
    struct Target {
        std::uint32_t bank = 0, first = 0, last = 0;
    };

    bool any_busy() const;
    bool array_busy() const { return now_ < flight_end_; }
    bool collides(const TensorCommand& command) const;
    std::array<bool, TensorStreams> grants(bool& waited);

    // From the configuration
    std::uint64_t issue_latency_;
    std::uint64_t flight_, passage_;  // cycles through the array; through its columns
    std::uint32_t rows_, group_rows_;
    bool common_slice_;  // a border of row groups lies within a slice of SBUF

    std::uint64_t now_ = 0;  // current cycle
    std::deque<Entry> queue_;
    bool row_tile_ = false, column_tile_ = false;
    std::array<TensorStream, TensorStreams> streams_;
    TensorLoader loader_;
    std::array<Target, TensorStreams> target_;
    std::array<std::uint32_t, TensorStreams> flying_{};             // matmuls started and not completed
    std::array<std::deque<std::uint64_t>, TensorStreams> results_;  // cycles of last results to come
    std::uint64_t flight_end_ = 0;
    std::array<unsigned, RowGroups> turn_{};  // column group that read last
    unsigned slice_turn_ = 0;
    std::deque<unsigned> order_;  // kinds of the commands started and not completed
    std::array<std::uint32_t, Kinds> finished_{};
};

}  // namespace trnsim::tlm::core_fast
