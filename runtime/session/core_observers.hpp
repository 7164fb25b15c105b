// Listens to the cores of a device, each of which executes a package of its own.
#pragma once

#include <map>
#include <utility>

#include "runtime/session/observer.hpp"

namespace trnsim::runtime {

class CoreObservers : public tlm::trace::Sink {
  public:
    // The package must outlive the observers, and so must `trace`, which may be null.
    void add(addresses::CoreId core, const neff::Package& package, Tracks* trace) {
        observers_.try_emplace({core.chip, core.core}, package, trace, core);
    }
    const Observer& of(addresses::CoreId core) const { return observers_.at({core.chip, core.core}); }

    void instruction(const tlm::trace::Instruction& instruction) override {
        if (Observer* observer = find(instruction.core)) observer->instruction(instruction);
    }
    void packet(const tlm::trace::Packet& packet) override {
        if (Observer* observer = find({packet.chip, packet.core})) observer->packet(packet);
    }

  private:
    Observer* find(addresses::CoreId core) {
        const auto found = observers_.find({core.chip, core.core});
        return found == observers_.end() ? nullptr : &found->second;
    }

    std::map<std::pair<unsigned, unsigned>, Observer> observers_;  // by chip and core
};

}  // namespace trnsim::runtime
