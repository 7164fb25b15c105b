// Compares the clock edges of the fast core's dispatcher, from a command to the interrupt, with the counts of
// rtl/gpsimd/gpsimd_dispatch.sv.
#include "model/core/fast/gpsimd_dispatch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "isa/instruction.hpp"

namespace trnsim::test {
namespace {

using tlm::core_fast::GpsimdDispatch;

constexpr unsigned MostEdges = 2000;

// Returns the edges after the one that takes the command; nothing if there is no interrupt.
std::optional<unsigned> edges_to_interrupt(unsigned cores, std::uint64_t issue_latency) {
    GpsimdDispatch dispatch({.cores = cores, .issue_latency = issue_latency});
    const std::uint32_t all = (1U << cores) - 1;
    const isa::Instruction instruction =
        isa::Instruction(isa::Opcode::GpsimdCommand).set(isa::field::CoreMask, all);
    tlm::core_fast::InstructionBytes command{};
    std::ranges::copy(instruction.bytes(), command.begin());
    GpsimdDispatch::In in{.accepted = &command, .waiting = all};
    dispatch.edge(in);
    in.accepted = nullptr;
    for (unsigned edge = 1; edge <= MostEdges; ++edge) {
        in.granted = dispatch.requests();
        dispatch.edge(in);
        if (dispatch.irq() == all) return edge;
    }
    return std::nullopt;
}

TEST(FastGpsimdDispatch, InterruptsWhenTheLatencyIsOver) {
    for (const unsigned cores : {1U, 2U, 8U}) {
        const unsigned writes = 2 + cores;  // to the mailboxes: two beats, then the number of each core
        for (const unsigned latency : {1U, 2U, 3U, 4U, 10U, 11U, 116U, 1022U, 1023U})
            EXPECT_EQ(edges_to_interrupt(cores, latency), std::max(latency, writes) + 1)
                << latency << " of " << cores;
    }
}

}  // namespace
}  // namespace trnsim::test
