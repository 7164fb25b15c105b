// Tests branches, registers, and the facts that a wait in a loop proves.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "common/loop_package.hpp"
#include "common/stream_package.hpp"
#include "compiler/kernels/targets.hpp"
#include "testbench/functional/interpreter.hpp"

namespace trnsim::functional {
namespace {

using isa::Engine;
using isa::Instruction;
using isa::Opcode;
using isa::RegOp;
using isa::UpdateMode;
namespace field = isa::field;

using Program = std::vector<Instruction>;

Program& program_of(neff::Package& package, Engine engine) {
    return package.programs[static_cast<std::size_t>(engine)];
}

// Returns a verdict on `y`, or the message of the error.
std::string run_loop(const neff::Package& package, std::uint64_t seed = 0) {
    Interpreter machine(package, in_order(seed));
    std::vector<float> a(machine.get("a").size() / sizeof(float));
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i) / 4;
    std::vector<std::uint8_t> bytes(a.size() * sizeof(float));
    std::memcpy(bytes.data(), a.data(), bytes.size());
    machine.set("a", bytes);
    try {
        machine.run();
    } catch (const Error& error) {
        return error.what();
    }
    std::vector<float> y(a.size());
    std::memcpy(y.data(), machine.get("y").data(), bytes.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (y[i] != 2 * a[i] + 1) return "wrong at " + std::to_string(i);
    }
    return "right";
}

TEST(Loop, WalksTilesByRegisters) {
    for (std::uint64_t seed = 0; seed < 20; ++seed)
        EXPECT_EQ(run_loop(test::loop_package(test::small_target()), seed), "right");
}

TEST(Loop, NoticesTooFewTurns) {
    neff::Package package = test::loop_package(test::small_target());
    program_of(package, Engine::Vector)[1].set(field::Data, test::LoopTiles - 1);
    EXPECT_TRUE(run_loop(package).starts_with("deadlock:")) << run_loop(package);
}

TEST(Loop, NoticesAMissingWait) {
    neff::Package package = test::loop_package(test::small_target());
    program_of(package, Engine::Gpsimd)[1].set(field::WaitMode, isa::WaitMode::None);
    EXPECT_NE(run_loop(package).find("race"), std::string::npos) << run_loop(package);
}

TEST(Loop, NoticesAWrongEffectiveAddress) {
    neff::Package package = test::loop_package(test::small_target());
    program_of(package, Engine::Vector)[4].set(field::Data, 1u << 16);
    EXPECT_NE(run_loop(package).find("address out of range: sbuf[0+0x10600]"), std::string::npos)
        << run_loop(package);
}

TEST(Loop, AProgramCaughtInItsRegistersIsNoticed) {
    neff::Package package = test::loop_package(test::small_target());
    program_of(package, Engine::Scalar) = {test::branch_if(isa::BranchCond::Always, 0, 0, 0),
                                           Instruction(Opcode::Halt)};
    EXPECT_TRUE(run_loop(package).starts_with("no end: scalar instruction 0 [branch")) << run_loop(package);
}

// Two engines take turns on one word for some rounds: Vector writes it, GpSimd's sequencer reads it.
struct TurnOptions {
    bool vector_waits = true;      // waits until the word has been read
    bool data_path_waits = false;  // the instruction that uses the word waits itself
};

neff::Package turns(const TurnOptions& options) {
    constexpr unsigned Full = 1, Empty = 2, Turns = 4;
    neff::Package package;
    package.name = "turns";
    package.target = test::small_target();
    const Instruction halt(Opcode::Halt);
    const auto memset = Instruction(Opcode::Memset)
                            .set(field::Partitions, 1)
                            .set(field::Count0, 1)
                            .set(field::Count1, 1)
                            .set(field::Count2, 1)
                            .set(field::Count3, 1)
                            .set(field::DstDtype, isa::Dtype::Fp32)
                            .set(field::DstAddr, 64)
                            .set(field::DstStep0, 1)
                            .set_float(field::Imm0, 1.5f);
    const auto then = [](Instruction instruction, unsigned semaphore, UpdateMode mode) {
        return instruction.set(field::UpdateSem, semaphore)
            .set(field::UpdateMode, mode)
            .set(field::UpdateValue, 1);
    };
    const auto when = [](Instruction instruction, unsigned semaphore, std::uint32_t value) {
        return instruction.set(field::WaitSem, semaphore)
            .set(field::WaitMode, isa::WaitMode::Ge)
            .set(field::WaitValue, value);
    };
    const Instruction event(Opcode::EventSemaphore);
    Program& vector = program_of(package, Engine::Vector);
    vector = {test::alu_immediate(RegOp::Move, 1, 0, Turns)};
    if (options.data_path_waits) {
        // The subtraction comes with the instruction itself, too late to hold back the wait of the next turn.
        vector.push_back(then(when(memset, Empty, 1), Empty, UpdateMode::Sub));
        vector.push_back(then(Instruction(Opcode::RegisterAlu), Full, UpdateMode::Add));
    } else {
        if (options.vector_waits) vector.push_back(then(when(event, Empty, 1), Empty, UpdateMode::Sub));
        vector.push_back(then(memset, Full, UpdateMode::Add));
    }
    vector.push_back(test::alu_immediate(RegOp::Sub, 1, 1, 1));
    vector.push_back(test::branch_if(isa::BranchCond::Ne, 1, 0, 1));
    vector.push_back(halt);
    const auto load = Instruction(Opcode::RegisterLoad).set(field::RegDst, 3).set(field::Address, 64);
    program_of(package, Engine::Gpsimd) = {
        then(test::alu_immediate(RegOp::Move, 1, 0, Turns), Empty, UpdateMode::Add),
        then(when(event, Full, 1), Full, UpdateMode::Sub),
        then(load, Empty, UpdateMode::Add),
        test::alu_immediate(RegOp::Sub, 1, 1, 1),
        test::branch_if(isa::BranchCond::Ne, 1, 0, 1),
        halt};
    return package;
}

std::string run_turns(const TurnOptions& options, std::uint64_t seed) {
    const neff::Package package = turns(options);
    Interpreter machine(package, in_order(seed));
    try {
        machine.run();
    } catch (const Error& error) {
        return error.what();
    }
    return "right";
}

TEST(Loop, CountedBackSemaphoresOrderTurns) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) EXPECT_EQ(run_turns({}, seed), "right");
}

