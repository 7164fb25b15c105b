// A collective as JSON of the container.
#pragma once

#include <nlohmann/json.hpp>

#include "compiler/neff/json_view.hpp"
#include "compiler/neff/package.hpp"

namespace trnsim::neff {

nlohmann::ordered_json to_json(const Collective& collective);

// Throws Error with the path of what is wrong. Whether it is in place has to be found from where it lies.
Collective read_collective(const JsonView& view);

}  // namespace trnsim::neff
