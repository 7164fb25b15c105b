// Network and system files of ASTRA-sim 2.0.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "compiler/collectives/request.hpp"

namespace trnsim::importers {

// A dimension of the network; NPUs are numbered along the first one first.
struct Dimension {
    enum class Kind : std::uint8_t { Ring, FullyConnected };
    Kind kind = Kind::Ring;
    std::uint64_t npus = 1;
    std::uint64_t bandwidth = 0;               // bytes/s of a link, each way
    std::uint64_t latency = 0;                 // fs of a link
    std::string bandwidth_at{}, latency_at{};  // "file:3:12"
};
using AstraNetwork = std::vector<Dimension>;

// The parts of a system file that a server has.
struct AstraSystem {
    std::uint64_t endpoint_delay = 0;  // fs
    std::string endpoint_delay_at{};   // "file:3:12"
    // The algorithm that the file names for an operation, if it is one for all dimensions and there is one
    // here.
    std::map<collectives::Operation, collectives::Algorithm> algorithms{};
    std::vector<std::string> left_out{};  // keys without a meaning here
};

// Reads `topology`, `npus_count`, `bandwidth` (GB/s, of 10^9 bytes) and `latency` (ns), YAML or JSON. Throws
// Error, also for switches, which no server here has.
AstraNetwork read_astra_network(const std::filesystem::path& file);

AstraSystem read_astra_system(const std::filesystem::path& file);

// Returns the text of a server's file with these links, which extends `base`, called `name` there. Throws Error if no server can
// have them: links of several bandwidths or latencies, or chips with more than four.
std::string server_of(const AstraNetwork& network, const AstraSystem* system,
                      const std::filesystem::path& source, const std::string& base, const std::string& name);

// Checks a file with the text of server_of(). Throws Error at the place that the mistaken value comes from.
void check_server(const std::filesystem::path& written, const AstraNetwork& network,
                  const AstraSystem* system, const std::filesystem::path& source);

}  // namespace trnsim::importers
