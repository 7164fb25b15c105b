// Reads the command line of `trnsim nccom-test`. All functions throw a std::exception whose what() is one
// line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/nccom/command.hpp"
#include "tools/nccom/test.hpp"

namespace trnsim::nccom {

// Returns the test of one of the sizes, by `processes` processes.
Test test_of(const Arguments& arguments, unsigned processes);

// Returns sizes in bytes, at least one.
std::vector<std::uint64_t> sizes_of(const Arguments& arguments);

// Returns --maxbytes.
std::uint64_t largest_size_of(const Arguments& arguments);

// Checks that the sizes fit a rank's HBM.
void check_sizes(const Test& test, const std::vector<std::uint64_t>& sizes);

// Returns the columns of --stats.
std::vector<std::string> parse_statistics(const std::string& text);

// Checks that no file is written twice or read and written, and that names and numbers of sizes fit the
// files.
void check_files(const Arguments& arguments, std::size_t sizes);

}  // namespace trnsim::nccom
