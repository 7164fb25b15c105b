// Analyses how a run spent its time.
//
// Cycles are those of the core clock, from the start of the first engine to the end of the run. An engine
// executes from the issue of an instruction to its completion; if several instructions are under way, the
// oldest one counts as executing.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "arch/config/config.hpp"
#include "runtime/session/runner.hpp"
#include "tools/profile/footprint.hpp"
#include "tools/profile/recorder.hpp"

namespace trnsim::profile {

// Each cycle of an engine is in exactly one class.
enum class CycleClass : std::uint8_t {
    Executing,
    Semaphore,  // at rest before an instruction that waits for a semaphore
    Issue,      // at rest before another instruction: fetch, decode, hand-over
    Before,     // before its first instruction if that does not wait for a semaphore
    After,      // after its last instruction
};
constexpr std::size_t CycleClasses = 5;
constexpr std::array<std::string_view, CycleClasses> CycleClassNames{"executing", "semaphore", "issue",
                                                                     "before", "after"};

// An instruction that has completed.
struct Execution {
    std::uint32_t pc = 0;
    std::uint64_t start = 0, end = 0;  // fs of simulated time: issue, completion
    std::uint64_t cycles = 0;          // from issue to completion
    std::uint64_t active_cycles = 0;   // cycles of these in which it executes
    std::uint64_t wait_cycles = 0;     // cycles its engine was at rest before it
};

struct EngineProfile {
    isa::Engine engine{};
    bool computes = false;  // its data path was at work
    std::array<std::uint64_t, CycleClasses> cycles{};
    std::vector<Execution> executions;                  // in program order as executed
    std::map<std::uint8_t, std::uint64_t> wait_cycles;  // cycles at rest, by semaphore that it waits for

    std::uint64_t in(CycleClass which) const { return cycles[static_cast<std::size_t>(which)]; }
};

struct OpcodeProfile {
    isa::Engine engine{};
    std::string opcode;
    std::uint64_t instructions = 0, cycles = 0, active_cycles = 0;
    // Core cycles for which the instructions occupy their engine if nothing delays them (arch/cost): the
    // shortest time for them one after the other. 0 for instructions that sequencers execute and for GpSimd's
    // commands.
    std::uint64_t ideal_cycles = 0;
};

// The ring of a queue on all DMA engines.
struct QueueProfile {
    std::string name;
    std::string variables;  // names of its transfers, joined by commas
    std::uint64_t bytes = 0, descriptors = 0, packets = 0;
    std::uint64_t active_time = 0;  // fs with a packet of it on some engine

    double mean_descriptor() const;  // bytes; 0 without descriptors
};

struct Roofline {
    double flops = 0;        // two for each multiply-accumulate
    double model_flops = 0;  // without transposes: operands of zeros and ones
    double hbm_bytes = 0;    // read and written
    double peak_flops = 0;   // a second, bf16
    double bandwidth = 0;    // bytes a second
    double seconds = 0;

    double intensity() const;   // flops a byte; infinite without traffic
    double ridge() const;       // ridge point of peak flops and bandwidth
    double attainable() const;  // flops a second at this intensity
    double achieved() const;    // flops a second
    double mfu() const;         // model's flops a second / peak
    double hfu() const;         // achieved / peak
    double mbu() const;         // bytes a second / bandwidth
};

// The source of changes of a semaphore.
struct Changes {
    std::string by;
    bool load = false;  // true for a transfer into SBUF or PSUM
};

struct Profile {
    std::uint64_t cycles = 0, start = 0, time = 0;  // core cycles, fs, fs
    std::vector<EngineProfile> engines;             // engines that have a program
    std::vector<OpcodeProfile> opcodes;             // by active cycles, most first
    std::vector<QueueProfile> queues;
    std::uint64_t dma_active_time = 0;  // fs with a packet on some DMA engine
    double dma_busiest = 0;             // share of time in which the busiest one had a packet
    double array_utilisation = 0;       // cycles in which a moving element entered / Tensor cycles
    Roofline roofline;
    Footprint footprint;
    target::Core target;
    std::map<std::uint8_t, Changes> semaphores;
};

// Returns the engines that have a program, with their cycles by class. `instructions` are those of a run by
// engine, in the order of their completion.
std::vector<EngineProfile> engines_of(
    const neff::Package& package, const config::Config& config, const runtime::Figures& figures,
    const std::array<std::vector<tlm::trace::Instruction>, neff::EngineCount>& instructions);

// `result` is that of a run of `package` that `recorder` saw.
Profile analyse(const neff::Package& package, const config::Config& config, const runtime::Result& result,
                const Recorder& recorder);

}  // namespace trnsim::profile
