// One point on several servers. The phases within a server are simulated on one of them, as all servers do
// the same at the same time; the phases between them are computed with the model of the network
// (docs/efa.md).
#pragma once

#include "tools/nccom/test.hpp"

namespace trnsim::nccom {

// Like measure(). With a check, the simulated server's memory is compared after each phase within it with the
// result of the schedules on the host from the inputs of all servers.
Row measure_servers(const Test& test, std::uint64_t bytes, tlm::processes::Exchange* exchange);

}  // namespace trnsim::nccom
