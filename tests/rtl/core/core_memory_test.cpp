// SBUF and PSUM in the whole core: beats that meet on a slice wait for each other; upsets are corrected or
// stop the core; a matmul that adds to words that no matmul has written stops the core.
#include "tests/rtl/core/core_instructions.hpp"

namespace trnsim::test {
namespace {

using isa::Error;
using isa::Opcode;
namespace csr = isa::csr;

constexpr int Tensor = static_cast<int>(isa::Engine::Tensor), Vector = static_cast<int>(isa::Engine::Vector);
constexpr std::uint32_t System = 7;  // engine number of accesses through the core window
constexpr std::uint32_t Size = OperandSize;

void expect_error(CoreProgram& on, Error code, std::uint32_t engine, std::uint32_t pc, std::uint32_t address,
                  std::uint32_t opcode) {
    ASSERT_TRUE(on.core.error());
    EXPECT_EQ(on.core.read32(0, csr::ErrorCode), static_cast<std::uint32_t>(code));
    EXPECT_EQ(on.core.read32(0, csr::ErrorEngine), engine);
    EXPECT_EQ(on.core.read32(0, csr::ErrorPc), pc);
    EXPECT_EQ(on.core.read32(0, csr::ErrorAddress), address);
    EXPECT_EQ(on.core.read32(0, csr::ErrorOpcode), opcode);
}

TEST(CoreMemory, AMatmulAddsToWhatAMatmulWrote) {
    CoreProgram on;
    run(on, Tensor, {load(64), matmul(0, false), matmul(0, true), load(64), matmul(0, true), halt()});
    EXPECT_FALSE(on.core.error());
    EXPECT_EQ(on.core.read32(0, csr::PsumUnfounded), 0u);
}

// The addition comes right after a matmul with results still on their way.
TEST(CoreMemory, AddingToWhatNoMatmulWroteNamesTheInstruction) {
    CoreProgram on;
    run(on, Tensor,
        {load(64), matmul(0, false), nop(), matmul(0, true), load(64), matmul(256, true), matmul(0, true),
         halt()});
    expect_error(on, Error::PsumAccumulate, Tensor, 5, psum(0, 256),
                 static_cast<std::uint32_t>(Opcode::MultiplyMoving));
    EXPECT_EQ(on.core.read32(0, csr::PsumUnfounded), Size);
}

TEST(CoreMemory, WhatAnotherEngineWroteIsNotAMatmuls) {
    CoreProgram on;
    run(on, Tensor, {load(64), matmul(0, false), matmul(4 * Size, false), halt()});
    run(on, Vector, {copy(psum(0, 0), psum(0, 0), 2), halt()});
    EXPECT_FALSE(on.core.error());
    run(on, Tensor, {load(64), matmul(8, true), matmul(4, true), halt()});
    expect_error(on, Error::PsumAccumulate, Tensor, 2, psum(0, 4),
                 static_cast<std::uint32_t>(Opcode::MultiplyMoving));
}

std::uint8_t upset(CoreProgram& on, std::uint32_t address, std::uint32_t first, std::uint32_t second) {
    EXPECT_EQ(on.core.write32(on.port(), csr::UpsetAddress, address), Okay);
    EXPECT_EQ(on.core.read32(on.port(), csr::UpsetAddress), address);
    return on.core.write32(on.port(), csr::UpsetBits, first | second << 8);
}

TEST(CoreMemory, OneWrongBitIsCorrectedInBothMemories) {
    CoreProgram on;
    std::uint32_t corrected = 0;
    for (std::uint32_t bit = 0; bit < 39; ++bit) {
        const std::uint32_t word = on.bits(), address = on.place(static_cast<int>(bit) % Engines);
        ASSERT_EQ(on.core.write32(on.port(), address, word), Okay);
        ASSERT_EQ(upset(on, address, bit, bit), Okay);
        EXPECT_EQ(on.core.read32(on.port(), csr::SramEcc), corrected << 16);
        EXPECT_EQ(on.core.read32(on.port(), address), word) << bit;
        ++corrected;
        EXPECT_EQ(on.core.read32(on.port(), address), word) << "corrected in the memory";
        EXPECT_EQ(on.core.read32(on.port(), csr::SramEcc), corrected << 16);
    }
    EXPECT_FALSE(on.core.error());
}

TEST(CoreMemory, TwoWrongBitsStopTheCore) {
    CoreProgram on;
    const std::uint32_t address = psum(3, 0x44);
    ASSERT_EQ(on.core.write32(0, address, 0), Okay);
    ASSERT_EQ(upset(on, address, 4, 38), Okay);
    EXPECT_FALSE(on.core.error());
    EXPECT_EQ(on.core.read32(0, address), 0x10u);
    on.core.bus_edge();
    expect_error(on, Error::Uncorrectable, System, 0, address, 0);
    EXPECT_EQ(on.core.read32(0, csr::SramEcc), 1u);
}

// The fault names the oldest incomplete instruction of the reading engine.
TEST(CoreMemory, WhoReadsTwoWrongBitsIsNamed) {
    CoreProgram on;
    ASSERT_EQ(on.core.write32(0, sbuf(5, 0x80), 0), Okay);
    ASSERT_EQ(upset(on, sbuf(5, 0x80), 0, 1), Okay);
    run(on, Vector,
        {copy(sbuf(0, 0x100), sbuf(0, 0x200), 8), nop(), copy(sbuf(0, 0x80), sbuf(0, 0x200), 8), nop(),
         halt()});
    expect_error(on, Error::Uncorrectable, Vector, 2, sbuf(5, 0x80),
                 static_cast<std::uint32_t>(Opcode::TensorCopy));
}

TEST(CoreMemory, UpsetsOutsideMemoryAndWithoutRoomAreRefused) {
    CoreProgram on;
    EXPECT_EQ(upset(on, isa::window::EventBase, 0, 0), SlvErr);
    EXPECT_EQ(upset(on, sbuf(0, static_cast<std::uint32_t>(on.core.config.core.sbuf_partition)), 0, 0),
              SlvErr);
    for (std::uint32_t word = 0; word < 9; ++word)
        EXPECT_EQ(upset(on, sbuf(1, 4 * word), 3, 3), word < 8 ? Okay : SlvErr);
    EXPECT_EQ(upset(on, psum(1, 0), 3, 3), Okay) << "each memory has its own list";
    EXPECT_FALSE(on.core.error());
}

// Only words that an engine wants count; words that the back door has written count as written.
TEST(CoreMemory, ReadsOfWordsThatNothingHasWrittenAreCounted) {
    CoreProgram on;
    run(on, Vector, {copy(sbuf(8, 0x1000), sbuf(0, 0x2000), 3), halt()});
    EXPECT_EQ(on.core.counts().unwritten, 3 * Size);
    EXPECT_EQ(on.core.counts().unwritten_address, sbuf(8, 0x1000));
    EXPECT_EQ(on.core.counts().unwritten_reader, static_cast<std::uint32_t>(Vector));
    run(on, Vector, {copy(sbuf(0, 0x2000), psum(8, 0x300), 3), copy(psum(8, 0x300), sbuf(0, 0), 3), halt()});
    EXPECT_EQ(on.core.counts().unwritten, 3 * Size) << "written by the engine";
    on.core.poke(sbuf(9, 0x800), std::vector<std::uint8_t>(4));
    run(on, Vector, {copy(sbuf(8, 0x800), sbuf(0, 0), 1), halt()});
    EXPECT_EQ(on.core.counts().unwritten, 4 * Size - 1);
    run(on, Tensor, {load(0x2800), matmul(0, false), halt()});
    // 16-bit operands have half as many words. The moving operand was written.
    EXPECT_EQ(on.core.counts().unwritten, 4 * Size - 1 + Size * Size / 2 + Size * (Size / 2 - 3));
    EXPECT_FALSE(on.core.error());
}

// Writes bursts at both ports at once; returns the bus cycles that they waited for each other.
std::uint32_t write_both(CoreProgram& on, std::uint32_t one, std::uint32_t other) {
    Core& core = on.core;
    constexpr unsigned Beats = 16;
    const std::uint32_t address[] = {one, other};
    std::vector<std::uint8_t> expected[2];
    const std::uint32_t before = core.read32(0, csr::BusWaits);
    for (int p = 0; p < 2; ++p) {
        for (std::uint32_t i = 0; i < Beats * core.beat; ++i)
            expected[p].push_back(static_cast<std::uint8_t>(on.bits()));
        core.in(p).aw_addr = address[p];
        core.in(p).aw_valid = true;
    }
    unsigned sent[2] = {0, 0};
    bool answered[2] = {false, false};
    for (int edge = 0; edge < 200 && !(answered[0] && answered[1]); ++edge) {
        bool taken[2], begun[2], done[2];
        for (int p = 0; p < 2; ++p) {
            tlm::AxiSubordinateIn& in = core.in(p);
            in.w_valid = sent[p] < Beats;
            in.w_last = sent[p] == Beats - 1;
            in.b_ready = true;
            if (in.w_valid)
                std::memcpy(in.w_data.data(), expected[p].data() + sent[p] * core.beat, core.beat);
            in.w_strobe.fill(~0u);
            begun[p] = in.aw_valid && core.out(p).aw_ready;
            taken[p] = in.w_valid && core.out(p).w_ready;
            done[p] = core.out(p).b_valid;
        }
        core.bus_edge();
        for (int p = 0; p < 2; ++p) {
            if (begun[p]) core.in(p).aw_valid = false;
            sent[p] += taken[p];
            answered[p] |= done[p];
        }
    }
    for (int p = 0; p < 2; ++p) {
        core.in(p).b_ready = core.in(p).w_valid = false;
        EXPECT_TRUE(answered[p]);
        EXPECT_EQ(core.peek(address[p], expected[p].size()), expected[p]);
    }
    return core.read32(0, csr::BusWaits) - before;
}

TEST(CoreMemory, BeatsOfTwoPortsMeetOnASlice) {
    CoreProgram on;
    EXPECT_EQ(write_both(on, sbuf(0, 0), sbuf(8, 0)), 0u) << "other partitions, another slice";
    EXPECT_EQ(write_both(on, sbuf(0, 0), psum(1, 0)), 0u) << "another memory";
    const std::uint32_t waits = write_both(on, sbuf(0, 0), sbuf(7, 1024));
    EXPECT_GE(waits, 14u);
    EXPECT_LE(waits, 32u);
    EXPECT_GE(write_both(on, psum(8, 0), psum(15, 0)), 14u);
}

}  // namespace
}  // namespace trnsim::test
