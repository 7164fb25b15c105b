// Counts executed instructions in the bins of a plan.
#pragma once

#include <cstdint>
#include <vector>

#include "testbench/coverage/plan.hpp"

namespace trnsim::coverage {

class Collector {
  public:
    // `stochastic` is the core's rounding control. The plan must outlive the collector.
    Collector(const Plan& plan, const target::Core& target, bool stochastic);

    void operator()(isa::Engine engine, const isa::Instruction& instruction);

    // Counts an instruction only if it hits a bin for the first time. Returns whether it does.
    bool adds(isa::Engine engine, const isa::Instruction& instruction);

    // Number of hits, by combination of the plan.
    const std::vector<std::uint64_t>& hits() const { return hits_; }

  private:
    // Notes the state that later instructions depend on.
    void keep(const isa::Instruction& instruction);
    // Calls visit(bin) for every bin that the instruction hits.
    template <typename Visit>
    void visit(isa::Engine engine, const isa::Instruction& instruction, const Visit& visit) const;

    const Plan& plan_;
    target::Core target_;
    bool stochastic_;
    GpsimdArguments arguments_{};
    std::vector<std::uint64_t> hits_;
};

}  // namespace trnsim::coverage
