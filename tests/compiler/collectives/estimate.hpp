// Estimates the time of a schedule in closed form: bytes are counted over links, engines and memories, stage
// by stage.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/collectives/schedule.hpp"
#include "compiler/collectives/topology.hpp"

namespace trnsim::collectives::test {

struct Timing {
    double floor = 0;    // seconds before the first step, for the request of the collective
    double step = 0;     // seconds from the last completion that a step waits for to the step's first byte
    double hop = 0;      // seconds of a link between chips, each way
    double network = 0;  // seconds from one server to another, each way
    double bandwidth[LinkKindCount] = {};  // bytes/s of a link, by its kind
    double engines = 0;  // bytes/s that a rank's DMA engines read, and write at the same time
    double memory = 0;   // bytes/s of a rank's memory, reads and writes together
};

// Bytes of each link, and of each rank: those that its engines read and write, and those read and written in
// its memory.
struct Traffic {
    std::vector<std::uint64_t> links, reads, writes, memory;
};
Traffic traffic(const Schedule& schedule, const Topology& topology);

// Returns the seconds of a schedule. The stage of a step is one more than the last stage of the steps it
// waits for; all steps of a stage begin and end together. A stage takes `step`, the latency of its longest
// path, and the longest time that a link, a rank's engines or its memory need for the stage's bytes. A read
// from elsewhere first sends a request over the same path; data that is written to another chip is followed by
// its answer and by a flag.
double estimate_seconds(const Schedule& schedule, const Topology& topology, const Timing& timing);

}  // namespace trnsim::collectives::test
