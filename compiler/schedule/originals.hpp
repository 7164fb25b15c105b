// Buffers with contents that loads from HBM and memsets have put there, and would put there again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/builder/step.hpp"
#include "compiler/schedule/lives.hpp"

namespace trnsim::schedule {

// A load counts if nothing writes its tensor after it, in the author's order. Below, memsets count as loads.
// Lives in PSUM have none.
class Originals {
  public:
    // `tensors` is the number of tensors of the kernel.
    Originals(const std::vector<builder::Step>& steps, const Lives& lives, std::size_t tensors);

    // Returns the places in the list of the loads that fill a life, in their order; none if another step has
    // written it before place `at`.
    std::span<const std::uint32_t> of(std::uint32_t life, std::uint32_t at) const {
        return changed_[life] < at ? std::span<const std::uint32_t>() : loads_[life];
    }
    // Returns whether the step at a place is one of them.
    bool is_load(std::uint32_t at) const { return is_load_[at]; }

  private:
    std::vector<std::vector<std::uint32_t>> loads_;  // by life
    std::vector<std::uint32_t> changed_;  // by life: the place of the first other step that writes it
    std::vector<bool> is_load_;           // by place in the list
};

}  // namespace trnsim::schedule
