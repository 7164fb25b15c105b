// The rules of PSUM: a matmul adds only to words that a matmul wrote last, and nothing else writes a word
// that a matmul writes.
#include <gtest/gtest.h>

#include "Vsum_marks_tb.h"
#include "isa/isa_tables.hpp"
#include "tests/common/model.hpp"

namespace trnsim::test {
namespace {

constexpr unsigned BankRows = 128, BeatWords = 8;
constexpr unsigned Tags[] = {11, 22};

class Psum {
  public:
    Psum() {
        top_.rst_ni = 1;
        top_.eval();
        top_.rst_ni = 0;
        step();
        top_.rst_ni = 1;
    }
    // Accesses of a cycle; step() ends it.
    Psum& sum(unsigned stream, unsigned row, bool add, unsigned mask = 0xffff) {
        top_.sum_we_i |= 1u << stream;
        top_.sum_add_i |= unsigned{add} << stream;
        (stream == 0 ? top_.sum_row_0_i : top_.sum_row_1_i) = row;
        (stream == 0 ? top_.sum_mask_0_i : top_.sum_mask_1_i) = mask;
        return *this;
    }
    Psum& write(unsigned row, unsigned mask) {
        top_.we_i = 1;
        top_.waddr_i = row;
        top_.wmask_i = mask;
        return *this;
    }
    Psum& beat(unsigned row, unsigned lane, unsigned strobe = 15) {
        top_.beat_we_i = 1;
        top_.beat_row_i = row / BeatWords * BeatWords;
        top_.beat_lane_i = lane;
        top_.beat_strobe_i = strobe << 4 * (row % BeatWords);
        return *this;
    }
    void step() {
        top_.clk_i = 0;
        top_.eval();
        top_.clk_i = 1;
        top_.eval();
        top_.sum_we_i = top_.sum_add_i = top_.we_i = top_.beat_we_i = 0;
    }
    unsigned unfounded() const { return top_.unfounded_o; }
    bool fault() const { return top_.fault_o != 0; }
    bool columns_fault() const { return top_.columns_fault_o != 0; }
    unsigned columns_lane() const { return top_.columns_lane_o; }
    void expect_fault(isa::Error code, unsigned stream, unsigned row, unsigned lane) const {
        EXPECT_TRUE(fault());
        EXPECT_EQ(top_.fault_code_o, static_cast<unsigned>(code));
        EXPECT_EQ(top_.fault_master_o, static_cast<unsigned>(isa::Engine::Tensor));
        EXPECT_EQ(top_.fault_tag_o, Tags[stream]);
        EXPECT_EQ(top_.fault_row_o, row);
        EXPECT_EQ(top_.fault_lane_o, lane);
        EXPECT_EQ(top_.counted_o, top_.unfounded_o);
        EXPECT_EQ(top_.counted_fault_o != 0, code == isa::Error::PsumCollision)
            << "the other one only counts";
    }

  private:
    Model<Vsum_marks_tb> top_;
};

TEST(SumMarks, AMatmulAddsToWhatAMatmulWrote) {
    Psum psum;
    psum.sum(0, 5, false, 0x00ff).step();
    for (unsigned i = 0; i < 3; ++i) psum.sum(i % 2, 5, true, 0x00ff).step();
    psum.sum(1, 5, true, 0x000f).step();
    EXPECT_FALSE(psum.fault());
    EXPECT_EQ(psum.unfounded(), 0u);
    psum.sum(1, 5, true, 0x01ff).step();
    EXPECT_EQ(psum.unfounded(), 1u);
    psum.expect_fault(isa::Error::PsumAccumulate, 1, 5, 8);
}

TEST(SumMarks, NothingIsWrittenByAMatmulAtFirst) {
    Psum psum;
    psum.sum(0, 77, true, 0x8000).step();
    psum.expect_fault(isa::Error::PsumAccumulate, 0, 77, 15);
}

TEST(SumMarks, WhatOthersWriteAfterwardsIsNotAMatmuls) {
    {
        Psum psum;
        psum.sum(0, 5, false).step();
        psum.write(5, 0x0010).step();
        psum.sum(0, 5, true, 0xffef).step();
        EXPECT_FALSE(psum.fault());
        psum.sum(0, 5, true).step();
        psum.expect_fault(isa::Error::PsumAccumulate, 0, 5, 4);
    }
    Psum psum;
    psum.sum(0, 13, false).step();
    psum.sum(0, 14, false).step();
    psum.beat(13, 9, 1).step();
    psum.sum(0, 14, true).step();
    psum.sum(0, 13, true, 0xfdff).step();
    EXPECT_FALSE(psum.fault());
    psum.sum(0, 13, true).step();
    psum.expect_fault(isa::Error::PsumAccumulate, 0, 13, 9);
}

TEST(SumMarks, TheFirstFaultIsKept) {
    Psum psum;
    psum.sum(0, 1, true, 0x0002).step();
    psum.sum(1, 2, true, 0x0004).step();
    EXPECT_EQ(psum.unfounded(), 2u);
    psum.expect_fault(isa::Error::PsumAccumulate, 0, 1, 1);
}

TEST(SumMarks, EachResultOfACycleCounts) {
    Psum psum;
    psum.sum(0, 1, true).sum(1, BankRows, true).step();
    EXPECT_EQ(psum.unfounded(), 2u);
    psum.sum(0, 1, true).sum(1, BankRows + 1, true).step();
    EXPECT_EQ(psum.unfounded(), 3u);
}

TEST(SumMarks, NobodyElseWritesAWordInTheSameCycle) {
    {
        Psum psum;
        psum.sum(0, 5, false, 0x00ff).write(5, 0xff00).step();
        psum.sum(0, 6, false, 0x00ff).write(5, 0x00ff).step();
        EXPECT_FALSE(psum.fault()) << "other partitions, another row";
        psum.sum(0, 6, false, 0x00ff).write(6, 0xff80).step();
        psum.expect_fault(isa::Error::PsumCollision, 0, 6, 7);
    }
    Psum psum;
    psum.sum(1, 6, false, 0x00ff).beat(6, 8).step();
    psum.sum(1, 6, false, 0x00ff).beat(7, 3).step();
    psum.sum(1, 6, false, 0x00ff).beat(14, 3).step();
    EXPECT_FALSE(psum.fault());
    psum.sum(1, 6, false, 0x00ff).beat(6, 3).step();
    psum.expect_fault(isa::Error::PsumCollision, 1, 6, 3);
}

TEST(SumMarks, ColumnGroupsShareABankAndNoWord) {
    Psum psum;
    psum.sum(0, 5, false, 0x00ff).sum(1, 5, false, 0xff00).step();
    psum.sum(0, 6, false, 0x00ff).sum(1, 7, false, 0x00ff).step();
    EXPECT_FALSE(psum.columns_fault());
    psum.sum(0, 6, false, 0x01ff).sum(1, 6, false, 0xff00).step();
    EXPECT_TRUE(psum.columns_fault());
    EXPECT_EQ(psum.columns_lane(), 8u);
}

TEST(SumMarks, TwoResultsDoNotGoToOneBank) {
    Psum psum;
    psum.sum(0, BankRows - 1, false).sum(1, BankRows, false).step();
    EXPECT_FALSE(psum.fault());
    psum.sum(0, 2 * BankRows, false, 0x000f).sum(1, 3 * BankRows - 1, false, 0x00f0).step();
    psum.expect_fault(isa::Error::PsumCollision, 1, 3 * BankRows - 1, 4);
}

}  // namespace
}  // namespace trnsim::test
