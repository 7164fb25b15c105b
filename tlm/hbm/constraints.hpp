// The earliest time at which each command may be given to a pseudo channel: the table of edges applied to the
// commands so far.
//
// The times are numbers that each command raises as it is given. Commands that the same edges lead to have
// the same time in every state and share it.
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
        return std::max(earliest_of_all(command), earliest_in_bank(cells_of(command), bank));
    }
    // Of a command to all banks.
    Cycle earliest_of_all(Command command) const { return pseudo_[cells_of(command).pseudo]; }

    // Where the times of a command stand in the rows below: the number of the first command that shares them.
    struct Cells {
        std::uint8_t bank, group, pseudo;
    };
    Cells cells_of(Command command) const { return cells_[static_cast<std::size_t>(command)]; }
    // As far as the bank and its group decide.
    Cycle earliest_in_bank(Cells cells, unsigned bank) const {
        return std::max(bank_[bank][cells.bank], group_[group_of(bank)][cells.group]);
    }

    void issue(Command command, unsigned bank, Cycle at) {
        const Followers& followers = followers_[static_cast<std::size_t>(command)];
        raise(bank_[bank], followers.bank, at);
        raise(group_[group_of(bank)], followers.group, at);
        raise(pseudo_, followers.pseudo, at);
        if (contains(windowed_, command)) issue_in_windows(command, at);
    }

  private:
    struct Follower {
        std::uint8_t cell;
        Cycle distance;
    };
    struct Followers {  // by scope
        std::vector<Follower> bank, group, pseudo;
    };
    // Not more than `times.size()` of `from` within `distance`.
    struct Window {
        CommandSet from;
        std::vector<std::uint8_t> cells;  // of the pseudo channel
        Cycle distance;
        std::vector<Cycle> times;  // of the last ones, a ring; 0: none yet
        std::size_t oldest = 0;
    };
    using Row = std::array<Cycle, Commands>;

    static void raise(Row& row, const std::vector<Follower>& followers, Cycle at) {
        for (const Follower& follower : followers)
            row[follower.cell] = std::max(row[follower.cell], at + follower.distance);
    }
    void issue_in_windows(Command command, Cycle at);

    std::array<Cells, Commands> cells_{};
    std::array<Followers, Commands> followers_;  // by the command before
    std::vector<Window> windows_;
    CommandSet windowed_ = 0;  // commands that count in a window
    std::array<Row, Banks> bank_{};
    std::array<Row, BankGroups> group_{};
    Row pseudo_{};
};

}  // namespace trnsim::tlm::hbm
