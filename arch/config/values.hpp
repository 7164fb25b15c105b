// Servers and networks as lists of keys and values. Descriptions from different files are the same if their
// lists are equal.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "arch/config/network.hpp"
#include "arch/config/server.hpp"

namespace trnsim::config {

using Values = std::vector<std::pair<std::string, std::string>>;

// Returns every key of the server's file, then every key of its chips' configuration.
Values values_of(const Server& server);
Values values_of(const Network& network);

}  // namespace trnsim::config
