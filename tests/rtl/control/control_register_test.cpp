// Scalar registers, register_load and register_store, addresses with registers; each rule is tested on its
// own.
#include <gtest/gtest.h>

#include "common/random.hpp"
#include "rtl/control/control_bench.hpp"

namespace trnsim::test {
namespace {

using isa::BranchCond;
using isa::Error;
using isa::Instruction;
using isa::Opcode;
using isa::RegOp;
using isa::UpdateMode;
namespace field = isa::field;

constexpr int Tensor = 0, Vector = 1, Gpsimd = 3, Sync = 4;
constexpr std::uint32_t SemRead = 0x2701000, SemInc = 0x2701800, Csr = 0x2710000;

// Returns the fault of a program in which only the last instruction before halt can fail.
Fault fault_of(int engine, const Program& program, std::uint64_t address = 0x4000) {
    ControlBench bench({});
    bench.expect_no_error = false;
    bench.run_program(engine, program, address);
    EXPECT_TRUE(bench.finish());
    return bench.error() ? bench.fault() : Fault{Error::None, 0, 0, 0, 0};
}

TEST(ControlRegister, OperationsLeaveTheirResult) {
    struct Case {
        RegOp op;
        std::uint32_t x, y, result;
    };
    const std::vector<Case> cases = {{RegOp::Move, 5, 9, 9},
                                     {RegOp::Add, 0xffffffff, 2, 1},
                                     {RegOp::Sub, 3, 5, 0xfffffffe},
                                     {RegOp::Mul, 0x12345678, 0x9abcdef1, 0x12345678u * 0x9abcdef1u},
                                     {RegOp::And, 0xff00ff00, 0x0ff00ff0, 0x0f000f00},
                                     {RegOp::Or, 0xf0, 0x0f, 0xff},
                                     {RegOp::Xor, 0xff, 0x0f, 0xf0},
                                     {RegOp::Shl, 1, 31, 0x80000000},
                                     {RegOp::Shl, 0xffffffff, 32, 0},
                                     {RegOp::Shr, 0x80000000, 31, 1},
                                     {RegOp::Shr, 0xffffffff, 32, 0},
                                     {RegOp::Shr, 0xffffffff, 0x80000000, 0},
                                     {RegOp::Shl, 7, 0, 7}};
    for (int engine = 0; engine < Engines; ++engine) {
        ControlBench bench({});
        Program program;
        for (std::uint32_t i = 0; i < cases.size(); ++i) {
            const Case& test = cases[i];
            program.push_back(move_immediate(1, test.x));
            program.push_back(move_immediate(2, test.y));
            program.push_back(alu(test.op, 3, 1, 2));
            program.push_back(store_register(3, sbuf(1, 8 * i)));
            program.push_back(alu_immediate(test.op, 1, 1, test.y));  // result and operand in one register
            program.push_back(store_register(1, sbuf(1, 8 * i + 4)));
        }
        program.push_back(halt());
        bench.run_program(engine, program, 0x4000);
        ASSERT_TRUE(bench.finish());
        for (std::uint32_t i = 0; i < cases.size(); ++i) {
            EXPECT_EQ(bench.window.words.at(sbuf(1, 8 * i)), cases[i].result) << "case " << i;
            EXPECT_EQ(bench.window.words.at(sbuf(1, 8 * i + 4)), cases[i].result) << "case " << i;
        }
        EXPECT_EQ(bench.completed[engine], program.size());
    }
}

TEST(ControlRegister, RegisterZeroAndStart) {
    ControlBench bench({});
    bench.window.words[sbuf(0)] = 77;
    const Program program{store_register(9, sbuf(2)), move_immediate(0, 5),       load_register(0, sbuf(0)),
                          move_immediate(9, 1),       store_register(0, sbuf(3)), halt()};
    for (int run = 0; run < 2; ++run) {  // the second start finds register 9 at zero again
        bench.window.words[sbuf(2)] = bench.window.words[sbuf(3)] = 99;
        bench.run_program(Vector, program, 0x4000);
        ASSERT_TRUE(bench.finish());
        EXPECT_EQ(bench.window.words[sbuf(2)], 0u);
        EXPECT_EQ(bench.window.words[sbuf(3)], 0u);
    }
}

TEST(ControlRegister, LoadsAndStoresReachTheWholeWindow) {
    ControlBench bench({});
    bench.window.words[psum(3, 8)] = 0xabcd;
    bench.write(SemInc + 7 * 4, 41);
    bench.write(0x2700000, 1);
    const Program program{load_register(1, psum(3, 8)),
                          store_register(1, SemInc + 9 * 4),
                          move_immediate(2, 28),
                          load_register(3, SemRead, 2),             // semaphore 7
                          store_register(3, sbuf(0, 100), 2),       // at 128
                          load_register(4, Csr + 0x10),             // the pc of Tensor
                          store_register(4, 0x2700000),             // event 0, which is set
                          load_register(5, 0xffffffffffffffe4, 2),  // wraps to 0
                          halt()};
    bench.window.words[0] = 3;
    bench.run_program(Gpsimd, program, 0x4000);
    ASSERT_TRUE(bench.finish());
    EXPECT_EQ(bench.read(SemRead + 9 * 4), 0xabcdu);
    EXPECT_EQ(bench.window.words.at(sbuf(0, 128)), 41u);
    EXPECT_EQ(bench.read(0x2700000), 0u);
}

// A load waits for all earlier instructions of its engine.
TEST(ControlRegister, LoadWaitsForTheEngine) {
    ControlBench bench({});
    bench.hold[Vector] = true;
    bench.run_program(
        Vector, {data_path(Vector), load_register(1, sbuf(0)), store_register(1, sbuf(1)), halt()}, 0x4000);
    bench.cycles(200);
    EXPECT_EQ(bench.state(Vector), isa::SeqState::Drain);
    bench.window.words[sbuf(0)] = 123;
    bench.hold[Vector] = false;
    ASSERT_TRUE(bench.finish());
    EXPECT_EQ(bench.window.words.at(sbuf(1)), 123u);
}

// Arithmetic and branches do not wait: the engine's queue fills while the engine is busy.
TEST(ControlRegister, ArithmeticRunsAheadOfTheEngine) {
    ControlBench bench({});
    bench.hold[Vector] = true;
    const Program program{move_immediate(1, 3), data_path(Vector), alu_immediate(RegOp::Sub, 1, 1, 1),
                          then_update(branch(1, BranchCond::Ne, 1, 0), 5, UpdateMode::Add, 1), halt()};
    bench.run_program(Vector, program, 0x4000);
    bench.cycles(300);
    EXPECT_EQ(bench.issued[Vector], 3u);
    EXPECT_EQ(bench.completed[Vector], 1u) << "completion is in order";
    EXPECT_EQ(bench.read(SemRead + 20), 0u);
    bench.hold[Vector] = false;
    ASSERT_TRUE(bench.finish());
    EXPECT_EQ(bench.read(SemRead + 20), 3u);
    EXPECT_EQ(bench.engine_register(Vector, 0x14), 1 + 3 * 3 + 1u);
}

TEST(ControlRegister, OperandAddresses) {
    ControlBench bench({});
    Instruction add = data_path(Vector)
                          .set(field::Opcode, static_cast<unsigned>(Opcode::TensorTensor))
                          .set(field::BAddr, sbuf(0, 64))
                          .set(field::BDtype, isa::Dtype::Fp32)
                          .set(field::BStep0, 1)
                          .set(field::DstReg, 1)
                          .set(field::AReg, 2)
                          .set(field::BReg, 15);
    const Program program{move_immediate(1, 0x40),
                          move_immediate(2, 0x800),
                          move_immediate(15, 0xfffffff8u),
                          add,
                          data_path(Vector).set(field::BReg, 15),
                          halt()};
    bench.run_program(Vector, program, 0x4000);
    ASSERT_TRUE(bench.finish());  // the bench compares every address
    EXPECT_EQ(bench.completed[Vector], program.size());
}

TEST(ControlRegister, ChecksSeeTheEffectiveAddress) {
    const auto copy = [](const isa::Field& reg) { return data_path(Vector).set(reg, 3); };
    const auto run = [](const Instruction& instruction, std::uint32_t value) {
        return fault_of(Vector, {move_immediate(3, value), instruction, halt()});
    };
    EXPECT_EQ(run(copy(field::DstReg), 196608 - 8192 - 256).code, Error::None);
    EXPECT_EQ(run(copy(field::DstReg), 196608 - 8192 - 252),
              (Fault{Error::AddressRange, Vector, 1, sbuf(0, 196608 - 252), unsigned(Opcode::TensorCopy)}));
    EXPECT_EQ(run(copy(field::AReg), 2),
              (Fault{Error::AddressAlign, Vector, 1, 1026, unsigned(Opcode::TensorCopy)}));
    EXPECT_EQ(run(copy(field::AReg), sbuf(64)).code, Error::PartitionRange);
    EXPECT_EQ(run(copy(field::AReg).set(field::AAddr, 0xfffffffc), 4).code, Error::None)
        << "the sum wraps at 32 bits";
}

TEST(ControlRegister, ErrorsOfControlInstructions) {
    const auto of = [](const Instruction& instruction) { return fault_of(Sync, {instruction, halt()}); };
    const auto fault = [](Error code, std::uint32_t address, Opcode opcode) {
        return Fault{code, Sync, 0, address, unsigned(opcode)};
    };
    EXPECT_EQ(of(branch(0, BranchCond{5})), fault(Error::UnsupportedOperand, 0, Opcode::Branch));
    EXPECT_EQ(of(branch(1, BranchCond::Ge)).code, Error::None);
    EXPECT_EQ(of(branch(2)), fault(Error::BranchTarget, 0, Opcode::Branch));
    EXPECT_EQ(of(branch(0xffffffff, BranchCond::Ne)), fault(Error::BranchTarget, 0, Opcode::Branch))
        << "taken or not";
    EXPECT_EQ(of(alu(RegOp{9}, 1, 1, 1)), fault(Error::UnsupportedOperand, 0, Opcode::RegisterAlu));
    EXPECT_EQ(of(alu(RegOp::Shr, 1, 1, 1)).code, Error::None);
    EXPECT_EQ(of(load_register(1, 0x1002)), fault(Error::AddressAlign, 0x1002, Opcode::RegisterLoad));
    EXPECT_EQ(of(store_register(1, 0x3fffffd)), fault(Error::AddressAlign, 0x3fffffd, Opcode::RegisterStore));
    EXPECT_EQ(of(load_register(1, 0x4000000)), fault(Error::AddressRange, 0x4000000, Opcode::RegisterLoad));
    EXPECT_EQ(of(store_register(1, 0x100000000)), fault(Error::AddressRange, 0, Opcode::RegisterStore));
    EXPECT_EQ(of(load_register(1, 0x3fffffc)), fault(Error::Bus, 0x3fffffc, Opcode::RegisterLoad))
        << "nothing there";
    EXPECT_EQ(of(store_register(1, Csr + 0x10)), fault(Error::Bus, Csr + 0x10, Opcode::RegisterStore))
        << "read-only";
    EXPECT_EQ(fault_of(Sync, {move_immediate(4, 0x3fffffc), load_register(1, 8, 4)}),
              (Fault{Error::AddressRange, Sync, 1, 0x4000004, unsigned(Opcode::RegisterLoad)}));
}

TEST(ControlRegister, AFailedStoreDoesNotUpdate) {
    ControlBench bench({});
    bench.expect_no_error = false;
    bench.window.holes = {sbuf(0, 16)};
    bench.run_program(Tensor, {then_update(store_register(0, sbuf(0, 16)), 3, UpdateMode::Add, 1), halt()},
                      0x4000);
    ASSERT_TRUE(bench.finish());
    EXPECT_EQ(bench.fault(), (Fault{Error::Bus, Tensor, 0, sbuf(0, 16), unsigned(Opcode::RegisterStore)}));
    EXPECT_EQ(bench.read(SemRead + 12), 0u);
}

// Without a length only the address space limits the targets.
TEST(ControlRegister, TargetsWithoutALength) {
    for (const bool beyond : {false, true}) {
        ControlBench bench({});
        bench.expect_no_error = false;
        const std::uint64_t top = std::uint64_t{0} - 4 * 64;
        bench.memory.load(top, {branch(beyond ? 4 : 3), halt(), halt(), halt()});
        bench.write(Csr, static_cast<std::uint32_t>(top));
        bench.write(Csr + 4, static_cast<std::uint32_t>(top >> 32));
        bench.write(Csr + 0x18, 0);
        bench.start_program(Tensor, {branch(beyond ? 4 : 3), halt(), halt(), halt()});
        ASSERT_TRUE(bench.finish());
        EXPECT_EQ(bench.error(), beyond);
        if (beyond) {
            EXPECT_EQ(bench.fault().code, Error::BranchTarget);
        }
    }
}

}  // namespace
}  // namespace trnsim::test
