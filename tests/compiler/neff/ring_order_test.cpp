#include "compiler/neff/ring_order.hpp"

#include <gtest/gtest.h>

#include "common/sample_package.hpp"
#include "common/stream_package.hpp"

namespace trnsim::neff {
namespace {

TEST(RingOrder, LoopsRepeatTheirTransfers) {
    RingOrder order;
    order.add(7, {}, 1);
    order.add(3, {}, 1);
    order.add(5, 0, 3);
    order.add(4, 0, 3);
    order.add(6, 1, 2);
    order.add(8, {}, 1);
    const std::vector<Firing> expected{{7, 0}, {3, 0}, {5, 0}, {4, 0}, {5, 1}, {4, 1},
                                       {5, 2}, {4, 2}, {6, 0}, {6, 1}, {8, 0}};
    ASSERT_EQ(order.length(), expected.size());
    for (std::uint64_t place = 0; place < 3 * expected.size(); ++place)
        EXPECT_EQ(order.at(place), expected[place % expected.size()]) << place;
}

TEST(RingOrder, IsThatOfTheTriggers) {
    Package package = test::sample_package();
    package.transfers[1].queue = 0;
    auto& program = package.programs[static_cast<std::size_t>(isa::Engine::Sync)];
    std::swap(program[0], program[2]);
    const std::vector<RingOrder> orders = ring_orders(package);
    ASSERT_EQ(orders.size(), 2u);
    EXPECT_EQ(orders[0].at(0), (Firing{1, 0}));
    EXPECT_EQ(orders[0].at(1), (Firing{0, 0}));
    EXPECT_EQ(orders[1].length(), 0u);
}

TEST(RingOrder, IterationsCountThroughTheirDimensions) {
    Transfer transfer = test::stream_package(test::sample_package().target).transfers[0];
    transfer.from.offset = 1000;
    transfer.from.iteration_step = {10, -300, 0, 7};
    transfer.from.iteration_count = {2, 3, 1, 2};
    transfer.to.iteration_step = {52, 0, 0, 0};
    transfer.to.iteration_count = {2, 1, 1, 1};
    transfer.indirect.emplace().index = transfer.to;
    const std::uint64_t from[] = {1000, 1010, 700, 710, 400, 410, 1007, 1017, 707, 717, 407, 417, 1000};
    for (std::uint32_t i = 0; i < std::size(from); ++i) {
        const Transfer moved = at_iteration(transfer, i);
        EXPECT_EQ(moved.from.offset, from[i]) << i;
        EXPECT_EQ(moved.to.offset, transfer.to.offset + i % 2 * 52) << i;
        EXPECT_EQ(moved.indirect->index.offset, moved.to.offset) << i;
        EXPECT_EQ(moved.from.count, transfer.from.count);
        EXPECT_FALSE(moved.loop);
    }
}

}  // namespace
}  // namespace trnsim::neff
