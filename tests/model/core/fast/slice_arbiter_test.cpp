// Compares the arbiter of the fast core with the rule that it follows, in another implementation.
#include "model/core/fast/slice_arbiter.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "tests/common/random.hpp"

namespace trnsim::test {
namespace {

using tlm::core_fast::SliceArbiter;

// Each requester gets a slice that no earlier one has taken, starting with the one that has the turn.
std::uint32_t expected(const std::vector<std::uint32_t>& slices, std::size_t turn) {
    std::set<std::uint32_t> taken;
    std::uint32_t granted = 0;
    for (std::size_t i = 0; i < slices.size(); ++i) {
        const std::size_t one = (turn + i) % slices.size();
        if (slices[one] != SliceArbiter::None && taken.insert(slices[one]).second) granted |= 1U << one;
    }
    return granted;
}

TEST(SliceArbiter, ServesOneOfThoseThatWantASlice) {
    std::mt19937_64 random(seed());
    for (const std::size_t requesters : {1U, 2U, 5U, 9U}) {
        SliceArbiter arbiter;
        std::size_t turn = 0;
        for (unsigned cycle = 0; cycle < 20'000; ++cycle) {
            std::vector<std::uint32_t> slices(requesters, SliceArbiter::None);
            const auto busy = random() % 4;  // requesters ask in (busy + 1) / 4 of the cycles
            for (std::uint32_t& slice : slices)
                if (random() % 4 <= busy) slice = static_cast<std::uint32_t>(random() % 4);
            const bool hold = random() % 8 == 0;
            const std::uint32_t want = hold ? 0 : expected(slices, turn);
            ASSERT_EQ(arbiter.grants(slices, hold), want) << "cycle " << cycle << " of " << requesters;
            arbiter.edge(slices, want, hold);
            bool waits = false;
            for (std::size_t i = 0; i < requesters; ++i)
                waits = waits || (slices[i] != SliceArbiter::None && (want >> i & 1) == 0);
            if (waits && !hold) turn = (turn + 1) % requesters;
        }
    }
}

}  // namespace
}  // namespace trnsim::test
