// An element in Vector's lanes (vector_pkg::slot_t).
#pragma once

#include <cstdint>

namespace trnsim::tlm::core_fast {

struct ElementSlot {
    bool valid = false;
    bool first = false, last = false;  // first, last of its group
    bool write = false;                // the lanes' result is written
    bool value = false;                // an element of b that comes before those of a
    std::uint8_t bank = 0;
};

}  // namespace trnsim::tlm::core_fast
