// The sources of a core.
#pragma once

#include <string>

namespace trnsim::tlm {

// Empty strings: not known.
struct CoreInfo {
    std::string rtl_hash;   // hash of RTL and parameters, see tools/cores/hash.hpp
    std::string verilator;  // version
};

}  // namespace trnsim::tlm
