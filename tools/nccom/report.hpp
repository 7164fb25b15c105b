// What `trnsim nccom-test` prints: the table and the JSON of AWS's tool. GB/s are GiB/s there, so they are here.
#pragma once

#include <string>
#include <vector>

#include "tools/nccom/test.hpp"

namespace trnsim::nccom {

struct Columns {
    std::string type;  // of the elements, as on the command line
    collectives::Operation operation = collectives::Operation::AllReduce;
    std::size_t members = 0;
    bool sizes = false, algorithm = false, network = false;
    std::vector<std::string> statistics{};  // of the times; empty: their mean, in a column without its name
};

// "avg", "min", "max", "p50", "p99". Throws std::invalid_argument for another name.
double statistic(const std::string& name, std::vector<double> values);

// Bytes a second, of the mean time.
double algorithm_bandwidth(const Row& row);
double bus_bandwidth(const Row& row, const Columns& columns);

std::string header_line(const Columns& columns);
std::string line(const Row& row, const Columns& columns);
// "Avg bus bandwidth:   1.2345 GB/s"
std::string last_line(const std::vector<Row>& rows, const Columns& columns);

// The whole report, {"results": [...]}.
std::string json(const std::vector<Row>& rows, const Columns& columns);

}  // namespace trnsim::nccom
