// The fault that check() finds, in parts: for callers that give the value another name.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "model/neuronlink/parameters.hpp"

namespace trnsim::tlm::neuronlink {

struct ParameterFault {
    std::string_view name;  // name of the member
    std::uint64_t value;
    std::uint64_t low = 0, high = 0;  // allowed range; high 0: no upper bound
    std::string_view why{};           // reason for the lower bound
};
// Returns "1 to 64", "at least 129: the flits of a packet" or "a power of two"; `number` writes the bounds.
std::string expectation(const ParameterFault& fault, const std::function<std::string(std::uint64_t)>& number);

// Finds the first value that is outside its range or does not fit the others.
std::optional<ParameterFault> fault_of(const Parameters& parameters);

}  // namespace trnsim::tlm::neuronlink
