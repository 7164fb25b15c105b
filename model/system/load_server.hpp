// Servers from files: what arch/config reads, held to what the models can be.
#pragma once

#include <span>
#include <string>

#include "arch/config/server.hpp"
#include "model/neuronlink/parameters.hpp"
#include "model/neuronlink/topology.hpp"

namespace trnsim::tlm {

// config::read_server() with the rules of the links. Throws config::Error.
config::Server load_server(const std::string& name_or_path, std::span<const std::string> settings = {});

neuronlink::Parameters link_parameters(const config::Links& links);
// Throws std::invalid_argument for links that cannot be.
neuronlink::Topology link_topology(const config::Server& server);

}  // namespace trnsim::tlm
