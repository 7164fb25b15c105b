// One point on several servers: what happens within a server is simulated on one of them, as all do the same at the
// same time; what happens between them on the model of the network (docs/efa.md).
#pragma once

#include "tools/nccom/test.hpp"

namespace trnsim::nccom {

// As measure(). With a check, the simulated server's memory is compared after each phase within it with what the
// schedules make of the inputs of all servers on the host.
Row measure_servers(const Test& test, std::uint64_t bytes, tlm::processes::Exchange* exchange);

}  // namespace trnsim::nccom
