// Cores that have a configuration's parameters but other RTL than the one in use: those of changed sources, and
// those that sweeps and regressions have built.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "arch/config/config.hpp"

namespace trnsim::cores {

struct OtherCore {
    std::string rtl_hash;
    std::filesystem::path folder;  // folder to load it from, for TRNSIM_CORE_PATH; empty: it is not built
    std::filesystem::path source;  // sources that it is built from; empty: not known
};

// Returns the cores of other RTL than `used`, a hash of tools/cores/hash.hpp: that of the present sources first,
// then the cached ones, each RTL once. A folder in TRNSIM_SOURCE without sources counts as none.
std::vector<OtherCore> other_cores(const config::Config& config, const std::string& used);

// Returns one line, e.g. "RTL 0123456789abcdef; others with its parameters: RTL fedcba9876543210 of /src,
// TRNSIM_CORE_PATH=/cache/KEY". At most `most` of the others are named.
std::string describe(const std::string& used, const std::vector<OtherCore>& others, std::size_t most);

}  // namespace trnsim::cores
