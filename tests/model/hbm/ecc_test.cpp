#include "model/hbm/upsets.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "common/random.hpp"

namespace trnsim::tlm::hbm {
namespace {

TEST(EccCode, CorrectsOneBitAndFindsTwo) {
    auto random = test::generator();
    for (int round = 0; round < 20; ++round) {
        const CodeWord sound{random(), 0};
        const CodeWord stored{sound.data, check_of(sound.data)};
        const Decoded untouched = decode(stored);
        EXPECT_EQ(untouched.data, sound.data);
        EXPECT_FALSE(untouched.corrected || untouched.uncorrectable);
        for (unsigned a = 0; a < StoredBits; ++a) {
            const Decoded one = decode(stored ^ stored_bit(a));
            EXPECT_EQ(one.data, sound.data) << a;
            EXPECT_TRUE(one.corrected) << a;
            EXPECT_FALSE(one.uncorrectable) << a;
            for (unsigned b = a + 1; b < StoredBits; ++b) {
                const Decoded two = decode(stored ^ stored_bit(a) ^ stored_bit(b));
                EXPECT_TRUE(two.uncorrectable) << a << " " << b;
                EXPECT_FALSE(two.corrected) << a << " " << b;
            }
        }
    }
}

struct UpsetsTest : testing::Test {
    UpsetsTest() { store.write(0, data); }
    std::vector<std::uint8_t> read(std::uint64_t address, std::size_t length) const {
        std::vector<std::uint8_t> bytes(length);
        store.read(address, bytes);
        return bytes;
    }
    std::vector<std::uint8_t> data = std::vector<std::uint8_t>(64, 0x5a);
    BackingStore store;
    Upsets upsets;
};

TEST_F(UpsetsTest, AWrongBitIsCorrectedOnce) {
    upsets.inject(16, stored_bit(3));
    EXPECT_TRUE(upsets.read(0, 16, store).corrected.empty()) << "not of this word";
    EXPECT_EQ(upsets.read(23, 1, store).corrected, std::vector<std::uint64_t>{16});
    EXPECT_TRUE(upsets.read(0, 64, store).corrected.empty()) << "scrubbed";
    EXPECT_EQ(upsets.words(), 0u);
    EXPECT_EQ(read(0, 64), data);
}

TEST_F(UpsetsTest, TwoWrongBitsStayUntilTheWordIsWritten) {
    upsets.inject(8, stored_bit(1) ^ stored_bit(70));
    for (int i = 0; i < 2; ++i) {
        const Upsets::Found found = upsets.read(0, 64, store);
        EXPECT_EQ(found.uncorrected, 1u);
        EXPECT_TRUE(found.corrected.empty());
    }
    EXPECT_EQ(upsets.write(12, 8, store).uncorrected, 1u) << "a part of the word";
    EXPECT_EQ(upsets.write(8, 8, store).uncorrected, 0u);
    EXPECT_EQ(upsets.read(0, 64, store).uncorrected, 0u);
}

TEST_F(UpsetsTest, APartlyWrittenWordIsCorrectedBefore) {
    upsets.inject(0, stored_bit(5));
    upsets.inject(8, stored_bit(5));
    const Upsets::Found found = upsets.write(0, 12, store);
    EXPECT_EQ(found.corrected, std::vector<std::uint64_t>{8}) << "the first word is written as a whole";
    EXPECT_EQ(upsets.words(), 0u);
}

TEST_F(UpsetsTest, InjectingTwiceTheSameUndoesIt) {
    upsets.inject(0, stored_bit(5));
    upsets.inject(0, stored_bit(5));
    EXPECT_EQ(upsets.words(), 0u);
}

// Three wrong bits look like a single one: the decoder flips a fourth, and the wrong word goes unnoticed.
TEST_F(UpsetsTest, ThreeWrongBitsMayGoUnnoticed) {
    unsigned mistaken = 0;
    for (unsigned bit = 2; bit < 64; ++bit) {
        const CodeWord bits = stored_bit(0) ^ stored_bit(1) ^ stored_bit(bit);
        if (decode(bits).uncorrectable) continue;
        ++mistaken;
        store.write(0, data);
        upsets.inject(0, bits);
        EXPECT_EQ(upsets.read(0, 8, store).corrected.size(), 1u);
        EXPECT_NE(read(0, 8), (std::vector<std::uint8_t>(8, 0x5a)));
        EXPECT_EQ(upsets.words(), 0u);
    }
    EXPECT_GT(mistaken, 0u);
}

}  // namespace
}  // namespace trnsim::tlm::hbm
