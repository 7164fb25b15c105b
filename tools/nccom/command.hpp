// `trnsim nccom-test`: from the command line to a report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace trnsim::nccom {

// Values of the command line; empty if not given.
struct Arguments {
    std::string operation, server = "trn1.32xlarge", type = "uint8", check, algorithm, perturb, report,
                           network, trace, wave;
    std::string from = "32M", to = "32M", step, statistics, groups, pairs, server_statistics;
    std::vector<std::string> settings;  // settings of the server, "links.lanes=8"
    std::vector<std::string> cuts;      // of its links, "0.E@10us"
    std::uint32_t ranks = 2, nodes = 1, processes = 1, iterations = 1, warmup = 0, seed = 0;
    std::optional<std::uint32_t> factor{};
    bool show_algorithm = false, show_sizes = false, show_network = false;
    bool published = false;  // compare_with_published() instead of run()
};

struct Watch {
    // Called with one line about the present simulation, and with an empty line before a line of the table is
    // written.
    std::function<void(const std::string&)> progress{};
    // Called several times a second; if it returns false, the test ends with the sizes measured so far. Not
    // called in processes that mpirun has started, as mpirun ends them all itself.
    std::function<bool()> goes_on{};
};

struct Summary {
    std::uint64_t errors = 0;          // elements that were wrong
    std::size_t sizes = 0, there = 0;  // `there`: sizes measured, fewer if the test was ended

    bool complete() const { return there == sizes; }
};

// Simulates each size and writes its line as soon as it is measured, and the JSON files in the end. If the
// test is ended, they have the sizes measured so far, if any. Throws a std::exception whose what() is one
// line.
Summary run(const Arguments& arguments, std::ostream& out, const Watch& watch = {});

}  // namespace trnsim::nccom
