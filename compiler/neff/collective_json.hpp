// A collective as JSON in the container.
#pragma once

#include <nlohmann/json.hpp>

#include "compiler/neff/json_view.hpp"
#include "compiler/neff/package.hpp"

namespace trnsim::neff {

nlohmann::ordered_json to_json(const Collective& collective);

// Throws Error with the path of the mistake. The places of input and output show whether it is in place.
Collective read_collective(const JsonView& view);

}  // namespace trnsim::neff
