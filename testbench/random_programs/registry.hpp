// Kinds of random programs, found by name like kernels.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/kernels/arguments.hpp"
#include "compiler/neff/package.hpp"
#include "testbench/random_programs/aim.hpp"

namespace trnsim::random_programs {

struct Made {
    neff::Package package;
    std::map<std::string, std::vector<std::uint8_t>> inputs;  // contents by tensor
};

struct Request {
    const target::Core& target;
    const kernels::Arguments& arguments;
    std::uint64_t seed;
    Aim aim;
};

struct Generator {
    std::string_view name, doc;
    std::span<const kernels::ArgumentInfo> arguments;
    bool aims;  // true if it follows an aim
    Made (*make)(const Request& request);
};

std::span<const Generator> generators();

// Throws kernels::ArgumentError, which lists the generators.
const Generator& find_generator(std::string_view name);

}  // namespace trnsim::random_programs
