// Files of `trnsim run` and `trnsim launch`. For a server, {rank} in a file name stands for the number of
// each rank.
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

// Files by tensor.
struct RunFiles {
    std::map<std::string, std::filesystem::path> inputs{};
    std::map<std::string, OutputFile> outputs{};
    std::map<std::string, std::filesystem::path> expected{};
};

// Returns one kernel for all ranks, or one for each.
std::vector<std::string> kernels_of(const RunOptions& options);

// All functions throw std::runtime_error.

// Checks that no file has two uses, that outputs of ranks are files of their own, and that all outputs can be
// written.
void check_files(const RunOptions& options, const RunFiles& given, std::uint32_t ranks);
// Checks that the kernel of every rank has these outputs, in a type that can be written as requested.
void check_outputs(const RunRequest& request);
void check_outputs(const neff::Package& package, const std::map<std::string, std::filesystem::path>& named);

// Returns the inputs of a rank, which are read when they are needed: from files; the others are random by
// this seed and the rank if there is a seed. `package` must outlive them.
runtime::Contents inputs_of(const neff::Package& package, const RunFiles& files, std::uint32_t rank,
                            const std::optional<std::uint64_t>& seed);

// Writes the outputs; calls `wrote` with the name and the file of each output once it is written.
using Wrote = std::function<void(const std::string& tensor, const std::filesystem::path& path)>;
void write_outputs(const neff::Package& package, const RunFiles& files, std::uint32_t rank,
                   const runtime::Arrays& arrays, const Wrote& wrote = {});

}  // namespace trnsim::cli
