// A valid kernel of six ranks with collectives: an all-reduce of `a` into `u` within two groups, a
// permutation of part of `u` in place, and a broadcast.
#pragma once

#include "common/sample_package.hpp"

namespace trnsim::test {

inline neff::Package collective_package() {
    using collectives::Algorithm;
    using collectives::Operation;
    using collectives::Reduction;
    neff::Package package = sample_package();
    package.tensors = {{"a", neff::TensorKind::Input, isa::Dtype::Bf16, {9, 6}},
                       {"u", neff::TensorKind::Update, isa::Dtype::Bf16, {11, 6}}};
    package.queues = {{"qMeet", isa::Engine::Sync}};
    const auto part = [](std::uint32_t tensor, std::uint64_t offset) {
        neff::Pattern pattern;
        pattern.tensor = tensor;
        pattern.offset = offset;
        return pattern;
    };
    package.transfers.assign(3, {});
    for (neff::Transfer& transfer : package.transfers) transfer.element_bytes = 2;
    package.transfers[0].name = "reduce";
    package.transfers[0].from = part(0, 0);
    package.transfers[0].to = part(1, 12);
    package.transfers[0].collective = {{.operation = Operation::AllReduce,
                                        .reduction = Reduction::Max,
                                        .dtype = isa::Dtype::Bf16,
                                        .count = 54,
                                        .ranks = 6,
                                        .groups = {{0, 5, 2}, {4, 1, 3}},
                                        .stochastic = true},
                                       Algorithm::Hierarchical,
                                       3};
    package.transfers[1].name = "permute";
    package.transfers[1].from = package.transfers[1].to = part(1, 60);
    package.transfers[1].collective = {{.operation = Operation::Permute,
                                        .dtype = isa::Dtype::Bf16,
                                        .count = 36,
                                        .ranks = 6,
                                        .pairs = {{0, 3}, {3, 5}, {5, 0}},
                                        .in_place = true}};
    package.transfers[2].name = "broadcast";
    package.transfers[2].from = part(0, 100);
    package.transfers[2].to = part(1, 0);
    package.transfers[2].collective = {
        {.operation = Operation::Broadcast, .dtype = isa::Dtype::Bf16, .count = 4, .ranks = 6, .root = 5}};
    for (std::uint8_t i = 0; i < 3; ++i) package.transfers[i].semaphore = static_cast<std::uint8_t>(3 + i);
    package.programs = {};
    package.programs[static_cast<std::size_t>(isa::Engine::Sync)] = {trigger(0),
                                                                     wait_for(3, 16),
                                                                     trigger(1),
                                                                     wait_for(4, 16),
                                                                     trigger(2),
                                                                     wait_for(5, 16),
                                                                     isa::Instruction(isa::Opcode::Halt)};
    return package;
}

}  // namespace trnsim::test
