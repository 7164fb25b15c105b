// Upsets of words of a memory: one wrong bit is corrected by any reader of the word, two are reported; a word
// that is written again is correct.
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "Vupset_tb.h"
#include "tests/common/model.hpp"
#include "tests/common/random.hpp"

namespace trnsim::test {
namespace {

constexpr unsigned GpSimd = 3;  // as in isa::Engine
constexpr unsigned Lanes = 16, Rows = 1024, BeatWords = 8, CodeBits = 39, Room = 8;
constexpr unsigned Reader = 1, Writer = 2, Bus = 7;

std::uint64_t flip(unsigned bit) {
    return std::uint64_t{1} << bit;
}

class Memory {
  public:
    Memory() {
        top_.rst_ni = 1;
        top_.eval();
        top_.rst_ni = 0;
        step();
        top_.rst_ni = 1;
        auto random = generator();
        for (unsigned row = 0; row < Rows; ++row) {
            for (unsigned lane = 0; lane < Lanes; ++lane)
                words[row][lane] = static_cast<std::uint32_t>(random());
            write(row, words[row]);
        }
    }

    std::array<std::array<std::uint32_t, Lanes>, Rows> words;  // the words as they were written

    void step() {
        top_.clk_i = 0;
        top_.eval();
        top_.clk_i = 1;
        top_.eval();
        top_.re_i = top_.we_i = top_.beat_re_i = top_.beat_we_i = top_.upset_i = 0;
        top_.slice_re_i = top_.slice_we_i = 0;
    }
    void write(unsigned row, const std::array<std::uint32_t, Lanes>& data, unsigned be = 15,
               unsigned mask = 0xffff) {
        top_.we_i = 1;
        top_.waddr_i = row;
        std::memcpy(&top_.wdata_i, data.data(), sizeof data);
        top_.be_i = be;
        top_.wmask_i = mask;
        step();
    }
    std::uint32_t read(unsigned row, unsigned lane) {
        top_.re_i = 1;
        top_.raddr_i = row;
        step();
        std::uint32_t word = 0;
        std::memcpy(&word, reinterpret_cast<const char*>(&top_.rdata_o) + 4 * lane, 4);
        return word;
    }
    std::uint32_t read_beat(unsigned row, unsigned lane) {
        top_.beat_re_i = 2;
        top_.beat_row_i = row / BeatWords * BeatWords;
        top_.beat_lane_i = lane;
        step();
        std::uint32_t word = 0;
        std::memcpy(&word, reinterpret_cast<const char*>(&top_.beat_data_o) + 4 * (row % BeatWords), 4);
        return word;
    }
    void write_beat(unsigned row, unsigned lane, std::uint32_t word, unsigned be) {
        top_.beat_we_i = 1;
        top_.beat_row_i = row / BeatWords * BeatWords;
        top_.beat_lane_i = lane;
        std::memset(&top_.beat_data_i, 0, sizeof top_.beat_data_i);
        std::memcpy(reinterpret_cast<char*>(&top_.beat_data_i) + 4 * (row % BeatWords), &word, 4);
        top_.beat_strobe_i = be << 4 * (row % BeatWords);
        step();
    }
    std::uint32_t read_slice(unsigned row, unsigned lane) {
        top_.slice_re_i = 1;
        top_.slice_row_i = row;
        step();
        return top_.slice_rdata_o[lane];
    }
    void write_slice(unsigned row, unsigned lane, std::uint32_t word, unsigned be) {
        top_.slice_we_i = 1;
        top_.slice_row_i = row;
        top_.slice_wdata_i[lane] = word;
        top_.slice_wstrobe_i = std::uint64_t{be} << 4 * lane;
        step();
    }
    void upset(unsigned row, unsigned lane, std::uint64_t flips) {
        top_.upset_i = 1;
        top_.upset_row_i = row;
        top_.upset_lane_i = lane;
        top_.upset_flips_i = flips;
        step();
    }
    unsigned corrected() const { return top_.corrected_o; }
    unsigned uncorrected() const { return top_.uncorrected_o; }
    bool room() const { return top_.room_o != 0; }
    bool fault() const { return top_.fault_o != 0; }
    void expect_fault(unsigned master, unsigned tag, unsigned row, unsigned lane) const {
        EXPECT_TRUE(fault());
        EXPECT_EQ(top_.fault_master_o, master);
        EXPECT_EQ(top_.fault_tag_o, tag);
        EXPECT_EQ(top_.fault_row_o, row);
        EXPECT_EQ(top_.fault_lane_o, lane);
    }

