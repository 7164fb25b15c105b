// The earliest time at which each command may be given to a pseudo channel: the table of edges applied to the
// commands so far.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "lib/config/dram_timing.hpp"
#include "tlm/hbm/command.hpp"
#include "tlm/hbm/edges.hpp"

namespace trnsim::tlm::hbm {

class Constraints {
  public:
    explicit Constraints(const config::DramTiming& timing);

    Cycle earliest(Command command, unsigned bank) const {
        const auto c = static_cast<std::size_t>(command);
        return std::max({bank_[bank][c], group_[group_of(bank)][c], pseudo_[c]});
    }
    // Of a command to all banks.
    Cycle earliest_of_all(Command command) const { return pseudo_[static_cast<std::size_t>(command)]; }
    void issue(Command command, unsigned bank, Cycle at);

  private:
    struct Follower {
        Scope scope;
        std::uint8_t command;
        Cycle distance;
    };
    // Not more than `times.size()` of `from` within `distance`.
    struct Window {
        CommandSet from, to;
        Cycle distance;
        std::vector<Cycle> times;  // of the last ones, a ring; 0: none yet
        std::size_t oldest = 0;
    };
    using Row = std::array<Cycle, Commands>;

    void raise(Scope scope, unsigned bank, std::size_t command, Cycle at);

    std::array<std::vector<Follower>, Commands> followers_;  // by the command before
    std::vector<Window> windows_;
    std::array<Row, Banks> bank_{};
    std::array<Row, BankGroups> group_{};
    Row pseudo_{};
};

}  // namespace trnsim::tlm::hbm
