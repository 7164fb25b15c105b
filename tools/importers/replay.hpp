// The communication of traces as a kernel that all ranks run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arch/target/target.hpp"
#include "compiler/neff/package.hpp"
#include "tools/importers/astra_sim.hpp"
#include "tools/importers/chakra.hpp"

namespace trnsim::importers {

struct ReplayOptions {
    std::string name = "trace";
    isa::Dtype dtype = isa::Dtype::Bf16;  // of what is reduced; other data are bytes
    RankGroups groups{};
    // Algorithms by operation; others are chosen by size.
    std::map<collectives::Operation, collectives::Algorithm> algorithms{};
};

// A kernel, and the part of the traces that it leaves out.
struct Replay {
    neff::Package package;
    std::size_t collectives = 0;          // those of the kernel
    std::size_t left_out = 0;             // computations and memory accesses of all ranks
    std::uint64_t left_microseconds = 0;  // time of rank 0's computations
};

// `traces` is by rank. Communications of the traces become collectives with buffers of their own. One comes
// after another if the traces say so on some rank; those that nothing orders may overlap. Sends and receives
// with the same ranks and tag meet in their order. Throws Error for operations that there are not (reduce,
// gather, scatter), for sizes that do not fit, and for ranks that wait for each other.
Replay replay_of(const std::vector<Trace>& traces, const ReplayOptions& options, const target::Chip& target);

}  // namespace trnsim::importers
