// The code over words of SBUF and PSUM: every single wrong bit is corrected, every two are detected.
#include <gtest/gtest.h>

#include "Vecc_tb.h"
#include "tests/common/model.hpp"
#include "tests/common/random.hpp"

namespace trnsim::test {
namespace {

constexpr unsigned WordBits = 32, CodeBits = 39;

struct Decoded {
    std::uint32_t word;
    bool corrected, uncorrectable;
    bool operator==(const Decoded&) const = default;
};

class Ecc {
  public:
    std::uint64_t encode(std::uint32_t word) {
        top_.word_i = word;
        top_.eval();
        return word | std::uint64_t{top_.check_o} << WordBits;
    }
    Decoded decode(std::uint64_t code) {
        top_.code_i = code;
        top_.eval();
        return {top_.word_o, top_.corrected_o != 0, top_.uncorrectable_o != 0};
    }

  private:
    Model<Vecc_tb> top_;
};

std::vector<std::uint32_t> words() {
    auto random = generator();
    std::vector<std::uint32_t> all{0, ~0u, 1, 0x80000000};
    for (std::uint64_t i = 0; i < 20 * scale(); ++i) all.push_back(static_cast<std::uint32_t>(random()));
    return all;
}

TEST(Ecc, WordsAsStoredAreRead) {
    Ecc ecc;
    for (const std::uint32_t word : words())
        EXPECT_EQ(ecc.decode(ecc.encode(word)), (Decoded{word, false, false}));
}

TEST(Ecc, EveryWrongBitIsCorrected) {
    Ecc ecc;
    for (const std::uint32_t word : words())
        for (unsigned bit = 0; bit < CodeBits; ++bit)
            EXPECT_EQ(ecc.decode(ecc.encode(word) ^ std::uint64_t{1} << bit), (Decoded{word, true, false}))
                << bit;
}

TEST(Ecc, EveryTwoWrongBitsAreFound) {
    Ecc ecc;
    for (const std::uint32_t word : words()) {
        for (unsigned one = 0; one < CodeBits; ++one) {
            for (unsigned other = 0; other < one; ++other) {
                const std::uint64_t flips = std::uint64_t{1} << one | std::uint64_t{1} << other;
                const Decoded expected{word ^ static_cast<std::uint32_t>(flips), false, true};
                EXPECT_EQ(ecc.decode(ecc.encode(word) ^ flips), expected) << one << ", " << other;
            }
        }
    }
}

// A list of changed bits is enough, because the verdict depends on them alone.
TEST(Ecc, TheVerdictDependsOnTheChangedBitsOnly) {
    Ecc ecc;
    auto random = generator();
    for (const std::uint32_t word : words()) {
        const std::uint64_t flips = random() & random() & ((std::uint64_t{1} << CodeBits) - 1);
        const Decoded of_word = ecc.decode(ecc.encode(word) ^ flips), of_flips = ecc.decode(flips);
        EXPECT_EQ(of_word.word, word ^ of_flips.word);
        EXPECT_EQ(of_word.corrected, of_flips.corrected);
        EXPECT_EQ(of_word.uncorrectable, of_flips.uncorrectable);
    }
}

}  // namespace
}  // namespace trnsim::test
