// A memory port that two engines share, one instruction at a time (rtl/memory/shared_port.sv). Requester 0 is
// Vector.
#pragma once

#include <array>

#include "model/core/fast/element_front.hpp"

namespace trnsim::tlm::core_fast {

class SharedPort {
  public:
    PortGrant grant(unsigned requester, const PortClaim& claim) const {
        return {owner_[requester] && claim.needs, hold_[requester]};
    }

    // Called at every edge of the core clock. `stalled`: no requester gets the port. Returns whether
    // something has changed.
    bool edge(const PortClaim& first, const PortClaim& second, bool stalled) {
        const std::array<const PortClaim*, 2> claim{&first, &second};
        std::array<bool, 2> owner{}, hold{};
        for (unsigned i = 0; i < 2; ++i)
            owner[i] = owner_[i] && (claim[i]->uses || (claim[i]->needs && !hold_[i]));
        if (!owner[0] && !owner[1] && !stalled) {
            const bool both = first.needs && second.needs;
            owner[0] = both ? last_ : first.needs;
            owner[1] = both ? !last_ : second.needs;
        }
        for (unsigned i = 0; i < 2; ++i)
            hold[i] = owner[i] && claim[1 - i]->needs && (hold_[i] || claim[i]->uses);
        const bool changes = owner != owner_ || hold != hold_;
        owner_ = owner;
        hold_ = hold;
        if (owner[0] || owner[1]) last_ = owner[1];
        return changes;
    }

  private:
    std::array<bool, 2> owner_{}, hold_{};
    bool last_ = true;  // the second requester had it last
};

}  // namespace trnsim::tlm::core_fast
