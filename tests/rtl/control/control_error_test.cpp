// Faults that do not concern operands, and the effect of a fault on the rest of the core.
#include <gtest/gtest.h>

#include "common/random.hpp"
#include "rtl/control/control_bench.hpp"

namespace trnsim::test {
namespace {

using isa::Error;
using isa::Instruction;
using isa::Opcode;
using isa::SeqState;
using isa::UpdateMode;
using isa::WaitMode;

constexpr std::uint32_t SemSet = 0x2701400, SemInc = 0x2701800, SemDec = 0x2701c00, SemRead = 0x2701000;
constexpr std::uint32_t Status = 0x2710800;
constexpr int Tensor = 0, Vector = 1, Scalar = 2, Sync = 4;

Instruction event() {
    return Instruction(Opcode::EventSemaphore);
}

TEST(ControlError, FetchErrorWaitsForItsTurn) {
    // The program has no halt and ends where memory ends: the instructions before the end complete.
    ControlBench bench({.memory_latency = 20});
    bench.expect_no_error = false;
    Program program(11, data_path(Vector));
    bench.run_program(Vector, program, 0x10000 - 11 * 64);
    EXPECT_TRUE(bench.finish());
    EXPECT_EQ(bench.issued[Vector], 11u);
    EXPECT_EQ(bench.completed[Vector], 11u);
    const Fault found = bench.fault();
    EXPECT_EQ(found.code, Error::Fetch);
    EXPECT_EQ(found.engine, 1u);
    EXPECT_EQ(found.pc, 11u);
    EXPECT_EQ(found.address, 0u);
}

TEST(ControlError, FetchBehindHaltIsNoError) {
    ControlBench bench({});
    bench.run_program(Vector, {data_path(Vector), halt()}, 0x10000 - 2 * 64);
    EXPECT_TRUE(bench.finish());
    bench.cycles(100);
    EXPECT_FALSE(bench.error());
}

TEST(ControlError, FirstFaultOfEveryEngine) {
    for (int engine = 0; engine < Engines; ++engine) {
        for (const Opcode opcode : {Opcode{0x00}, Opcode{0x0a}, Opcode{0x0f}, Opcode{0xff}}) {
            ControlBench bench({});
            bench.expect_no_error = false;
            Program program(7, Instruction(Opcode::Nop));
            program.push_back(Instruction(opcode));
            bench.run_program(engine, program, 0x4000);
            EXPECT_TRUE(bench.finish());
            EXPECT_EQ(bench.fault(),
                      (Fault{Error::IllegalInstruction, unsigned(engine), 7, 0, unsigned(opcode)}));
        }
    }
}

TEST(ControlError, VerdictOfTheEngine) {
    for (const Error code : {Error::IllegalInstruction, Error::UnsupportedOperand, Error::Shape,
                             Error::StationaryOperand, Error::BankCrossing}) {
        ControlBench bench({});
        bench.expect_no_error = false;
        bench.reject = [&](int engine, const Instruction& instruction) {
            return engine == Scalar && instruction.get(isa::field::Count1) == 3 ? code : Error::None;
        };
        bench.run_program(Scalar, {data_path(Scalar), data_path(Scalar).set(isa::field::Count1, 3), halt()},
                          0x4000);
        EXPECT_TRUE(bench.finish());
        EXPECT_EQ(bench.issued[Scalar], 1u);
        const std::uint32_t address = code == Error::BankCrossing ? sbuf(0, 8192) : 0;
        EXPECT_EQ(bench.fault(), (Fault{code, Scalar, 1, address, unsigned(Opcode::Activation)}));
    }
}

TEST(ControlError, NoVerdictOnControlInstructions) {
    ControlBench bench({});
    bench.reject = [](int, const Instruction&) { return Error::IllegalInstruction; };
    bench.run_program(Sync,
                      {Instruction(Opcode::Nop), event(), write_register(0x100, 1),
                       ring_doorbells(0x100, 3, 4, 1, 1), halt()},
                      0x4000);
    EXPECT_TRUE(bench.finish());
    EXPECT_EQ(bench.completed[Sync], 5u);
}

TEST(ControlError, BusError) {
    for (const bool trigger : {false, true}) {
        ControlBench bench({});
        bench.expect_no_error = false;
        bench.memory.fail_writes(0x8000 + 0x40);
        const Instruction instruction =
            trigger ? ring_doorbells(0x8000, 0x7, 0x40, 1, 2) : write_register(0x8040, 5);
        bench.run_program(Sync,
                          {Instruction(Opcode::Nop), then_update(instruction, 3, UpdateMode::Add, 1), halt()},
                          0x4000);
        EXPECT_TRUE(bench.finish());
        EXPECT_EQ(bench.fault(), (Fault{Error::Bus, Sync, 1, 0, unsigned(instruction.opcode())}));
        EXPECT_EQ(bench.memory.writes().size(), trigger ? 3u : 1u) << "the other writes go out";
        EXPECT_EQ(bench.read(SemRead + 12), 0u) << "a failed write does not update";
        EXPECT_EQ(bench.completed[Sync], 1u);
    }
}

TEST(ControlError, SystemAddressesAreAligned) {
    const std::vector<std::pair<Instruction, bool>> cases = {
        {write_register(0x8001, 0), false},          {write_register(0x8002, 0), false},
        {write_register(0x8004, 0), true},           {ring_doorbells(0x8002, 1, 4, 0, 0), false},
        {ring_doorbells(0x8000, 1, 2, 0, 0), false}, {ring_doorbells(0x8000, 1, 4, 0, 0), true}};
    for (const auto& [instruction, legal] : cases) {
        ControlBench bench({});
        bench.expect_no_error = false;
        bench.run_program(Sync, {instruction, halt()}, 0x4000);
        EXPECT_TRUE(bench.finish());
        EXPECT_EQ(bench.error(), !legal);
        if (!legal) {
            EXPECT_EQ(bench.fault(),
                      (Fault{Error::AddressAlign, Sync, 0, 0, unsigned(instruction.opcode())}));
        }
    }
}

TEST(ControlError, SemaphoreLimits) {
    struct Limit {
        std::uint32_t before;
        UpdateMode mode;
        unsigned value;
        bool legal;
    };
    for (const Limit& limit :
         {Limit{0xfffffff0, UpdateMode::Add, 15, true}, Limit{0xfffffff0, UpdateMode::Add, 16, false},
          Limit{7, UpdateMode::Sub, 7, true}, Limit{7, UpdateMode::Sub, 8, false}}) {
        ControlBench bench({});
        bench.expect_no_error = false;
        bench.write(SemSet + 9 * 4, limit.before);
        bench.run_program(
            Vector, {data_path(Vector), then_update(data_path(Vector), 9, limit.mode, limit.value), halt()},
            0x4000);
        EXPECT_TRUE(bench.finish());
        EXPECT_EQ(bench.error(), !limit.legal);
        if (!limit.legal) {
            EXPECT_EQ(bench.fault(), (Fault{Error::SemaphoreOverflow, Vector, 1, SemRead + 36,
                                            unsigned(Opcode::TensorCopy)}));
            EXPECT_EQ(bench.read(SemRead + 36), limit.before);
            EXPECT_EQ(bench.completed[Vector], 1u);
        }
    }
}

// The fault names the instruction with the failing update, not the one at the head.
TEST(ControlError, OverflowBelongsToTheOlderInstruction) {
    ControlBench bench({.engine_latency = 1});
    bench.expect_no_error = false;
    bench.hold[Vector] = true;
    Program program{data_path(Vector), then_update(data_path(Vector), 9, UpdateMode::Sub, 1)};
    for (int i = 0; i < 20; ++i) program.push_back(data_path(Vector));
    program.push_back(halt());
    bench.run_program(Vector, program, 0x4000);
    bench.cycles(200);
    EXPECT_EQ(bench.issued[Vector], 22u);
    bench.hold[Vector] = false;
    EXPECT_TRUE(bench.finish());
    EXPECT_EQ(bench.fault(),
              (Fault{Error::SemaphoreOverflow, Vector, 1, SemRead + 36, unsigned(Opcode::TensorCopy)}));
    EXPECT_EQ(bench.state(Vector), SeqState::Error);
}

TEST(ControlError, OverflowFromTheCoreWindow) {
    for (const bool up : {true, false}) {
        ControlBench bench({});
        bench.expect_no_error = false;
        bench.write(SemSet + 4, up ? 0xffffffff : 0);
        EXPECT_FALSE(bench.error());
        bench.write((up ? SemInc : SemDec) + 4, 1);
        EXPECT_TRUE(bench.error());
        EXPECT_EQ(bench.fault(), (Fault{Error::SemaphoreOverflow, 7, 0, SemRead + 4, 0}));
        EXPECT_EQ(bench.read(SemRead + 4), up ? 0xffffffff : 0u);
    }
}

// An access comes from outside at port 0, where it is refused, or from a register_store, which the fault
// names.
TEST(ControlError, EventsSetOrClearedTwice) {
    constexpr std::uint32_t Event = 0x2700000 + 17 * 4;
    struct Case {
        std::uint32_t before, written;
        Error code;
    };
    for (const Case& c : {Case{0, 0, Error::EventClearTwice}, Case{5, 0, Error::None},
                          Case{0, 3, Error::None}, Case{5, 1, Error::EventSetTwice}}) {
        for (const bool outside : {true, false}) {
            ControlBench bench({});
            bench.expect_no_error = false;
            if (c.before != 0) bench.write(Event, c.before);
            if (outside) {
                EXPECT_EQ(bench.access({true, Event, c.written}).error, c.code != Error::None);
            } else {
                bench.run_program(Scalar,
                                  {Instruction(Opcode::Nop), move_immediate(1, c.written),
                                   store_register(1, Event), halt()},
                                  0x4000);
                EXPECT_TRUE(bench.finish());
                EXPECT_EQ(bench.completed[Scalar], c.code == Error::None ? 4u : 2u);
            }
            EXPECT_EQ(bench.error(), c.code != Error::None);
            EXPECT_EQ(bench.read(Event), c.code == Error::None ? c.written : c.before);
            if (c.code != Error::None) {
                EXPECT_EQ(bench.fault(),
                          (outside ? Fault{c.code, 7, 0, Event, 0}
                                   : Fault{c.code, Scalar, 2, Event, unsigned(Opcode::RegisterStore)}));
            }
        }
    }
}

TEST(ControlError, StopsIssueAndFinishesWhatIsInFlight) {
    ControlBench bench({.engine_latency = 1});
    bench.expect_no_error = false;
    bench.hold = {true, true, true, true, true};
    Program busy;
    for (int i = 0; i < 10; ++i) busy.push_back(then_update(data_path(Tensor), 20, UpdateMode::Add, 1));
    busy.push_back(wait_for(data_path(Tensor), 21, WaitMode::Ge, 1));
    busy.push_back(halt());
    bench.run_program(Tensor, busy, 0x4000);
    bench.run_program(Sync, {wait_for(event(), 21, WaitMode::Ge, 2), write_register(0x900, 1), halt()},
                      0x8000);
    bench.cycles(300);
    EXPECT_EQ(bench.issued[Tensor], 10u);
    EXPECT_EQ(bench.completed[Tensor], 0u);
    EXPECT_EQ(bench.state(Tensor), SeqState::WaitSem);

    bench.run_program(Vector, {data_path(Vector).set(isa::field::DstDtype, 0), halt()}, 0xc000);
    bench.cycles(100);
    EXPECT_TRUE(bench.error());
    bench.write(SemSet + 21 * 4, 5);  // the update for the waiting engines comes too late
    bench.hold = {};
    EXPECT_TRUE(bench.finish());
    EXPECT_EQ(bench.completed[Tensor], 10u);
    EXPECT_EQ(bench.read(SemRead + 80), 10u);
    EXPECT_EQ(bench.issued[Tensor], 10u);
    EXPECT_EQ(bench.completed[Sync], 0u);
    EXPECT_TRUE(bench.memory.writes().empty());
    EXPECT_EQ(bench.state(Vector), SeqState::Error);
    EXPECT_NE(bench.state(Tensor), SeqState::Error);
    EXPECT_EQ(bench.fault(), (Fault{Error::Dtype, Vector, 0, 0, unsigned(Opcode::TensorCopy)}));
    EXPECT_EQ(bench.read(Status) & 6, 2u);

    // A later fault does not replace the first, and nothing starts any more.
    bench.write(SemDec + 30 * 4, 1);
    EXPECT_EQ(bench.fault().code, Error::Dtype);
    bench.run_program(Scalar, {halt()}, 0x14000);
    bench.cycles(50);
    EXPECT_EQ(bench.completed[Scalar], 0u);
    EXPECT_EQ(bench.state(Scalar), SeqState::Idle);
}

// An engine that has seen an offer may already work on it.
TEST(ControlError, OfferIsNotWithdrawn) {
    for (const bool own_fault : {false, true}) {
        ControlBench bench({});
        bench.expect_no_error = false;
        bench.hold[Tensor] = true;
        Program program{own_fault ? then_update(data_path(Tensor), 9, UpdateMode::Sub, 1) : data_path(Tensor),
                        data_path(Tensor), data_path(Tensor), halt()};
        bench.run_program(Tensor, program, 0x4000);
        while (bench.issued[Tensor] == 0) bench.cycle();
        bench.refuse[Tensor] = true;
        bench.cycles(50);
        EXPECT_EQ(bench.state(Tensor), SeqState::WaitEngine);
        if (!own_fault) bench.run_program(Vector, {Instruction(Opcode{0x0f})}, 0x8000);
        bench.hold[Tensor] = !own_fault;
        bench.cycles(50);
        EXPECT_TRUE(bench.error());
        EXPECT_EQ(bench.read(Status) & 3, 2u) << "an offer is not idle";
        bench.hold = bench.refuse = {};
        EXPECT_TRUE(bench.finish());
        bench.cycles(50);
        EXPECT_EQ(bench.issued[Tensor], 2u) << "the offer and nothing after it";
        EXPECT_EQ(bench.read(Status) & 3, 3u);
        EXPECT_EQ(bench.state(Tensor) == SeqState::Error, own_fault);
    }
}

}  // namespace
}  // namespace trnsim::test
