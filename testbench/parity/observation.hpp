// Observes a run of a package on a core of any model: when every instruction was issued and completed, the
// counts, and every byte of the memories.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "arch/config/config.hpp"
#include "compiler/neff/package.hpp"
#include "model/core/core.hpp"
#include "runtime/session/runner.hpp"

namespace trnsim::parity {

// An instruction, in core cycles from the start of the program; the place is its index in the engine's
// program.
struct Instruction {
    std::uint32_t place = 0;
    std::uint64_t issued = 0, completed = 0;
    bool operator==(const Instruction&) const = default;
};

// A packet of a DMA engine, from its first write to the last one's response, in core cycles from time 0.
struct Packet {
    std::uint32_t engine = 0, ring = 0;
    std::uint64_t start = 0, end = 0;
};

struct Counted {
    std::string name;
    std::uint64_t value = 0;
};

struct Observation {
    std::string message;  // the reason why it did not end as it should; empty if it did
    std::array<std::vector<Instruction>, neff::EngineCount> instructions;  // in program order
    std::vector<Packet> packets;                                           // in the order of their ends
    std::uint64_t cycles = 0;                                              // cycles of the whole run
    std::vector<Counted> counted;
    std::vector<std::uint8_t> sbuf, psum,
        outputs;  // one partition after the other; outputs in the package's order
    std::vector<std::uint32_t> semaphores;
    std::vector<std::uint32_t> hbm;  // number and CRC-32 of every page that was written
    std::vector<std::uint8_t>
        state;  // the core's state between instructions, except for the marks of written words
    std::uint64_t drain = 0, end = 0;  // core cycles to a checkpoint, and from time 0 to the end of the run
    bool checkpoint = false;           // true if the run has come to the checkpoint
    double seconds = 0;                // wall time of the simulation in seconds
};

// Runs the package in this process, in which no other simulation may have run: SystemC can be set up once.
// Ignores `inputs` if the run goes on from a checkpoint.
Observation observe(const neff::Package& package, const config::Config& config, const runtime::Arrays& inputs,
                    const runtime::Rounding& rounding, const tlm::CoreFactory& core,
                    const runtime::Checkpoints& checkpoints = {});

// Convert an observation to text and back, for a process that reports to another.
std::string to_text(const Observation& observation);
Observation from_text(const std::string& text);

}  // namespace trnsim::parity
