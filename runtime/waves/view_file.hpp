// A view of waves/ line by line, and the files that it names.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/waves/view.hpp"

namespace trnsim::waves {

// A signal of the view: the line "+{label} NAME" after its flags "@22" and, if it has one, its translation.
struct Entry {
    std::vector<std::string> lines;
    std::string signal;
};

// The lines with flags and title before and after its signals.
struct Group {
    std::vector<std::string> begin, end;
    std::vector<Entry> entries;
};

std::vector<Group> groups_of(const View& view);

// Puts a file that the view names, such as "waves/translate/opcode.txt", into the folder beside the recording,
// unless it is a table that the run has made there. Returns its path. Throws std::filesystem::filesystem_error.
std::filesystem::path file_beside(const std::string& file, const View& view, const Recording& recording);

}  // namespace trnsim::waves
