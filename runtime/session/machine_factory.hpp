// The factory of the machine that a program drives: the simulated chip, or a test's stand-in.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "arch/config/config.hpp"
#include "model/trace/sink.hpp"
#include "runtime/session/machine.hpp"

namespace trnsim::tlm {
class GpsimdDebugger;
class GpsimdObserver;
class MemoryWatch;
namespace processes {
class Exchange;
}
}  // namespace trnsim::tlm

namespace trnsim::runtime {

// Properties of a device, and its tasks beside running.
struct MachineOptions {
    tlm::trace::Sink* sink = nullptr;   // must outlive the device
    std::optional<WaveRequest> wave{};  // covers all of its time
    tlm::perturb::Seed perturb{};
    tlm::contents::Seed random_memory{};
    Fidelity fidelity = Fidelity::Rtl;
    // There is a core of the other fidelity, for Device::switch_model(), and waveforms are of that one; on a
    // server, RTL cores begin as fast ones.
    bool switches = false;
    unsigned core = 0;     // the core of the chip that executes; the slots before it are empty
    unsigned threads = 1;  // threads that each core's model may use; results do not depend on it
    tlm::GpsimdObserver* gpsimd = nullptr;         // for the GpSimd cores of a rank; must outlive the device
    tlm::GpsimdDebugger* debugger = nullptr;       // for the same; must outlive the device
    std::uint32_t observed = 0;                    // the rank with these cores
    tlm::MemoryWatch* watch = nullptr;             // for the core of a chip; must outlive the device
    tlm::processes::Exchange* exchange = nullptr;  // with other processes of a server; nullptr: only one
};

// Builds the machine of a configuration.
using MachineFactory = std::function<std::unique_ptr<Machine>(const config::Config&, const MachineOptions&)>;

// Returns a factory of the same machines with so many threads.
inline MachineFactory with_threads(MachineFactory factory, unsigned threads) {
    return [factory = std::move(factory), threads](const config::Config& config, MachineOptions options) {
        options.threads = threads;
        return factory(config, options);
    };
}

}  // namespace trnsim::runtime
