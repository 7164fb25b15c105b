#include "compiler/collectives/request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "compiler/collectives/error.hpp"
#include "isa/element_type.hpp"

namespace trnsim::collectives {
namespace {

constexpr std::string_view OperationNames[] = {
    "all-reduce",   "all-gather", "all-gather-v", "reduce-scatter", "all-to-all",
    "all-to-all-v", "permute",    "send-receive", "broadcast",      "barrier",
};
constexpr std::string_view ReductionNames[] = {"add", "multiply", "min", "max"};
constexpr std::string_view AlgorithmNames[] = {
    "direct", "ring", "mesh", "single-step mesh", "halving-doubling", "kangaring", "hierarchical",
};

constexpr Rank MaxRanks = 4096;  // halving and doubling and barriers take a source of a transfer a round
constexpr std::uint64_t MaxElements = std::uint64_t{1} << 40;

template <typename... Values>
[[noreturn]] void refuse(fmt::format_string<Values...> format, Values&&... values) {
    throw Error("request: " + fmt::format(format, std::forward<Values>(values)...));
}

// Returns the group of each rank; the number of groups for a rank in no group.
std::vector<std::size_t> groups_of_ranks(const Request& request,
                                         const std::vector<std::vector<Rank>>& groups) {
    std::vector<std::size_t> group_of(request.ranks, groups.size());
    for (std::size_t g = 0; g < groups.size(); ++g) {
        if (groups[g].empty()) refuse("group {} is empty, expected a rank", g);
        for (const Rank rank : groups[g]) {
            if (rank >= request.ranks)
                refuse("group {}: rank {}, expected one below {}", g, rank, request.ranks);
            if (group_of[rank] != groups.size())
                refuse("group {}: rank {} is in group {} already", g, rank, group_of[rank]);
            group_of[rank] = g;
        }
    }
    return group_of;
}

void check_pairs(const Request& request, const std::vector<std::vector<Rank>>& groups) {
    const std::vector<std::size_t> group_of = groups_of_ranks(request, groups);
    std::vector<bool> sends(request.ranks), receives(request.ranks);
    for (const auto& [source, destination] : request.pairs) {
        for (const Rank rank : {source, destination}) {
            if (rank >= request.ranks || group_of[rank] == groups.size())
                refuse("pair {} to {}: rank {} is in no group", source, destination, rank);
        }
        if (group_of[source] != group_of[destination])
            refuse("pair {} to {}: ranks of groups {} and {}, expected one group", source, destination,
                   group_of[source], group_of[destination]);
        if (receives[destination])
            refuse("pair {} to {}: rank {} receives twice", source, destination, destination);
        if (request.operation == Operation::Permute && sends[source])
            refuse("pair {} to {}: rank {} sends twice", source, destination, source);
        sends[source] = receives[destination] = true;
    }
}

// The numbers of elements leave room for those of partial sums, and sizes in bytes for 64 bits.
void check_elements(const std::vector<std::uint64_t>& counts) {
    std::uint64_t all = 0;
    for (const std::uint64_t count : counts) {
        if (count >= MaxElements - all) refuse("a buffer of 2^40 elements or more");
        all += count;
    }
}

void check_counts(const Request& request, std::size_t members) {
    check_elements(std::vector<std::uint64_t>(members, request.count));
    check_elements(request.counts);
    for (const auto& row : request.pair_counts) check_elements(row);
    if (request.operation == Operation::AllGatherV && request.counts.size() != members)
        refuse("{} counts, expected {}, one of each member", request.counts.size(), members);
    if (request.operation == Operation::AllToAllV) {
        if (request.pair_counts.size() != members)
            refuse("{} rows of counts, expected {}, one of each member", request.pair_counts.size(), members);
        for (const auto& row : request.pair_counts) {
            if (row.size() != members)
                refuse("{} counts in a row, expected {}, one of each member", row.size(), members);
        }
    }
    if (request.operation == Operation::Broadcast && request.root >= members)
        refuse("root {}, expected one of {} members", request.root, members);
}

template <typename Enum, std::size_t Count>
std::optional<Enum> named(const std::string_view (&names)[Count], std::string_view name) {
    const auto* const found = std::ranges::find(names, name);
    return found == std::end(names) ? std::nullopt
                                    : std::optional(static_cast<Enum>(found - std::begin(names)));
}

}  // namespace

std::optional<Operation> operation_named(std::string_view name) {
    return named<Operation>(OperationNames, name);
}
std::optional<Reduction> reduction_named(std::string_view name) {
    return named<Reduction>(ReductionNames, name);
}
std::optional<Algorithm> algorithm_named(std::string_view name) {
    return named<Algorithm>(AlgorithmNames, name);
}

std::string_view name(Operation operation) {
    return OperationNames[static_cast<std::size_t>(operation)];
}
std::string_view name(Reduction reduction) {
    return ReductionNames[static_cast<std::size_t>(reduction)];
}
std::string_view name(Algorithm algorithm) {
    return AlgorithmNames[static_cast<std::size_t>(algorithm)];
}

bool reduces(Operation operation) {
    return operation == Operation::AllReduce || operation == Operation::ReduceScatter;
}

Sizes sizes_of(const Request& request, std::size_t members) {
    const std::uint64_t one = request.count, all = members * request.count;
    switch (request.operation) {
        case Operation::AllReduce:
        case Operation::Permute:
        case Operation::SendReceive:
        case Operation::Broadcast:
            return {one, one};
        case Operation::AllGather:
            return {one, all};
        case Operation::ReduceScatter:
            return {all, one};
        case Operation::AllToAll:
            return {all, all};
        case Operation::Barrier:
            if (isa::element_size(request.dtype) != 1) refuse("barrier, expected a type of one byte");
            return {1, 1};
        case Operation::AllGatherV:
        case Operation::AllToAllV:
            break;
    }
    refuse("{}, expected an operation with the same sizes on all ranks", name(request.operation));
}

std::vector<std::vector<Rank>> checked_groups(const Request& request) {
    if (request.ranks == 0 || request.ranks > MaxRanks)
        refuse("{} ranks, expected 1 to {}", request.ranks, MaxRanks);
    if (isa::element_size(request.dtype) == 0)
        refuse("element type {}, expected one of the DMA engines", static_cast<unsigned>(request.dtype));
    std::vector<std::vector<Rank>> groups = request.groups;
    if (groups.empty()) {
        groups.emplace_back(request.ranks);
        std::iota(groups[0].begin(), groups[0].end(), Rank{0});
    }
    check_pairs(request, groups);
    for (const auto& group : groups) check_counts(request, group.size());
    return groups;
}

}  // namespace trnsim::collectives
