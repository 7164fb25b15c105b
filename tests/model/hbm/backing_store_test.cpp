#include "model/hbm/backing_store.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "common/random.hpp"

namespace trnsim::tlm::hbm {
namespace {

TEST(BackingStore, ReadsZerosWhereNothingWasWritten) {
    const BackingStore store;
    std::vector<std::uint8_t> data(100, 0xee);
    store.read(1ULL << 40, data);
    EXPECT_EQ(data, std::vector<std::uint8_t>(100, 0));
    EXPECT_EQ(store.pages(), 0u);
}

TEST(BackingStore, CanHoldRandomContentsWhereNothingWasWritten) {
    constexpr std::uint64_t Page = BackingStore::PageBytes;
    const contents::RandomContents random(7, "hbm 0");
    std::vector<std::uint8_t> expected(3 * Page), data(3 * Page);
    random.fill(0, expected);
    BackingStore store(random);
    store.read(0, data);
    EXPECT_EQ(data, expected);
    EXPECT_EQ(store.pages(), 0u);
    std::fill_n(expected.begin() + Page + 100, 13, std::uint8_t{0xee});
    store.write(Page + 100, std::vector<std::uint8_t>(13, 0xee));
    store.read(0, data);
    EXPECT_EQ(data, expected) << "the rest of the page stays";
}

// Forgotten bytes read as before the first write, and whole pages of them take no room any more.
TEST(BackingStore, ForgetsWhatWasWritten) {
    constexpr std::uint64_t Page = BackingStore::PageBytes;
    for (const bool is_random : {false, true}) {
        const contents::RandomContents unwritten =
            is_random ? contents::RandomContents(7, "hbm 0") : contents::RandomContents();
        std::vector<std::uint8_t> expected(4 * Page), data(4 * Page);
        unwritten.fill(0, expected);
        BackingStore store(unwritten);
        store.write(0, std::vector<std::uint8_t>(4 * Page, 0xee));
        std::fill_n(expected.begin(), Page - 1, std::uint8_t{0xee});
        std::fill(expected.begin() + 3 * Page + 1, expected.end(), std::uint8_t{0xee});
        store.forget(Page - 1, 2 * Page + 2);
        store.read(0, data);
        EXPECT_EQ(data, expected);
        EXPECT_EQ(store.pages(), 2u);
        store.forget(8 * Page, Page);
        store.write(2 * Page, std::vector<std::uint8_t>{1});
        store.read(2 * Page, std::span(data).first(2));
        EXPECT_EQ(data[0], 1u);
        EXPECT_EQ(data[1], expected[2 * Page + 1]);
    }
}

TEST(BackingStore, TakesRoomForPagesWrittenOnly) {
    BackingStore store;
    store.write((16ULL << 30) - 2, std::vector<std::uint8_t>{1, 2, 3});
    EXPECT_EQ(store.pages(), 2u);
}

TEST(BackingStore, AgreesWithAnArray) {
    constexpr std::size_t Size = 4 * BackingStore::PageBytes;
    auto random = test::generator();
    BackingStore store;
    std::vector<std::uint8_t> array(Size);
    for (std::uint64_t i = 0; i < 300 * test::scale(); ++i) {
        const std::size_t address = random() % Size;
        const std::size_t length = random() % std::min<std::size_t>(Size - address, 150'000);
        if (random() % 2 == 0) {
            for (std::size_t j = 0; j < length; ++j) array[address + j] = static_cast<std::uint8_t>(random());
            store.write(address, std::span(array).subspan(address, length));
        } else {
            std::vector<std::uint8_t> data(length);
            store.read(address, data);
            ASSERT_TRUE(std::equal(data.begin(), data.end(), array.begin() + address));
        }
    }
}

}  // namespace
}  // namespace trnsim::tlm::hbm
