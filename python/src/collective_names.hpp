// Names of operations, reductions and algorithms of collectives in Python: "all-reduce", "add", "ring".
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string_view>
#include <vector>

#include "compiler/collectives/request.hpp"
#include "runtime/communicator/error.hpp"

namespace trnsim::python {

// The value of a list that has this name. Throws communicator::Error that lists the names.
template <typename Values>
auto named(std::string_view what, std::string_view text, const Values& values) {
    std::vector<std::string_view> names;
    for (const auto value : values) {
        if (name(value) == text) return value;
        names.push_back(name(value));
    }
    throw communicator::Error(fmt::format("{} '{}': expected one of {}", what, text, fmt::join(names, ", ")));
}

inline constexpr std::array Operations{
    collectives::Operation::AllReduce,     collectives::Operation::AllGather,
    collectives::Operation::ReduceScatter, collectives::Operation::AllToAll,
    collectives::Operation::Broadcast,     collectives::Operation::Permute,
    collectives::Operation::SendReceive,   collectives::Operation::Barrier};
inline constexpr std::array Reductions{collectives::Reduction::Add, collectives::Reduction::Multiply,
                                       collectives::Reduction::Min, collectives::Reduction::Max};

}  // namespace trnsim::python
