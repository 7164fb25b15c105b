// The part of a server's file that says which links fail, how and when.
#pragma once

#include <yaml-cpp/yaml.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/config/server.hpp"
#include "arch/config/server_schema.hpp"

namespace trnsim::config {

constexpr std::string_view LinkFaultsType =
    "a list of faults such as '{ cut: 0.E, at: 10 us, until: 40 us }', '{ lanes: 0.E, working: 8 }', "
    "'{ bit_errors: all, rate: 1e-9 }' or '{ lost_frames: 0.E-1.W, rate: 1e-6 }'";
constexpr std::string_view ProbabilityType = "a probability such as '1e-9'";
// The names of links in a fault, for messages.
constexpr std::string_view LinkNames =
    "a direction such as 0.E, both directions of a cable such as 0.E-1.W, or all";

// Reads a number that is not negative, such as "0.25" or "1e-9".
std::optional<double> parse_probability(std::string_view text);

// Reads the list into `faults`. Returns the first mistake.
std::optional<ValueMistake> read_link_faults(const YAML::Node& node, std::vector<LinkFault>& faults);

// Reads "0.E@10us" or "0.E@10us..40us"; the second time may be before the first. Returns nothing for another text.
std::optional<LinkFault> parse_cut(std::string_view text);

// Returns "[{cut: 0.E, at: 10 us}]", which read_link_faults() gives back.
std::string show(std::span<const LinkFault> faults);

}  // namespace trnsim::config
