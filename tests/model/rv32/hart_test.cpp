// Tests the simulator alone: starts, waiting, interrupts, self-modifying code, counters, accessed bytes of
// SBUF, refusals.
#include "model/rv32/hart.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>
#include <vector>

#include "tests/common/riscv/encode.hpp"
#include "tests/common/riscv/program.hpp"

namespace trnsim::test {
namespace {

using namespace encode;
using rv32::Stop;

constexpr std::uint32_t Ebreak = 0x00100073, Fence = 0x0000000f;
constexpr std::uint32_t Mstatus = 0x300, Mie = 0x304, Mtvec = 0x305, Mepc = 0x341, Mcause = 0x342,
                        Mtval = 0x343, Minstret = 0xb02, Minstreth = 0xb82;

class Rv32Hart : public ::testing::Test {
  protected:
    void place(std::uint32_t offset, const std::vector<std::uint32_t>& words) {
        hart_.write_tcm(TcmBase + offset,
                        {reinterpret_cast<const std::uint8_t*>(words.data()), 4 * words.size()});
    }
    Stop run(const std::vector<std::uint32_t>& words, std::uint64_t most = 1000) {
        place(0, words);
        hart_.start(TcmBase);
        return hart_.run(most);
    }

    rv32::Hart hart_;
};

TEST_F(Rv32Hart, RefusesSizesThatThereAreNot) {
    EXPECT_THROW(rv32::Hart({.vlen = 64}), std::invalid_argument);
    EXPECT_THROW(rv32::Hart({.vlen = 2048}), std::invalid_argument);
    EXPECT_THROW(rv32::Hart({.vlen = 384}), std::invalid_argument);
    EXPECT_THROW(rv32::Hart({.tcm_bytes = 100}), std::invalid_argument);
    EXPECT_THROW(place(TcmBytes - 4, {0, 0}), std::out_of_range);
    EXPECT_THROW(hart_.csr(0x123), std::out_of_range);
    EXPECT_EQ(rv32::Hart({.vlen = 1024}).csr(0xc22), 128U);
}

TEST_F(Rv32Hart, CountsWhatRetires) {
    EXPECT_EQ(run({addi(1, 0, 5), addi(2, 1, 6), csrrs(3, Minstret, 0), Wfi}), Stop::Waiting);
    EXPECT_EQ(hart_.x(2), 11U);
    EXPECT_EQ(hart_.x(3), 2U);
    EXPECT_EQ(hart_.retired(), 3U);
    EXPECT_EQ(hart_.pc(), TcmBase + 12);
    EXPECT_EQ(hart_.run(10), Stop::Waiting);
    EXPECT_EQ(hart_.retired(), 3U);
}

// The instruction after the write reads the written value.
TEST_F(Rv32Hart, AWrittenCountIsInThePlaceOfOne) {
    run({addi(1, 0, 100), csrrw(2, Minstret, 1), csrrs(3, Minstret, 0), csrrs(4, Minstret, 0),
         csrrw(0, Minstret, 0), csrrs(5, Minstret, 0), Wfi});
    EXPECT_EQ(hart_.x(2), 1U);
    EXPECT_EQ(hart_.x(3), 100U);
    EXPECT_EQ(hart_.x(4), 101U);
    EXPECT_EQ(hart_.x(5), 0U);
}

TEST_F(Rv32Hart, AWrittenUpperHalfIsAsWell) {
    run({csrrs(1, Minstret, 0), csrrw(0, Minstreth, 0), csrrs(2, Minstret, 0), Wfi});
    EXPECT_EQ(hart_.x(1), 0U);
    EXPECT_EQ(hart_.x(2), 1U);
}

TEST_F(Rv32Hart, CountersOfEventsAreZero) {
    for (const std::uint32_t first : {0x320U, 0xb00U, 0xb80U}) {
        for (std::uint32_t k = 3; k < 32; ++k) {
            run({addi(1, 0, -1), csrrw(0, first + k, 1), csrrs(2, first + k, 1), Wfi});
            EXPECT_EQ(hart_.x(2), 0U) << first + k;
            EXPECT_EQ(hart_.csr(first + k), 0U) << first + k;
        }
    }
    EXPECT_THROW(hart_.csr(0x322), std::out_of_range);
    EXPECT_EQ(hart_.csr(0xf15), 0U);
}

TEST_F(Rv32Hart, StopsAtTheLimit) {
    EXPECT_EQ(run({addi(1, 1, 1), branch(0, 0, 0, -4)}, 11), Stop::Limit);
    EXPECT_EQ(hart_.x(1), 6U);
    EXPECT_EQ(hart_.run(1), Stop::Limit);
    EXPECT_EQ(hart_.retired(), 12U);
}

TEST_F(Rv32Hart, AnInterruptEndsWfi) {
    const std::uint32_t enable = 0x800;
    EXPECT_EQ(run({lui(1, enable), addi(1, 1, enable), csrrw(0, Mie, 1), Wfi, addi(2, 0, 7), Wfi}),
              Stop::Waiting);
    EXPECT_EQ(hart_.x(2), 0U);
    hart_.interrupt(true);
    EXPECT_EQ(hart_.run(2), Stop::Limit);
    hart_.interrupt(false);
    EXPECT_EQ(hart_.run(10), Stop::Waiting);
    EXPECT_EQ(hart_.x(2), 7U);
    EXPECT_EQ(hart_.pc(), TcmBase + 20);
}

TEST_F(Rv32Hart, TakesAnInterruptThatIsEnabled) {
    const std::uint32_t enable = 0x800;
    place(0x100, {csrrs(5, Mcause, 0), csrrs(6, Mepc, 0), Mret});
    EXPECT_EQ(run({lui(1, TcmBase + 0x100), addi(1, 1, TcmBase + 0x100), csrrw(0, Mtvec, 1), lui(1, enable),
                   addi(1, 1, enable), csrrw(0, Mie, 1), addi(1, 0, 8), csrrs(0, Mstatus, 1), Wfi,
                   addi(2, 0, 7), branch(0, 0, 0, 0)},
                  8),
              Stop::Limit);
    EXPECT_EQ(hart_.run(1), Stop::Waiting);
    hart_.interrupt(true);
    EXPECT_EQ(hart_.run(2), Stop::Limit);
    EXPECT_EQ(hart_.x(5), 0x8000000bU);
    hart_.interrupt(false);
    hart_.run(20);
    EXPECT_EQ(hart_.x(6) - TcmBase, 32U);  // wfi itself, because it had not ended
    EXPECT_EQ(hart_.x(2), 0U);             // it waits again
}

TEST_F(Rv32Hart, SeesCodeThatIsWritten) {
    run({addi(1, 0, 1), Wfi});
    EXPECT_EQ(hart_.x(1), 1U);
    run({addi(1, 0, 2), Wfi});
    EXPECT_EQ(hart_.x(1), 2U);
    // The program changes the instruction after the store, which it has executed before.
    const std::uint32_t changed = addi(3, 0, 9);
    run({lui(1, changed), addi(1, 1, changed), lui(2, TcmBase), addi(2, 2, TcmBase), addi(3, 0, 4),
         branch(1, 4, 0, 16), addi(4, 0, 1), s_type(0x23, 2, 2, 1, 16), branch(0, 0, 0, -16), Wfi});
    EXPECT_EQ(hart_.x(3), 9U);
}

TEST_F(Rv32Hart, TrapsThatCannotBeHandledStop) {
    EXPECT_EQ(run({Fence, Ebreak}), Stop::NoHandler);  // mtvec is 0, where no memory is
    EXPECT_EQ(hart_.csr(Mcause), 1U);
    EXPECT_EQ(hart_.csr(Mtval), 0U);
    EXPECT_EQ(hart_.retired(), 1U);
}

TEST_F(Rv32Hart, FetchesBehindTheTcmTrap) {
    place(TcmBytes - 4, {addi(1, 0, 3)});
    hart_.start(TcmBase + TcmBytes - 4);
    hart_.run(2);
    EXPECT_EQ(hart_.x(1), 3U);
    EXPECT_EQ(hart_.csr(Mcause), 1U);
    EXPECT_EQ(hart_.csr(Mepc), TcmBase + TcmBytes);
}

TEST_F(Rv32Hart, SliceIsPartitionsOfWords) {
    constexpr std::uint32_t Bytes = 64;
    std::vector<std::uint8_t> data(3 * Bytes), touched(3 * Bytes / 4);
    hart_.attach({.data = data.data(), .partition_bytes = Bytes, .partitions = 3, .touched = touched.data()});
    // The program writes byte 6 of partition 1 and reads byte 1 of partition 2; partition 3 and byte 64 do
    // not exist.
    run({lui(1, SliceBase), addi(2, 0, 0x55), s_type(0x23, 0, 1, 2, 64 + 4 + 2), i_type(0x03, 0, 3, 1, 8 + 1),
         s_type(0x23, 2, 1, 2, 12), i_type(0x03, 2, 4, 1, 12), i_type(0x03, 2, 5, 1, 16 * 64),
         i_type(0x03, 0, 6, 1, 64 + 4 + 2), Wfi});
    std::vector<std::uint8_t> expected(data.size()), marks(touched.size());
    expected[Bytes + 6] = 0x55;
    marks[(Bytes + 4) / 4] = 0x40;
    marks[2 * Bytes / 4] = 0x02;
    EXPECT_EQ(data, expected);
    EXPECT_EQ(touched, marks);  // bytes that are written before they are read are not marked as read
    EXPECT_EQ(hart_.x(4), 0U);
    EXPECT_EQ(hart_.x(6), 0x55U);
}

}  // namespace
}  // namespace trnsim::test
