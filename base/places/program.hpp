// Adds the folder of the trnsim program in a program of another project that links the library: the CMake
// package makes the project compile this file and defines TRNSIM_PROGRAM_FOLDER.
#pragma once

#include "base/places/places.hpp"

namespace trnsim::places {

inline const bool program_folder_added = add_program_folder(TRNSIM_PROGRAM_FOLDER);

}  // namespace trnsim::places
