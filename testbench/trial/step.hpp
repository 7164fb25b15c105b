// An executed instruction.
#pragma once

#include <cstddef>

#include "isa/isa_tables.hpp"

namespace trnsim::trial {

struct Step {
    isa::Engine engine = isa::Engine::Sync;
    std::size_t pc = 0;
};

}  // namespace trnsim::trial
