// The writing end of an elementwise engine: a result waits for its memory's port; a result of a pattern with
// far steps takes the port for two cycles and is written in the second
// (rtl/elementwise/elementwise_write.sv).
#pragma once

#include "model/core/fast/decoded.hpp"

namespace trnsim::tlm::core_fast {

class ResultWriter {
  public:
    struct Answer {
        bool granted = false, taken = false;
    };

    // `operation` is null while there is no result.
    Answer answer(const ElementOperation* operation, bool sbuf_granted, bool psum_granted) const {
        if (operation == nullptr) return {};
        if (operation->no_dst) return {false, true};
        const bool granted = operation->dst.psum ? psum_granted : sbuf_granted;
        return {granted, granted && (!operation->dst_far || begun_)};
    }
    void edge(const ElementOperation* operation, const Answer& answer) {
        if (answer.granted) begun_ = operation->dst_far && !begun_;
    }

  private:
    bool begun_ = false;
};

}  // namespace trnsim::tlm::core_fast
