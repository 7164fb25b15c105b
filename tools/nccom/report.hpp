// The output of `trnsim nccom-test`: the table and the JSON of AWS's tool, where GB/s mean GiB/s, and so they
// do here.
#pragma once

#include <string>
#include <vector>

#include "tools/nccom/test.hpp"

namespace trnsim::nccom {

struct Columns {
    std::string type;  // type of the elements, as on the command line
    collectives::Operation operation = collectives::Operation::AllReduce;
    std::size_t members = 0;
    bool sizes = false, algorithm = false, network = false;
    std::vector<std::string> statistics{};  // of the times; empty: their mean, in a column without its name
};

// `name` is "avg", "min", "max", "p50" or "p99". Throws std::invalid_argument for another name.
double statistic(const std::string& name, std::vector<double> values);

// Return bytes a second by the mean time.
double algorithm_bandwidth(const Row& row);
double bus_bandwidth(const Row& row, const Columns& columns);

std::string header_line(const Columns& columns);
std::string line(const Row& row, const Columns& columns);
// Returns e.g. "Avg bus bandwidth:   1.2345 GB/s".
std::string last_line(const std::vector<Row>& rows, const Columns& columns);

// Returns the whole report, {"results": [...]}.
std::string json(const std::vector<Row>& rows, const Columns& columns);

}  // namespace trnsim::nccom
