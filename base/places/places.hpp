// Where the files lie that come with trnsim: configurations, cores, views of waveforms, data.
//
// They are found from the folder of the trnsim program. A program elsewhere that links the library stands for
// it: program.hpp is compiled into it.
#pragma once

#include <filesystem>
#include <vector>

namespace trnsim::places {

// The folder of this executable, then those that were added.
std::vector<std::filesystem::path> program_folders();

// Folders that may hold files which are shipped, the first to look in first: each folder above the program
// (its own first) followed by share/trnsim in it.
std::vector<std::filesystem::path> shipped_folders();

// Always true.
bool add_program_folder(const std::filesystem::path& folder);

}  // namespace trnsim::places
