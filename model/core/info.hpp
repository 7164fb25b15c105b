// What a core was made from.
#pragma once

#include <string>

namespace trnsim::tlm {

// Empty: not known.
struct CoreInfo {
    std::string rtl_hash;   // of RTL and parameters, see tools/cores/hash.hpp
    std::string verilator;  // version
};

}  // namespace trnsim::tlm
