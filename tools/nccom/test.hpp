// One point of `trnsim nccom-test`: a collective of one size on a simulated server, or on several.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/config/network.hpp"
#include "arch/config/server.hpp"
#include "compiler/collectives/request.hpp"
#include "model/perturb/perturb.hpp"
#include "model/processes/exchange.hpp"
#include "runtime/waves/server_recording.hpp"

namespace trnsim::nccom {

enum class Check : std::uint8_t { None, Random, AllOnes };

struct Test {
    config::Server server;
    collectives::Operation operation = collectives::Operation::AllReduce;
    isa::Dtype dtype = isa::Dtype::U8;
    std::uint32_t ranks = 0;  // ranks of all servers together
    std::uint32_t servers = 1;
    config::Network network;                                             // network between servers
    std::vector<std::vector<collectives::Rank>> groups;                  // empty: one of all ranks
    std::vector<std::pair<collectives::Rank, collectives::Rank>> pairs;  // for permute and send-receive
    // The algorithm between several servers, else that within the one; nothing: the faster one, or by size.
    std::optional<collectives::Algorithm> algorithm;
    std::uint32_t iterations = 1, warmup = 0;
    Check check = Check::None;
    std::uint64_t seed = 0;  // seed of random values
    tlm::perturb::Seed perturb;
    bool statistics = false;                // of the server, if there is only one
    waves::ServerRecordingFiles recording;  // recording of one server, if there is only one
};

// The part of the network between servers in the result.
struct NetworkPart {
    double seconds = 0;   // time of the network; the rest is within the servers
    double slowdown = 1;  // factor for messages, caused by other messages
    std::string busiest;  // kind of the link that was full longest, or else carried the largest share
    double busy = 0;      // its use of its capacity, 0 to 1
};

struct Row {
    std::uint64_t bytes = 0;  // the larger of a rank's input and output
    std::uint64_t elements = 0;
    std::uint64_t input_bytes = 0, output_bytes = 0;  // of one rank
    std::string algorithm{};
    std::vector<double> seconds{};  // simulated time of each iteration
    std::uint64_t errors = 0;       // elements that differ
    NetworkPart network{};          // for several servers
    std::string statistics{};       // of the server (server_statistics.hpp), if they are wanted
};

// Names on the command line, those of AWS's tool: "allr", "bf16".
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

// Returns whether the larger side of an operation has a part for each member.
bool has_parts(collectives::Operation operation);

// Returns the number of members of the largest group.
std::size_t members(const Test& test);

// Simulates the collective on buffers of at least `bytes`, rounded up to whole elements for each rank. Call
// it once in a process. With several processes (`exchange` is not null) all simulate the same and return the
// same row. Throws a std::exception whose what() is one line.
Row measure(const Test& test, std::uint64_t bytes, tlm::processes::Exchange* exchange);

}  // namespace trnsim::nccom
