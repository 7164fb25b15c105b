#include "model/hbm/constraints.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "arch/config/config.hpp"
#include "common/random.hpp"

namespace trnsim::tlm::hbm {
namespace {

struct Given {
    Command command;
    unsigned bank;
    Cycle at;
};

bool is_in_scope(Scope scope, unsigned bank, unsigned other) {
    return scope == Scope::Pseudo ||
           (scope == Scope::Group ? group_of(bank) == group_of(other) : bank == other);
}

// Computes the earliest cycle edge by edge over all commands so far. `bank` is empty for a command to all
// banks.
Cycle earliest(const config::DramTiming& timing, const std::vector<Given>& history, Command command,
               std::optional<unsigned> bank) {
    Cycle result = 0;
    for (const Edge& edge : edges()) {
        if (!contains(edge.to, command) || (!bank && edge.scope != Scope::Pseudo)) continue;
        unsigned left = edge.nth;
        for (auto given = history.rbegin(); given != history.rend() && left != 0; ++given) {
            if (!contains(edge.from, given->command) ||
                !is_in_scope(edge.scope, bank.value_or(0), given->bank))
                continue;
            if (--left == 0) result = std::max(result, given->at + edge.distance(timing));
        }
    }
    return result;
}

// After any commands, legal or not, every time is the one that the table of edges gives for their history.
TEST(Constraints, AreTheTableOfEdgesAppliedToTheHistory) {
    auto random = test::generator();
    const config::BankedHbm hbm = config::load("trn1").hbm.banked;
    for (std::uint64_t round = 0; round < 20 * test::scale(); ++round) {
        config::DramTiming timing = timing_of(hbm);
        for (const config::DramParameter& parameter : config::dram_parameters())
            timing.*parameter.value = 1 + random() % 100;
        Constraints constraints(timing);
        std::vector<Given> history;
        Cycle at = 1;
        for (int step = 0; step < 60; ++step) {
            history.push_back({static_cast<Command>(random() % Commands),
                               static_cast<unsigned>(random() % Banks), at += random() % 20});
            constraints.issue(history.back().command, history.back().bank, at);
            for (std::size_t c = 0; c < Commands; ++c) {
                const auto command = static_cast<Command>(c);
                SCOPED_TRACE(fmt::format("round {} step {}: {}", round, step, name_of(command)));
                for (unsigned bank = 0; bank < Banks; ++bank)
                    ASSERT_EQ(constraints.earliest(command, bank), earliest(timing, history, command, bank));
                ASSERT_EQ(constraints.earliest_of_all(command), earliest(timing, history, command, {}));
            }
        }
    }
}

}  // namespace
}  // namespace trnsim::tlm::hbm
