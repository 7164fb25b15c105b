// The stream of a moving operand: it reads an element in a cycle and sends it into the array, once for each
// pair of parts of the operands (rtl/tensor/tensor_stream.sv).
#pragma once

#include <algorithm>
#include <cstdint>

#include "arch/cost/rate_limit.hpp"
#include "model/core/fast/decoded.hpp"
#include "model/core/fast/pattern.hpp"

namespace trnsim::tlm::core_fast {

class TensorStream {
  public:
    TensorStream() = default;
    explicit TensorStream(cost::RateLimit limit) : limit_(limit) {}

    bool busy() const { return active_ || read_.valid || entering_.valid; }
    bool active() const { return active_; }
    bool enters() const { return entering_.valid; }  // an element enters the array
    bool enters_last() const { return entering_.valid && entering_.last; }
    // Returns whether it asks for a row; an element in the row of the previous one needs none.
    bool wants() const { return due() && !(held_ && held_row_ == row()); }
    // Returns whether an element goes in this cycle. `granted`: the answer if it wants() a row.
    bool takes(bool granted) const { return due() && (granted || !wants()); }
    bool ready(bool takes) const { return !active_ || (pass_ends(takes) && pass_ == LastPass); }

    // `start` null: no matmul starts.
    void edge(bool takes, const TensorCommand* start) {
        const bool ends = pass_ends(takes);
        const bool leaves = ends && pass_ == LastPass;
        const bool load = start != nullptr || (ends && !leaves);
        entering_ = read_;
        read_ = {takes, takes && walk_.last() && pass_ == LastPass};
        const bool second = walk_.walking() && !load && (!second_ || !takes);
        limit_.edge(takes, !held_);
        if (takes) {
            held_ = true;
            held_row_ = row();
            walk_.advance();
        }
        if (load) held_ = false;
        second_ = second;
        if (start != nullptr) {
            command_ = *start;
            active_ = true;
            pass_ = (start->other_low ? 0U : 2U) | (start->low ? 0U : 1U);
        } else if (ends) {
            active_ = !leaves;
            pass_ = (pass_ + (command_.low ? 1U : 2U)) % 4;
        }
        if (load) {
            cycle_ = 0;
            walk_.start(command_.offset, command_.count, command_.step, command_.bytes);
        } else {
            cycle_ = std::min(cycle_ + 1, figure(Figure::PassInterval));
        }
    }

  private:
    static constexpr unsigned LastPass = 3;  // pass of the high parts
    static constexpr std::uint32_t WordBytes = 4;
    struct Element {
        bool valid = false, last = false;
    };

    std::uint32_t row() const { return walk_.offset() / WordBytes; }
    bool due() const { return walk_.walking() && (!command_.wide || second_) && limit_.ready(); }
    bool pass_ends(bool takes) const {
        return active_ && ((walk_.last() && takes) || !walk_.walking()) &&
               (cycle_ + 1 >= figure(Figure::PassInterval) || cycle_ + 1 >= command_.columns);
    }

    TensorCommand command_;
    bool active_ = false;
    unsigned pass_ = 0;        // parts of the stationary and of the moving operand, one bit each
    std::uint32_t cycle_ = 0;  // cycle of the pass, at most PassInterval
    bool second_ = false;      // second cycle of a wide read
    Walk walk_;
    cost::RateLimit limit_;
    bool held_ = false;  // an element of this pass has been taken
    std::uint32_t held_row_ = 0;
    Element read_, entering_;
};

}  // namespace trnsim::tlm::core_fast
