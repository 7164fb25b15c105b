// Tests that buffers that are moved to HBM for a while come back unchanged.
#include "compiler/schedule/spill.hpp"

#include <gtest/gtest.h>

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

TEST(Spill, RandomStepsGiveTheSameWithLittleRoom) {
    std::uint64_t stores = 0, loads = 0;
    for (std::uint64_t seed = test::seed(); seed < test::seed() + 15 * test::scale(); ++seed) {
        SCOPED_TRACE("TRNSIM_TEST_SEED=" + std::to_string(seed));
        const RandomShape shape{.calls = 150, .loops = seed % 3 == 0 ? 1 : 0, .sbuf_buffers = 14};
        const Outcome expected = test::interpreted(RandomKernel(seed, Sink::Eager, shape).finish(), 0);
        RandomKernel kernel(seed, Sink::Steps, shape);
        Result result;
        try {
            result = kernel.compile({.sbuf = 1280, .spill = kernel.spill_queues()});
        } catch (const NoRoom&) {
            continue;  // a loop that needs all buffers at once
        }
        for (const Spill& spill : result.spills) {
            stores += spill.stores;
            loads += spill.loads;
        }
        for (const std::uint64_t order : {std::uint64_t{0}, std::uint64_t{1}, seed + 2}) {
            const Outcome outcome = test::interpreted(result.package, order);
            EXPECT_TRUE(outcome.races.empty()) << outcome.races[0];
            EXPECT_EQ(outcome.y, expected.y);
            EXPECT_EQ(outcome.u, expected.u);
        }
    }
    EXPECT_GT(stores, 50u);
    EXPECT_GT(loads, 50u);
}

// Three tiles are used twice each; two of them fit.
struct SpillOfThree : testing::Test {
    SpillOfThree() : k("three", "", test::small_target(), builder::Waits::Derived, Sink::Steps) {
        const TensorView y = k.tensor("y", neff::TensorKind::Output, isa::Dtype::Fp32, {8, 400});
        const builder::Queue loads = k.queue("loads"), stores = k.queue("stores", isa::Engine::Gpsimd);
        queues = {loads, stores};
        for (int i = 0; i < 3; ++i) {
            tiles.push_back(
                k.buffer(target::Memory::Sbuf, 8, 1600, "tile" + std::to_string(i), {"kernel.py", 10U + i}));
            tiles.back().dtype = isa::Dtype::Fp32;
            tiles.back().axes = {{400, 1}};
            k.memset(tiles.back(), static_cast<float>(i + 1));
        }
        for (const Tile& tile : {tiles[1], tiles[0]})
            k.tensor_tensor(tiles[2], tiles[2], isa::AluOp::Add, tile);
        k.store(stores, y, tiles[2]);
    }
    KernelBuilder k;
    SpillQueues queues;
    std::vector<Tile> tiles;
};

TEST_F(SpillOfThree, TheOneThatIsNeededLatestGoes) {
    const Result result = compile(k, test::small_config(), {.spill = queues});
    ASSERT_EQ(result.spills.size(), 1u);
    EXPECT_EQ(describe(k, result.spills[0]),
              "tile0 of kernel.py:10, 1600 bytes x 8 partitions of SBUF: stored 1 time, loaded 1 time");
    functional::Interpreter machine(result.package);
    machine.run();
    EXPECT_EQ(machine.get("y"), test::pack(std::vector<float>(8 * 400, 6.0f)));
}

TEST_F(SpillOfThree, NotWhereTheCallerHasNotAllowedIt) {
    EXPECT_THROW(compile(k, test::small_config()), NoRoom);
}

}  // namespace
}  // namespace trnsim::schedule
