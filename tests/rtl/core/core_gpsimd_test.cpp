// The GpSimd engine in the whole core: an image through the ports, programs of its sequencer, registers,
// faults, and Vector at the same port.
#include <string_view>

#include "arch/firmware/image.hpp"
#include "base/files/files.hpp"
#include "tests/common/gpsimd_instructions.hpp"
#include "tests/rtl/core/core_instructions.hpp"

namespace trnsim::test {
namespace {

using firmware::Command;
using isa::Error;
using isa::GpsimdState;
namespace csr = isa::csr;

constexpr int Vector = static_cast<int>(isa::Engine::Vector), GpSimd = static_cast<int>(isa::Engine::Gpsimd),
              Sync = static_cast<int>(isa::Engine::Sync);
constexpr std::uint32_t Partitions = 16;  // partitions of one core

const firmware::Image& microcode() {
    static const firmware::Image image = [] {
        const std::string path = TRNSIM_FIRMWARE_IMAGES "/microcode_vlen512.gpsimd";
        return firmware::parse(files::read(path), path);
    }();
    return image;
}

constexpr std::uint32_t tcm(std::uint32_t address) {
    return isa::window::GpsimdTcmBase + (address - TRNSIM_TCM_BASE);
}

// A core with the microcode in its memory.
class CoreGpSimd : public testing::Test {
  protected:
    CoreGpSimd() {
        for (const firmware::Segment& segment : microcode().segments)
            EXPECT_EQ(on.core.write(on.port(), tcm(segment.address), segment.bytes), Okay);
    }

    static Program started() { return {gpsimd::start(1, microcode().entry)}; }
    static void append(Program& program, const Program& more) {
        program.insert(program.end(), more.begin(), more.end());
    }
    // Adds the commands that set words of all partitions to `value`.
    static void set(Program& program, std::uint32_t byte, std::uint32_t count, std::uint32_t value) {
        append(program, gpsimd::arguments(gpsimd::memset_of(Partitions, byte, count, value)));
        program.push_back(gpsimd::command(1, Command::Memset));
    }
    void start(int engine, std::uint64_t base, const Program& program) {
        on.core.memory->load(base, program);
        on.start(engine, base, static_cast<std::uint32_t>(program.size()));
    }
    void expect_words(std::uint32_t byte, std::uint32_t count, std::uint32_t value) {
        for (std::uint32_t p = 0; p < Partitions; ++p) {
            const std::vector<std::uint8_t> bytes = on.core.peek(sbuf(p, byte), 4 * std::size_t{count});
            for (std::uint32_t k = 0; k < count; ++k) {
                std::uint32_t word = 0;
                std::memcpy(&word, &bytes[4 * std::size_t{k}], sizeof word);
                ASSERT_EQ(word, value) << "partition " << p << " word " << k;
            }
        }
    }
    GpsimdState state() { return static_cast<GpsimdState>(on.core.read32(on.port(), csr::GpsimdState)); }

