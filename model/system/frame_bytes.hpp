// Conversion of link frames to messages between processes. They keep the fields: the bytes on the wire are
// not needed.
#pragma once

#include "model/neuronlink/packet.hpp"
#include "model/processes/bytes.hpp"

namespace trnsim::tlm {

void put_frame(processes::Writer& to, const neuronlink::Frame& frame);
neuronlink::Frame get_frame(processes::Reader& from);

}  // namespace trnsim::tlm
