// Tests the order that stores get among loads, where the DMA engines are the bottleneck and where they are
// not, and the engines that steps get.
#include "compiler/schedule/order.hpp"

#include <gtest/gtest.h>

#include "compiler/schedule/memory.hpp"
#include "compiler/schedule/random_kernel.hpp"

namespace trnsim::schedule {
namespace {

using builder::KernelBuilder;
using builder::Step;
using builder::TensorView;
using builder::Tile;

// y = x + x, in tiles of 8 x 512 that are loaded, doubled and stored one after the other.
class Doubling {
  public:
    Doubling() : k_("double", "", test::small_target(), builder::Waits::Derived, builder::Sink::Steps) {}

    void tiles(std::uint32_t count) {
        const TensorView x = k_.tensor("x", neff::TensorKind::Input, isa::Dtype::Fp32, {8 * count, Columns});
        const TensorView y = k_.tensor("y", neff::TensorKind::Output, isa::Dtype::Fp32, {8 * count, Columns});
        for (std::uint32_t i = 0; i < count; ++i) tile(x.slice(0, 8 * i, 8), y.slice(0, 8 * i, 8));
    }

    void loop(std::uint32_t count) {
        const TensorView x = k_.tensor("x", neff::TensorKind::Input, isa::Dtype::Fp32, {8, Columns});
        const TensorView y = k_.tensor("y", neff::TensorKind::Output, isa::Dtype::Fp32, {8, Columns});
        k_.loop(2, [&](builder::LoopIndex) {
            for (std::uint32_t i = 0; i < count; ++i) tile(x, y);
        });
    }

    std::vector<Step> ordered() {
        std::vector<Step> steps = k_.take_steps();
        number(steps);
        const Lives lives(steps, k_.buffers());
        constexpr Limits Wide{1 << 20, 1 << 20, 4096, 512};
        Room room(steps, lives, Wide, 1.0);
        config::Config config = test::small_config();
        config.dma.bandwidth /= 64;  // slower than the engines
        order(steps, lives, Rows(2, 4ULL * Columns), room, Timeline(config, k_));
        return steps;
    }

  private:
    static constexpr std::uint32_t Columns = 512;

    void tile(const TensorView& from, const TensorView& to) {
        Tile tile = k_.buffer(target::Memory::Sbuf, 8, 4 * Columns);
        tile.dtype = isa::Dtype::Fp32;
        tile.axes = {{Columns, 1}};
        k_.load(loads_, tile, from);
        k_.tensor_tensor(tile, tile, isa::AluOp::Add, tile);
        k_.store(stores_, to, tile);
    }

    KernelBuilder k_;
    builder::Queue loads_ = k_.queue("loads"), stores_ = k_.queue("stores", isa::Engine::Gpsimd);
};

std::vector<std::uint32_t> places_of(const std::vector<Step>& steps) {
    std::vector<std::uint32_t> places(steps.size());
    for (std::uint32_t place = 0; place < steps.size(); ++place) places[steps[place].number] = place;
    return places;
}

TEST(Order, AStoreWaitsForLoadsBeforeItWhereTheDmaEnginesAreBehind) {
    Doubling kernel;
    kernel.tiles(8);
    std::vector<Step> steps = kernel.ordered();
    const std::vector<std::uint32_t> places = places_of(steps);
    unsigned held = 0;
    for (const Step& step : steps) {
        if (!step.behind) continue;
        ++held;
        const Step& load = steps[places[*step.behind]];
        EXPECT_EQ(load.number % 3, 0u) << "the first of the three steps of a tile is its load";
        EXPECT_LT(places[*step.behind], places[step.number]);
    }
    EXPECT_GT(held, 0u);
    restore(steps);
    for (const Step& step : steps) EXPECT_FALSE(step.behind);
}

TEST(Order, AStoreAloneWaitsForNothingElse) {
    Doubling kernel;
    kernel.tiles(1);
    for (const Step& step : kernel.ordered()) EXPECT_FALSE(step.behind);
}

TEST(Order, NoStoreOfALoopWaitsForMoreThanItNeeds) {
    Doubling kernel;
    kernel.loop(8);
    for (const Step& step : kernel.ordered()) {
        ASSERT_TRUE(step.loop);
        for (const Step& inner : step.loop->body) EXPECT_FALSE(inner.behind);
    }
}

// Copies of tiles of 8 rows, of which `choices` may go to either engine.
class Copies {
  public:
    explicit Copies(std::uint32_t columns) : columns_(columns) {}

