// The reference pages, each from the definitions it describes.
#pragma once

#include <filesystem>
#include <string>

namespace trnsim::reference {

// Returns keys and rules of configurations, from arch/config; values from configs/trn1.yaml and small16.yaml.
std::string configuration_page();

// Returns commands and their options, from tools/cli; the additions of the script ROOT/trnsim come from its
// help text.
std::string command_line_page(const std::filesystem::path& root);

// Returns the manual page, from the same sources.
std::string manual_page();

// Returns the instructions that a core refuses, from testbench/refusals.
std::string refusals_page();

// Returns figures of --stats and metrics of sweeps, from runtime/session and tools/sweep.
std::string statistics_page();

}  // namespace trnsim::reference
