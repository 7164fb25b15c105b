// Steps give the same results as their calls one after the other, in any order of issue and with buffers at
// any place.
#include "compiler/schedule/compile.hpp"
#include "common/refusal.hpp"

#include <gtest/gtest.h>

#include "compiler/neff/neff.hpp"
#include "compiler/schedule/random_kernel.hpp"

namespace trnsim::schedule {
namespace {

using builder::KernelBuilder;
using builder::Sink;
using builder::TensorView;
using builder::Tile;
using test::Outcome;
using test::RandomKernel;
using test::RandomShape;

void expect_same(std::uint64_t seed, const RandomShape& shape) {
    SCOPED_TRACE("TRNSIM_TEST_SEED=" + std::to_string(seed));
    const Outcome expected = test::interpreted(RandomKernel(seed, Sink::Eager, shape).finish(), 0);
    const neff::Package package = RandomKernel(seed, Sink::Steps, shape).compile().package;
    for (const std::uint64_t order : {std::uint64_t{0}, std::uint64_t{1}, seed + 2}) {
        const Outcome outcome = test::interpreted(package, order);
        EXPECT_TRUE(outcome.races.empty()) << outcome.races[0];
        EXPECT_EQ(outcome.y, expected.y);
        EXPECT_EQ(outcome.u, expected.u);
    }
}

TEST(Compile, RandomStepsGiveWhatTheirCallsGiveInOrder) {
    for (std::uint64_t seed = test::seed(); seed < test::seed() + 20 * test::scale(); ++seed)
        expect_same(seed, {.calls = 150});
}

TEST(Compile, RandomNestedLoopsGiveWhatTheirIterationsGiveInOrder) {
    for (std::uint64_t seed = test::seed(); seed < test::seed() + 20 * test::scale(); ++seed)
        expect_same(seed, {.calls = 20, .loops = 3});
}

TEST(Compile, TheSameStepsGiveTheSamePackage) {
    const RandomShape shape{.calls = 60, .loops = 2};
    const auto bytes = [&] {
        return neff::serialise(RandomKernel(test::seed(), Sink::Steps, shape).compile().package);
    };
    EXPECT_EQ(bytes(), bytes());
}

// A kernel that loads, squares and stores tiles, one after the other in one buffer.
struct Rows {
    explicit Rows(Sink sink) : k("rows", "", test::small_target(), builder::Waits::Derived, sink) {}

    neff::Package tiles(std::uint32_t count) {
        const TensorView x = k.tensor("x", neff::TensorKind::Input, isa::Dtype::Fp32, {count * 8, 64});
        const TensorView y = k.tensor("y", neff::TensorKind::Output, isa::Dtype::Fp32, {count * 8, 64});
        const builder::Queue loads = k.queue("loads"), stores = k.queue("stores", isa::Engine::Gpsimd);
        Tile tile = k.buffer(target::Memory::Sbuf, 8, 256, "tile");
        tile.dtype = isa::Dtype::Fp32;
        tile.axes = {{64, 1}};
        for (std::uint32_t i = 0; i < count; ++i) {
            k.load(loads, tile, x.slice(0, i * 8, 8));
            k.tensor_tensor(tile, tile, isa::AluOp::Multiply, tile);
            k.store(stores, y.slice(0, i * 8, 8), tile);
        }
        return compile(k, test::small_config()).package;
    }

