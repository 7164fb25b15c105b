// What a server did, laid out for a person who looks at a trace: a group for each chip, with a track for each channel
// of its collective cores, ring of its DMA engines, pseudo channel of its HBM and direction of a link that begins there.
//
// A slice of a collective core is an entry of its program, from when it came to the head of its channel; of a ring the
// oldest packet under way; of a pseudo channel and of a link an interval without a gap, with its bytes. Beside a link
// stands a track for its waits for credits; retries and refreshes are instants.
#pragma once

#include <span>
#include <string>

#include "compiler/neff/package.hpp"
#include "model/neuronlink/topology.hpp"
#include "runtime/session/server_log.hpp"
#include "runtime/session/tracks.hpp"

namespace trnsim::runtime {

// What a packet of a DMA engine is, "data" or "flag", with where it goes or else where it comes from: "flag to chip 3".
std::string name_of(const tlm::trace::Packet& packet);

// A core and what it executes.
struct CoreKernel {
    addresses::CoreId core;
    const neff::Package* package;
};

// What the cores executed and the packets of their queues, as Timeline has them. They leave the log.
void lay_out_kernels(ServerLog& log, std::span<const CoreKernel> kernels, Tracks& tracks);

// In an order that follows from what is in the log alone.
void lay_out(const ServerLog& log, const tlm::neuronlink::Topology& topology, Tracks& tracks);

}  // namespace trnsim::runtime