    // They do not depend on each other.
    void independent(std::uint32_t choices, std::uint32_t on_vector, std::uint32_t on_scalar) {
        for (std::uint32_t i = 0; i < on_vector; ++i) k_.tensor_copy(tile(), source_);
        for (std::uint32_t i = 0; i < on_scalar; ++i)
            k_.tensor_copy(tile(), source_, {.engine = isa::Engine::Scalar});
        for (std::uint32_t i = 0; i < choices; ++i) k_.tensor_copy(tile(), source_, {.either = true});
    }
    // Each depends on the one before.
    void chain(std::uint32_t choices) {
        for (std::uint32_t i = 0; i < choices; ++i) {
            const Tile next = tile();
            k_.tensor_copy(next, source_, {.either = true});
            source_ = next;
        }
    }

    // Each depends on the one before; Vector alone executes every second one.
    void alternating(std::uint32_t choices) {
        for (std::uint32_t i = 0; i < 2 * choices; ++i) {
            const Tile next = tile();
            k_.tensor_copy(next, source_, {.either = i % 2 == 0});
            source_ = next;
        }
    }

    // Returns the number of steps with a choice that Scalar has got.
    std::uint32_t on_scalar() {
        std::vector<Step> steps = k_.take_steps();
        number(steps);
        const Lives lives(steps, k_.buffers());
        constexpr Limits Wide{1 << 20, 1 << 20, 4096, 512};
        Room room(steps, lives, Wide, 1.0);
        const config::Config config = test::small_config();
        order(steps, lives, {}, room, Timeline(config, k_));
        return static_cast<std::uint32_t>(std::ranges::count_if(
            steps, [](const Step& step) { return step.either && step.engine == isa::Engine::Scalar; }));
    }

  private:
    Tile tile() {
        Tile tile = k_.buffer(target::Memory::Sbuf, 8, 4ULL * columns_);
        tile.dtype = isa::Dtype::Fp32;
        tile.axes = {{columns_, 1}};
        return tile;
    }

    std::uint32_t columns_;
    KernelBuilder k_{"engines", "", test::small_target(), builder::Waits::Derived, builder::Sink::Steps};
    Tile source_ = tile();
};

TEST(Order, StepsGoToTheEngineThatHasLessWork) {
    Copies vector(512), scalar(512), neither(512);
    vector.independent(8, 16, 0);
    scalar.independent(8, 0, 16);
    neither.independent(20, 4, 4);
    EXPECT_GE(vector.on_scalar(), 7u);
    EXPECT_LE(scalar.on_scalar(), 1u);
    const std::uint32_t shared = neither.on_scalar();
    EXPECT_GT(shared, 7u);
    EXPECT_LT(shared, 13u);
}

TEST(Order, AChainStaysOnTheEngineThatEndsFirst) {
    Copies kernel(64);
    kernel.chain(8);
    EXPECT_EQ(kernel.on_scalar(), 0u) << "a step of Scalar takes longer from its issue to its end";
}

TEST(Order, AStepMayEndLaterOnScalarWhileVectorHasMuchLeft) {
    Copies few(64), many(64), shared(64);
    few.alternating(2);
    EXPECT_EQ(few.on_scalar(), 0u);
    shared.alternating(64);
    shared.independent(0, 0, 80);
    EXPECT_LE(shared.on_scalar(), 32u) << "Scalar has as much that it alone can do";
    many.independent(0, 0, 1);  // Scalar is in use
    many.alternating(128);
    const std::uint32_t on_scalar = many.on_scalar();
    EXPECT_GE(on_scalar, 64u);
    EXPECT_LT(on_scalar, 128u) << "the last steps end early";
}

}  // namespace
}  // namespace trnsim::schedule
