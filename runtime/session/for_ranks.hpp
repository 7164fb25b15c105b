// The cores of a server that have ranks: rank r is the r-th core of the server, counting the slots that its
// file does not leave empty, chip by chip.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "arch/addresses/addresses.hpp"
#include "arch/config/server.hpp"

namespace trnsim::runtime {

// Returns all of them unless their number is given. Throws Error for none and for more than there are.
std::vector<addresses::CoreId> cores_of(const config::Server& server, std::optional<std::uint32_t> ranks);

// Returns the server with nothing in the slots that no rank has.
config::Server only(config::Server server, std::span<const addresses::CoreId> cores);

// Returns the server with a core for each rank and no others. A server without cores, such as those that are
// shipped, first gets fast ones in all of its slots; ranks have the first of its cores, chip by chip, all of
// them unless their number is given. `rtl_ranks` are RTL even if the file says otherwise. Throws Error for
// more ranks than cores and for one of rtl_ranks that does not exist.
config::Server for_ranks(config::Server server, std::optional<std::uint32_t> ranks,
                         std::span<const std::uint32_t> rtl_ranks = {});

}  // namespace trnsim::runtime
