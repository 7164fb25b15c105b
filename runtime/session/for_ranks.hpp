// Which cores of a server have ranks: rank r is the r-th core of the server, of the slots that its file does not leave empty,
// chip by chip.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "arch/addresses/addresses.hpp"
#include "arch/config/server.hpp"

namespace trnsim::runtime {

// All of them unless their number is given. Throws Error for none and for more than there are.
std::vector<addresses::CoreId> cores_of(const config::Server& server, std::optional<std::uint32_t> ranks);

// The server with nothing in the slots that no rank has.
config::Server only(config::Server server, std::span<const addresses::CoreId> cores);

// The server with a core for each rank and no others. A server that has no core, as those that are shipped, gets fast
// ones in all of its slots before; ranks have the first of its cores, chip by chip, all of them unless their number is
// given. `rtl_ranks` are RTL whatever stands in their slots. Throws Error for more ranks than cores and for one of
// rtl_ranks that there is not.
config::Server for_ranks(config::Server server, std::optional<std::uint32_t> ranks,
                         std::span<const std::uint32_t> rtl_ranks = {});

}  // namespace trnsim::runtime
