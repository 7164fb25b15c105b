#include "compiler/collectives/choice.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "compiler/collectives/generate.hpp"

namespace trnsim::collectives {
namespace {

constexpr std::uint64_t MiB = std::uint64_t{1} << 20;
constexpr std::uint64_t MeshBelow = 1 * MiB, HalvingDoublingBelow = 56 * MiB, MeshOfTwoBelow = 2048 * MiB;
constexpr std::uint64_t Any = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint32_t Two = 2, Many = std::numeric_limits<std::uint32_t>::max();

constexpr std::array Published{
    Choice{Operation::AllReduce, true, Many, Any, Algorithm::Hierarchical},
    Choice{Operation::AllReduce, false, Two, MeshOfTwoBelow, Algorithm::Mesh},
    Choice{Operation::AllReduce, false, Many, MeshBelow, Algorithm::Mesh},
    Choice{Operation::AllReduce, false, Many, HalvingDoublingBelow, Algorithm::HalvingDoubling},
    Choice{Operation::AllReduce, false, Many, Any, Algorithm::Ring},
    Choice{Operation::AllGather, false, Many, MeshBelow, Algorithm::Mesh},
    Choice{Operation::AllGather, false, Many, HalvingDoublingBelow, Algorithm::HalvingDoubling},
    Choice{Operation::AllGather, false, Many, Any, Algorithm::Ring},
    Choice{Operation::AllGatherV, false, Many, MeshBelow, Algorithm::Mesh},
    Choice{Operation::AllGatherV, false, Many, HalvingDoublingBelow, Algorithm::HalvingDoubling},
    Choice{Operation::AllGatherV, false, Many, Any, Algorithm::Ring},
    Choice{Operation::ReduceScatter, false, Many, MeshBelow, Algorithm::Mesh},
    Choice{Operation::ReduceScatter, false, Many, HalvingDoublingBelow, Algorithm::HalvingDoubling},
    Choice{Operation::ReduceScatter, false, Many, Any, Algorithm::Ring},
};

}  // namespace

std::span<const Choice> published_choices() {
    return Published;
}

Algorithm choose_algorithm(std::span<const Choice> choices, Operation operation, std::uint64_t bytes,
                           std::size_t members, bool between_servers) {
    const auto row = std::ranges::find_if(choices, [&](const Choice& choice) {
        return choice.operation == operation && choice.between_servers == between_servers &&
               members <= choice.members && bytes <= choice.below - 1;
    });
    return row == choices.end() ? algorithms(operation)[0] : row->algorithm;
}

double bus_factor(Operation operation, std::size_t members) {
    const auto n = static_cast<double>(members);
    switch (operation) {
        case Operation::AllReduce:
            return 2 * (n - 1) / n;
        case Operation::AllGather:
        case Operation::AllGatherV:
        case Operation::ReduceScatter:
        case Operation::AllToAll:
        case Operation::AllToAllV:
            return (n - 1) / n;
        default:
            return 1;
    }
}

}  // namespace trnsim::collectives
