// One point of `trnsim nccom-test`: a collective of one size on a simulated server.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/collectives/request.hpp"
#include "lib/config/server.hpp"
#include "tlm/perturb/perturb.hpp"
#include "tlm/processes/exchange.hpp"

namespace trnsim::nccom {

enum class Check : std::uint8_t { None, Random, AllOnes };

struct Test {
    config::Server server;
    collectives::Operation operation = collectives::Operation::AllReduce;
    isa::Dtype dtype = isa::Dtype::U8;
    std::uint32_t ranks = 0;
    std::vector<std::vector<collectives::Rank>> groups;                  // empty: one of all ranks
    std::vector<std::pair<collectives::Rank, collectives::Rank>> pairs;  // of permute and send-receive
    std::optional<collectives::Algorithm> algorithm;                     // nothing: by size
    std::uint32_t iterations = 1, warmup = 0;
    Check check = Check::None;
    std::uint64_t seed = 0;  // of random values
    tlm::perturb::Seed perturb;
};

struct Row {
    std::uint64_t bytes = 0;  // the larger of a rank's input and output
    std::uint64_t elements = 0;
    std::uint64_t input_bytes = 0, output_bytes = 0;  // of a rank
    std::string algorithm{};
    std::vector<double> seconds{};  // simulated, of each iteration
    std::uint64_t errors = 0;       // elements that differ
};

// Names on the command line, as AWS's tool has them: "allr", "bf16".
struct OperationName {
    std::string_view name;
    collectives::Operation operation;
};
const std::vector<OperationName>& operation_names();
struct TypeName {
    std::string_view name;
    isa::Dtype dtype;
};
const std::vector<TypeName>& type_names();

// Members of the largest group.
std::size_t members(const Test& test);

// Simulates the collective on buffers of at least `bytes`, rounded up to whole elements for each rank. One a
// process; of several processes (`exchange` is not null) all simulate the same and return the same row. Throws a
// std::exception whose what() is one line.
Row measure(const Test& test, std::uint64_t bytes, tlm::processes::Exchange* exchange);

}  // namespace trnsim::nccom
