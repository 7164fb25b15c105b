// Loads a stationary operand: a cycle reads an aligned pair of words of every partition, and neighbouring
// columns within the pair are taken together (rtl/tensor/tensor_loader.sv).
#pragma once

#include <cstdint>

#include "model/core/fast/decoded.hpp"
#include "model/core/fast/pattern.hpp"

namespace trnsim::tlm::core_fast {

class TensorLoader {
  public:
    bool busy() const { return lines_.walking() || read_.columns != 0 || entering_.columns != 0; }
    bool done() const { return done_; }                           // for one cycle: the operand was read
    std::uint32_t entering() const { return entering_.columns; }  // columns that enter the array, 0 for none

    struct Beat {
        std::uint32_t columns = 0;  // 0: nothing is read in this cycle
        bool line_ends = false, last = false;
    };
    Beat beat() const {
        if (!lines_.walking() || (command_.wide && !second_)) return {};
        const std::uint32_t left = command_.count[0] - taken_;
        const std::uint32_t first = lines_.offset() + offset_;
        const auto step =
            static_cast<std::uint32_t>(command_.step[0] * static_cast<std::int32_t>(command_.bytes));
        std::uint32_t columns = 1;
        while (columns < figure(Figure::LoadColumns) && columns < left &&
               pair_of(first + columns * step) == pair_of(first))
            ++columns;
        return {columns, columns == left, columns == left && lines_.last()};
    }
    bool ready(const Beat& beat) const { return !lines_.walking() || beat.last; }

    // `start` null: no load starts.
    void edge(const Beat& beat, const TensorCommand* start) {
        entering_ = read_;
        read_ = beat;
        done_ = beat.last;
        if (lines_.walking()) {
            second_ = !second_;
            if (beat.columns != 0) {
                const auto step =
                    static_cast<std::uint32_t>(command_.step[0] * static_cast<std::int32_t>(command_.bytes));
                taken_ = beat.line_ends ? 0 : taken_ + beat.columns;
                offset_ = beat.line_ends ? 0 : offset_ + beat.columns * step;
                if (beat.line_ends) lines_.advance();
            }
        }
        if (start == nullptr) return;
        command_ = *start;
        const Counts count{start->count[1], start->count[2], start->count[3], 1};
        const Steps steps{start->step[1], start->step[2], start->step[3], 0};
        lines_.start(start->offset, count, steps, start->bytes);
        second_ = false;
        taken_ = offset_ = 0;
    }

  private:
    static constexpr std::uint32_t pair_of(std::uint32_t offset) {
        return offset / figure(Figure::LoadPairBytes);
    }

    TensorCommand command_;
    Walk lines_;                            // turns of dimensions 1 to 3
    bool second_ = false;                   // second cycle of a wide read
    std::uint32_t taken_ = 0, offset_ = 0;  // in the line: elements, bytes
    Beat read_, entering_;
    bool done_ = false;
};

}  // namespace trnsim::tlm::core_fast
