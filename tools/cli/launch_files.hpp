// Files of `trnsim launch`: {rank} in the name of one stands for the number of each rank.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "compiler/neff/package.hpp"
#include "runtime/session/result.hpp"
#include "tools/cli/launch.hpp"
#include "tools/cli/run_options.hpp"

namespace trnsim::cli {

// By tensor.
struct LaunchFiles {
    std::map<std::string, std::filesystem::path> inputs;
    std::map<std::string, OutputFile> outputs;
};

// Throw std::runtime_error. No file has two uses, outputs of ranks are files of their own, and all that are to be
// written can be.
void check_files(const LaunchOptions& options, const LaunchFiles& given, std::uint32_t ranks);
// The kernel of every rank has these outputs.
void check_outputs(const LaunchFiles& files, std::span<const std::shared_ptr<const neff::Package>> packages);

// Inputs of a rank: from files, the others random by this seed and the rank, where there is one.
runtime::Arrays inputs_of(const neff::Package& package, const LaunchFiles& files, std::uint32_t rank,
                          const std::optional<std::uint64_t>& seed);

void write_outputs(const neff::Package& package, const LaunchFiles& files, std::uint32_t rank,
                   const runtime::Arrays& arrays);

}  // namespace trnsim::cli
