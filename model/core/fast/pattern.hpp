// Iteration over a 4-D address pattern (rtl/common/ap_iterator.sv).
#pragma once

#include <array>
#include <cstdint>

#include "model/core/fast/decoded.hpp"

namespace trnsim::tlm::core_fast {

class Walk {
  public:
    void start(std::uint32_t offset, const Counts& count, const Steps& step, unsigned element_bytes) {
        walking_ = true;
        last_ = elements_of(count) == 1;
        for (unsigned d = 0; d < 4; ++d) {
            turns_[d] = left_[d] = count[d] - 1;
            step_[d] = step[d] * static_cast<std::int32_t>(element_bytes);
            base_[d] = offset;
        }
    }
    bool walking() const { return walking_; }
    bool last() const { return last_; }  // the current element is the last
    std::uint32_t offset() const { return base_[0]; }

    void advance() {
        if (last_) {
            walking_ = false;
            return;
        }
        unsigned moving = 0;
        while (left_[moving] == 0) ++moving;
        const std::uint32_t next = base_[moving] + static_cast<std::uint32_t>(step_[moving]);
        --left_[moving];
        base_[moving] = next;
        for (unsigned d = 0; d < moving; ++d) {
            left_[d] = turns_[d];
            base_[d] = next;
        }
        last_ = (left_[0] | left_[1] | left_[2] | left_[3]) == 0;
    }
    void stop() { walking_ = false; }

  private:
    bool walking_ = false, last_ = false;
    Counts turns_{}, left_{};
    Steps step_{};                         // bytes
    std::array<std::uint32_t, 4> base_{};  // offset at which the current turn of each dimension began
};

}  // namespace trnsim::tlm::core_fast
