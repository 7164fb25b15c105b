// The reference pages, each from the definitions it describes.
#pragma once

#include <filesystem>
#include <string>

namespace trnsim::reference {

// Keys and rules of configurations, from arch/config; values from configs/trn1.yaml and small16.yaml.
std::string configuration_page();

// Commands and their options, from tools/cli; what the script ROOT/trnsim adds, from its help text.
std::string command_line_page(const std::filesystem::path& root);

// The manual page, from the same.
std::string manual_page();

// Figures of --stats and metrics of sweeps, from runtime/session and tools/sweep.
std::string statistics_page();

}  // namespace trnsim::reference
