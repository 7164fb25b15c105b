// The set of activation tables that the Scalar engine has, for the order of its steps.
#pragma once

#include <optional>

#include "isa/isa_tables.hpp"

namespace trnsim::schedule {

class Tables {
  public:
    // Returns whether the engine would load a set first.
    bool would_load(std::optional<isa::Activation> function) const;
    void use(std::optional<isa::Activation> function);

  private:
    isa::ActivationSet set_ = isa::ActivationSet::None;
};

}  // namespace trnsim::schedule
