// How a program makes the machine it drives: the simulated chip, or a test's stand-in.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "arch/config/config.hpp"
#include "runtime/session/fidelity.hpp"
#include "runtime/session/machine.hpp"

namespace trnsim::runtime {

// What a machine is to do beside running.
struct MachineOptions {
    tlm::trace::Sink* sink = nullptr;   // must outlive the machine
    std::optional<WaveRequest> wave{};  // covers all of its time
    tlm::perturb::Seed perturb{};
    tlm::contents::Seed random_memory{};
    Fidelity fidelity = Fidelity::Rtl;
    bool switches =
        false;  // there is a core of the other fidelity, for Machine::switch_model(); waveforms are of that one
    unsigned core = 0;     // of the chip, that executes; the slots of those before it are empty
    unsigned threads = 1;  // that the core's model may work with; results do not depend on it
    tlm::GpsimdObserver* gpsimd = nullptr;    // of the GpSimd cores; must outlive the machine
    tlm::GpsimdDebugger* debugger = nullptr;  // of the same; must outlive the machine
};

// Builds the machine of a configuration.
using MachineFactory = std::function<std::unique_ptr<Machine>(const config::Config&, const MachineOptions&)>;

// The same machines, with so many threads.
inline MachineFactory with_threads(MachineFactory factory, unsigned threads) {
    return [factory = std::move(factory), threads](const config::Config& config, MachineOptions options) {
        options.threads = threads;
        return factory(config, options);
    };
}

}  // namespace trnsim::runtime
