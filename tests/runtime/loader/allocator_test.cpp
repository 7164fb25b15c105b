#include "runtime/loader/allocator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include "common/random.hpp"
#include "common/temporary_directory.hpp"
#include "runtime/loader/error.hpp"

namespace trnsim::loader {
namespace {

config::Hbm hbm(std::uint64_t stacks, std::uint64_t capacity) {
    config::Hbm result;
    result.stacks = stacks;
    result.capacity = capacity;
    return result;
}

TEST(Allocator, AlignsAndTakesTheStackWithLeastInIt) {
    Allocator allocator(hbm(2, 0x1000));
    EXPECT_EQ(allocator.allocate(100, 64, "a"), 0u);
    EXPECT_EQ(allocator.allocate(10, 64, "b"), HbmStackStride);
    EXPECT_EQ(allocator.allocate(0xfc0, 64, "c"), HbmStackStride + 64) << "to the last byte";
    EXPECT_EQ(allocator.allocate(0x400, 64, "d"), 128u);
    EXPECT_EQ(allocator.allocate(0xb80, 1, "e"), 0x480u);
    EXPECT_EQ(allocator.used(), 0x2000u);
}

TEST(Allocator, SaysWhatDoesNotFit) {
    Allocator allocator(hbm(2, 0x1000));
    EXPECT_EQ(test::message_of<Error>([&] { allocator.allocate(0x1001, 64, "tensor 'a'"); }),
              "HBM is too small: tensor 'a' needs 4097 bytes, 2 stacks of 4096 bytes have at most 4096 left "
              "in one");
    allocator.allocate(0x1000, 64, "tensor 'b'");
    allocator.allocate(0x800, 64, "tensor 'c'");
    EXPECT_EQ(test::message_of<Error>([&] { allocator.allocate(0x801, 64, "tensor 'd'"); }),
              "HBM is too small: tensor 'd' needs 2049 bytes, 2 stacks of 4096 bytes have at most 2048 left "
              "in one");
}

TEST(Allocator, WhatIsGivenBackJoinsItsNeighbours) {
    Allocator allocator(hbm(1, 0x1000));
    const std::uint64_t a = allocator.allocate(0x400, 64, "a"), b = allocator.allocate(0x400, 64, "b"),
                        c = allocator.allocate(0x800, 64, "c");
    allocator.free(a);
    allocator.free(c);
    EXPECT_EQ(allocator.largest(), 0x800u);
    EXPECT_THROW(allocator.free(a), std::logic_error);
    allocator.free(b);
    EXPECT_EQ(allocator.largest(), 0x1000u);
    EXPECT_EQ(allocator.used(), 0u);
    EXPECT_EQ(allocator.allocate(0x1000, 64, "all"), 0u);
}

TEST(Allocator, AStackCanBeChosenAndAFullOneIsPassedOver) {
    Allocator allocator(hbm(2, 0x1000));
    EXPECT_EQ(allocator.allocate(0x100, 64, "a", 1), HbmStackStride);
    EXPECT_THROW(allocator.allocate(0x1000, 64, "b", 1), Error);
    // The first stack has the most free bytes, but in two pieces.
    const std::uint64_t begin = allocator.allocate(0x10, 64, "c", 0);
    allocator.allocate(0x10, 0x800, "d", 0);
    allocator.free(begin);
    EXPECT_EQ(allocator.allocate(0xe00, 64, "e"), HbmStackStride + 0x100);
}

// A model in which every byte of every stack has an owner or none.
class BytewiseModel {
  public:
    BytewiseModel(std::size_t stacks, std::size_t capacity) : owner_(stacks, std::vector<int>(capacity)) {}

    void take(std::uint64_t address, std::uint64_t bytes, int owner) {
        for (int& byte : range(address, bytes)) {
            ASSERT_EQ(byte, 0) << "a byte of block " << byte << " is given to " << owner;
            byte = owner;
        }
    }
    void give(std::uint64_t address, std::uint64_t bytes) {
        for (int& byte : range(address, bytes)) byte = 0;
    }
    bool has_room(std::uint64_t bytes, std::uint64_t align) const {
        return std::ranges::any_of(owner_, [&](const auto& stack) {
            for (std::size_t at = 0; at + bytes <= stack.size(); at += align) {
                if (std::all_of(stack.begin() + static_cast<std::ptrdiff_t>(at),
                                stack.begin() + static_cast<std::ptrdiff_t>(at + bytes),
                                [](int byte) { return byte == 0; }))
                    return true;
            }
            return false;
        });
    }

  private:
    std::span<int> range(std::uint64_t address, std::uint64_t bytes) {
        return std::span(owner_.at(address / HbmStackStride)).subspan(address % HbmStackStride, bytes);
    }
    std::vector<std::vector<int>> owner_;
};

TEST(Allocator, RandomUseGivesNoByteTwiceAndRefusesOnlyWithoutRoom) {
    constexpr std::uint64_t Stacks = 2, Capacity = 2048;
    struct Block {
        std::uint64_t address, bytes;
    };
    auto random = test::generator();
    for (std::uint64_t round = 0; round < 20 * test::scale(); ++round) {
        Allocator allocator(hbm(Stacks, Capacity));
        BytewiseModel model(Stacks, Capacity);
        std::vector<Block> blocks;
        for (int step = 1; step < 300; ++step) {
            if (!blocks.empty() && random() % 5 < 2) {
                const auto gone = blocks.begin() + static_cast<std::ptrdiff_t>(random() % blocks.size());
                allocator.free(gone->address);
                model.give(gone->address, gone->bytes);
                blocks.erase(gone);
                continue;
            }
            const std::uint64_t bytes = 1 + random() % 400, align = std::uint64_t{1} << random() % 9;
            try {
                const std::uint64_t address = allocator.allocate(bytes, align, "block");
                ASSERT_EQ(address % align, 0u);
                model.take(address, bytes, step);
                if (HasFatalFailure()) return;
                blocks.push_back({address, bytes});
            } catch (const Error&) {
                // A gap before an aligned block belongs to the block: two such gaps may look like room for
                // another block.
                const bool gaps =
                    allocator.used() !=
                    std::accumulate(blocks.begin(), blocks.end(), std::uint64_t{0},
                                    [](std::uint64_t sum, const Block& b) { return sum + b.bytes; });
                ASSERT_TRUE(gaps || !model.has_room(bytes, align)) << bytes << " bytes, aligned to " << align;
            }
        }
        ASSERT_EQ(allocator.blocks(), blocks.size());
        for (const Block& block : blocks) allocator.free(block.address);
        ASSERT_EQ(allocator.used(), 0u);
        ASSERT_EQ(allocator.largest(), Capacity);
    }
}

}  // namespace
}  // namespace trnsim::loader
