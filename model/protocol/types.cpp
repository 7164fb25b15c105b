#include "model/protocol/types.hpp"

namespace trnsim::tlm {

void use_femtoseconds() {
    static bool done = false;
    if (!done) sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    done = true;
}

}  // namespace trnsim::tlm
