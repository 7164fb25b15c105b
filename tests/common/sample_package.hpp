// A small valid kernel: it copies the 4 x 8 fp32 tensor `a` through SBUF into `y`, and has a scratch tensor
// that nothing uses.
#pragma once

#include "compiler/neff/package.hpp"

namespace trnsim::test {

inline isa::Instruction wait_for(std::uint8_t semaphore, std::uint32_t value) {
    return isa::Instruction(isa::Opcode::EventSemaphore)
        .set(isa::field::WaitMode, isa::WaitMode::Ge)
        .set(isa::field::WaitSem, semaphore)
        .set(isa::field::WaitValue, value);
}

inline isa::Instruction trigger(std::uint32_t transfer) {
    return isa::Instruction(isa::Opcode::DmaTrigger).set(isa::field::Address, transfer);
}

inline neff::Package sample_package() {
    using neff::Pattern;
    neff::Package package;
    package.name = "sample";
    package.arguments = "--rows 4 --columns 8";
    package.target = {128, 128, 128, 192 * 1024, 16 * 1024, 8, 16, 16};
    package.tensors = {{"a", neff::TensorKind::Input, isa::Dtype::Fp32, {4, 8}},
                       {"y", neff::TensorKind::Output, isa::Dtype::Fp32, {4, 8}},
                       {"scratch", neff::TensorKind::Scratch, isa::Dtype::Bf16, {16}}};
    package.queues = {{"qSyncIO0", isa::Engine::Sync}, {"qSyncIO1", isa::Engine::Sync}};
    const Pattern sbuf{Pattern::Space::Core, 0, 0x100, {4, 0x40000, 0, 0}, {8, 4, 1, 1}};
    package.transfers = {
        {0, 4, {Pattern::Space::Tensor, 0, 0, {4, 32, 0, 0}, {8, 4, 1, 1}}, sbuf, 3, "load a"},
        {1, 4, sbuf, {Pattern::Space::Tensor, 1, 0, {4, 32, 0, 0}, {8, 4, 1, 1}}, 4, "store y"},
    };
    package.programs[static_cast<std::size_t>(isa::Engine::Sync)] = {
        trigger(0), wait_for(3, 16), trigger(1), wait_for(4, 16), isa::Instruction(isa::Opcode::Halt)};
    package.programs[static_cast<std::size_t>(isa::Engine::Vector)] = {wait_for(3, 16),
                                                                       isa::Instruction(isa::Opcode::Halt)};
    return package;
}

// Returns the same package with the lines of its source and its origin.
inline neff::Package sample_package_with_sources() {
    neff::Package package = sample_package();
    package.origin = {"0.0.1", "sample"};
    package.sources.add("kernel.cpp", 12);
    package.sources.add("lib/helper.hpp", 7);
    package.sources.add("kernel.cpp", 15);
    package.sources.of[static_cast<std::size_t>(isa::Engine::Sync)] = {1, 3, 3, 0, 0};
    package.sources.of[static_cast<std::size_t>(isa::Engine::Vector)] = {2, 0};
    return package;
}

}  // namespace trnsim::test
