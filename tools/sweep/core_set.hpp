// The verilated cores that configurations need.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>

#include "arch/config/config.hpp"

namespace trnsim::sweep {

struct PlannedCore {
    config::Config config;         // one of those with its parameters
    std::string rtl_hash, origin;  // of cores::Cache
    std::filesystem::path folder;  // with its library; empty: where the program looks by itself
    std::string error;             // why it could not be built; empty: it is there
    bool built = false;            // by build_missing()
};

class CoreSet {
  public:
    explicit CoreSet(std::span<const config::Config> configs);

    std::size_t size() const { return cores_.size(); }
    const PlannedCore& of(const config::Config& config) const;
    // Those not found built for the RTL at hand, neither where the program looks nor in the cache.
    std::size_t missing() const;

    // Builds them, `jobs` at a time; what the tools of a failed build say goes to FOLDER/cores. `tick` is
    // told how many are done; returning false ends it. Returns false then.
    bool build_missing(std::size_t jobs, const std::filesystem::path& folder,
                       const std::function<bool(std::size_t)>& tick);

  private:
    std::map<std::string, PlannedCore> cores_;  // by RTL parameters
};

}  // namespace trnsim::sweep