TEST(Loop, OverwritingBeforeTheReadIsARace) {
    for (std::uint64_t seed = 0; seed < 20; ++seed)
        EXPECT_NE(run_turns({.vector_waits = false}, seed).find("race"), std::string::npos);
}

// In this order of turns the result is right, but the hardware may test the semaphore before the instruction
// of the previous turn has decremented it.
TEST(Loop, AWaitThatMayBeSatisfiedByTheTurnBeforeIsARace) {
    EXPECT_NE(run_turns({.data_path_waits = true}, 0).find("race"), std::string::npos)
        << run_turns({.data_path_waits = true}, 0);
}

TEST(Loop, RegistersPollSemaphores) {
    neff::Package package = test::loop_package(test::small_target());
    Program& sync = program_of(package, Engine::Sync);
    const auto load = Instruction(Opcode::RegisterLoad)
                          .set(field::RegDst, 3)
                          .set(field::Address, isa::window::SemRead + 4 * 5);
    const Instruction store = sync[2], wait = sync[3];
    sync = {sync[0],
            test::alu_immediate(RegOp::Move, 4, 0, test::LoopTiles),
            load,
            test::branch_if(isa::BranchCond::Lt, 3, 4, 2),
            store,
            wait,
            Instruction(Opcode::Halt)};
    for (std::uint64_t seed = 0; seed < 10; ++seed) EXPECT_EQ(run_loop(package, seed), "right");
    sync[1].set(field::Data, test::LoopTiles - 1);  // the last tile may be missing
    EXPECT_NE(run_loop(package), "right");
}

// Loads and stores in the loop have odd sizes and are more than a ring holds.
TEST(Stream, MovesTilesInTheLoop) {
    for (const test::Stream& stream : {test::Stream{},
                                       {.tiles = 2, .elements = 5, .passes = 20},
                                       {.tiles = 6, .elements = 1, .passes = 9},
                                       {.tiles = 1, .elements = 30}}) {
        for (const target::Core& target : {test::small_target(), test::odd_target()}) {
            for (std::uint64_t order = 0; order < 12; ++order)
                EXPECT_EQ(run_loop(test::stream_package(target, stream), order), "right") << stream.tiles;
        }
    }
}

struct StreamMistake {
    const char* what;
    std::function<void(neff::Package&)> make;
    const char* expected;  // part of the message in every order
};

