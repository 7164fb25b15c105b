// The earliest time at which each command may be given to a pseudo channel: the table of edges applied to the
// commands so far.
// The times are numbers that each command raises when it is given. Commands that the same edges lead to have
// the same times in every state and share them.
// the same time in every state and share it.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "arch/config/dram_timing.hpp"
#include "model/hbm/command.hpp"
#include "model/hbm/edges.hpp"

namespace trnsim::tlm::hbm {

class Constraints {
  public:
    explicit Constraints(const config::DramTiming& timing);

    Cycle earliest(Command command, unsigned bank) const {
        return std::max(earliest_of_all(command), earliest_in_bank(times_of(command), bank));
    }
    // Returns the time of a command to all banks.
    Cycle earliest_of_all(Command command) const { return *times_of(command).pseudo; }

    // The times of a command: of each bank, of each group, and of the pseudo channel.
    struct Times {
        const Cycle *bank, *group, *pseudo;
    };
    Times times_of(Command command) const {
        const Cells& cells = cells_[static_cast<std::size_t>(command)];
        return {&times_[cells.bank], &times_[cells.group], &times_[cells.pseudo]};
    }
    // Returns the time that the bank and its group allow.
    static Cycle earliest_in_bank(const Times& times, unsigned bank) {
        return std::max(times.bank[bank], times.group[group_of(bank)]);
    }

    void issue(Command command, unsigned bank, Cycle at) {
        for (const Follower& follower : followers_[static_cast<std::size_t>(command)]) {
            Cycle& time = times_[follower.first + (bank >> follower.shift)];
            time = std::max(time, at + follower.distance);
        }
        if (contains(windowed_, command)) issue_in_windows(command, at);
    }

  private:
    // The index in times_ of the first time of a command, in each scope.
    struct Cells {
        std::size_t bank = 0, group = 0, pseudo = 0;
    };
    // Times that a command raises. The shifted number of the bank selects the member of the scope.
    struct Follower {
        std::size_t first;
        unsigned shift;
        Cycle distance;
    };
    // No more than `times.size()` commands of `from` may be within `distance`.
    struct Window {
        CommandSet from;
        std::vector<std::size_t> cells;  // cells of the pseudo channel
        Cycle distance;
        std::vector<Cycle> times;  // times of the last commands, a ring; 0: none yet
        std::size_t oldest = 0;
    };

    void issue_in_windows(Command command, Cycle at);

    std::array<Cells, Commands> cells_{};
    std::array<std::vector<Follower>, Commands> followers_;  // by the earlier command
    std::vector<Window> windows_;
    CommandSet windowed_ = 0;  // commands that count in a window
    std::array<Cycle, Commands*(Banks + BankGroups + 1)> times_{};
};

}  // namespace trnsim::tlm::hbm
