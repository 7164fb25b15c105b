// The verilated cores that configurations need.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arch/config/config.hpp"

namespace trnsim::sweep {

struct PlannedCore {
    config::Config config;         // one of the configurations with its parameters
    std::string rtl_hash, origin;  // see cores::Cache
    std::filesystem::path folder;  // folder of its library; empty: where the program looks by itself
    std::string error;             // reason why it could not be built; empty if it is there
    bool built = false;            // true if build_missing() built it
    std::string own;               // RTL hash of the program's own core, if that is of other RTL; empty: not
};

class CoreSet {
  public:
    explicit CoreSet(std::span<const config::Config> configs);

    std::size_t size() const { return cores_.size(); }
    const PlannedCore& of(const config::Config& config) const;

    // Returns a line for each core beside which there are others with its parameters but other RTL; it says
    // which one is used.
    std::vector<std::string> choices() const;
    // Counts the cores not found built for the present RTL, neither where the program looks nor in the cache.
    std::size_t missing() const;

    // Returns how long the last build of a core took on this machine, in seconds; nothing if none is missing
    // or was ever built.
    std::optional<double> last_build_seconds() const;

    // Builds the missing cores, `jobs` at a time; the output of the tools goes to FOLDER/cores/HASH.log while
    // they work. `tick` gets the number of finished builds; if it returns false, all builds are ended and
    // this returns false.
    bool build_missing(std::size_t jobs, const std::filesystem::path& folder,
                       const std::function<bool(std::size_t)>& tick);

    // Returns the folder of the logs below that of the results.
    static std::filesystem::path logs(const std::filesystem::path& folder) { return folder / "cores"; }

  private:
    std::map<std::string, PlannedCore> cores_;  // by RTL parameters
};

}  // namespace trnsim::sweep
