// Listens to the cores of a server, each of which executes a package of its own.
#pragma once

#include <map>
#include <utility>

#include "runtime/session/observer.hpp"

namespace trnsim::runtime {

class CoreObservers : public tlm::trace::Sink {
  public:
    // The package must outlive the observers.
    void add(addresses::CoreId core, const neff::Package& package) {
        observers_.try_emplace({core.chip, core.core}, package, nullptr, core);
    }
    const Observer& of(addresses::CoreId core) const { return observers_.at({core.chip, core.core}); }

    void instruction(const tlm::trace::Instruction& instruction) override {
        const auto found = observers_.find({instruction.core.chip, instruction.core.core});
        if (found != observers_.end()) found->second.instruction(instruction);
    }
    void packet(const tlm::trace::Packet&) override {}

  private:
    std::map<std::pair<unsigned, unsigned>, Observer> observers_;  // by chip and core
};

}  // namespace trnsim::runtime
