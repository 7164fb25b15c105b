// Servers and networks as their keys with what these hold. What was read from different files is the same where these are equal.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "arch/config/network.hpp"
#include "arch/config/server.hpp"

namespace trnsim::config {

using Values = std::vector<std::pair<std::string, std::string>>;

// Every key of the server's file, then every key of its chips' configuration.
Values values_of(const Server& server);
Values values_of(const Network& network);

}  // namespace trnsim::config
