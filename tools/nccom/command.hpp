// `trnsim nccom-test`: from what the command line says to a report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
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
    std::uint32_t ranks = 2, nodes = 1, processes = 1, iterations = 1, warmup = 0, seed = 0;
    std::optional<std::uint32_t> factor{};
    bool show_algorithm = false, show_sizes = false, show_network = false;
};

struct Watch {
    // Told what is being simulated, one line, and before a line of the table is written an empty one.
    std::function<void(const std::string&)> progress{};
    // Asked several times a second: false ends the test after the sizes that are there. Not in processes that mpirun
    // has started, all of which it ends itself.
    std::function<bool()> goes_on{};
};

struct Summary {
    std::uint64_t errors = 0;          // elements that were wrong
    std::size_t sizes = 0, there = 0;  // fewer are there of a test that was ended

    bool complete() const { return there == sizes; }
};

// Simulates each size and writes its line when it is there, and the JSON files in the end, of a test that was ended
// with the sizes that are there, if any. Throws a std::exception whose what() is one line.
Summary run(const Arguments& arguments, std::ostream& out, const Watch& watch = {});

}  // namespace trnsim::nccom
