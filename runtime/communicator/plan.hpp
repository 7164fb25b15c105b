// Which plan of compiler/collectives fits the ranks of a server.
#pragma once

#include "compiler/collectives/generate.hpp"
#include "runtime/communicator/communicator.hpp"

namespace trnsim::communicator {

// Rings follow the cycles of a torus, halving and doubling its neighbours, where all ranks are the first cores
// of the server and no groups are given; else the order of the ranks.
struct Fitted {
    collectives::Request request;
    collectives::Plan plan;
};
Fitted fit(const collectives::Request& request, const config::Server& server,
           const std::vector<CoreId>& ranks, const Options& options);

}  // namespace trnsim::communicator
