// Makes a page that shows a sweep's results: it opens in a browser without network.
#pragma once

#include <string>

namespace trnsim::sweep {

// `results` is the text of to_json().
std::string report(const std::string& results);

}  // namespace trnsim::sweep
