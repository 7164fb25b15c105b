// Programs of all five engines on the verilated core, at any system address and instruction index: control
// instructions do what they should, and a fault is recorded with its place.
#include <algorithm>
#include <array>
#include <map>

#include "tests/rtl/core/core_program.hpp"

namespace trnsim::test {
namespace {

using isa::Error;
using isa::Instruction;
using isa::Opcode;
namespace csr = isa::csr;
namespace field = isa::field;
namespace window = isa::window;

std::vector<std::uint8_t> bytes_of(const std::vector<float>& values) {
    std::vector<std::uint8_t> bytes(4 * values.size());
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

TEST(CoreProgram, RunsAnywhere) {
    CoreProgram on;
    for (std::uint64_t round = 0; round < 20 * scale(); ++round) {
        on.core.memory.emplace(on.core.random(), 70, 6);
        std::array<std::vector<Write>, Engines> writes;
        std::map<std::uint32_t, std::uint32_t> stored;
        std::map<std::uint32_t, std::uint32_t> semaphores;
        std::array<std::uint32_t, Engines> last{}, count{};
        for (int engine = 0; engine < Engines; ++engine) {
            const std::uint32_t target = FarAway + on.bits() % (0xffffffff - 2 * FarAway);
            const std::uint64_t base = on.address(target);
            // Three semaphores of the engine: it waits for two, writes the second itself and updates the
            // third.
            std::array<std::uint32_t, 3> semaphore{};
            for (std::uint32_t i = 0, first = on.bits() % 51; i < 3; ++i)
                semaphore[i] = (first + i) % 51 * Engines + engine;
            const std::uint32_t given = on.bits(), note = on.bits() % 0x10000;
            ASSERT_EQ(on.core.write32(on.port(), window::SemSet + 4 * semaphore[0], given), Okay);
            semaphores[semaphore[0]] = given;
            semaphores[semaphore[2]] = note;
            Program before, after;
            before.push_back(wait_for(Instruction(Opcode::Nop), semaphore[0], isa::WaitMode::Ge,
                                      std::min(given, 0xffffffu)));
            for (Program* part : {&before, &after}) {
                const std::uint32_t value = on.bits(), where = on.place(engine);
                part->push_back(move_immediate(1, value));
                part->push_back(store_register(1, where));
                part->push_back(load_register(2, where));
                part->push_back(alu_immediate(isa::RegOp::Xor, 3, 2, 0xffffffff));
                part->push_back(store_register(3, where));
                part->push_back(store_register(1, window::SemSet + 4 * semaphore[1]));
                part->push_back(wait_for(Instruction(Opcode::Nop), semaphore[1], isa::WaitMode::Ge,
                                         std::min(value, 0xffffffu)));
                stored[where] = ~value;
                semaphores[semaphore[1]] = value;
                const Instruction doorbell = write_register(on.core.random() & ~3ull, on.bits());
                const Instruction doorbells =
                    ring_doorbells(on.core.random() & ~3ull, on.bits() & 0xffff, on.bits() & ~3u,
                                   on.bits() & 0xffff, on.bits() & 0xffff);
                for (const Instruction& instruction : {doorbell, doorbells}) {
                    part->push_back(instruction);
                    for (const auto& [to, data] : system_writes(instruction))
                        writes[engine].push_back({static_cast<unsigned>(engine), to, data});
                }
            }
            before.push_back(branch(target));
            after.push_back(then_update(halt(), semaphore[2], isa::UpdateMode::Set, note));
            on.core.memory->load(base, before);
            on.core.memory->load(base + std::uint64_t{target} * isa::InstructionBytes, after);
            last[engine] = target + static_cast<std::uint32_t>(after.size()) - 1;
            count[engine] = static_cast<std::uint32_t>(before.size() + after.size());
            on.start(engine, base, on.bits() % 2 != 0 ? 0 : last[engine] + 1);
        }
        ASSERT_TRUE(on.finish());
        ASSERT_FALSE(on.core.error())
            << on.core.read32(0, csr::ErrorCode) << " engine " << on.core.read32(0, csr::ErrorEngine)
            << " pc " << on.core.read32(0, csr::ErrorPc);
        std::array<std::vector<Write>, Engines> seen;
        for (const Write& write : on.core.memory->writes()) seen.at(write.id).push_back(write);
        for (int engine = 0; engine < Engines; ++engine) {
            ASSERT_TRUE(on.core.halted(engine));
            ASSERT_EQ(seen[engine], writes[engine]) << "engine " << engine;
            const std::uint32_t registers = csr::EngineStride * engine;
            EXPECT_EQ(on.core.read32(on.port(), csr::EnginePc + registers), last[engine]);
            EXPECT_EQ(on.core.read32(on.port(), csr::EngineCompleted + registers), count[engine]);
        }
        for (const auto& [where, value] : stored)
            ASSERT_EQ(on.core.read32(on.port(), where), value) << std::hex << where;
        for (const auto& [index, value] : semaphores)
            ASSERT_EQ(on.core.read32(on.port(), window::SemRead + 4 * index), value) << "semaphore " << index;
        ASSERT_EQ(on.core.read32(on.port(), csr::Status), 5u) << "idle, no error, all halted";
    }
}

TEST(CoreProgram, LoopsAreCounted) {
    CoreProgram on;
    constexpr std::uint32_t Turns = 600, Length = 30;
    Program program{move_immediate(2, Turns), alu_immediate(isa::RegOp::Add, 1, 1, 1)};
    while (program.size() < Length) program.push_back(Instruction(Opcode::Nop));
    program.push_back(branch(1, isa::BranchCond::Lt, 1, 2));
    program.push_back(halt());
    for (int engine = 0; engine < Engines; ++engine) {
        on.core.memory->load(0x10000u * engine, program);
        on.start(engine, 0x10000u * engine, 0);
    }
    ASSERT_TRUE(on.finish());
    for (int engine = 0; engine < Engines; ++engine) {
        EXPECT_EQ(on.core.read32(on.port(), csr::EngineCompleted + csr::EngineStride * engine),
                  Turns * Length + 2);
    }
}

// Returns an instruction of one dimension: `count` elements one after the other in dimension `d`.
Instruction stream(Opcode opcode, unsigned d, std::uint32_t count, isa::Dtype type, std::uint32_t from,
                   std::uint32_t to) {
    const std::array counts{&field::Count0, &field::Count1, &field::Count2, &field::Count3};
    const std::array a_steps{&field::AStep0, &field::AStep1, &field::AStep2, &field::AStep3};
    const std::array dst_steps{&field::DstStep0, &field::DstStep1, &field::DstStep2, &field::DstStep3};
    Instruction instruction(opcode);
    for (const isa::Field* each : counts) instruction.set(*each, 1);
    instruction.set(*counts[d], count).set(*a_steps[d], 1).set(*dst_steps[d], 1);
    instruction.set(field::ADtype, type).set(field::AAddr, from);
    return instruction.set(field::DstDtype, type).set(field::DstAddr, to);
}

// Rows are as long and as far apart as the memory allows.
TEST(CoreProgram, CopiesAcrossTheWholeMemory) {
    CoreProgram on;
    const auto& sizes = on.core.config.core;
    std::uint64_t base = 0x4000;
    for (const isa::Engine engine : {isa::Engine::Vector, isa::Engine::Scalar}) {
        for (unsigned turn = 0; turn < 8; ++turn, base += 0x1000) {
            const unsigned d = (turn + turn / 4) % 4;  // every dimension comes at even and at odd places
            const std::uint32_t half = sizes.sbuf_partition / 2, count = 1 + on.bits() % half;
            std::uint32_t from = on.bits() % (half - count + 1), to = half + on.bits() % (half - count + 1);
            if (turn % 2 != 0) std::swap(from, to);
            std::vector<std::vector<std::uint8_t>> rows(sizes.partitions, std::vector<std::uint8_t>(count));
            for (std::uint32_t p = 0; p < sizes.partitions; ++p) {
                for (std::uint8_t& byte : rows[p]) byte = static_cast<std::uint8_t>(on.core.random());
                on.core.poke(sbuf(p, from), rows[p]);
            }
            const int e = static_cast<int>(engine);
            on.core.memory->load(base, {stream(Opcode::TensorCopy, d, count, isa::Dtype::U8, from, to)
                                            .set(field::Partitions, sizes.partitions),
                                        halt()});
            on.start(e, base, 2);
            ASSERT_TRUE(on.finish());
            ASSERT_FALSE(on.core.error());
            for (std::uint32_t p = 0; p < sizes.partitions; ++p)
                ASSERT_EQ(on.core.peek(sbuf(p, to), count), rows[p]);
        }
    }
}

// A unit matrix in the array passes its operand on: from everywhere in SBUF to everywhere in PSUM, with the
// whole array and with each group of its rows.
TEST(CoreProgram, MultipliesAcrossTheWholeMemory) {
    CoreProgram on;
    const auto& sizes = on.core.config.core;
    const std::uint32_t group = sizes.partitions / 2, columns = sizes.partitions;
    std::uint64_t base = 0x4000;
    for (std::uint32_t turn = 0; turn < 24; ++turn, base += 0x1000) {
        const bool tile = turn % 3 != 0;
        const std::uint32_t first = turn % 3 == 2 ? group : 0, rows = tile ? group : columns;
        const std::uint32_t half = sizes.sbuf_partition / 2,
                            count = turn % 4 == 3 ? 512 : 1 + on.bits() % 512;
        std::uint32_t unit = on.bits() % (half - 4 * columns) & ~3u,
                      from = half + (on.bits() % (half - 2048) & ~3u);
        if (turn % 2 != 0) std::swap(unit, from);
        const std::uint32_t to = on.bits() % 8 * 2048 + 4 * (on.bits() % (512 - count + 1));
        std::vector<std::vector<float>> values(rows, std::vector<float>(count));
        for (std::uint32_t p = 0; p < rows; ++p) {
            std::vector<float> one(columns);
            one[p] = 1.0f;
            for (float& value : values[p]) value = static_cast<float>(on.bits() % 4096) - 2048;
            on.core.poke(sbuf(first + p, unit), bytes_of(one));
            on.core.poke(sbuf(first + p, from), bytes_of(values[p]));
        }
        const auto operand = [&](Opcode opcode, unsigned d, std::uint32_t n, std::uint32_t offset) {
            return stream(opcode, d, n, isa::Dtype::Fp32, sbuf(first, offset), 0)
                .set(field::Partitions, rows)
                .set(field::RowTile, tile ? 1 : 0);
        };
        Instruction load = operand(Opcode::LoadStationary, turn % 4, columns, unit);
        for (const isa::Field* each : {&field::DstDtype, &field::DstAddr, &field::DstStep0, &field::DstStep1,
                                       &field::DstStep2, &field::DstStep3})
            load.set(*each, 0);
        const Instruction multiply = operand(Opcode::MultiplyMoving, turn / 4 % 4, count, from)
                                         .set(field::Columns, columns)
                                         .set(field::DstAddr, psum(0, to));
        on.core.memory->load(base, {load, multiply, halt()});
        on.start(static_cast<int>(isa::Engine::Tensor), base, 3);
        ASSERT_TRUE(on.finish());
        ASSERT_FALSE(on.core.error()) << on.core.read32(0, csr::ErrorCode);
        for (std::uint32_t p = 0; p < rows; ++p)
            ASSERT_EQ(on.core.peek(psum(p, to), 4 * count), bytes_of(values[p]))
                << "row " << p << " turn " << turn;
    }
}

TEST(CoreProgram, AFaultIsRecorded) {
    const Instruction illegal = Instruction(Opcode::Halt).set(field::Opcode, 0xff);
    const std::uint64_t refused_write = 0x123456789abcdef0;
    struct Case {
        Instruction instruction;
        Error code;
        std::uint32_t address;
        std::optional<isa::Engine> engine = {};  // two engines by default
    };
    const auto row = [](Opcode opcode) {
        return stream(opcode, 0, 4, isa::Dtype::Fp32, sbuf(0, 64), sbuf(0, 128)).set(field::Partitions, 16);
    };
    const Instruction multiply =
        row(Opcode::MultiplyMoving).set(field::Columns, 16).set(field::DstAddr, psum(0, 128));
    Instruction longest = row(Opcode::LoadStationary).set(field::AStep0, 0);
    for (const isa::Field* each : {&field::Count0, &field::Count1, &field::Count2, &field::Count3})
        longest.set(*each, 0xffff);
    std::vector<Case> cases = {
        {illegal, Error::IllegalInstruction, 0},
        {load_register(1, 0x4000000), Error::AddressRange, 0x4000000},
        {load_register(1, sbuf(3, 6)), Error::AddressAlign, sbuf(3, 6)},
        {store_register(1, 0x3ffffff), Error::AddressAlign, 0x3ffffff},
        {store_register(1, 0x3fffffc), Error::Bus, 0x3fffffc},
        {load_register(1, 0x3fffffc), Error::Bus, 0x3fffffc},
        {write_register(0x1002, 5), Error::AddressAlign, 0},
        {write_register(refused_write, 5), Error::Bus, 0},
        {alu(static_cast<isa::RegOp>(15), 1, 1, 1), Error::UnsupportedOperand, 0},
        {branch(0xffffffff), Error::BranchTarget, 0},
        {then_update(Instruction(Opcode::Nop), 9, isa::UpdateMode::Sub, 1), Error::SemaphoreOverflow,
         window::SemRead + 4 * 9},
        {row(Opcode::LoadStationary).set(field::AAddr, 0xfffffffc), Error::AddressRange, 0xfffffffc,
         isa::Engine::Tensor},
        {longest, Error::Shape, 0, isa::Engine::Tensor},
        {multiply, Error::StationaryOperand, 0, isa::Engine::Tensor},
        {Instruction(multiply).set(field::Columns, 17), Error::PartitionRange, 0, isa::Engine::Tensor},
        {Instruction(multiply).set(field::DstDtype, isa::Dtype::Bf16), Error::Dtype, 0, isa::Engine::Tensor},
        {row(Opcode::TensorCopy).set(field::Rounding, 3), Error::UnsupportedOperand, 0, isa::Engine::Vector},
        {row(Opcode::Max8), Error::Shape, 0, isa::Engine::Vector},
        {row(Opcode::Activation).set(field::ActFunction, isa::Activation::Exp), Error::ActivationTable, 0,
         isa::Engine::Scalar},
        {row(Opcode::TensorCopy), Error::IllegalInstruction, 0, isa::Engine::Gpsimd},
        {Instruction(Opcode::GpsimdCommand), Error::UnsupportedOperand, 0, isa::Engine::Gpsimd},
        {Instruction(Opcode::GpsimdCommand).set(field::CoreMask, 2), Error::UnsupportedOperand, 0,
         isa::Engine::Gpsimd},
        {Instruction(Opcode::GpsimdStart).set(field::CoreMask, 1), Error::AddressRange, 0,
         isa::Engine::Gpsimd},
        {Instruction(Opcode::GpsimdArguments), Error::UnsupportedOperand, 0, isa::Engine::Gpsimd},
    };
    for (int engine = 0; engine < Engines; ++engine)  // there is no program
        cases.push_back({Instruction(Opcode{}), Error::Fetch, 0, static_cast<isa::Engine>(engine)});
    for (std::size_t i = 0; i < 2 * cases.size(); ++i) {
        const Case& test = cases[i / 2];
        const int engine =
            test.engine ? static_cast<int>(*test.engine) : static_cast<int>((i / 2 + 2 * i) % Engines);
        SCOPED_TRACE(::testing::Message() << "engine " << engine << ", " << static_cast<int>(test.code));
        CoreProgram on;
        on.core.random.discard(i);
        on.core.memory->fail_writes(refused_write);
        const std::uint32_t target = FarAway + on.bits() % (0xffffffff - 2 * FarAway);
        const std::uint64_t base = on.address(target);
        on.core.memory->load(base, {branch(target)});
        if (test.code != Error::Fetch)
            on.core.memory->load(base + std::uint64_t{target} * isa::InstructionBytes,
                                 {test.instruction, halt()});
        on.start(engine, base, target + 2);
        ASSERT_TRUE(on.finish());
        ASSERT_TRUE(on.core.error());
        EXPECT_EQ(on.core.read32(on.port(), csr::ErrorCode), static_cast<std::uint32_t>(test.code));
        EXPECT_EQ(on.core.read32(on.port(), csr::ErrorEngine), static_cast<std::uint32_t>(engine));
        EXPECT_EQ(on.core.read32(on.port(), csr::ErrorPc), target);
        EXPECT_EQ(on.core.read32(on.port(), csr::ErrorAddress), test.address);
        EXPECT_EQ(on.core.read32(on.port(), csr::ErrorOpcode), test.instruction.get(field::Opcode));
        EXPECT_EQ(on.core.read32(on.port(), csr::Status) & 3u, 3u) << "idle, error";
    }
}

}  // namespace
}  // namespace trnsim::test
