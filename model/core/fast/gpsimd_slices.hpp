// The port of SBUF that the GpSimd cores share with Vector (rtl/gpsimd/gpsimd_slices.sv).
#pragma once

#include <cstdint>

#include "model/core/fast/decoded.hpp"
#include "model/core/fast/element_front.hpp"

namespace trnsim::tlm::core_fast {

class GpsimdSlices {
  public:
    // `wanted`: a core has an access in this cycle.
    PortClaim claim(bool wanted) const { return {wanted || ready_, ready_}; }
    bool active(bool wanted) const { return wanted || ready_ || answers_ != 0; }
    bool ready() const { return ready_; }               // the cores have the port
    std::uint32_t answers() const { return answers_; }  // cores that have their data, one bit each

    // `reads`: the cores with a read; `wanted`: a core has any access.
    void edge(std::uint32_t reads, bool wanted, const PortGrant& grant) {
        const bool gives_back = grant.hold && (!ready_ || still_ >= figure(Figure::GpsimdGap) ||
                                               turn_ >= figure(Figure::GpsimdTurn));
        const bool next =
            grant.granted && (wanted || (ready_ && still_ < figure(Figure::GpsimdLinger))) && !gives_back;
        answers_ = ready_ ? reads : 0;
        if (!ready_)
            turn_ = 0;
        else if (turn_ < figure(Figure::GpsimdTurn))
            ++turn_;
        if (wanted)
            still_ = 0;
        else if (ready_ && still_ < figure(Figure::GpsimdLinger))
            ++still_;
        ready_ = next;
    }

  private:
    bool ready_ = false;
    std::uint32_t turn_ = 0, still_ = 0;  // cycles with the port; cycles without an access
    std::uint32_t answers_ = 0;
};

}  // namespace trnsim::tlm::core_fast
