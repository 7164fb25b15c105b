// The part of a saved core that does not depend on timing: it is the same on every model, at every speed.
#pragma once

#include "arch/checkpoint/core_state.hpp"

namespace trnsim::parity {

checkpoint::CoreState comparable(checkpoint::CoreState core);

}  // namespace trnsim::parity
