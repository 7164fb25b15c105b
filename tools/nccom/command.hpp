// `trnsim nccom-test`: from what the command line says to a report.
#pragma once

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace trnsim::nccom {

// As on the command line; empty: not given.
struct Arguments {
    std::string operation, server = "trn1.32xlarge", type = "uint8", check, algorithm, perturb, report,
                           network, trace, wave;
    std::string from = "32M", to = "32M", step, statistics, groups, pairs, server_statistics;
    std::vector<std::string> settings;  // of the server, "links.lanes=8"
    std::uint32_t ranks = 2, nodes = 1, processes = 1, factor = 0, iterations = 1, warmup = 0, seed = 0;
    bool show_algorithm = false, show_sizes = false, show_network = false;
};

// Told what is being simulated, one line, and before a line of the table is written an empty one.
using Progress = std::function<void(const std::string&)>;

// Simulates each size and writes its line when it is there, and the JSON file in the end. Returns how many
// elements were wrong. Throws a std::exception whose what() is one line.
std::uint64_t run(const Arguments& arguments, std::ostream& out, const Progress& progress = {});

}  // namespace trnsim::nccom
