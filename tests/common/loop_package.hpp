// y = 2 a + 1 over tiles, by programs that loop: registers step through the tiles and GpSimd hands out one
// tile in each turn; no instruction names a tile.
#pragma once

#include "arch/target/memory.hpp"
#include "compiler/neff/package.hpp"
#include "compiler/neff/sizes.hpp"

namespace trnsim::test {

constexpr std::uint32_t LoopTiles = 8, LoopTileElements = 32;

inline isa::Instruction alu_immediate(isa::RegOp op, unsigned dst, unsigned a, std::uint32_t value) {
    return isa::Instruction(isa::Opcode::RegisterAlu)
        .set(isa::field::RegOp, op)
        .set(isa::field::RegDst, dst)
        .set(isa::field::RegA, a)
        .set(isa::field::UseImm, 1)
        .set(isa::field::Data, value);
}

inline isa::Instruction branch_if(isa::BranchCond condition, unsigned a, unsigned b, std::size_t target) {
    return isa::Instruction(isa::Opcode::Branch)
        .set(isa::field::Condition, condition)
        .set(isa::field::RegA, a)
        .set(isa::field::RegB, b)
        .set(isa::field::Target, target);
}

inline isa::Instruction wait_then(unsigned wait_semaphore, std::uint32_t value, unsigned update_semaphore,
                                  isa::UpdateMode mode, unsigned amount) {
    return isa::Instruction(isa::Opcode::EventSemaphore)
        .set(isa::field::WaitMode, isa::WaitMode::Ge)
        .set(isa::field::WaitSem, wait_semaphore)
        .set(isa::field::WaitValue, value)
        .set(isa::field::UpdateMode, mode)
        .set(isa::field::UpdateSem, update_semaphore)
        .set(isa::field::UpdateValue, amount);
}

// Computes 2 a + 1 of a tile [rows, elements], with register 1 added to both addresses, then adds 1 to
// `done`.
inline isa::Instruction twice_plus_one(std::uint32_t rows, std::uint32_t elements, std::uint32_t from,
                                       std::uint32_t to, unsigned done) {
    namespace field = isa::field;
    return isa::Instruction(isa::Opcode::TensorScalar)
        .set(field::Partitions, rows)
        .set(field::Count0, elements)
        .set(field::Count1, 1)
        .set(field::Count2, 1)
        .set(field::Count3, 1)
        .set(field::ADtype, isa::Dtype::Fp32)
        .set(field::DstDtype, isa::Dtype::Fp32)
        .set(field::AAddr, from)
        .set(field::DstAddr, to)
        .set(field::AStep0, 1)
        .set(field::DstStep0, 1)
        .set(field::AReg, 1)
        .set(field::DstReg, 1)
        .set(field::Op0, isa::AluOp::Multiply)
        .set_float(field::Imm0, 2)
        .set(field::Op1, isa::AluOp::Add)
        .set_float(field::Imm1, 1)
        .set(field::UpdateMode, isa::UpdateMode::Add)
        .set(field::UpdateSem, done)
        .set(field::UpdateValue, 1);
}

inline neff::Package loop_package(const target::Core& target) {
    using enum isa::RegOp;
    using neff::Pattern;
    namespace field = isa::field;
    constexpr std::uint8_t Loaded = 3, Stored = 4, Done = 5, Ready = 6;
    constexpr std::uint32_t Columns = LoopTiles * LoopTileElements, Bytes = 4 * Columns;
    constexpr std::uint32_t From = 0x100, To = 0x600, TileBytes = 4 * LoopTileElements;
    const auto rows = static_cast<std::uint32_t>(target.partitions);
    const auto stride = static_cast<std::int64_t>(target::sbuf_partition_stride(target));
    const auto transfers = static_cast<std::uint32_t>(target.dma_engines);

    neff::Package package;
    package.name = "loop";
    package.target = target;
    package.tensors = {{"a", neff::TensorKind::Input, isa::Dtype::Fp32, {rows, Columns}},
                       {"y", neff::TensorKind::Output, isa::Dtype::Fp32, {rows, Columns}}};
    package.queues = {{"qLoad", isa::Engine::Sync}, {"qStore", isa::Engine::Sync}};
    const auto memory = [&](std::uint32_t offset) {
        return Pattern{Pattern::Space::Core, 0, offset, {4, stride, 0, 0}, {Columns, rows, 1, 1}};
    };
    const auto tensor = [&](std::uint32_t index) {
        return Pattern{Pattern::Space::Tensor, index, 0, {4, Bytes, 0, 0}, {Columns, rows, 1, 1}};
    };
    package.transfers = {{0, 4, tensor(0), memory(From), Loaded, "load a"},
                         {1, 4, memory(To), tensor(1), Stored, "store y"}};

    const isa::Instruction halt(isa::Opcode::Halt);
    const auto trigger = [](std::uint32_t transfer) {
        return isa::Instruction(isa::Opcode::DmaTrigger).set(field::Address, transfer);
    };
    const auto wait = [](unsigned semaphore, std::uint32_t value) {
        return wait_then(semaphore, value, 0, isa::UpdateMode::None, 0);
    };
    const auto program = [&](isa::Engine engine) -> auto& {
        return package.programs[static_cast<std::size_t>(engine)];
    };
    program(isa::Engine::Sync) = {trigger(0), wait(Done, LoopTiles), trigger(1), wait(Stored, transfers),
                                  halt};
    program(isa::Engine::Gpsimd) = {
        alu_immediate(Move, 2, 0, LoopTiles), wait_then(Loaded, transfers, Ready, isa::UpdateMode::Add, 1),
        alu_immediate(Sub, 2, 2, 1), branch_if(isa::BranchCond::Ne, 2, 0, 1), halt};
    program(isa::Engine::Vector) = {alu_immediate(Move, 1, 0, 0),
                                    alu_immediate(Move, 2, 0, LoopTiles),
                                    wait_then(Ready, 1, Ready, isa::UpdateMode::Sub, 1),
                                    twice_plus_one(rows, LoopTileElements, From, To, Done),
                                    alu_immediate(Add, 1, 1, TileBytes),
                                    alu_immediate(Sub, 2, 2, 1),
                                    branch_if(isa::BranchCond::Ne, 2, 0, 2),
                                    halt};
    return package;
}

}  // namespace trnsim::test
