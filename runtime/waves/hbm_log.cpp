#include "runtime/waves/hbm_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/time/time.hpp"
#include "model/hbm/organisation.hpp"
#include "runtime/waves/signals.hpp"

namespace trnsim::waves {
namespace {

using tlm::hbm::Channels, tlm::hbm::PseudoChannels;

enum PseudoSignal : std::size_t {
    RowCommand,
    RowBank,
    Row,
    ColumnCommand,
    ColumnBank,
    Column,
    Data,
    PseudoSignals
};

constexpr unsigned BankBits = 4, RowBits = 32, ColumnBits = 5;

// Changes of a pseudo channel's signals; the times of each signal ascend.
class Changes {
  public:
    Changes(std::vector<Change>& changes, std::size_t pseudo)
        : changes_(changes), first_(pseudo * PseudoSignals) {}

    void set(std::uint64_t fs, PseudoSignal signal, std::uint64_t value) {
        changes_.push_back({fs / FsPerPs, first_ + signal, value, {}});
    }
    // Shows a text from one time to another. `end` is the end of the signal's last text, 0 for none; the call
    // updates it.
    void show(std::uint64_t from, std::uint64_t to, PseudoSignal signal, std::string_view text,
              std::uint64_t& end) {
        if (end != 0 && end < from) set_text(end, signal, NoText);
        set_text(from, signal, text);
        end = to;
    }
    void set_text(std::uint64_t fs, PseudoSignal signal, std::string_view text) {
        changes_.push_back({fs / FsPerPs, first_ + signal, 0, std::string(text)});
    }

  private:
    std::vector<Change>& changes_;
    std::size_t first_;
};

void add_commands(const std::vector<tlm::trace::DramCommand>& commands, Changes out) {
    for (const PseudoSignal text : {RowCommand, ColumnCommand, Data}) out.set_text(0, text, NoText);
    for (const PseudoSignal number : {RowBank, Row, ColumnBank, Column}) out.set(0, number, 0);
    std::uint64_t row_end = 0, column_end = 0, data_end = 0;
    for (const tlm::trace::DramCommand& command : commands) {
        if (!command.moves_data()) {
            out.show(command.start, command.end, RowCommand, command.name, row_end);
            out.set(command.start, RowBank, command.bank);
            out.set(command.start, Row, command.row);
            continue;
        }
        out.show(command.start, command.end, ColumnCommand, command.name, column_end);
        out.set(command.start, ColumnBank, command.bank);
        out.set(command.start, Column, command.column);
        out.show(command.data_start, command.data_end, Data, command.write ? "write" : "read", data_end);
    }
    for (const auto& [end, signal] :
         {std::pair{row_end, RowCommand}, {column_end, ColumnCommand}, {data_end, Data}})
        if (end != 0) out.set_text(end, signal, NoText);
}

}  // namespace

void HbmLog::dram_command(const tlm::trace::DramCommand& command) {
    if (command.chip != chip_) return;
    const std::size_t pseudo = (command.stack * Channels + command.channel) * PseudoChannels + command.pseudo;
    const std::size_t of_stacks = (std::size_t{command.stack} + 1) * Channels * PseudoChannels;
    commands_.resize(std::max(commands_.size(), of_stacks));
    commands_[pseudo].push_back(command);
}

std::vector<Signal> HbmLog::signals() const {
    std::vector<Signal> signals;
    for (std::size_t pseudo = 0; pseudo < commands_.size(); ++pseudo) {
        const std::string scope = fmt::format("pseudo_channel[{}]", pseudo);
        signals.push_back({scope, "row_command", 0});
        signals.push_back({scope, "row_bank", BankBits});
        signals.push_back({scope, "row", RowBits});
        signals.push_back({scope, "column_command", 0});
        signals.push_back({scope, "column_bank", BankBits});
        signals.push_back({scope, "column", ColumnBits});
        signals.push_back({scope, "data", 0});
    }
    return signals;
}

std::vector<Change> HbmLog::changes() const {
    std::vector<Change> changes;
    for (std::size_t pseudo = 0; pseudo < commands_.size(); ++pseudo)
        add_commands(commands_[pseudo], Changes(changes, pseudo));
    std::ranges::stable_sort(changes, {}, &Change::time);
    return changes;
}

}  // namespace trnsim::waves
