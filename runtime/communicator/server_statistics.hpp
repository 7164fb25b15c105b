// The counts of the links, the memories and the DMA engines of a server, as JSON.
#pragma once

#include <string>

#include "model/system/linked_server.hpp"

namespace trnsim::communicator {

// Returns counts since the server was built: every direction of every cable with the figures of both of its
// ends, every chip with its stacks of HBM, their channels if the model has them, and its DMA engines. All
// processes of a server call it and get the same text. Names: docs/collectives.md.
std::string server_statistics(tlm::LinkedServer& server);

}  // namespace trnsim::communicator
