// A device of one core: a simulated chip, or a stand-in for it.
#pragma once

#include "runtime/session/device.hpp"

namespace trnsim::runtime {

class Machine : public Device, public CoreAccess {
  public:
    std::uint32_t ranks() const final { return 1; }
    CoreAccess& core(std::uint32_t) final { return *this; }
    std::uint64_t time() const final { return statistics().time; }

    // Runs in slices of simulated time that take about ProgressSeconds each.
    tlm::RunResult simulate(std::uint64_t limit, std::uint64_t longest, const Watch& watch) final;

    // Runs until the outcome is known or, if not 0, `limit` has passed.
    virtual tlm::RunResult run(std::uint64_t limit) = 0;
};

}  // namespace trnsim::runtime
