// The activity of a server, laid out for people who read a trace: a group for each chip, with a track for
// each channel of its collective cores, ring of its DMA engines, pseudo channel of its HBM and direction of a
// link that begins there.
//
// A slice of a collective core is an entry of its program, from the time at which it came to the head of its
// channel; a slice of a ring is the oldest packet in flight; a slice of a pseudo channel and of a link is an
// interval without a gap, with its bytes. A link has a second track for its waits for credits, and a third
// one for the times in which it is down, trains or lacks lanes; retries, frames with wrong bits, lost frames
// and refreshes are instants.
#pragma once

#include <span>
#include <string>

#include "compiler/neff/package.hpp"
#include "model/neuronlink/topology.hpp"
#include "runtime/session/server_log.hpp"
#include "runtime/session/tracks.hpp"

namespace trnsim::runtime {

// Returns the kind of a packet of a DMA engine, "data" or "flag", with its destination chip or else its
// source chip: "flag to chip 3".
std::string name_of(const tlm::trace::Packet& packet);

// A core and its kernel.
struct CoreKernel {
    addresses::CoreId core;
    const neff::Package* package;
};

// Lays out the instructions of the cores and the packets of their queues in the form of Timeline. They leave
// the log.
void lay_out_kernels(ServerLog& log, std::span<const CoreKernel> kernels, Tracks& tracks);

// The order depends on the content of the log alone.
void lay_out(const ServerLog& log, const tlm::neuronlink::Topology& topology, Tracks& tracks);

}  // namespace trnsim::runtime
