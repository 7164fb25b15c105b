// The places of the files that are shipped with trnsim: configurations, cores, views of waveforms, data.
//
// They are found from the folder of the trnsim program. A program elsewhere that links the library adds that
// folder: program.hpp is compiled into it.
#pragma once

#include <filesystem>
#include <vector>

namespace trnsim::places {

// Returns the folder of this executable, then the added folders.
std::vector<std::filesystem::path> program_folders();

// Returns the folders that may hold shipped files, in the order of the search: each folder above the program
// (its own first) followed by share/trnsim in it.
std::vector<std::filesystem::path> shipped_folders();

// Returns true always.
bool add_program_folder(const std::filesystem::path& folder);

}  // namespace trnsim::places