    KernelBuilder k;
};

TEST(Compile, ABufferInALoopOfTheAuthorHasSeveralPlaces) {
    const neff::Package package = Rows(Sink::Steps).tiles(6);
    std::set<std::uint64_t> places;
    for (const neff::Transfer& transfer : package.transfers)
        if (transfer.to.place == neff::Pattern::Space::Core) places.insert(transfer.to.offset);
    EXPECT_EQ(places.size(), 6u);
    for (std::size_t i = 0; i < 6; ++i)  // loads run ahead
        EXPECT_EQ(package.transfers[i].to.place, neff::Pattern::Space::Core) << i;
}

TEST(Compile, TheInnermostLoopBecomesTheHardwares) {
    KernelBuilder k("nest", "", test::small_target(), builder::Waits::Derived, Sink::Steps);
    const TensorView x = k.tensor("x", neff::TensorKind::Input, isa::Dtype::Fp32, {24, 400});
    const TensorView y = k.tensor("y", neff::TensorKind::Output, isa::Dtype::Fp32, {24, 400});
    const builder::Queue queue = k.queue("q");
    Tile tile = k.buffer(target::Memory::Sbuf, 8, 16, "tile");
    tile.dtype = isa::Dtype::Fp32;
    tile.axes = {{4, 1}};
    k.loop(3, [&](builder::LoopIndex i) {
        k.loop(100, [&](builder::LoopIndex j) {
            k.load(queue, tile, x.slice(0, i * 8, 8).slice(1, j * 4, 4));
            k.store(queue, y.slice(0, i * 8, 8).slice(1, j * 4, 4), tile);
        });
    });
    const neff::Package package = compile(k, test::small_config()).package;
    EXPECT_EQ(package.transfers.size(), 6u);
    ASSERT_EQ(package.loops.size(), 3u);
    for (const neff::Loop& loop : package.loops) EXPECT_EQ(loop.iterations, 100u);
    functional::Interpreter machine(package);
    std::vector<float> values(24 * 400);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
    machine.set("x", test::pack(values));
    machine.run();
    EXPECT_EQ(machine.get("y"), test::pack(values));
}

TEST(Compile, AfterIsObeyed) {
    KernelBuilder k("after", "", test::small_target(), builder::Waits::Derived, Sink::Steps);
    Tile one = k.buffer(target::Memory::Sbuf, 8, 64), other = k.buffer(target::Memory::Sbuf, 8, 64);
    for (Tile* tile : {&one, &other}) {
        tile->dtype = isa::Dtype::Fp32;
        tile->axes = {{16, 1}};
    }
    const builder::Event first = k.memset(one, 1.0f);
    k.activation(other, one, isa::Activation::Copy);
    k.wait(isa::Engine::Scalar, {first});
    k.activation(one, one, isa::Activation::Relu, {.after = {first}});
    EXPECT_NO_THROW(compile(k, test::small_config()));
}

std::string message_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const builder::Error& error) {
        return error.what();
    }
    return "nothing";
}

TEST(Compile, NamesWhatTakesTheRoom) {
    KernelBuilder k("full", "", test::small_target(), builder::Waits::Derived, Sink::Steps);
    std::vector<Tile> tiles;
    for (int i = 0; i < 3; ++i) {
        tiles.push_back(
            k.buffer(target::Memory::Sbuf, 8, 1600, "tile" + std::to_string(i), {"kernel.py", 10U + i}));
        tiles.back().dtype = isa::Dtype::Fp32;
        tiles.back().axes = {{400, 1}};
        k.memset(tiles.back(), static_cast<float>(i), {}, {"kernel.py", 20U + i});
    }
    k.tensor_tensor(tiles[0], tiles[0], isa::AluOp::Add, tiles[1], {}, {"kernel.py", 30});
    k.tensor_tensor(tiles[0], tiles[0], isa::AluOp::Add, tiles[2], {}, {"kernel.py", 31});
    try {
        compile(k, test::small_config());
        FAIL();
    } catch (const NoRoom& error) {
        EXPECT_STREQ(error.what(),
                     "4800 bytes a partition in sbuf are in use at once, expected at most 4096; the largest: "
                     "tile0 of line 10: 1600, "
                     "tile1 of line 11: 1600, tile2 of line 12: 1600");
        EXPECT_EQ(error.file, "kernel.py");
        EXPECT_EQ(error.line, 22u);
    }
}

TEST(Compile, RefusesWhatIsNoPartOfABuffer) {
    KernelBuilder k("part", "", test::small_target(), builder::Waits::Derived, Sink::Steps);
    Tile tile = k.buffer(target::Memory::Sbuf, 4, 64);
    tile.partitions = 8;
    EXPECT_EQ(test::refusal_of([&] { k.memset(tile, 0.0f); }),
              "SBUF u8 [8, 64] at partition 0 + 0x0: its buffer has 4 partitions of 64 bytes");
    EXPECT_EQ(test::refusal_of([&] { k.buffer(target::Memory::Psum, 9, 64, "p"); }),
              "buffer 'p' of 9 partitions of 64 bytes: 9 partitions, expected 1 to 8, as PSUM has");
    EXPECT_EQ(
        test::refusal_of([&] { k.buffer(target::Memory::Psum, 8, 4097, "p"); }),
        "buffer 'p' of 8 partitions of 4097 bytes: 4097 bytes a partition, expected 1 to 4096, as PSUM has");
    EXPECT_EQ(message_of([&] { k.finish(); }),
              "kernel 'part' records steps, which schedule::compile() finishes");
    KernelBuilder eager("eager", "", test::small_target());
    EXPECT_EQ(test::refusal_of([&] { eager.buffer(target::Memory::Sbuf, 8, 64, "b"); }),
              "buffer 'b': the builder is eager, where sbuf() and psum() have places");
}

}  // namespace
}  // namespace trnsim::schedule
