// y = 2 a + 1 over tiles that are loaded and stored in the loop: one instruction triggers all loads, one all
// stores. Tiles alternate between two slots of SBUF; while Vector works on one, the next is loaded and the
// last is stored.
#pragma once

#include "arch/target/memory.hpp"
#include "common/loop_package.hpp"

namespace trnsim::test {

struct Stream {
    std::uint32_t tiles = 37, elements = 13;  // elements of a tile in a partition
    std::uint32_t passes = 1;                 // passes over all tiles; if more than one, tiles is even
};

namespace stream {

// The places of instructions in the programs below that tests change.
constexpr std::size_t LoadTrigger = 2, AwaitLoaded = 3, GiveRoom = 4, AwaitOutFree = 5, AwaitStored = 3;
constexpr std::uint32_t Load = 0, Store = 1;  // transfers

}  // namespace stream

inline neff::Package stream_package(const target::Core& target, const Stream& stream = {}) {
    using enum isa::RegOp;
    using neff::Pattern;
    namespace field = isa::field;
    constexpr std::uint8_t Loaded = 3, Stored = 4, Done = 5, Room = 6, OutFree = 7;
    constexpr std::uint32_t From = 0x100, To = 0x600, Slots = 2;
    const auto rows = static_cast<std::uint32_t>(target.partitions);
    const auto stride = static_cast<std::int64_t>(target::sbuf_partition_stride(target));
    const auto dma_engines = static_cast<std::uint32_t>(target.dma_engines);
    const std::uint32_t columns = stream.tiles * stream.elements, tile_bytes = 4 * stream.elements;
    const std::uint32_t turns = stream.tiles * stream.passes;

    neff::Package package;
    package.name = "stream";
    package.target = target;
    package.tensors = {{"a", neff::TensorKind::Input, isa::Dtype::Fp32, {rows, columns}},
                       {"y", neff::TensorKind::Output, isa::Dtype::Fp32, {rows, columns}}};
    package.queues = {{"qLoad", isa::Engine::Sync}, {"qStore", isa::Engine::Gpsimd}};
    package.loops = {{stream.tiles}};
    const std::array<std::uint32_t, 4> tile{stream.elements, rows, 1, 1};
    const auto memory = [&](std::uint32_t offset) {
        return Pattern{Pattern::Space::Core, 0, offset, {4, stride, 0, 0}, tile, {tile_bytes},
                       {Slots, 1, 1, 1}};
    };
    const auto tensor = [&](std::uint32_t index) {
        return Pattern{Pattern::Space::Tensor, index, 0, {4, 4 * columns, 0, 0}, tile, {tile_bytes},
                       {stream.tiles, 1, 1, 1}};
    };
    package.transfers = {{0, 4, tensor(0), memory(From), Loaded, "load a", 0},
                         {1, 4, memory(To), tensor(1), Stored, "store y", 0}};

    const isa::Instruction halt(isa::Opcode::Halt);
    const auto add = [](unsigned semaphore, unsigned amount) {
        return isa::Instruction(isa::Opcode::EventSemaphore)
            .set(field::UpdateMode, isa::UpdateMode::Add)
            .set(field::UpdateSem, semaphore)
            .set(field::UpdateValue, amount);
    };
    const auto take = [](unsigned semaphore, std::uint32_t amount) {
        return wait_then(semaphore, amount, semaphore, isa::UpdateMode::Sub, amount);
    };
    const auto trigger = [](std::uint32_t transfer, unsigned semaphore) {
        return isa::Instruction(isa::Opcode::DmaTrigger)
            .set(field::Address, transfer)
            .set(field::WaitMode, isa::WaitMode::Ge)
            .set(field::WaitSem, semaphore)
            .set(field::WaitValue, 1)
            .set(field::UpdateMode, isa::UpdateMode::Sub)
            .set(field::UpdateSem, semaphore)
            .set(field::UpdateValue, 1);
    };
    const auto program = [&](isa::Engine engine) -> auto& {
        return package.programs[static_cast<std::size_t>(engine)];
    };
    program(isa::Engine::Sync) = {add(Room, 1),
                                  alu_immediate(Move, 2, 0, turns),
                                  trigger(stream::Load, Room),
                                  alu_immediate(Sub, 2, 2, 1),
                                  branch_if(isa::BranchCond::Ne, 2, 0, 2),
                                  halt};
    program(isa::Engine::Vector) = {
        alu_immediate(Move, 1, 0, 0),  // offset of the slot
        alu_immediate(Move, 2, 0, turns),
        alu_immediate(Move, 3, 0, tile_bytes),
        take(Loaded, dma_engines),
        add(Room, 1),  // the work on the previous tile is complete, so its slot is free
        take(OutFree, 1),
        twice_plus_one(rows, stream.elements, From, To, Done),
        alu_immediate(Sub, 1, 3, 0).set(field::UseImm, 0).set(field::RegB, 1),
        alu_immediate(Sub, 2, 2, 1),
        branch_if(isa::BranchCond::Ne, 2, 0, stream::AwaitLoaded),
        halt};
    program(isa::Engine::Gpsimd) = {add(OutFree, Slots),
                                    alu_immediate(Move, 2, 0, turns),
                                    trigger(stream::Store, Done),
                                    take(Stored, dma_engines),
                                    add(OutFree, 1),
                                    alu_immediate(Sub, 2, 2, 1),
                                    branch_if(isa::BranchCond::Ne, 2, 0, 2),
                                    halt};
    return package;
}

}  // namespace trnsim::test
