// The loader of activation tables with a memory of random latencies: every beat is requested once and handed
// on once, in order. A beat that is not part of a table is an error and is not written.
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <vector>

#include "Vtable_loader.h"
#include "arch/activation/table_image.hpp"
#include "tests/common/model.hpp"
#include "tests/common/random.hpp"

namespace trnsim::test {
namespace {

using Beat = std::array<std::uint32_t, activation::BeatWords>;

constexpr std::uint64_t PageBytes = 4096;
constexpr std::uint32_t Tag = 0x54;

std::uint32_t header(std::uint32_t row, std::uint32_t bank, std::uint32_t count, std::uint32_t tag = Tag) {
    return row | bank << 14 | count << 18 | tag << 25;
}

class Loader {
  public:
    explicit Loader(std::mt19937_64& random) : random_(random) {
        top_.rst_ni = 1;
        top_.eval();
        top_.rst_ni = 0;
        edge();
        top_.rst_ni = 1;
        top_.eval();
    }

    std::vector<Beat> written;
    bool error = false;

    // Loads `beats` from `address`; `failing` is the beat that the memory answers with an error.
    void load(std::uint64_t address, const std::vector<Beat>& beats, std::size_t failing = ~std::size_t{0}) {
        written.clear();
        const unsigned chance = 32 + random_() % 225;
        std::deque<std::size_t> asked;  // beats on their way
        std::uint64_t next = address;
        std::size_t given = 0;
        top_.request_i = 1;
        top_.address_i = address;
        top_.beats_i = static_cast<std::uint16_t>(beats.size());
        for (unsigned cycle = 0; !top_.done_o; ++cycle) {
            ASSERT_LT(cycle, 100'000u);
            top_.ar_ready_i = random_() % 256 < chance;
            top_.r_valid_i = !asked.empty() && random_() % 256 < chance;
            if (top_.r_valid_i) {
                std::memcpy(&top_.r_data_i[0], beats[asked.front()].data(), activation::BeatBytes);
                top_.r_resp_i = asked.front() == failing ? 2 : 0;
                asked.pop_front();
            }
            top_.eval();
            const bool takes = top_.ar_valid_o && top_.ar_ready_i;
            if (takes) {
                EXPECT_EQ(top_.ar_addr_o, next) << "bursts follow each other";
                const std::uint64_t end = next + (top_.ar_len_o + 1u) * activation::BeatBytes;
                EXPECT_EQ(next / PageBytes, (end - 1) / PageBytes) << "within 4 KiB";
                for (; next < end; next += activation::BeatBytes) asked.push_back(given++);
                ASSERT_LE(given, beats.size());
            }
            edge();
            if (top_.table_we_o) {
                Beat& beat = written.emplace_back();
                std::memcpy(beat.data(), &top_.table_beat_o[0], activation::BeatBytes);
            }
        }
        EXPECT_EQ(given, beats.size());
        error = top_.error_o;
        for (unsigned wait = random_() % 4; wait > 0; --wait) {
            edge();
            EXPECT_TRUE(top_.done_o) << "until the request has gone";
        }
        top_.request_i = 0;
        edge();
        EXPECT_FALSE(top_.done_o);
    }

  private:
    // The clock stops when the loader says that nothing changes.
    void edge() {
        top_.clk_i = 0;
        top_.eval();
        if (!top_.rst_ni || top_.active_o) {
            top_.clk_i = 1;
            top_.eval();
        }
        top_.r_valid_i = 0;
    }

    Model<Vtable_loader> top_;
    std::mt19937_64& random_;
};

Beat random_beat(std::mt19937_64& random) {
    Beat beat;
    for (std::uint32_t& word : beat) word = static_cast<std::uint32_t>(random());
    beat[0] = header(random() % (1 << 14), random() % 9, 1 + random() % 127);
    return beat;
}

TEST(TableLoader, HandsOnWhatTheMemoryHolds) {
    std::mt19937_64 random = generator();
    Loader loader(random);
    for (unsigned n = 0; n < 200 * scale(); ++n) {
        std::vector<Beat> beats(1 + random() % 40);
        for (Beat& beat : beats) beat = random_beat(random);
        loader.load(random() / activation::BeatBytes * activation::BeatBytes, beats);
        ASSERT_EQ(loader.written, beats);
        EXPECT_FALSE(loader.error);
    }
}

TEST(TableLoader, NoticesWhatIsNoBeatOfTables) {
    std::mt19937_64 random = generator();
    Loader loader(random);
    const std::uint32_t wrong[] = {
        header(0, 0, 1, Tag ^ 1), header(0, 9, 1), header(0, 15, 127), header(0, 0, 0), 0, 0xffffffff};
    for (const std::uint32_t bad : wrong) {
        std::vector<Beat> beats(20);
        for (Beat& beat : beats) beat = random_beat(random);
        const std::size_t at = random() % beats.size();
        beats[at][0] = bad;
        loader.load(0, beats);
        EXPECT_TRUE(loader.error) << std::hex << bad;
        beats.erase(beats.begin() + static_cast<std::ptrdiff_t>(at));
        EXPECT_EQ(loader.written, beats) << "the others";
        loader.load(0, beats);
        EXPECT_FALSE(loader.error) << "of the load before";
    }
}

TEST(TableLoader, NoticesAnErrorResponse) {
    std::mt19937_64 random = generator();
    Loader loader(random);
    const std::vector<Beat> beats(9, random_beat(random));
    loader.load(512, beats, 8);
    EXPECT_TRUE(loader.error);
    EXPECT_EQ(loader.written.size(), 8u);
}

}  // namespace
}  // namespace trnsim::test
