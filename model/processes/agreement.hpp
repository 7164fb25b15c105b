// The facts that must be the same in processes that were started separately. Another host may have another
// program, and files of the same name with other contents: the processes would simulate parts of different
// servers.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/processes/exchange.hpp"

namespace trnsim::tlm::processes {

using Facts = std::vector<std::pair<std::string, std::string>>;  // names and values, the program's first

// Each process tells the others its facts. Throws std::runtime_error unless all have the same facts, in every
// process with the same line about the first one that differs from process 0: "process 1 of 2 on b:
// links.lanes: found 8, expected 16 as process 0 on a has".
void expect_same(Exchange& exchange, const Facts& facts);

// Returns the checksum of the bytes of this program's file, in hexadecimal.
std::string program_checksum();

// Returns the words of the command line without the first one, the program's name.
std::string command_line();

}  // namespace trnsim::tlm::processes
