// Verilated cores of configurations, built on the first request and kept: CACHE/KEY/core_KEY.so, where KEY is
// a hash of everything that the core is built from and the processor it is built for.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "arch/config/config.hpp"

namespace trnsim::cores {

// Returns whether there are sources to build cores from, as beside a program of a build folder. Throws
// std::runtime_error if TRNSIM_SOURCE names a folder without them.
bool has_sources();

struct CachedCore {
    std::string rtl_hash;
    std::filesystem::path folder, source;  // where it is, and the sources that it was built from
};

// Returns the cached cores with the configuration's RTL parameters, the newest first, whatever RTL they have.
// Cores that earlier versions of the cache made are left out.
std::vector<CachedCore> cached_cores(const config::Config& config);

class Cache {
  public:
    // Uses the project's sources: TRNSIM_SOURCE, else the folder above the executable that holds them. The
    // cache is $XDG_CACHE_HOME/trnsim/cores, else ~/.cache/trnsim/cores. Throws std::runtime_error when there
    // are no sources.
    Cache();
    Cache(std::filesystem::path source, std::filesystem::path folder);

    const std::filesystem::path& source() const { return source_; }

    // Returns a hash of the RTL with its parameters, the build's recipe, Verilator's version and the
    // processor's instruction set (cores are compiled for this machine).
    std::string key(const config::Config& config) const;

    // Returns the same without the processor: two machines with the same value have cores that compute the
    // same.
    std::string origin(const config::Config& config) const;

    // Returns the folder to load the core from; nothing when it has not been built.
    std::optional<std::filesystem::path> find(const config::Config& config) const;

    // Builds the core unless it exists, or waits for another process that builds it, and returns its folder.
    // The output of the tools is added to `log`. Throws std::runtime_error.
    std::filesystem::path build(const config::Config& config, const std::filesystem::path& log) const;

    // Returns how many seconds of wall time the last build of a core took; nothing before the first.
    std::optional<double> last_build_seconds() const;

  private:
    std::filesystem::path source_, folder_;
    std::string recipe_, processor_;
};

}  // namespace trnsim::cores
