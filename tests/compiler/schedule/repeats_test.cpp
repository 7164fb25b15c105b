// Tests that a buffer stays where its contents are needed again, and only where they still are the same.
#include "compiler/schedule/repeats.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "compiler/schedule/pressure.hpp"
#include "compiler/schedule/random_kernel.hpp"

namespace trnsim::schedule {
namespace {

using builder::KernelBuilder;
using builder::Sink;
using builder::TensorView;
using builder::Tile;
using isa::AluOp;
using isa::Opcode;

constexpr std::uint32_t Columns = 64, Rows = 64;

// Calls on tiles of 8 x 64 elements, each in a buffer of its own.
struct Calls {
    explicit Calls(Sink sink = Sink::Steps)
        : sink(sink), k("repeats", "", test::small_target(), builder::Waits::Derived, sink) {}

    Tile tile(std::uint32_t columns = Columns) {
        if (sink == Sink::Eager) return k.sbuf(8, isa::Dtype::Fp32, {columns});
        Tile tile = k.buffer(target::Memory::Sbuf, 8, 4ULL * columns);
        tile.dtype = isa::Dtype::Fp32;
        tile.axes = {{columns, 1}};
        return tile;
    }
    Tile loaded(const TensorView& from, std::uint32_t row) {
        const Tile result = tile();
        k.load(loads, result, from.slice(0, row, 8));
        return result;
    }
    Tile scaled(const Tile& from, float factor) {
        const Tile result = tile();
        k.tensor_scalar(result, from, {AluOp::Multiply, factor}, {});
        return result;
    }
    void store(const TensorView& to, std::uint32_t row, const Tile& from) {
        k.store(stores, to.slice(0, row, 8), from);
    }

    neff::Package compiled() { return compile(k, test::small_config()).package; }

