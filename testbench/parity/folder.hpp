// Stores a subject as files of a folder:
//
//   kernel.neff     the package
//   config.yaml     every key of the configuration
//   NAME.npy        each input
//   rounding.json   {"stochastic": true, "seed": 1}
#pragma once

#include <filesystem>

#include "testbench/parity/subjects.hpp"

namespace trnsim::parity {

constexpr const char* KernelFile = "kernel.neff";
constexpr const char* ConfigFile = "config.yaml";
constexpr const char* RoundingFile = "rounding.json";

// Returns the file of an input.
std::filesystem::path input_file(const std::filesystem::path& folder, const std::string& tensor);

// Writes into an existing folder. Throws files::Error, neff::Error.
void write_subject(const std::filesystem::path& folder, const Subject& subject);

// Names the subject after the folder. Throws std::runtime_error that names the file at fault and what is
// wrong.
Subject read_subject(const std::filesystem::path& folder);

}  // namespace trnsim::parity
