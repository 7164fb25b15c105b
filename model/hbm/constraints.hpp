// The earliest time at which each command may be given to a pseudo channel: the table of edges applied to the
// commands so far.
//
// The times are numbers that each command raises as it is given. Commands that the same edges lead to have
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
    // Of a command to all banks.
    Cycle earliest_of_all(Command command) const { return *times_of(command).pseudo; }

    // The times of a command: by bank, by group, and that of the pseudo channel.
    struct Times {
        const Cycle *bank, *group, *pseudo;
    };
    Times times_of(Command command) const {
        const Cells& cells = cells_[static_cast<std::size_t>(command)];
        return {&times_[cells.bank], &times_[cells.group], &times_[cells.pseudo]};
    }
    // As far as the bank and its group decide.
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
    // Where in times_ the times of a command begin, in each scope.
    struct Cells {
        std::size_t bank = 0, group = 0, pseudo = 0;
    };
    // Times that a command raises. Which of its scope: the number of the bank, shifted.
    struct Follower {
        std::size_t first;
        unsigned shift;
        Cycle distance;
    };
    // Not more than `times.size()` of `from` within `distance`.
    struct Window {
        CommandSet from;
        std::vector<std::size_t> cells;  // of the pseudo channel
        Cycle distance;
        std::vector<Cycle> times;  // of the last ones, a ring; 0: none yet
        std::size_t oldest = 0;
    };

    void issue_in_windows(Command command, Cycle at);

    std::array<Cells, Commands> cells_{};
    std::array<std::vector<Follower>, Commands> followers_;  // by the command before
    std::vector<Window> windows_;
    CommandSet windowed_ = 0;  // commands that count in a window
    std::array<Cycle, Commands*(Banks + BankGroups + 1)> times_{};
};

}  // namespace trnsim::tlm::hbm
