// The read port of a memory: sources a and b take turns when both ask, immediates wait for both; a far read
// keeps it for two cycles.
#include <gtest/gtest.h>

#include "Velementwise_read_port.h"
#include "tests/common/model.hpp"
#include "tests/common/random.hpp"

namespace trnsim::test {
namespace {

constexpr unsigned A = 0b001, B = 0b010, Immediate = 0b100;

class Port {
  public:
    Port() {
        top_.rst_ni = 1;
        top_.eval();
        reset();
    }
    void reset() {
        top_.rst_ni = 0;
        step(0, false);
        top_.rst_ni = 1;
    }
    // Returns the requesters that are served in a cycle with these requests; `far` names the sources with far
    // reads.
    unsigned step(unsigned requests, bool grant, unsigned far = 0) {
        top_.source_re_i = requests & (A | B);
        top_.source_far_i = far;
        top_.imm_re_i = (requests & Immediate) != 0;
        top_.gnt_i = grant;
        top_.clk_i = 0;
        top_.eval();
        const unsigned served = top_.source_gnt_o | (top_.imm_gnt_o ? Immediate : 0);
        reads_ = top_.re_o;
        top_.clk_i = 1;
        top_.eval();
        return served;
    }
    bool reads() const { return reads_; }

  private:
    Model<Velementwise_read_port> top_;
    bool reads_ = false;
};

TEST(ElementwiseReadPort, SourcesTakeTurnsFromResetOn) {
    Port port;
    for (int round = 0; round < 3; ++round) {
        EXPECT_EQ(port.step(A | B | Immediate, true), A);
        EXPECT_EQ(port.step(A | B | Immediate, true), B);
    }
    EXPECT_EQ(port.step(A, true), A);
    port.reset();
    EXPECT_EQ(port.step(A | B, true), A);
}

TEST(ElementwiseReadPort, RandomRequests) {
    auto random = generator();
    Port port;
    unsigned last = B;
    bool busy = false;
    for (std::uint64_t cycle = 0; cycle < 10'000 * scale(); ++cycle) {
        const unsigned requests = random() % 8;
        const bool grant = random() % 4 != 0;
        const unsigned far = random() % 4;
        const unsigned sources = requests & (A | B);
        unsigned expected = sources == (A | B) ? last ^ (A | B) : sources;
        if (sources == 0) expected = requests;
        if (!grant || busy) expected = 0;
        ASSERT_EQ(port.step(requests, grant, far), expected) << "requests " << requests << " after " << last;
        ASSERT_EQ(port.reads(), expected != 0);
        if ((expected & (A | B)) != 0) last = expected;
        if (grant) busy = (expected & far) != 0;
    }
}

}  // namespace
}  // namespace trnsim::test
