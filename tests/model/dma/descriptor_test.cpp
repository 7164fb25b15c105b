#include <gtest/gtest.h>

#include <stdexcept>

#include "arch/dma/registers.hpp"
#include "common/random.hpp"
#include "model/dma/descriptor_queue.hpp"

namespace trnsim::tlm::dma {
namespace {

TEST(Descriptor, BitsAreWhereTheDriverHasThem) {
    const Descriptor d{.address = 0x1122334455667788,
                       .length = 0x1234,
                       .ring_id = 2,
                       .first = true,
                       .barrier = true,
                       .meta = 0x99};
    const std::array<std::uint8_t, 16> expected{0x34, 0x12, 0x00, 0x46, 0x99, 0,    0,    0,
                                                0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11};
    EXPECT_EQ(encode(d), expected);
    EXPECT_EQ(encode({.length = 1, .last = true, .interrupt = true})[3], 0x18);
}

TEST(Descriptor, LengthZeroIs64KiB) {
    const auto bytes = encode({.length = 65536});
    EXPECT_EQ(bytes[0] | bytes[1], 0);
    EXPECT_EQ(decode(bytes).length, 65536u);
}

TEST(Descriptor, DecodesWhatItEncodes) {
    auto random = test::generator();
    for (int i = 0; i < 1000; ++i) {
        const Descriptor d{random(),
                           1 + static_cast<std::uint32_t>(random() % MaxLength),
                           static_cast<std::uint8_t>(random() % 4),
                           random() % 2 == 0,
                           random() % 2 == 0,
                           random() % 2 == 0,
                           random() % 2 == 0,
                           static_cast<std::uint32_t>(random())};
        EXPECT_EQ(decode(encode(d)), d);
    }
}

TEST(Descriptor, RefusesWhatDoesNotFit) {
    EXPECT_THROW(encode({.length = 0}), std::invalid_argument);
    EXPECT_THROW(encode({.length = 65537}), std::invalid_argument);
    EXPECT_THROW(encode({.length = 1, .ring_id = 4}), std::invalid_argument);
}

TEST(Registers, Addresses) {
    EXPECT_EQ(ring_address(2, 3, RingRegister::Doorbell), 0xffff0083040u);
    EXPECT_EQ(engine_address(1, EngineRegister::Error), 0xffff0050000u);
    EXPECT_EQ(doorbell(2, 3), 0x00030002u);
    EXPECT_EQ(pointer(2, 7), 0x80000007u);
    EXPECT_EQ(pointer(4, 7), 7u);
    EXPECT_EQ(distance(pointer(1, 7), pointer(1, 7), 10), 0u);
    EXPECT_EQ(distance(pointer(3, 7), pointer(0, 7), 10), 10u);
    EXPECT_EQ(distance(pointer(3, 7), pointer(0, 2), 10), 5u);
}

TEST(DescriptorQueue, FetchesInBurstsAndWraps) {
    DescriptorQueue queue;
    queue.base = 0x1000;
    queue.size = 20;
    queue.add(20);
    EXPECT_EQ(queue.room(), 0u);
    EXPECT_EQ(queue.tail(), pointer(1, 0));
    for (const std::uint32_t count : {8U, 8U, 4U}) EXPECT_EQ(queue.next_fetch(64)->count, count);
    EXPECT_FALSE(queue.next_fetch(64));
    EXPECT_EQ(queue.front(), nullptr);
    const auto bytes = encode({.address = 7, .length = 5});
    for (std::uint64_t i = 20; i-- > 0;) queue.arrived(i, bytes);
    for (int i = 0; i < 12; ++i) queue.pop();
    EXPECT_EQ(queue.head(), 12u);
    EXPECT_EQ(queue.front()->address, 7u);
    EXPECT_EQ(queue.room(), 12u);
    queue.add(12);
    EXPECT_EQ(queue.tail(), pointer(1, 12));
    EXPECT_EQ(distance(queue.head(), queue.tail(), queue.size), 20u);
    const auto next = queue.next_fetch(64);
    EXPECT_EQ(next->address, 0x1000u);
    EXPECT_EQ(next->count, 8u);
    EXPECT_EQ(queue.pending(), 20u);
}

TEST(DescriptorQueue, WaitsForRoomForABurst) {
    DescriptorQueue queue;
    queue.size = 100;
    queue.add(40);
    EXPECT_EQ(queue.next_fetch(12)->count, 8u);
    EXPECT_FALSE(queue.next_fetch(12));  // room for 4 of 32
}

// A limit below a burst still fetches as many descriptors as it allows, and all of them in the end.
TEST(DescriptorQueue, AnyLimitWillDo) {
    const auto bytes = encode({.address = 7, .length = 5});
    for (std::uint64_t limit = 2; limit <= 16; ++limit) {
        DescriptorQueue queue;
        queue.size = 100;
        queue.add(40);
        std::uint32_t fetched = 0;
        while (queue.pending() != 0) {
            while (const auto fetch = queue.next_fetch(limit)) {
                EXPECT_LE(fetch->count, limit);
                for (std::uint32_t i = 0; i < fetch->count; ++i) queue.arrived(fetch->sequence + i, bytes);
                fetched += fetch->count;
            }
            ASSERT_NE(queue.front(), nullptr) << "limit " << limit << ": no descriptor after " << fetched;
            queue.pop();
        }
        EXPECT_EQ(fetched, 40u);
    }
}

}  // namespace
}  // namespace trnsim::tlm::dma