  private:
    Model<Vupset_tb> top_;
};

TEST(Upset, OneWrongBitIsCorrectedForGoodByARead) {
    Memory memory;
    for (unsigned bit = 0; bit < CodeBits; ++bit) {
        const unsigned row = 13 * bit % Rows, lane = bit % Lanes;
        memory.upset(row, lane, flip(bit));
        EXPECT_EQ(memory.corrected(), 2 * bit);
        EXPECT_EQ(memory.read(row, lane), memory.words[row][lane]) << bit;
        EXPECT_EQ(memory.corrected(), 2 * bit + 1);
        EXPECT_EQ(memory.read(row, lane), memory.words[row][lane]);
        EXPECT_EQ(memory.corrected(), 2 * bit + 1) << "corrected in the memory as well";

        memory.upset(row, lane, flip(bit));
        EXPECT_EQ(memory.read_beat(row, lane), memory.words[row][lane]) << bit;
        EXPECT_EQ(memory.read_beat(row, lane), memory.words[row][lane]);
        EXPECT_EQ(memory.corrected(), 2 * bit + 2);
    }
    EXPECT_EQ(memory.uncorrected(), 0u);
    EXPECT_FALSE(memory.fault());
}

TEST(Upset, TwoWrongBitsAreReported) {
    for (unsigned one = 1; one < CodeBits; ++one) {
        const unsigned other = one * 7 % one;
        const std::uint64_t flips = flip(one) | flip(other);
        Memory memory;
        memory.upset(100, 3, flips);
        EXPECT_FALSE(memory.fault());
        EXPECT_EQ(memory.read(100, 3), memory.words[100][3] ^ static_cast<std::uint32_t>(flips));
        memory.expect_fault(Reader, 2, 100, 3);
        EXPECT_EQ(memory.uncorrected(), 1u);
        memory.read_beat(100, 3);
        EXPECT_EQ(memory.uncorrected(), 2u) << "it is still there";
        memory.expect_fault(Reader, 2, 100, 3);
        EXPECT_EQ(memory.corrected(), 0u);
    }
}

TEST(Upset, WhoReadIsKnown) {
    {
        Memory memory;
        memory.upset(9, 15, 3);
        memory.read_beat(8, 15);
        memory.expect_fault(Bus, 0, 9, 15);
    }
    Memory memory;
    memory.upset(9, 15, 3);
    memory.write(9, {}, 1);
    memory.expect_fault(Writer, 3, 9, 15);
}

TEST(Upset, TwoUpsetsOfAWordAddUp) {
    Memory memory;
    memory.upset(7, 2, flip(4));
    memory.upset(7, 2, flip(4));
    EXPECT_EQ(memory.read(7, 2), memory.words[7][2]);
    EXPECT_EQ(memory.corrected(), 0u) << "it is what was stored";
    memory.upset(7, 2, flip(4));
    memory.upset(7, 2, flip(35));
    memory.read(7, 2);
    EXPECT_EQ(memory.uncorrected(), 1u);
}

TEST(Upset, AWordThatIsWrittenIsWhole) {
    Memory memory;
    memory.upset(20, 1, 3);
    memory.write(20, memory.words[20]);
    EXPECT_EQ(memory.read(20, 1), memory.words[20][1]);
    memory.upset(21, 1, 3);
    memory.write_beat(21, 1, 0x12345678, 15);
    EXPECT_EQ(memory.read(21, 1), 0x12345678u);
    EXPECT_EQ(memory.corrected() + memory.uncorrected(), 0u);
}

TEST(Upset, OtherPartitionsAreNotWritten) {
    Memory memory;
    memory.upset(20, 1, flip(0));
    memory.write(20, {}, 15, 0xfffd);
    memory.write_beat(20, 2, 0, 15);
    memory.write_beat(19, 1, 0, 15);
    EXPECT_EQ(memory.corrected(), 0u);
    EXPECT_EQ(memory.read(20, 1), memory.words[20][1]);
    EXPECT_EQ(memory.corrected(), 1u);
}

TEST(Upset, AWriteOfSomeBytesReadsTheOthers) {
    Memory memory;
    memory.upset(30, 5, flip(31));
    memory.write(30, {}, 1);
    EXPECT_EQ(memory.corrected(), 1u);
    EXPECT_EQ(memory.read(30, 5), memory.words[30][5] & 0xffffff00);
    memory.upset(31, 5, flip(31));
    memory.write_beat(31, 5, 0, 1);
    EXPECT_EQ(memory.corrected(), 2u);
    EXPECT_EQ(memory.read(31, 5), memory.words[31][5] & 0xffffff00);
}

TEST(Upset, GpSimdCoresReadAndWriteLikeOthers) {
    Memory memory;
    memory.upset(40, 12, flip(3));
    memory.write_slice(40, 11, 1, 15);
    memory.write_slice(41, 12, 1, 15);
    EXPECT_EQ(memory.corrected(), 0u) << "other words";
    EXPECT_EQ(memory.read_slice(40, 12), memory.words[40][12]);
    EXPECT_EQ(memory.read_slice(40, 12), memory.words[40][12]);
    EXPECT_EQ(memory.corrected(), 1u) << "corrected in the memory as well";
    memory.upset(42, 2, flip(31));
    memory.write_slice(42, 2, 0, 1);
    EXPECT_EQ(memory.corrected(), 2u) << "a write of some bytes reads the others";
    EXPECT_EQ(memory.read(42, 2), memory.words[42][2] & 0xffffff00);
    memory.upset(43, 2, 3);
    memory.write_slice(43, 2, 0x12345678, 15);
    EXPECT_EQ(memory.read_slice(43, 2), 0x12345678u);
    EXPECT_EQ(memory.corrected() + memory.uncorrected(), 2u);
    memory.upset(44, 0, 3);
    memory.read_slice(44, 0);
    memory.expect_fault(GpSimd, 4, 44, 0);
}

TEST(Upset, ThereIsRoomForSomeWords) {
    Memory memory;
    for (unsigned word = 0; word < Room; ++word) {
        EXPECT_TRUE(memory.room());
        memory.upset(word, word, flip(word));
    }
    EXPECT_FALSE(memory.room());
    memory.read(3, 0);
    EXPECT_TRUE(memory.room());
    for (unsigned word = 0; word < Room; ++word) EXPECT_EQ(memory.read(word, word), memory.words[word][word]);
    EXPECT_EQ(memory.corrected(), Room);
}

// Compares with a list of the changes.
TEST(Upset, RandomUpsetsAndReads) {
    auto random = generator();
    Memory memory;
    unsigned corrected = 0;
    for (std::uint64_t i = 0; i < 3'000 * scale(); ++i) {
        const unsigned row = static_cast<unsigned>(random() % 16), lane = static_cast<unsigned>(random() % 3);
        if (random() % 2 == 0) {
            memory.upset(row, lane, flip(static_cast<unsigned>(random() % CodeBits)));
            ASSERT_EQ(random() % 2 == 0 ? memory.read(row, lane) : memory.read_beat(row, lane),
                      memory.words[row][lane]);
            ++corrected;
        } else {
            ASSERT_EQ(memory.read(row, lane), memory.words[row][lane]);
        }
        if (corrected < 65535) {
            ASSERT_EQ(memory.corrected(), corrected);
        }
    }
}

}  // namespace
}  // namespace trnsim::test
