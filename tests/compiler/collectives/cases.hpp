// Requests, inputs and outputs of tests.
#pragma once

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "common/element_oracle.hpp"
#include "compiler/collectives/execute.hpp"
#include "compiler/collectives/generate.hpp"
#include "isa/element_type.hpp"

namespace trnsim::collectives::test {

inline constexpr std::array Types{
    isa::Dtype::Fp32, isa::Dtype::Bf16,    isa::Dtype::Fp16,   isa::Dtype::I8,  isa::Dtype::U8,
    isa::Dtype::I16,  isa::Dtype::U16,     isa::Dtype::I32,    isa::Dtype::U32, isa::Dtype::Fp8E4m3,
    isa::Dtype::Tf32, isa::Dtype::Fp8E5m2, isa::Dtype::Fp8E3m4};
inline constexpr std::array Operations{
    Operation::AllReduce, Operation::AllGather, Operation::AllGatherV, Operation::ReduceScatter,
    Operation::AllToAll,  Operation::AllToAllV, Operation::Permute,    Operation::SendReceive,
    Operation::Broadcast, Operation::Barrier};

struct Case {
    Request request;
    Plan plan;
    std::string text() const {
        return fmt::format("{} {} {} {} of {}, {} ranks, {} groups, {} cycles{}{}", name(request.operation),
                           name(request.reduction), name(plan.algorithm), request.count,
                           isa::name_of(request.dtype), request.ranks, request.groups.size(),
                           plan.cycles.size(), request.in_place ? ", in place" : "",
                           request.stochastic ? ", stochastic" : "");
    }
};

inline std::vector<std::vector<Rank>> groups_of(const Request& request) {
    if (!request.groups.empty()) return request.groups;
    std::vector<Rank> all(request.ranks);
    for (Rank rank = 0; rank < request.ranks; ++rank) all[rank] = rank;
    return {all};
}

// Fills in counts and pairs for operations that have them; all groups have the same size.
inline void fill_in(Request& request, std::mt19937_64& random) {
    const auto groups = groups_of(request);
    const std::size_t n = groups[0].size();
    const auto some = [&] { return random() % (2 * request.count + 1); };
    if (request.operation == Operation::AllGatherV) {
        request.counts.resize(n);
        for (auto& count : request.counts) count = some();
    }
    if (request.operation == Operation::AllToAllV) {
        request.pair_counts.assign(n, std::vector<std::uint64_t>(n));
        for (auto& row : request.pair_counts) {
            for (auto& count : row) count = some();
        }
    }
    if (request.operation == Operation::Broadcast) request.root = static_cast<std::uint32_t>(random() % n);
    if (request.operation != Operation::Permute && request.operation != Operation::SendReceive) return;
    for (const auto& group : groups) {
        std::vector<Rank> targets = group;
        std::ranges::shuffle(targets, random);
        for (std::size_t m = 0; m < n; ++m) {
            if (random() % 8 == 0) continue;  // some receive nothing
            const Rank source = request.operation == Operation::Permute ? group[m] : group[random() % n];
            request.pairs.emplace_back(source, targets[m]);
        }
    }
}

// Returns random bits in half of the cases, a small number in the others.
inline std::uint32_t random_element(isa::Dtype dtype, std::mt19937_64& random) {
    const auto& format = trnsim::test::element_format(dtype);
    const std::uint32_t mask = format.bytes == 4 ? ~0u : (1u << (8 * format.bytes)) - 1;
    if (random() % 2 == 0) return static_cast<std::uint32_t>(random()) & mask;
    const double small = static_cast<double>(random() % 4096) / 64 - 32;
    return trnsim::test::oracle_bits(static_cast<float>(small), format);
}

inline std::uint32_t bits_at(const Memory& memory, Buffer buffer, std::uint64_t element, isa::Dtype dtype) {
    return trnsim::test::element_at(memory[static_cast<std::size_t>(buffer)], element,
                                    static_cast<int>(isa::element_size(dtype)));
}

}  // namespace trnsim::collectives::test
