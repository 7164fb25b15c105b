// What check() finds, in parts: for those who name the value in another way.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "model/neuronlink/parameters.hpp"

namespace trnsim::tlm::neuronlink {

struct ParameterFault {
    std::string_view name;  // of the member
    std::uint64_t value;
    std::uint64_t low = 0, high = 0;  // the range; a high of 0: no upper bound
    std::string_view why{};           // the lower bound is there
};
// "1 to 64", "at least 129: the flits of a packet", "a power of two"; `number` writes the bounds.
std::string expectation(const ParameterFault& fault, const std::function<std::string(std::uint64_t)>& number);

// The first value that is outside its range or does not fit the others.
std::optional<ParameterFault> fault_of(const Parameters& parameters);

}  // namespace trnsim::tlm::neuronlink
