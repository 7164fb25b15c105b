// Files of `trnsim run` and `trnsim launch`. Of a server, {rank} in the name of one stands for the number of each rank.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/neff/package.hpp"
#include "runtime/session/result.hpp"
#include "tools/cli/run_options.hpp"

namespace trnsim::cli {

struct RunRequest;

// By tensor.
struct RunFiles {
    std::map<std::string, std::filesystem::path> inputs{};
    std::map<std::string, OutputFile> outputs{};
    std::map<std::string, std::filesystem::path> expected{};
};

// Of all ranks, or of each.
std::vector<std::string> kernels_of(const RunOptions& options);

// All throw std::runtime_error.

// No file has two uses, outputs of ranks are files of their own, and all that are to be written can be.
void check_files(const RunOptions& options, const RunFiles& given, std::uint32_t ranks);
// The kernel of every rank has these outputs, in a type that can be written as they say.
void check_outputs(const RunRequest& request);
void check_outputs(const neff::Package& package, const std::map<std::string, npy::Array>& named);

// Inputs of a rank: from files, the others random by this seed and the rank, where there is one.
runtime::Arrays inputs_of(const neff::Package& package, const RunFiles& files, std::uint32_t rank,
                          const std::optional<std::uint64_t>& seed);

// Calls `wrote` with the name of each output and its file, once it is written.
using Wrote = std::function<void(const std::string& tensor, const std::filesystem::path& path)>;
void write_outputs(const neff::Package& package, const RunFiles& files, std::uint32_t rank,
                   const runtime::Arrays& arrays, const Wrote& wrote = {});

}  // namespace trnsim::cli
