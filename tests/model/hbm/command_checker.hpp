// An independent checker of the commands given to a channel. It states each rule from the meaning of the
// parameter, on the history of each bank, and does not use the table of the controller.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "arch/config/dram_timing.hpp"
#include "model/hbm/command.hpp"

namespace trnsim::test {

class CommandChecker {
  public:
    explicit CommandChecker(const config::DramTiming& timing) : t_(timing) {}

    // Takes the next command; commands come in ascending time.
    void command(const tlm::hbm::CommandRecord& record);

    // Returns how often each rule was broken, by name.
    const std::map<std::string, unsigned>& broken() const { return broken_; }
    // The least number of cycles by which a command came later than the rule required, and the index of the
    // first command with that slack.
    struct Slack {
        std::int64_t least;
        std::size_t command;
    };
    const std::map<std::string, Slack>& slack() const { return slack_; }

    // The times of refreshes of each pseudo channel; refreshes of single banks have their bank.
    struct Refreshed {
        std::int64_t at;
        unsigned bank;
    };
    const std::vector<Refreshed>& refreshes(unsigned pseudo) const { return pseudo_[pseudo].refreshes; }

  private:
    using Time = std::int64_t;
    static constexpr Time Long = -1'000'000'000;  // a time long ago

    struct Bank {
        std::optional<std::uint32_t> row;
        Time activated = Long;
        Time read = Long;       // the last read command
        Time write_end = Long;  // end of the last data
        Time closed = Long;     // when the precharge began, automatic ones included
        std::string closed_by;  // " after WRA"; empty if PRE closed it
        Time refreshed = Long;  // the last refresh of this bank
    };
    struct Column {
        Time at;
        unsigned bank;
        bool write;
    };
    struct Pseudo {
        std::array<Bank, 16> banks;
        std::vector<Column> columns;   // the last columns
        std::deque<Time> activations;  // the last four, of rows and by refreshes of banks
        std::array<Time, 4> activated_in_group{Long, Long, Long, Long};
        Time activated = Long;  // the last activation
        Time bank_refresh = Long, all_refresh = Long;
        Time data_end = Long;  // end of the last burst on the data bus
        std::vector<Refreshed> refreshes;
    };

    void require(const std::string& rule, Time earliest);
    void require(const std::string& rule, bool holds);
    void buses(const tlm::hbm::CommandRecord& record);
    void activate(Pseudo& pseudo, const tlm::hbm::CommandRecord& record);
    void activation(Pseudo& pseudo, unsigned bank, const std::string& before);
    void column(Pseudo& pseudo, const tlm::hbm::CommandRecord& record, bool write, bool closes);
    void precharge(Bank& bank, const std::string& all);
    void refresh_all(Pseudo& pseudo);
    void refresh_bank(Pseudo& pseudo, unsigned bank);

    config::DramTiming t_;
    std::array<Pseudo, 2> pseudo_;
    Time row_bus_free_ = 0, column_bus_free_ = 0;
    Time now_ = 0;
    std::size_t index_ = 0;
    std::map<std::string, unsigned> broken_;
    std::map<std::string, Slack> slack_;
};

}  // namespace trnsim::test
