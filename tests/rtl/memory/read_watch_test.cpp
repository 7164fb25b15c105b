// Words that are read before anything has written them: their number and the first one, compared with a
// model.
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <set>

#include "Vread_watch_tb.h"
#include "tests/common/model.hpp"
#include "tests/common/random.hpp"

namespace trnsim::test {
namespace {

constexpr unsigned Rows = 200, Lanes = 16, BeatWords = 8;
constexpr std::array Readers{0u, 2u};

struct Read {
    unsigned row, first, count;
};

class Watch {
  public:
    Watch() { reset(); }

    void reset() {
        top_.re_i = top_.we_i = top_.slice_we_i = top_.beat_we_i = 0;
        top_.rst_ni = 1;
        top_.eval();
        top_.rst_ni = 0;
        edge();
        top_.rst_ni = 1;
        written_.clear();
        words_ = 0;
        first_.reset();
    }
    // Accesses of a cycle; step() ends it. Reads see the writes of earlier cycles.
    void read(unsigned port, const Read& read) {
        top_.re_i |= 1u << port;
        (port == 0 ? top_.raddr_0_i : top_.raddr_1_i) = read.row;
        set(top_.first_i, port, 4, read.first);
        set(top_.count_i, port, 9, read.count);
        for (unsigned lane = read.first; lane < read.first + read.count; ++lane) {
            if (written_.contains({read.row, lane})) continue;
            ++words_;
            if (!first_) first_ = {Readers[port], lane, read.row};
        }
    }
    void write(unsigned row, unsigned mask) {
        top_.we_i = 1;
        top_.waddr_i = row;
        top_.wmask_i = mask;
        for (unsigned lane = 0; lane < Lanes; ++lane)
            if ((mask >> lane & 1) != 0) later_.insert({row, lane});
    }
    void slice(unsigned row, std::uint64_t strobe) {
        top_.slice_we_i = 1;
        top_.slice_row_i = row;
        top_.slice_wstrobe_i = strobe;
        for (unsigned lane = 0; lane < Lanes; ++lane)
            if ((strobe >> 4 * lane & 15) != 0) later_.insert({row, lane});
    }
    void beat(unsigned port, unsigned row, unsigned lane, std::uint32_t strobe) {
        top_.beat_we_i |= 1u << port;
        set(top_.beat_row_i, port, 10, row);
        set(top_.beat_lane_i, port, 4, lane);
        top_.beat_strobe_i = (top_.beat_strobe_i & ~(std::uint64_t{0xffffffff} << 32 * port)) |
                             std::uint64_t{strobe} << 32 * port;
        for (unsigned w = 0; w < BeatWords; ++w)
            if ((strobe >> 4 * w & 15) != 0) later_.insert({row + w, lane});
    }
    void step() {
        edge();
        top_.re_i = top_.we_i = top_.slice_we_i = top_.beat_we_i = 0;
        written_.insert(later_.begin(), later_.end());
        later_.clear();
    }
    void expect_same() {
        ASSERT_EQ(top_.words_o, words_);
        if (!first_) return;
        ASSERT_EQ(top_.master_o, (*first_)[0]);
        ASSERT_EQ(top_.lane_o, (*first_)[1]);
        ASSERT_EQ(top_.row_o, (*first_)[2]);
    }
    unsigned words() const { return top_.words_o; }

  private:
    template <typename Field>
    static void set(Field& field, unsigned index, unsigned bits, unsigned value) {
        const unsigned mask = (1u << bits) - 1;
        field = static_cast<Field>((field & ~(mask << bits * index)) | value << bits * index);
    }
    void edge() {
        top_.clk_i = 0;
        top_.eval();
        top_.clk_i = 1;
        top_.eval();
    }
    Model<Vread_watch_tb> top_;
    std::set<std::pair<unsigned, unsigned>> written_, later_;
    unsigned words_ = 0;
    std::optional<std::array<unsigned, 3>> first_;
};

TEST(ReadWatch, NothingIsWrittenAfterReset) {
    Watch watch;
    watch.write(7, 0xffff);
    watch.step();
    watch.read(1, {7, 0, 16});
    watch.step();
    EXPECT_EQ(watch.words(), 0u);
    watch.reset();
    watch.read(1, {7, 3, 5});
    watch.step();
    EXPECT_EQ(watch.words(), 5u);
    watch.expect_same();
}

// A read sees the memory before the writes of its cycle.
TEST(ReadWatch, AWriteOfTheSameCycleIsTooLate) {
    Watch watch;
    watch.read(0, {9, 2, 1});
    watch.write(9, 4);
    watch.step();
    EXPECT_EQ(watch.words(), 1u);
    watch.expect_same();
}

TEST(ReadWatch, RandomAccesses) {
    std::mt19937_64 random = generator();
    const auto pick = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
    for (std::uint64_t run = 0; run < 20 * scale(); ++run) {
        Watch watch;
        const unsigned rows = 8 << pick(5);  // 8 to 128; 128 stands for all rows
        const auto any_row = [&] { return rows == 128 ? pick(Rows) : pick(rows); };
        for (int cycle = 0; cycle < 400; ++cycle) {
            for (unsigned port = 0; port < 2; ++port) {
                const unsigned first = pick(Lanes);
                if (pick(3) == 0) watch.read(port, {any_row(), first, pick(Lanes - first + 1)});
                if (pick(4) == 0) {
                    const unsigned row = any_row() / BeatWords * BeatWords;
                    watch.beat(port, row, pick(Lanes),
                               static_cast<std::uint32_t>(random()) & (pick(2) == 0 ? 0xf0f0f0f0u : ~0u));
                }
            }
            if (pick(2) == 0) watch.write(any_row(), static_cast<unsigned>(random()) & 0xffff);
            if (pick(4) == 0) watch.slice(any_row(), random() & random() & random());
            watch.step();
            watch.expect_same();
            if (HasFatalFailure()) return;
        }
    }
}

}  // namespace
}  // namespace trnsim::test
