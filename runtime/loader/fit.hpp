// The plan of compiler/collectives that fits the ranks of a server.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "arch/addresses/addresses.hpp"
#include "arch/config/server.hpp"
#include "compiler/collectives/generate.hpp"

namespace trnsim::loader {

// Returns the first `count` cores of a server, chip by chip. Throws Error when it has fewer.
std::vector<addresses::CoreId> first_cores(const config::Server& server, std::uint32_t count);

struct AlgorithmChoice {
    // nullopt: by size, as collectives::choose_algorithm() does with the published table.
    std::optional<collectives::Algorithm> algorithm{};
    std::uint32_t inner = 0;  // hierarchical: members of an inner group; 0: as many as a chip has cores
};

// Rings follow the cycles of a torus, halving and doubling its neighbours, if all ranks are the first cores
// of the server and no groups are given; otherwise both follow the order of the ranks.
collectives::Plan fit(const collectives::Request& request, const config::Server& server,
                      const std::vector<addresses::CoreId>& ranks, const AlgorithmChoice& choice);

}  // namespace trnsim::loader
