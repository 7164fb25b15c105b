// Tests places in a memory that has no byte to spare.
#include "compiler/schedule/allocate.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "compiler/builder/kernel_builder.hpp"
#include "compiler/kernels/targets.hpp"
#include "compiler/schedule/memory.hpp"

namespace trnsim::schedule {
namespace {

using builder::KernelBuilder;
using builder::Step;
using builder::TensorView;
using builder::Tile;

constexpr std::uint64_t Unit = Alignment;

struct Wanted {
    int first, last;  // times
    std::uint64_t units;
};

// Expects that the lives get places in `units` of SBUF that do not overlap.
void expect_room(const std::vector<Wanted>& wanted, std::uint64_t units) {
    KernelBuilder k("places", "", test::small_target(), builder::Waits::Derived, builder::Sink::Steps);
    const TensorView y = k.tensor("y", neff::TensorKind::Output, isa::Dtype::Fp32, {8, 1024});
    const builder::Queue queue = k.queue("q");
    std::vector<Tile> tiles;
    for (const Wanted& life : wanted) {
        const auto columns = static_cast<std::uint32_t>(life.units * Unit / 4);
        tiles.push_back(k.buffer(target::Memory::Sbuf, 8, life.units * Unit));
        tiles.back().dtype = isa::Dtype::Fp32;
        tiles.back().axes = {{columns, 1}};
    }
    constexpr int Times = 8;
    for (int time = 0; time < Times; ++time) {
        for (std::size_t i = 0; i < wanted.size(); ++i)
            if (wanted[i].first == time) k.memset(tiles[i], 1.0f);
        for (std::size_t i = 0; i < wanted.size(); ++i)
            if (wanted[i].last == time) k.store(queue, y.slice(1, 0, tiles[i].axes[0].count), tiles[i]);
    }
    std::vector<Step> steps = k.take_steps();
    number(steps);
    Lives lives(steps, k.buffers());
    EXPECT_FALSE(allocate(steps, lives, {units * Unit, units * Unit, 4096, 512}));
    for (const Life& one : lives.all()) {
        EXPECT_LE(one.byte + k.buffers()[one.buffer - 1].bytes, units * Unit);
        for (const Life& other : lives.all()) {
            if (&one == &other || one.last < other.first || other.last < one.first) continue;
            EXPECT_TRUE(one.byte + k.buffers()[one.buffer - 1].bytes <= other.byte ||
                        other.byte + k.buffers()[other.buffer - 1].bytes <= one.byte);
        }
    }
}

TEST(Allocate, FindsPlacesForTheLargestFirst) {
    expect_room({{5, 5, 5}, {2, 4, 4}, {3, 3, 2}, {4, 5, 3}}, 8);
}

TEST(Allocate, FindsPlacesForTheLongestFirstWhereThoseForTheLargestDoNotFit) {
    expect_room({{1, 5, 2}, {0, 2, 5}, {5, 5, 2}, {5, 5, 4}}, 8);
}

TEST(Allocate, FindsPlacesByBytesAndStepsWhereNoOtherOrderFits) {
    expect_room({{0, 2, 3}, {2, 4, 2}, {1, 1, 5}, {3, 5, 4}}, 8);
}

}  // namespace
}  // namespace trnsim::schedule
