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
    std::uint64_t stores = 0, loads = 0, memsets = 0;
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
            memsets += spill.memsets;
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
    EXPECT_GT(memsets, 5u);
}

TEST(Spill, RandomStepsGiveTheSameWithLittlePsum) {
    std::uint64_t loads = 0;
    for (std::uint64_t seed = test::seed(); seed < test::seed() + 40 * test::scale(); ++seed) {
        SCOPED_TRACE("TRNSIM_TEST_SEED=" + std::to_string(seed));
        const RandomShape shape{.calls = 120, .psum_buffers = 8, .little_psum = true};
        const Outcome expected = test::interpreted(RandomKernel(seed, Sink::Eager, shape).finish(), 0);
        RandomKernel kernel(seed, Sink::Steps, shape);
        Result result;
        try {
            result = kernel.compile({.spill = kernel.spill_queues()});
        } catch (const NoRoom&) {
            continue;  // sums that matmuls are added to later
        }
        for (const Spill& spill : result.spills)
            if (spill.memory == target::Memory::Psum) loads += spill.loads;
        for (const std::uint64_t order : {std::uint64_t{0}, std::uint64_t{1}, seed + 2}) {
            const Outcome outcome = test::interpreted(result.package, order);
            EXPECT_TRUE(outcome.races.empty()) << outcome.races[0];
            EXPECT_EQ(outcome.y, expected.y);
            EXPECT_EQ(outcome.u, expected.u);
        }
    }
    EXPECT_GT(loads, 5u);
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
    EXPECT_EQ(
        describe(k, result.spills[0]),
        "tile0 of kernel.py:10, 1600 bytes x 8 partitions of SBUF: stored 0 times, loaded 0 times, filled "
        "again 1 time");
    functional::Interpreter machine(result.package);
    machine.run();
    EXPECT_EQ(machine.get("y"), test::pack(std::vector<float>(8 * 400, 6.0f)));
}

// Kernels with tiles of 400 columns, of which two fit.
struct SpillOfLoads : testing::Test {
    SpillOfLoads() : k("loads", "", test::small_target(), builder::Waits::Derived, Sink::Steps) {
        queues = {k.queue("loads"), k.queue("stores", isa::Engine::Gpsimd)};
    }
    TensorView tensor(const std::string& name, neff::TensorKind kind) {
        return k.tensor(name, kind, isa::Dtype::Fp32, {8, 400});
    }
    Tile tile(const std::string& name) {
        Tile made = k.buffer(target::Memory::Sbuf, 8, 1600, name, {"kernel.py", 10});
        made.dtype = isa::Dtype::Fp32;
        made.axes = {{400, 1}};
        return made;
    }
    void add(const Tile& sum, const Tile& other) { k.tensor_tensor(sum, sum, isa::AluOp::Add, other); }
    // Runs a package with 5 in all elements of x, and expects 8 in those of y.
    static void expect_8_of_5(const neff::Package& package) {
        functional::Interpreter machine(package);
        machine.set("x", test::pack(std::vector<float>(8 * 400, 5.0f)));
        machine.run();
        EXPECT_EQ(machine.get("y"), test::pack(std::vector<float>(8 * 400, 8.0f)));
    }
    KernelBuilder k;
    SpillQueues queues;
};

TEST_F(SpillOfLoads, AreMadeAgainWithoutAStore) {
    const TensorView x = tensor("x", neff::TensorKind::Input), y = tensor("y", neff::TensorKind::Output);
    const Tile loaded = tile("loaded"), other = tile("other"), sum = tile("sum");
    k.load(queues.loads, loaded, x);
    k.memset(other, 1.0f);
    k.tensor_tensor(sum, other, isa::AluOp::Add, other);
    add(sum, other);
    add(sum, loaded);
    k.store(queues.stores, y, sum);
    const Result result = compile(k, test::small_config(), {.spill = queues});
    ASSERT_EQ(result.spills.size(), 1u);
    EXPECT_EQ(describe(k, result.spills[0]),
              "loaded of kernel.py:10, 1600 bytes x 8 partitions of SBUF: stored 0 times, loaded 1 time");
    expect_8_of_5(result.package);
    for (const neff::Tensor& one : result.package.tensors) EXPECT_NE(one.kind, neff::TensorKind::Scratch);
}

TEST_F(SpillOfLoads, AreStoredIfTheirTensorChanges) {
    const TensorView x = tensor("x", neff::TensorKind::Update), y = tensor("y", neff::TensorKind::Output);
    const Tile loaded = tile("loaded"), other = tile("other"), sum = tile("sum");
    k.load(queues.loads, loaded, x);
    k.memset(other, 1.0f);
    k.tensor_tensor(sum, other, isa::AluOp::Add, other);
    k.store(queues.stores, x, other);
    add(sum, other);
    add(sum, loaded);
    k.store(queues.stores, y, sum);
    const Result result = compile(k, test::small_config(), {.spill = queues});
    ASSERT_EQ(result.spills.size(), 1u);
    EXPECT_EQ(result.spills[0].stores, 1u);
    expect_8_of_5(result.package);
}

TEST_F(SpillOfLoads, AreMadeAgainInTheirParts) {
    const TensorView x = tensor("x", neff::TensorKind::Input), y = tensor("y", neff::TensorKind::Output);
    const Tile loaded = tile("loaded"), other = tile("other"), sum = tile("sum");
    // Half of it is there when it leaves, and nothing has written the other half.
    k.load(queues.loads, loaded.slice(0, 0, 200), x.slice(1, 0, 200));
    k.memset(other, 1.0f);
    k.tensor_tensor(sum, other, isa::AluOp::Add, other);
    add(sum, other);
    k.load(queues.loads, loaded.slice(0, 200, 200), x.slice(1, 200, 200));
    add(sum, loaded);
    k.store(queues.stores, y, sum);
    const Result result = compile(k, test::small_config(), {.spill = queues});
    ASSERT_EQ(result.spills.size(), 1u);
    EXPECT_EQ(result.spills[0].stores, 0u);
    expect_8_of_5(result.package);
}

