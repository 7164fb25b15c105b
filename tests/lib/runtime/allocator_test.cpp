#include "lib/runtime/allocator.hpp"

#include <gtest/gtest.h>

#include "common/temporary_directory.hpp"
#include "lib/runtime/error.hpp"

namespace trnsim::runtime {
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

}  // namespace
}  // namespace trnsim::runtime