    CoreProgram on;
};

TEST_F(CoreGpSimd, RunsCommands) {
    EXPECT_EQ(state(), GpsimdState::Halted);
    Program program = started();
    set(program, 64, 20, 0x1234);
    set(program, 4096, 300, 0x5678);
    program.back() = then_update(program.back(), 7, isa::UpdateMode::Set, 3);
    program.push_back(halt());
    run(on, GpSimd, program);
    ASSERT_FALSE(on.core.error());
    expect_words(64, 20, 0x1234);
    expect_words(4096, 300, 0x5678);
    EXPECT_EQ(on.core.read32(on.port(), isa::window::SemRead + 4 * 7), 3u);
    EXPECT_EQ(state(), GpsimdState::Waiting);
    const std::string place = firmware::place(microcode(), on.core.read32(on.port(), csr::GpsimdPc));
    EXPECT_TRUE(place.starts_with("trnsim_main")) << place;
    EXPECT_GT(on.core.busy[GpSimd], 300u);
    EXPECT_EQ(on.core.read32(on.port(), csr::EngineCompleted + GpSimd * csr::EngineStride), program.size());
}

TEST_F(CoreGpSimd, WhatIsWritableIsTheCoresMemory) {
    EXPECT_EQ(on.core.write32(on.port(), csr::GpsimdPc, 0), SlvErr);
    EXPECT_EQ(on.core.write32(on.port(), csr::GpsimdState, 0), SlvErr);
    on.core.read32(on.port(), csr::GpsimdPc + csr::GpsimdStride, SlvErr);
    on.core.read32(on.port(), csr::GpsimdPc + 8, SlvErr);
    EXPECT_EQ(on.core.write32(on.port(), tcm(TRNSIM_TCM_BASE) + isa::window::GpsimdTcmStride, 0), SlvErr);
    on.core.read32(on.port(), isa::window::GpsimdTcmBase - 4, SlvErr);
    std::vector<std::uint8_t> data(3000), seen(3000);
    for (int round = 0; round < 20; ++round) {
        const std::uint32_t at = tcm(TRNSIM_HEAP_BASE) + on.bits() % 10000;
        data.resize(1 + on.bits() % 3000);
        seen.resize(data.size());
        for (auto& byte : data) byte = static_cast<std::uint8_t>(on.bits());
        ASSERT_EQ(on.core.write(on.port(), at, data), Okay);
        ASSERT_EQ(on.core.read(on.port(), at, seen), Okay);
        ASSERT_EQ(seen, data);
    }
}

// Words of the memory are operands of register_load and register_store of any sequencer.
TEST_F(CoreGpSimd, SequencersReachTheCoresMemory) {
    const std::uint32_t magic = tcm(TRNSIM_MAILBOX_BASE), heap = tcm(TRNSIM_LEAST_HEAP_BASE) + 20;
    Program program = started();
    program.push_back(halt());
    run(on, GpSimd, program);
    run(on, Sync, {load_register(1, magic), store_register(1, heap), halt()});
    ASSERT_FALSE(on.core.error());
    EXPECT_EQ(on.core.read32(on.port(), heap), firmware::MailboxMagic);
}

TEST_F(CoreGpSimd, AFaultNamesInstructionAndMailbox) {
    Program program = started();
    set(program, 0, 4, 1);
    const std::size_t bad = program.size();
    program.push_back(gpsimd::command(1, Command::Count));
    set(program, 0, 4, 2);
    program.push_back(halt());
    run(on, GpSimd, program);
    ASSERT_TRUE(on.core.error());
    EXPECT_EQ(on.core.read32(on.port(), csr::ErrorCode), static_cast<std::uint32_t>(Error::GpsimdFault));
    EXPECT_EQ(on.core.read32(on.port(), csr::ErrorEngine), static_cast<std::uint32_t>(GpSimd));
    EXPECT_EQ(on.core.read32(on.port(), csr::ErrorPc), bad);
    EXPECT_EQ(on.core.read32(on.port(), csr::ErrorAddress), tcm(TRNSIM_MAILBOX_BASE));
    EXPECT_EQ(on.core.read32(on.port(), csr::ErrorOpcode),
              static_cast<std::uint32_t>(isa::Opcode::GpsimdCommand));
    EXPECT_EQ(on.core.read32(on.port(), tcm(TRNSIM_MAILBOX_BASE) + offsetof(firmware::Mailbox, status)),
              static_cast<std::uint32_t>(firmware::Status::UnknownCommand));
    EXPECT_EQ(state(), GpsimdState::Halted);
    expect_words(0, 4, 1);
    for (int edge = 0; edge < 100; ++edge) on.core.bus_edge();
    EXPECT_TRUE(on.core.idle());
}

// Vector copies within its rows while the core writes other rows: both get the port, and nothing is lost.
TEST_F(CoreGpSimd, SharesThePortWithVector) {
    constexpr std::uint32_t Words = 64, Copies = 60;
    Program program = started(), copies;
    for (std::uint32_t turn = 0; turn < 4; ++turn) set(program, 0, 1024, turn);
    program.push_back(halt());
    for (std::uint32_t k = 0; k < Copies; ++k)
        copies.push_back(
            copy(sbuf(0, 8192 + 4 * Words * (k % 8)), sbuf(0, 8192 + 4 * Words * (k % 8 + 1)), Words));
    copies.push_back(halt());
    std::vector<std::uint8_t> data(4 * Words);
    for (auto& byte : data) byte = static_cast<std::uint8_t>(on.bits() & 0x3f);
    for (std::uint32_t p = 0; p < OperandSize; ++p) on.core.poke(sbuf(p, 8192), data);
    start(GpSimd, ProgramBase, program);
    start(Vector, 2 * ProgramBase, copies);
    ASSERT_TRUE(on.finish());
    ASSERT_FALSE(on.core.error());
    expect_words(0, 1024, 3);
    for (std::uint32_t p = 0; p < OperandSize; ++p)
        EXPECT_EQ(on.core.peek(sbuf(p, 8192 + 4 * Words * 8), 4 * Words), data) << "partition " << p;
    EXPECT_GT(on.core.read32(on.port(), csr::GpsimdWaits), 100u);
    EXPECT_GT(on.core.read32(on.port(), csr::VectorWaits), 20u);
    EXPECT_EQ(on.core.counts().gpsimd_waits, on.core.read32(on.port(), csr::GpsimdWaits));
    EXPECT_EQ(on.core.counts().unwritten, 0u);
}

}  // namespace
}  // namespace trnsim::test
