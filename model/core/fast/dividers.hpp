// The iterative dividers of a stage of Vector's lanes; elements take them in turn
// (rtl/vector/vector_dividers.sv).
#pragma once

#include <array>
#include <cstdint>

#include "arch/cost/rate_limit.hpp"
#include "model/core/fast/decoded.hpp"
#include "model/core/fast/element_slot.hpp"

namespace trnsim::tlm::core_fast {

class Dividers {
  public:
    explicit Dividers(config::Ratio rate) : limit_(rate) {}

    bool empty() const { return count_ == 0 && !result_.valid; }
    bool valid() const { return result_.valid; }
    const ElementSlot& result() const { return result_; }  // the oldest one, if valid()

    // Returns whether an element may start in this cycle. `takes`: the result goes. `limited`: the rate is
    // limited.
    bool ready(bool limited, bool takes) const {
        return (count_ != Places || rounds(takes)) && (!limited || limit_.ready());
    }

    void edge(bool starts, const ElementSlot& slot, bool limited, bool takes) {
        if (!starts && empty()) return;
        limit_.edge(starts && limited, slot.first);
        const bool rounds_now = rounds(takes);
        for (std::uint32_t& left : left_) left -= left != 0 ? 1 : 0;
        if (rounds_now) {
            result_ = slots_[head_];
            head_ = (head_ + 1) % Places;
            --count_;
        } else if (takes) {
            result_.valid = false;
        }
        if (!starts) return;
        slots_[tail_] = slot;
        left_[tail_] = figure(Figure::DivisionDigits) - 1;
        tail_ = (tail_ + 1) % Places;
        ++count_;
    }

  private:
    static constexpr unsigned Places = figure(Figure::Dividers);

    bool rounds(bool takes) const { return count_ != 0 && left_[head_] == 0 && (!result_.valid || takes); }

    std::array<ElementSlot, Places> slots_;
    std::array<std::uint32_t, Places> left_{};  // digits left
    unsigned head_ = 0, tail_ = 0, count_ = 0;
    ElementSlot result_;
    cost::RateLimit limit_;
};

}  // namespace trnsim::tlm::core_fast
