// How a program makes the machine it drives: the simulated chip, or a test's stand-in.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "testbench/runtime/chip_machine.hpp"

namespace trnsim::runtime {

// What a machine is to do beside running.
struct MachineOptions {
    tlm::trace::Sink* sink = nullptr;   // must outlive the machine
    std::optional<WaveRequest> wave{};  // covers all of its time
    tlm::perturb::Seed perturb{};
    tlm::contents::Seed random_memory{};
};

// Builds the machine of a configuration.
using MachineFactory = std::function<std::unique_ptr<Machine>(const config::Config&, const MachineOptions&)>;

}  // namespace trnsim::runtime
