// Verilated cores of configurations, built when first asked for and kept: CACHE/KEY/core_KEY.so, where KEY
// says what the core is made from and for.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "arch/config/config.hpp"

namespace trnsim::cores {

class Cache {
  public:
    // The project's sources: TRNSIM_SOURCE, else the folder above the executable that holds them. The cache:
    // $XDG_CACHE_HOME/trnsim/cores, else ~/.cache/trnsim/cores. Throws std::runtime_error when there are no
    // sources.
    Cache();
    Cache(std::filesystem::path source, std::filesystem::path folder);

    const std::filesystem::path& source() const { return source_; }

    // Hash of the RTL with its parameters, the build's recipe, Verilator's version and the processor's
    // instruction set (cores are compiled for the machine at hand).
    std::string key(const config::Config& config) const;

    // The same without the processor: two machines with one answer have cores that compute the same.
    std::string origin(const config::Config& config) const;

    // The folder to load the core from; nothing when it has not been built.
    std::optional<std::filesystem::path> find(const config::Config& config) const;

    // Builds the core unless it is there, or waits for another process that does, and returns its folder.
    // What the tools say goes to standard output. Throws std::runtime_error.
    std::filesystem::path build(const config::Config& config) const;

  private:
    std::filesystem::path source_, folder_;
    std::string recipe_, processor_;
};

}  // namespace trnsim::cores
