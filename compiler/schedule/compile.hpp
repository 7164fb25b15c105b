// The back end of every front end: it turns a builder that has recorded steps into a package.
//
//     lives -> order -> places -> semaphores and loops
//
// The same steps give the same package. Time and memory grow with the number of steps.
#pragma once

#include "arch/config/config.hpp"
#include "compiler/builder/error.hpp"
#include "compiler/schedule/spill.hpp"

namespace trnsim::schedule {

struct Options {
    // Bytes of each partition of SBUF for the caller's buffers; 0: all. The builder's own buffers may lie
    // above them.
    std::uint64_t sbuf = 0;
    // The queues of transfers that spill buffers to HBM, if the caller allows them.
    std::optional<SpillQueues> spill;
    // True if a step that makes again what a buffer has already stays (repeats.hpp).
    bool keep_repeats = false;
};

struct Result {
    neff::Package package;
    std::vector<Spill> spills;
};

// Thrown when buffers do not fit into SBUF or PSUM.
class NoRoom : public builder::Error {
  public:
    NoRoom(const std::string& what, std::string file, std::uint32_t line)
        : Error(what), file(std::move(file)), line(line) {}
    std::string file;  // file of the call whose buffer does not fit
    std::uint32_t line;
};

// Finishes a kernel of builder::Sink::Steps, in an order that list scheduling finds with the times of
// `config`. Throws NoRoom, and builder::Error as KernelBuilder::finish().
Result compile(builder::KernelBuilder& kernel, const config::Config& config, const Options& options = {});

// Returns "tile of kernel.py:12, 4096 bytes x 128 partitions of SBUF: stored 1 time, loaded 3 times".
std::string describe(const builder::KernelBuilder& kernel, const Spill& spill);

}  // namespace trnsim::schedule
