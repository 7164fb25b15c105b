#include "model/fabric/route_table.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/random.hpp"

namespace trnsim::tlm::fabric {
namespace {

// Random additions, look-ups and removals of up to 500 payloads agree with a map of the standard library.
TEST(RouteTable, AgreesWithAMap) {
    auto random = test::generator();
    for (std::uint64_t round = 0; round < 20 * test::scale(); ++round) {
        std::vector<std::unique_ptr<Payload>> payloads(1 + random() % 500);
        for (auto& payload : payloads) payload = std::make_unique<Payload>();
        RouteTable table;
        std::unordered_map<const Payload*, std::pair<int, Route*>> expected;  // initiator, place
        for (int step = 0; step < 4000; ++step) {
            const Payload& payload = *payloads[random() % payloads.size()];
            const auto found = expected.find(&payload);
            Route* const route = table.find(payload);
            if (found == expected.end()) {
                ASSERT_EQ(route, nullptr);
                Route& added = table.add(payload, {step, 7, true, false});
                expected[&payload] = {step, &added};
            } else {
                ASSERT_EQ(route, found->second.second) << "it has not moved";
                ASSERT_EQ(route->initiator, found->second.first);
                ASSERT_TRUE(route->target == 7 && route->held && !route->ended);
                if (random() % 4 != 0) continue;
                table.erase(payload);
                expected.erase(found);
            }
            ASSERT_EQ(table.size(), expected.size());
        }
    }
}

TEST(RouteTable, ErasingWhatIsNotThereDoesNothing) {
    RouteTable table;
    const Payload one, other;
    table.add(one, {3, 0, false, false});
    table.erase(other);
    EXPECT_EQ(table.size(), 1u);
    EXPECT_EQ(table.at(one).initiator, 3);
}

}  // namespace
}  // namespace trnsim::tlm::fabric
