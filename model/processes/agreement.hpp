// What processes must have alike that were started apart from each other. On another host there may be another program, and files of
// the same name with something else in them: the processes would simulate parts of different servers.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/processes/exchange.hpp"

namespace trnsim::tlm::processes {

using Facts = std::vector<std::pair<std::string, std::string>>;  // names and values, the program's first

// Each process tells the others its facts. Throws std::runtime_error unless all have the same: in every process the same line, of
// the first one that differs from process 0, "process 1 of 2 on b: links.lanes: found 8, expected 16 as process 0 on a has".
void expect_same(Exchange& exchange, const Facts& facts);

// Of the bytes of this program's file, in hexadecimal.
std::string program_checksum();

// Its words but for the first one, the program's name.
std::string command_line();

}  // namespace trnsim::tlm::processes
