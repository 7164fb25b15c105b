// Tests DMA engines that work on their own: the facts that a completion proves in every order, and the error
// if it proves nothing.
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "common/sample_package.hpp"
#include "compiler/kernels/targets.hpp"
#include "compiler/kernels/tensors.hpp"
#include "testbench/functional/interpreter.hpp"

namespace trnsim::functional {
namespace {

using neff::Pattern;
using neff::TensorKind;
using Space = Pattern::Space;

constexpr std::uint64_t Orders = 12;
constexpr std::uint32_t Rows = 8, Columns = 6;  // a tile of u32; the shares of 16 DMA engines are uneven
constexpr std::uint32_t Stride = 1 << 18;

const isa::Instruction Halt(isa::Opcode::Halt);

// Return tile `index` of a tensor, and of SBUF.
Pattern in_tensor(std::uint32_t tensor, std::uint32_t index) {
    return {Space::Tensor, tensor, index * Rows * Columns * 4, {4, Columns * 4, 0, 0}, {Columns, Rows, 1, 1}};
}
Pattern in_sbuf(std::uint32_t index) {
    return {Space::Core, 0, index * 0x100, {4, Stride, 0, 0}, {Columns, Rows, 1, 1}};
}

// Makes a package with the tensors in, middle and out of `tiles` tiles; Sync runs `program`.
neff::Package copies(std::uint32_t tiles, std::vector<neff::Transfer> transfers,
                     std::vector<isa::Instruction> program) {
    neff::Package package;
    package.name = "copies";
    package.target = test::small_target();
    const std::vector<std::uint64_t> shape{tiles, Rows, Columns};
    package.tensors = {{"in", TensorKind::Input, isa::Dtype::U32, shape},
                       {"middle", TensorKind::Scratch, isa::Dtype::U32, shape},
                       {"out", TensorKind::Output, isa::Dtype::U32, shape}};
    package.queues = {{"q0", isa::Engine::Sync}, {"q1", isa::Engine::Sync}};
    package.transfers = std::move(transfers);
    program.push_back(Halt);
    package.programs[static_cast<std::size_t>(isa::Engine::Sync)] = std::move(program);
    return package;
}

// Returns "right", "wrong" or the message of the error.
std::string outcome(const neff::Package& package, std::uint64_t order) {
    try {
        Interpreter machine(package, in_order(order));
        std::vector<std::uint8_t> bytes(machine.get("in").size());
        for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 37 + i / 256);
        machine.set("in", bytes);
        machine.run();
        return machine.get("out") == bytes ? "right" : "wrong";
    } catch (const Error& error) {
        return error.what();
    }
}

void expect_in_every_order(const neff::Package& package, const std::string& part) {
    for (std::uint64_t order = 0; order < Orders; ++order)
        EXPECT_NE(outcome(package, order).find(part), std::string::npos)
            << "order " << order << ": " << outcome(package, order);
}

// The interpreter finds a race with another access, or a read of bytes that nothing has written.
void expect_race_in_every_order(const neff::Package& package) {
    for (std::uint64_t order = 0; order < Orders; ++order) {
        const std::string text = outcome(package, order);
        EXPECT_TRUE(text.find("race: ") != std::string::npos ||
                    text.find("which nothing has written") != std::string::npos)
            << "order " << order << ": " << text;
    }
}

// Copies two tiles through SBUF; `second` is the semaphore of the second load.
neff::Package two_tiles(std::uint8_t second, const std::vector<isa::Instruction>& waits) {
    using test::trigger;
    std::vector<isa::Instruction> program{trigger(0), trigger(1), waits[0], trigger(2), waits[1], trigger(3)};
    program.push_back(test::wait_for(8, 32));
    return copies(2,
                  {{0, 4, in_tensor(0, 0), in_sbuf(0), 3, "load 0"},
                   {0, 4, in_tensor(0, 1), in_sbuf(1), second, "load 1"},
                   {1, 4, in_sbuf(0), in_tensor(2, 0), 8, "store 0"},
                   {1, 4, in_sbuf(1), in_tensor(2, 1), 8, "store 1"}},
                  program);
}

TEST(Dma, ASemaphoreForEachTransferInFlightProvesIt) {
    expect_in_every_order(two_tiles(4, {test::wait_for(3, 16), test::wait_for(4, 16)}), "right");
}

// The wait for a slow DMA engine's part of the first load may be satisfied by a fast one's part of the
// second.
TEST(Dma, ASumOverTwoTransfersProvesNeither) {
    expect_in_every_order(two_tiles(3, {test::wait_for(3, 16), test::wait_for(3, 32)}), "race: a read of");
}

// The second transfer comes long after the wait in every order that is tried; but nothing ensures that, as
// only the round trips of its own queue are before it.
TEST(Dma, ALateTransferOnTheSameSemaphoreIsDoubted) {
    using test::trigger;
    using test::wait_for;
    for (const std::uint32_t trips : {0u, 1u, 5u, 20u}) {
        std::vector<neff::Transfer> transfers{{0, 4, in_tensor(0, 0), in_sbuf(0), 3, "load 0"},
                                              {1, 4, in_sbuf(0), in_tensor(2, 0), 8, "store 0"}};
        std::vector<isa::Instruction> others;
        for (std::uint32_t i = 0; i <= trips; ++i) {
            const std::uint8_t semaphore = i == trips ? 3 : 20;
            transfers.push_back({2, 4, in_tensor(0, 1), in_sbuf(1), semaphore, "round trip"});
            others.push_back(trigger(2 + i));
            if (i != trips) others.push_back(wait_for(20, 16 * (i + 1)));
        }
        others.push_back(wait_for(3, 32));
        others.push_back(Halt);
        neff::Package package =
            copies(1, transfers, {trigger(0), wait_for(3, 16), trigger(1), wait_for(8, 16)});
        package.tensors[0].shape[0] = 2;
        package.queues.push_back({"q2", isa::Engine::Gpsimd});
        package.programs[static_cast<std::size_t>(isa::Engine::Gpsimd)] = others;
        expect_race_in_every_order(package);
    }
}

TEST(Dma, TheWholeSumProvesBoth) {
    expect_in_every_order(two_tiles(3, {test::wait_for(3, 32), test::wait_for(3, 32)}), "right");
}

// Rings complete in order, so the completion of the second transfer implies that of the first.
TEST(Dma, ACompletionImpliesThoseBeforeInItsQueue) {
    expect_in_every_order(two_tiles(4, {test::wait_for(4, 16), isa::Instruction(isa::Opcode::Nop)}), "right");
}

TEST(Dma, AQueueDoesNotOrderItsTransfers) {
    using test::trigger;
    const auto through_hbm = [](std::uint32_t second_queue, const isa::Instruction& between) {
        return copies(1,
                      {{0, 4, in_tensor(0, 0), in_tensor(1, 0), 3, "in to middle"},
                       {second_queue, 4, in_tensor(1, 0), in_tensor(2, 0), 4, "middle to out"}},
                      {trigger(0), between, trigger(1), test::wait_for(4, 16)});
    };
    for (const std::uint32_t queue : {0u, 1u}) {
        expect_in_every_order(through_hbm(queue, test::wait_for(3, 16)), "right");
        expect_race_in_every_order(through_hbm(queue, isa::Instruction(isa::Opcode::Nop)));
    }
}

TEST(Dma, ReadingScratchThatNothingHasWrittenIsNoticed) {
    expect_in_every_order(copies(1, {{0, 4, in_tensor(1, 0), in_tensor(2, 0), 3, "middle to out"}},
                                 {test::trigger(0), test::wait_for(3, 16)}),
                          "reads byte");
}

TEST(Dma, ATransferThatMeetsItselfIsARace) {
    Pattern shifted = in_sbuf(0);
    shifted.offset += 4;
    expect_in_every_order(
        copies(1, {{0, 4, in_tensor(0, 0), in_sbuf(0), 3, "load"}, {0, 4, in_sbuf(0), shifted, 4, "shift"}},
               {test::trigger(0), test::wait_for(3, 16), test::trigger(1), test::wait_for(4, 16)}),
        "race: ");
    Pattern piled = in_sbuf(0);
    piled.step[0] = 0;
    expect_in_every_order(copies(1, {{0, 4, in_tensor(0, 0), piled, 3, "all to one place"}},
                                 {test::trigger(0), test::wait_for(3, 16)}),
                          "race: a write of");
}

TEST(Dma, ItsEndIsWaitedFor) {
    expect_in_every_order(
        copies(1, {{0, 4, in_tensor(0, 0), in_tensor(2, 0), 3, "in to out"}}, {test::trigger(0)}), "right");
}

// Accesses to different partitions, or to different bytes of one, do not race.
TEST(Dma, NeighboursAreNoRace) {
    neff::Package package = two_tiles(4, {test::wait_for(3, 16), test::wait_for(4, 16)});
    for (const std::size_t transfer : {1u, 3u}) {
        Pattern& side = transfer == 1 ? package.transfers[1].to : package.transfers[3].from;
        side.offset = Columns * 4;  // directly after tile 0
    }
    expect_in_every_order(package, "right");
}

}  // namespace
}  // namespace trnsim::functional
