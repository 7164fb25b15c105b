// A valid kernel with indices: it gathers 5 of the 9 rows of `a` by a tile of indices and scatters them to
// rows of `u`.
#pragma once

#include "common/sample_package.hpp"

namespace trnsim::test {

inline neff::Package gather_package() {
    using neff::Pattern;
    neff::Package package = sample_package();
    package.tensors = {{"a", neff::TensorKind::Input, isa::Dtype::Fp32, {9, 6}},
                       {"at", neff::TensorKind::Input, isa::Dtype::I32, {5, 1}},
                       {"u", neff::TensorKind::Update, isa::Dtype::Fp32, {11, 6}}};
    const Pattern rows{Pattern::Space::Core, 0, 0x100, {4, 0x40000, 0, 0}, {6, 5, 1, 1}};
    const Pattern index{Pattern::Space::Core, 0, 0x200, {0x40000, 0, 0, 0}, {5, 1, 1, 1}};
    const auto row_of = [](std::uint32_t tensor) {
        return Pattern{Pattern::Space::Tensor, tensor, 0, {4, 0, 0, 0}, {6, 5, 1, 1}};
    };
    package.transfers = {
        {0, 4, {Pattern::Space::Tensor, 1, 0, {4, 0, 0, 0}, {5, 1, 1, 1}}, index, 3, "load at"},
        {0, 4, row_of(0), rows, 4, "gather a", {}, neff::Indirect{false, index, 24, 0, 8, true}},
        {1, 4, rows, row_of(2), 5, "scatter u", {}, neff::Indirect{true, index, 24, -2, 8, false}},
    };
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
