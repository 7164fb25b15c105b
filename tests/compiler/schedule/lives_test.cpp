// Tests the lives of buffers, and that two buffers that live at the same time share no byte.
#include "compiler/schedule/lives.hpp"

#include <gtest/gtest.h>

#include "compiler/schedule/allocate.hpp"
#include "compiler/schedule/order.hpp"
#include "compiler/schedule/random_kernel.hpp"

namespace trnsim::schedule {
namespace {

using builder::KernelBuilder;
using builder::Sink;
using builder::Step;
using builder::Tile;

constexpr Limits Small{4096, 4096, 4096, 512};

TEST(Lives, DoNotShareBytesWhileTheyAreThere) {
    for (std::uint64_t seed = test::seed(); seed < test::seed() + 10 * test::scale(); ++seed) {
        SCOPED_TRACE("TRNSIM_TEST_SEED=" + std::to_string(seed));
        test::RandomKernel kernel(seed, Sink::Steps, {.calls = 80, .loops = 2, .sbuf_buffers = 12});
        std::vector<Step> steps = kernel.builder().take_steps();
        number(steps);
        Lives lives(steps, kernel.builder().buffers());
        for (const Limits& limits : {Small, Limits{3072, 3072, 4096, 512}}) {
            Room room(steps, lives, limits, 0.75);
            order(steps, lives, Rows(4, 4ULL * test::RandomKernel::MostColumns), room,
                  Timeline(test::small_config(), kernel.builder()));
            lives.set_extents(steps);
            const auto stuck = allocate(steps, lives, limits);
            restore(steps);
            if (stuck) continue;
            for (std::uint32_t one = 0; one < lives.all().size(); ++one) {
                const Life& a = lives.all()[one];
                const builder::Buffer& buffer = lives.buffer_of(one);
                EXPECT_LE(a.byte + buffer.bytes,
                          buffer.memory == target::Memory::Sbuf ? limits.sbuf : limits.psum);
                if (buffer.memory == target::Memory::Psum) {
                    EXPECT_EQ(a.byte / 512, (a.byte + buffer.bytes - 1) / 512);
                }
                for (std::uint32_t other = 0; other < one; ++other) {
                    const Life& b = lives.all()[other];
                    const builder::Buffer& with = lives.buffer_of(other);
                    if (buffer.memory != with.memory || a.first > b.last || b.first > a.last) continue;
                    EXPECT_TRUE(a.byte + buffer.bytes <= b.byte || b.byte + with.bytes <= a.byte)
                        << one << " " << other;
                }
            }
        }
    }
}

struct OfTwo : testing::Test {
    OfTwo() : k("lives", "", test::small_target(), builder::Waits::Derived, Sink::Steps) {
        for (Tile* tile : {&x, &y}) {
            *tile = k.buffer(target::Memory::Sbuf, 8, 64);
            tile->dtype = isa::Dtype::Fp32;
            tile->axes = {{16, 1}};
        }
    }
    Lives lives() {
        steps = k.take_steps();
        number(steps);
        return {steps, k.buffers()};
    }

    KernelBuilder k;
    Tile x, y;
    std::vector<Step> steps;
};

TEST_F(OfTwo, AWriteOfAllBeginsANewLife) {
    k.memset(x, 1.0f);                          // 0
    k.tensor_copy(y, x);                        // 1
    k.memset(x.slice(0, 0, 4), 2.0f);           // 2: a part
    k.memset(x, 3.0f);                          // 3
    k.tensor_tensor(x, x, isa::AluOp::Add, y);  // 4: depends on the old contents
    const Lives found = lives();
    ASSERT_EQ(found.all().size(), 3u);
    EXPECT_EQ(found.all()[0].last, 2u);
    EXPECT_EQ(found.all()[1].first, 1u);
    EXPECT_EQ(found.all()[2].first, 3u);
    EXPECT_EQ(found.all()[2].last, 4u);
}

TEST_F(OfTwo, WhatALoopCarriesOnIsThereAllTheTime) {
    k.memset(x, 1.0f);                              // 0
    k.loop(5, [&](builder::LoopIndex) {             // 1
        k.memset(y, 2.0f);                          // 2
        k.tensor_tensor(x, x, isa::AluOp::Add, y);  // 3
        k.memset(y, 2.0f);                          // 4
        k.tensor_copy(y, y);                        // 5
    });
    const Lives found = lives();
    ASSERT_EQ(found.all().size(), 3u);
    EXPECT_EQ(found.all()[0].first, 0u);
    EXPECT_EQ(found.all()[0].last, 5u);
    EXPECT_EQ(found.all()[1].last, 3u);
    EXPECT_EQ(found.all()[2].first, 4u);
}

TEST_F(OfTwo, WhatTheIterationBeforeHasLeftStaysInItsPlace) {
    k.memset(x, 1.0f);                   // 0
    k.loop(5, [&](builder::LoopIndex) {  // 1
        k.tensor_copy(y, x);             // 2
        k.memset(x, 2.0f);               // 3: for the next iteration
    });
    const Lives found = lives();
    ASSERT_EQ(found.all().size(), 2u);
    EXPECT_EQ(found.all()[0].last, 3u);
}

}  // namespace
}  // namespace trnsim::schedule
