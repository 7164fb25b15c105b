#include "compiler/schedule/tables.hpp"

#include "arch/activation/activation.hpp"
#include "compiler/builder/scalar.hpp"

namespace trnsim::schedule {

bool Tables::would_load(std::optional<isa::Activation> function) const {
    return function && !activation::in_set(*function, set_);
}

void Tables::use(std::optional<isa::Activation> function) {
    if (would_load(function)) set_ = builder::first_set_with(*function);
}

}  // namespace trnsim::schedule
