// How a program makes the machine it drives: the simulated chip, or a test's stand-in.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "testbench/runtime/chip_machine.hpp"

namespace trnsim::runtime {

// Builds the machine of a configuration; the sink must outlive it. A wave request, when given, covers all of
// its time.
using MachineFactory = std::function<std::unique_ptr<Machine>(const config::Config&, tlm::trace::Sink*,
                                                              const std::optional<WaveRequest>&)>;

}  // namespace trnsim::runtime
