// What a run of a package leaves behind on a core, however it is modelled: when every instruction was issued and completed, what was
// counted, and every byte of the memories.
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

// An instruction, in core cycles from the start of the program; the place is its index in the engine's program.
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
    std::string message;  // why it did not end as it should; empty: it did
    std::array<std::vector<Instruction>, neff::EngineCount> instructions;  // in program order
    std::vector<Packet> packets;                                           // in the order of their ends
    std::uint64_t cycles = 0;                                              // of the whole run
    std::vector<Counted> counted;
    std::vector<std::uint8_t> sbuf, psum,
        outputs;  // partition after partition; outputs in the package's order
    std::vector<std::uint32_t> semaphores;
    std::vector<std::uint32_t> hbm;  // number and CRC-32 of every page that was written
    std::vector<std::uint8_t>
        state;  // what the core keeps between instructions, but for which words were written
    std::uint64_t drain = 0, end = 0;  // core cycles to a checkpoint, until the end of the run from time 0
    bool checkpoint = false;           // the run has come to it
    double seconds = 0;                // of wall time that the simulation took
};

// Runs the package in this process, in which no other simulation may have run: SystemC can be set up once. `inputs` are not looked at
// where the run goes on from a checkpoint.
Observation observe(const neff::Package& package, const config::Config& config, const runtime::Arrays& inputs,
                    const runtime::Rounding& rounding, const tlm::CoreFactory& core,
                    const runtime::Checkpoints& checkpoints = {});

// The same in one text, for a process that reports to another.
std::string to_text(const Observation& observation);
Observation from_text(const std::string& text);

}  // namespace trnsim::parity