    Sink sink;
    KernelBuilder k;
    TensorView x = k.tensor("x", neff::TensorKind::Input, isa::Dtype::Fp32, {Rows, Columns});
    TensorView u = k.tensor("u", neff::TensorKind::Update, isa::Dtype::Fp32, {Rows, Columns});
    TensorView s = k.tensor("s", neff::TensorKind::Scratch, isa::Dtype::Fp32, {Rows, Columns});
    TensorView y = k.tensor("y", neff::TensorKind::Output, isa::Dtype::Fp32, {Rows, Columns});
    builder::Queue loads = k.queue("loads"), stores = k.queue("stores", isa::Engine::Gpsimd);
};

// Returns the number of transfers to the chip.
std::size_t loads_of(const neff::Package& package) {
    return static_cast<std::size_t>(std::ranges::count_if(
        package.transfers,
        [](const neff::Transfer& transfer) { return transfer.to.place == neff::Pattern::Space::Core; }));
}

std::size_t count_of(const neff::Package& package, Opcode opcode) {
    std::size_t count = 0;
    for (const auto& program : package.programs)
        count += static_cast<std::size_t>(
            std::ranges::count(program, opcode, [](const isa::Instruction& one) { return one.opcode(); }));
    return count;
}

std::vector<float> values() {
    std::vector<float> values(std::size_t{Rows} * Columns);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 1000);
    return values;
}

std::vector<std::uint8_t> result_of(const neff::Package& package) {
    functional::Interpreter machine(package);
    machine.set("x", test::pack(values()));
    machine.set("u", test::pack(values()));
    machine.run();
    return machine.get("y");
}

TEST(Repeats, ATileIsLoadedOnceAndScaledOnce) {
    Calls calls;
    for (std::uint32_t row = 0; row < Rows; row += 8) {
        const Tile factor = calls.scaled(calls.loaded(calls.x, 16), -1.0f), own = calls.loaded(calls.x, row);
        const Tile sum = calls.tile();
        calls.k.tensor_tensor(sum, own, AluOp::Add, factor);
        calls.store(calls.y, row, sum);
    }
    const neff::Package package = calls.compiled();
    EXPECT_EQ(loads_of(package), 9u) << "row 16 for the factor once, and for itself";
    EXPECT_EQ(count_of(package, Opcode::TensorScalar), 1u);
    std::vector<float> expected;
    const std::vector<float> x = values();
    for (std::size_t i = 0; i < x.size(); ++i)
        expected.push_back(x[i] - x[std::size_t{16} * Columns + i % (std::size_t{8} * Columns)]);
    EXPECT_EQ(result_of(package), test::pack(expected));
}

// The inner loop varies what is loaded and scaled: the outer loop keeps the array of loads, not that of results.
TEST(Repeats, AResultThatAnInnerLoopVariesIsComputedAgain) {
    Calls calls;
    for (std::uint32_t outer = 0; outer < 3; ++outer)
        for (std::uint32_t row = 0; row < 16; row += 8)
            calls.store(calls.y, 16 * outer + row, calls.scaled(calls.loaded(calls.x, row), -1.0f));
    const neff::Package package = calls.compiled();
    EXPECT_EQ(loads_of(package), 2u);
    EXPECT_EQ(count_of(package, Opcode::TensorScalar), 6u);
}

// Rows are loaded again by a loop that is not the outermost one.
TEST(Repeats, AnArrayThatTheOutermostLoopVariesIsLoadedAgain) {
    Calls calls;
    for (std::uint32_t outer = 0; outer < 32; outer += 16)
        for (std::uint32_t middle = 0; middle < 2; ++middle)
            for (std::uint32_t row = outer; row < outer + 16; row += 8)
                calls.store(calls.y, 16 * middle + row, calls.loaded(calls.x, row));
    EXPECT_EQ(loads_of(calls.compiled()), 8u);
}

TEST(Repeats, AStoreToTheTensorBetweenKeepsBothLoads) {
    for (const bool stores : {false, true}) {
        Calls calls;
        const Tile first = calls.loaded(calls.u, 0);
        calls.store(calls.y, 0, first);
        if (stores) calls.store(calls.u, 0, calls.scaled(first, 2.0f));
        calls.store(calls.y, 8, calls.loaded(calls.u, 0));
        EXPECT_EQ(loads_of(calls.compiled()), stores ? 2u : 1u);
    }
}

TEST(Repeats, ATileThatIsWrittenAgainIsNotTheSame) {
    Calls calls;
    const Tile first = calls.loaded(calls.x, 0);
    calls.k.tensor_scalar(first, first, {AluOp::Add, 1.0f}, {});
    calls.store(calls.y, 0, first);
    calls.store(calls.y, 8, calls.loaded(calls.x, 0));
    const Tile third = calls.loaded(calls.x, 0);
    calls.k.tensor_scalar(third, third, {AluOp::Add, 1.0f}, {});
    calls.store(calls.y, 16, third);
    EXPECT_EQ(loads_of(calls.compiled()), 2u) << "the third is the first again";
}

TEST(Repeats, ATileGoesWhereSbufIsNeeded) {
    for (const std::uint32_t columns : {64U, 768U}) {  // 256 and 3072 of 4096 bytes
        Calls calls;
        calls.store(calls.y, 0, calls.loaded(calls.x, 0));
        const Tile between = calls.tile(columns);
        calls.k.memset(between, 5.0f);
        calls.store(calls.y, 8, between.slice(0, 0, Columns));
        calls.store(calls.y, 16, calls.loaded(calls.x, 0));
        EXPECT_EQ(loads_of(calls.compiled()), columns == 64 ? 1u : 2u);
    }
}

TEST(Repeats, ABroadcastThroughHbmIsDoneOnce) {
    Calls calls;
    for (std::uint32_t row = 0; row < 24; row += 8) {
        TensorView kept = calls.k.tensor("kept" + std::to_string(row), neff::TensorKind::Scratch,
                                         isa::Dtype::Fp32, {1, Columns});
        calls.k.store(calls.stores, kept, calls.loaded(calls.x, 0).partition_slice(0, 1));
        kept.axes[0] = {8, 0};
        const Tile all = calls.tile();
        calls.k.load(calls.loads, all, kept);
        calls.store(calls.y, row, all);
    }
    const neff::Package package = calls.compiled();
    EXPECT_EQ(loads_of(package), 2u);
    EXPECT_EQ(package.transfers.size(), 2u + 1 + 3);
}

TEST(Repeats, AStepThatAnotherNamesStays) {
    Calls calls;
    calls.store(calls.y, 0, calls.loaded(calls.x, 0));
    const Tile again = calls.tile();
    const builder::Event event = calls.k.load(calls.loads, again, calls.x.slice(0, 0, 8));
    calls.k.wait(isa::Engine::Vector, {event});
    calls.store(calls.y, 8, again);
    EXPECT_EQ(loads_of(calls.compiled()), 2u);
}

TEST(Repeats, RandomCallsGiveWhatTheyGiveInOrder) {
    std::size_t dropped = 0;
    for (std::uint64_t seed = test::seed(); seed < test::seed() + 30 * test::scale(); ++seed) {
        SCOPED_TRACE("TRNSIM_TEST_SEED=" + std::to_string(seed));
        std::size_t recorded = 0;
        const auto made = [&](Sink sink) {
            std::mt19937_64 random(seed);
            Calls calls(sink);
            std::vector<Tile> tiles;
            for (int i = 0; i < 6; ++i) tiles.push_back(calls.tile());
            for (const Tile& tile : tiles) calls.k.memset(tile, 1.0f);
            recorded = 0;
            for (int call = 0; call < 120; ++call) {
                const Tile &to = tiles[random() % 6], &from = tiles[random() % 6];
                const auto row = static_cast<std::uint32_t>(8 * (random() % 2));
                const auto half = static_cast<std::uint32_t>(random() % 3);  // 2: all columns
                const auto part = [&](const Tile& tile) {
                    return half == 2 ? tile : tile.slice(0, half * Columns / 2, Columns / 2);
                };
                switch (random() % 6) {
                    case 0:
                    case 1:
                        ++recorded;
                        calls.k.load(calls.loads, to, (row == 0 ? calls.x : calls.u).slice(0, row, 8));
                        break;
                    case 2:
                        calls.k.tensor_scalar(part(to), part(from), {AluOp::Multiply, 0.5f}, {});
                        break;
                    case 3:
                        calls.k.tensor_tensor(part(to), part(from), AluOp::Max, part(tiles[0]));
                        break;
                    case 4:
                        calls.store(calls.y, static_cast<std::uint32_t>(8 * (random() % 8)), from);
                        break;
                    default:
                        if (random() % 4 == 0) calls.store(calls.u, row, from);
                }
            }
            for (std::uint32_t i = 0; i < 8; ++i) calls.store(calls.y, 8 * i, tiles[i % 6]);
            return sink == Sink::Eager ? calls.k.finish() : calls.compiled();
        };
        const neff::Package package = made(Sink::Steps);
        dropped += recorded - loads_of(package);
        EXPECT_EQ(result_of(package), result_of(made(Sink::Eager)));
    }
    EXPECT_GT(dropped, 20u);
}

TEST(Pressure, IsThatOfEachStep) {
    std::mt19937_64 random = test::generator();
    for (const std::uint32_t steps : {1U, 7U, 64U, 100U}) {
        Pressure pressure(steps);
        std::vector<std::uint64_t> bytes(steps);
        for (int i = 0; i < 300; ++i) {
            auto first = static_cast<std::uint32_t>(random() % steps);
            auto last = static_cast<std::uint32_t>(random() % steps);
            if (first > last) std::swap(first, last);
            if (random() % 2 == 0) {
                const std::uint64_t more = random() % 100;
                pressure.add(first, last, more);
                for (std::uint32_t step = first; step <= last; ++step) bytes[step] += more;
            }
            EXPECT_EQ(pressure.most(first, last),
                      *std::max_element(bytes.begin() + first, bytes.begin() + last + 1));
        }
    }
}

}  // namespace
}  // namespace trnsim::schedule
