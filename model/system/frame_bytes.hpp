// Frames of the links in messages between processes: as they are, what they would be on the wire is not needed.
#pragma once

#include "model/neuronlink/packet.hpp"
#include "model/processes/bytes.hpp"

namespace trnsim::tlm {

void put_frame(processes::Writer& to, const neuronlink::Frame& frame);
neuronlink::Frame get_frame(processes::Reader& from);

}  // namespace trnsim::tlm
