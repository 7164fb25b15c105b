// What the command line of `trnsim nccom-test` says. All throw a std::exception whose what() is one line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/nccom/command.hpp"
#include "tools/nccom/test.hpp"

namespace trnsim::nccom {

// Of one of the sizes, by so many processes.
Test test_of(const Arguments& arguments, unsigned processes);

// Bytes, at least one size.
std::vector<std::uint64_t> sizes_of(const Arguments& arguments);

// They fit a rank's HBM.
void check_sizes(const Test& test, const std::vector<std::uint64_t>& sizes);

// The columns of --stats.
std::vector<std::string> parse_statistics(const std::string& text);

// No file that is written is read, or written another time; names and sizes fit what goes there.
void check_files(const Arguments& arguments, std::size_t sizes);

}  // namespace trnsim::nccom
