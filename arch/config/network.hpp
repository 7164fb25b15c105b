// The network between servers as a file describes it: switches, messages, and the time that a collective adds
// to them. Keys and values: docs/efa.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trnsim::config {

// The switches of a tier. Oversubscription is the bandwidth of the adapters below a switch over that of its
// links upward.
struct NetworkTier {
    std::uint64_t servers = 0;  // servers below a switch; 0: there is no such tier
    double oversubscription = 1;
    bool operator==(const NetworkTier&) const = default;
};

// Sizes in bytes, times in fs, rates in bytes/s.
struct Network {
    double efficiency = 1;
    std::uint64_t packet = 0, header = 0, hop = 0;
    std::uint64_t segment = 0, step = 0, combine = 0;
    NetworkTier leaf, spine;
    bool operator==(const Network&) const = default;
};

// Reads configs/networks/NAME.yaml, looked for as config::resolve() does, or the file of this path. Throws
// Error `file:line:column: key: found ..., expected ...`.
Network read_network(const std::string& name_or_path);

// The names of the networks that are shipped, in order.
std::vector<std::string> shipped_networks();

// The rules that read_network() holds a file to, by the names of Error::rule.
std::vector<std::string> network_rules();

}  // namespace trnsim::config
