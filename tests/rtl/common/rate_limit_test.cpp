// The limit of a flow: elements go as early as its definition allows, in sequences back to back and after
// pauses. The C++ form that the fast core uses goes in step with it.
#include "arch/cost/rate_limit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "Vrate_limit.h"
#include "tests/common/model.hpp"
#include "tests/common/random.hpp"

namespace trnsim::test {
namespace {

// The parameters of the model (CMakeLists.txt).
constexpr std::uint64_t Num = 3, Den = 7;

class RateLimit : public testing::Test {
  protected:
    RateLimit() {
        top_.rst_ni = 1;
        top_.eval();
        top_.rst_ni = 0;
        tick();
        top_.rst_ni = 1;
        top_.enable_i = 1;
        top_.eval();
    }

    // Makes one cycle. Returns whether an element goes, which it does if it is offered and the limit allows it.
    bool cycle(bool offered, bool first) {
        top_.take_i = 0;
        top_.eval();
        EXPECT_EQ(top_.ready_o != 0, form_.ready());
        const bool takes = offered && top_.ready_o;
        top_.take_i = takes;
        top_.first_i = first;
        form_.edge(takes, first);
        tick();
        ++now_;
        return takes;
    }
    // Returns the cycle in which the element goes.
    std::uint64_t send(bool first) {
        while (!cycle(true, first)) {
        }
        return now_ - 1;
    }
    void tick() {
        top_.clk_i = 1;
        top_.eval();
        top_.clk_i = 0;
        top_.eval();
    }

    Model<Vrate_limit> top_;
    cost::RateLimit form_{config::Ratio{Num, Den}};
    std::uint64_t now_ = 0;
};

TEST_F(RateLimit, ElementsOfASequence) {
    const std::uint64_t begin = send(true);
    EXPECT_EQ(begin, 0u);
    for (std::uint64_t i = 1; i < 50; ++i) EXPECT_EQ(send(false), begin + i * Den / Num) << i;
}

TEST_F(RateLimit, TheNextSequenceWaitsAsIfItBelongedToThisOne) {
    for (std::uint64_t length = 1; length < 20; ++length) {
        const std::uint64_t begin = send(true);
        for (std::uint64_t i = 1; i < length; ++i) send(false);
        const std::uint64_t next = send(true);
        EXPECT_EQ(next - begin, form_.cycles(length));
        EXPECT_EQ(next - begin, length * Den / Num);
        for (unsigned k = 0; k < 2 * Den; ++k) cycle(false, false);
    }
}

// In every window of time at most the number of elements goes that the rate allows, and one at its beginning.
TEST_F(RateLimit, PausesGainNothing) {
    std::mt19937_64 random = generator();
    std::vector<std::uint64_t> times;
    for (std::uint64_t k = 0; k < 4000 * scale(); ++k) {
        if (cycle(random() % 3 != 0, times.empty())) times.push_back(now_ - 1);
    }
    for (std::size_t from = 0; from < times.size(); ++from) {
        for (std::size_t to = from; to < std::min(times.size(), from + 20); ++to)
            EXPECT_LE((to - from) * Den, (times[to] - times[from]) * Num + Num - 1) << from << " to " << to;
    }
}

}  // namespace
}  // namespace trnsim::test