const StreamMistake StreamMistakes[] = {
    {"loads do not wait for their slot",
     [](neff::Package& p) {
         program_of(p, Engine::Sync)[test::stream::LoadTrigger] =
             Instruction(Opcode::DmaTrigger).set(field::Address, test::stream::Load);
     },
     "race: "},
    {"the slot is given away before the tile is there",
     [](neff::Package& p) {
         Program& vector = program_of(p, Engine::Vector);
         std::swap(vector[test::stream::AwaitLoaded], vector[test::stream::GiveRoom]);
     },
     "race: "},
    {"two loads may be in flight",
     [](neff::Package& p) { program_of(p, Engine::Sync)[0].set(field::UpdateValue, 2); }, "race: "},
    {"stores are not awaited",
     [](neff::Package& p) {
         program_of(p, Engine::Gpsimd)[test::stream::AwaitStored] = Instruction(Opcode::Nop);
     },
     "race: "},
    {"results overwrite what is being stored",
     [](neff::Package& p) { program_of(p, Engine::Gpsimd)[0].set(field::UpdateValue, 3); }, "race: "},
    {"half of the DMA engines count",
     [](neff::Package& p) {
         for (const auto f : {&field::WaitValue, &field::UpdateValue})
             program_of(p, Engine::Vector)[test::stream::AwaitLoaded].set(*f, 8);
     },
     "race: "},
    {"one slot for all tiles",
     [](neff::Package& p) { p.transfers[test::stream::Load].to.iteration_count[0] = 1; }, "race: "},
};

TEST(Stream, MistakesAreNoticedInEveryOrder) {
    for (const StreamMistake& mistake : StreamMistakes) {
        neff::Package package = test::stream_package(test::small_target());
        mistake.make(package);
        for (std::uint64_t order = 0; order < 12; ++order) {
            const std::string found = run_loop(package, order);
            EXPECT_NE(found.find(mistake.expected), std::string::npos) << mistake.what << ": " << found;
        }
    }
}

TEST(Stream, RacesNameTheIteration) {
    neff::Package package = test::stream_package(test::small_target());
    StreamMistakes[0].make(package);
    EXPECT_NE(run_loop(package).find("transfer 0 'load a' in iteration "), std::string::npos)
        << run_loop(package);
}

TEST(Stream, TriggersInAnotherOrderThanTheRingsAreNoticed) {
    neff::Package package = test::stream_package(test::small_target(), {.tiles = 4});
    program_of(package, Engine::Vector) = {};
    program_of(package, Engine::Gpsimd) = {};
    package.transfers[1].queue = 0;
    package.queues.pop_back();
    Program& sync = program_of(package, Engine::Sync);
    sync = {test::alu_immediate(RegOp::Move, 2, 0, 4),
            Instruction(Opcode::DmaTrigger).set(field::Address, test::stream::Load),
            test::wait_then(3, 16, 3, UpdateMode::Sub, 16),
            test::alu_immediate(RegOp::Sub, 2, 2, 1),
            test::branch_if(isa::BranchCond::Ne, 2, 0, 1),
            Instruction(Opcode::DmaTrigger).set(field::Address, test::stream::Store),
            Instruction(Opcode::Halt)};
    EXPECT_NE(
        run_loop(package).find("triggers transfer 0 'load a', but the ring of queue 'qLoad' has transfer 1 "
                               "'store y' next"),
        std::string::npos)
        << run_loop(package);
}

// Loads one word to one place repeatedly and waits only for the last load.
TEST(Stream, ARingThatMayBeFullIsNoticed) {
    neff::Package package = test::stream_package(test::small_target(), {.tiles = 1});
    package.loops.clear();
    for (neff::Transfer& transfer : package.transfers) {
        transfer.loop.reset();
        for (neff::Pattern* side : {&transfer.from, &transfer.to}) {
            side->iteration_step = {};
            side->iteration_count = {1, 1, 1, 1};
        }
    }
    program_of(package, Engine::Sync)[1].set(field::Data, 2);  // iterations
    program_of(package, Engine::Sync)[test::stream::LoadTrigger].set(field::WaitMode, isa::WaitMode::None);
    const std::string found = run_loop(package);
    EXPECT_NE(
        found.find("the ring may be full: nothing orders the trigger after the completion of qLoad on DMA "
                   "engine 0, transfer 0 'load a'"),
        std::string::npos)
        << found;
}

}  // namespace
}  // namespace trnsim::functional