// The first one, which is needed latest, would leave, but the second one alone is enough.
TEST_F(SpillOfLoads, ALargeTileLeavesWithoutAnotherOne) {
    const TensorView x = tensor("x", neff::TensorKind::Input), y = tensor("y", neff::TensorKind::Output);
    const Tile large = tile("large"), sum = tile("sum");
    const auto part_of = [&](const std::string& name, std::uint32_t columns) {
        Tile part = k.buffer(target::Memory::Sbuf, 8, 4ULL * columns, name, {"kernel.py", 11});
        part.dtype = isa::Dtype::Fp32;
        part.axes = {{columns, 1}};
        return part;
    };
    const Tile part = part_of("part", 128), other = part_of("other", 320);
    k.load(queues.loads, part, x.slice(1, 0, 128));
    k.load(queues.loads, large, x);
    k.memset(other, 1.0f);
    k.memset(sum, 2.0f);
    add(sum.slice(0, 0, 320), other);
    k.memset(sum.slice(0, 320, 80), 3.0f);
    add(sum, large);
    k.tensor_tensor(sum.slice(0, 0, 128), sum.slice(0, 0, 128), isa::AluOp::Max, part);
    k.store(queues.stores, y, sum);
    const Result result = compile(k, test::small_config(), {.spill = queues});
    ASSERT_EQ(result.spills.size(), 1u);
    EXPECT_EQ(result.spills[0].name, "large");
    expect_8_of_5(result.package);
}

// Two tiles take all of SBUF but for a small one, which is needed latest.
TEST_F(SpillOfLoads, ASmallTileStays) {
    const TensorView x = tensor("x", neff::TensorKind::Input), y = tensor("y", neff::TensorKind::Output);
    const Tile large = tile("large"), sum = tile("sum");
    const auto columns_of = [&](const std::string& name, std::uint32_t columns) {
        Tile made = k.buffer(target::Memory::Sbuf, 8, 4ULL * columns, name, {"kernel.py", 11});
        made.dtype = isa::Dtype::Fp32;
        made.axes = {{columns, 1}};
        return made;
    };
    const Tile small = columns_of("small", 16), other = columns_of("other", 200),
               tiny = columns_of("tiny", 16);
    k.load(queues.loads, small, x.slice(1, 0, 16));
    k.load(queues.loads, large, x);
    k.memset(other, 0.5f);
    k.memset(sum, 2.0f);
    k.memset(tiny, 1.0f);  // 64 bytes are wanted
    add(sum.slice(0, 0, 200), other);
    add(sum.slice(0, 0, 200), other);
    k.memset(sum.slice(0, 200, 200), 3.0f);
    k.tensor_tensor(sum.slice(0, 0, 16), sum.slice(0, 0, 16), isa::AluOp::Max, tiny);
    add(sum, large);
    k.tensor_tensor(sum.slice(0, 0, 16), sum.slice(0, 0, 16), isa::AluOp::Max, small);
    k.store(queues.stores, y, sum);
    const Result result = compile(k, test::small_config(), {.spill = queues});
    ASSERT_EQ(result.spills.size(), 1u);
    EXPECT_EQ(result.spills[0].name, "large");
    expect_8_of_5(result.package);
}

TEST(SpillOfPsum, ComesBackToSbufForVectorAndScalar) {
    KernelBuilder k("psum", "", test::square_target(8, 4 << 10, 1024, 2), builder::Waits::Derived,
                    Sink::Steps);
    const TensorView y = k.tensor("y", neff::TensorKind::Output, isa::Dtype::Fp32, {8, 128});
    const SpillQueues queues{k.queue("loads"), k.queue("stores", isa::Engine::Gpsimd)};
    const auto tile = [&](target::Memory memory) {
        Tile made = k.buffer(memory, 8, 512, "tile", {"kernel.py", 10});
        made.dtype = isa::Dtype::Fp32;
        made.axes = {{128, 1}};
        return made;
    };
    const Tile sum = tile(target::Memory::Sbuf);
    k.memset(sum, 0.0f);
    std::vector<Tile> tiles;
    for (int i = 0; i < 4; ++i) {
        tiles.push_back(tile(target::Memory::Psum));
        k.memset(tiles.back(), static_cast<float>(1 << i));
    }
    for (int turn = 0; turn < 2; ++turn)
        for (const Tile& one : tiles) k.tensor_tensor(sum, sum, isa::AluOp::Add, one);
    k.store(queues.stores, y, sum);
    const Result result = compile(k, test::small_config(), {.spill = queues});
    ASSERT_EQ(result.spills.size(), 1u);
    EXPECT_GE(result.spills[0].stores, 2u);
    EXPECT_EQ(result.spills[0].loads, result.spills[0].stores);  // each stays in SBUF for its second use
    functional::Interpreter machine(result.package);
    machine.run();
    EXPECT_EQ(machine.get("y"), test::pack(std::vector<float>(8 * 128, 30.0f)));
}

TEST_F(SpillOfThree, NotWhereTheCallerHasNotAllowedIt) {
    EXPECT_THROW(compile(k, test::small_config()), NoRoom);
}

}  // namespace
}  // namespace trnsim::schedule
