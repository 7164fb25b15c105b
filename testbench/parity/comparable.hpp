// What of a saved core does not depend on when things happened: the same on every model, at every speed.
#pragma once

#include "arch/checkpoint/core_state.hpp"

namespace trnsim::parity {

checkpoint::CoreState comparable(checkpoint::CoreState core);

}  // namespace trnsim::parity
