// A server with its links, as a description says: chips, what stands in their slots, and the network between
// them.
#pragma once

#include <functional>

#include "lib/config/server.hpp"
#include "tlm/neuronlink/network.hpp"
#include "tlm/system/server.hpp"

namespace trnsim::tlm {

struct LinkedOptions {
    CoreFactory rtl{};               // makes a core of the kind `rtl`
    bool check_protocol = false;     // base-protocol checkers on all sockets of the chips
    bool collectives = false;        // chips have collective cores (tlm/collectives)
    perturb::Seed perturb{};         // of delays and stalls everywhere
    contents::Seed random_memory{};  // of what HBM holds at first; none: zeros
};

class LinkedServer {
  public:
    // One a process. Throws std::invalid_argument for a slot of kind `rtl` without LinkedOptions::rtl, and
    // as Server and neuronlink::Network do.
    explicit LinkedServer(const config::Server& description, const LinkedOptions& options = {});

    const config::Server& description() const { return description_; }
    Server& server() { return server_; }
    neuronlink::Network& network() { return network_; }

    // As Server::run(). Where a request was lost between chips, the message ends with the first report of the
    // links, which says why.
    RunResult run(std::uint64_t limit = 0);

  private:
    config::Server description_;
    Server server_;
    neuronlink::Network network_;
};

}  // namespace trnsim::tlm
