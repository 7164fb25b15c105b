// Remembers which instruction ran when, to find the place in a run where something went wrong.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/session/observer.hpp"
#include "testbench/trial/events.hpp"
#include "testbench/trial/trial.hpp"

namespace trnsim::regress {

class Recorder : public tlm::trace::Sink {
  public:
    // `trace` may be null.
    Recorder(const neff::Package& package, runtime::Tracks* trace)
        : package_(package), observer_(package, trace) {}

    void instruction(const tlm::trace::Instruction& instruction) override;
    void packet(const tlm::trace::Packet& packet) override {
        if (!stopped_) observer_.packet(packet);
    }

    const runtime::Observer& observer() const { return observer_; }

    // Returns the completion cycle of the last instruction so far.
    std::uint64_t last_cycle() const { return last_cycle_; }

    // Returns the instructions of each engine, in the order of their completion.
    std::array<std::vector<tlm::trace::Instruction>, neff::EngineCount> by_engine() const;

    // Stops recording.
    void stop() { stopped_ = true; }

    // Returns issue and completion of an engine's instruction number `number`, from 0.
    std::optional<tlm::trace::Instruction> find(isa::Engine engine, std::size_t number) const {
        return events_.find(engine, number);
    }

    // A transfer that wrote wrong elements to memory, and when it was triggered.
    struct Culprit {
        std::size_t transfer;
        std::uint32_t iteration;  // iteration of its loop
        std::uint64_t cycle;
    };
    // Returns the first such transfer; nothing when no transfer wrote any of the elements.
    std::optional<Culprit> first_wrong(const std::vector<trial::Difference>& differences) const;

    // Returns the instructions of each engine that completed last before `cycle` and those at work then, one
    // a line.
    std::string around(std::uint64_t cycle) const;

  private:
    const neff::Package& package_;
    runtime::Observer observer_;
    trial::Events events_;
    std::uint64_t last_cycle_ = 0;
    bool stopped_ = false;
};

}  // namespace trnsim::regress
