// The folder of the trnsim program, in programs of other projects that link the library: CMake's package has
// their compiler include this file and defines TRNSIM_PROGRAM_FOLDER.
#pragma once

#include "base/places/places.hpp"

namespace trnsim::places {

inline const bool program_folder_added = add_program_folder(TRNSIM_PROGRAM_FOLDER);

}  // namespace trnsim::places
