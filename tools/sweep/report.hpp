// A page that shows a sweep's results: opens in a browser without network.
#pragma once

#include <string>

namespace trnsim::sweep {

// `results` is what to_json() says.
std::string report(const std::string& results);

}  // namespace trnsim::sweep
