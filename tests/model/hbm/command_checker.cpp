#include "model/hbm/command_checker.hpp"

#include <algorithm>

namespace trnsim::test {
namespace {

using tlm::hbm::Command;
using tlm::hbm::CommandRecord;
using Time = std::int64_t;

constexpr Time Burst = 2;  // cycles of the data bus

Time of(std::uint64_t cycles) {
    return static_cast<Time>(cycles);
}

}  // namespace

void CommandChecker::require(const std::string& rule, Time earliest) {
    if (earliest < 0) return;  // no such command has come before
    const Time slack = now_ - earliest;
    if (slack < 0) ++broken_[rule];
    const auto [at, is_new] = slack_.try_emplace(rule, Slack{slack, index_});
    if (!is_new && slack < at->second.least) at->second = {slack, index_};
}

void CommandChecker::require(const std::string& rule, bool holds) {
    if (!holds) ++broken_[rule];
}

void CommandChecker::command(const CommandRecord& record) {
    now_ = of(record.at);
    buses(record);
    Pseudo& pseudo = pseudo_.at(record.pseudo);
    Bank& bank = pseudo.banks.at(record.bank);
    switch (record.command) {
        case Command::Activate:
            activate(pseudo, record);
            break;
        case Command::Precharge:
            precharge(bank, "");
            break;
        case Command::PrechargeAll:
            for (Bank& each : pseudo.banks)
                if (each.row) precharge(each, "A");
            break;
        case Command::Read:
        case Command::ReadAuto:
        case Command::Write:
        case Command::WriteAuto:
            column(pseudo, record, record.command == Command::Write || record.command == Command::WriteAuto,
                   record.command == Command::ReadAuto || record.command == Command::WriteAuto);
            break;
        case Command::RefreshAll:
            refresh_all(pseudo);
            break;
        case Command::RefreshBank:
            refresh_bank(pseudo, record.bank);
            break;
        case Command::Count:
            require("a command", false);
    }
    ++index_;
}

// Both pseudo channels share the same two buses. An ACT takes two cycles, all other commands one.
void CommandChecker::buses(const CommandRecord& record) {
    const bool is_column = record.command == Command::Read || record.command == Command::ReadAuto ||
                           record.command == Command::Write || record.command == Command::WriteAuto;
    if (is_column) {
        require("column bus", column_bus_free_);
        column_bus_free_ = now_ + 1;
    } else {
        require("row bus", row_bus_free_);
        row_bus_free_ = now_ + (record.command == Command::Activate ? 2 : 1);
    }
}

// Checks an activation: a command opens a row in a bank, or a refresh opens rows internally.
void CommandChecker::activation(Pseudo& pseudo, unsigned bank, const std::string& before) {
    const unsigned group = bank / 4;
    require("tRRD_S" + before, pseudo.activated + of(t_.rrd_s));
    require("tRRD_L" + before, pseudo.activated_in_group[group] + of(t_.rrd_l));
    require("tRREFD" + before, pseudo.bank_refresh + of(t_.rrefd));
    if (pseudo.activations.size() == 4) {
        require("tFAW" + before, pseudo.activations.front() + of(t_.faw));
        pseudo.activations.pop_front();
    }
    pseudo.activations.push_back(now_);
    Bank& b = pseudo.banks[bank];
    require("closed bank", !b.row.has_value());
    require("tRC" + before, b.activated + of(t_.rc));
    require("tRP" + b.closed_by + before, b.closed + of(t_.rp));
    require("tRFCpb" + before, b.refreshed + of(t_.rfc_pb));
    require("tRFCab", pseudo.all_refresh + of(t_.rfc_ab));
}

void CommandChecker::activate(Pseudo& pseudo, const CommandRecord& record) {
    activation(pseudo, record.bank, "");
    Bank& bank = pseudo.banks[record.bank];
    bank.row = record.row;
    bank.activated = now_;
    pseudo.activated = pseudo.activated_in_group[record.bank / 4] = now_;
}

void CommandChecker::column(Pseudo& pseudo, const CommandRecord& record, bool write, bool closes) {
    Bank& bank = pseudo.banks[record.bank];
    require("open row", bank.row == record.row);
    require(write ? "tRCDWR" : "tRCDRD", bank.activated + of(write ? t_.rcd_wr : t_.rcd_rd));
    for (const Column& before : pseudo.columns) {
        const bool same_group = before.bank / 4 == record.bank / 4;
        if (before.write == write) {
            require("tCCD_S", before.at + of(t_.ccd_s));
            if (same_group) require("tCCD_L", before.at + of(t_.ccd_l));
        } else if (write) {
            require("tRTW", before.at + of(t_.rtw));
        } else {
            const Time end = before.at + of(t_.cwl) + Burst;
            require("tWTR_S", end + of(t_.wtr_s));
            if (same_group) require("tWTR_L", end + of(t_.wtr_l));
        }
    }
    // Only the last one of each kind and group matters.
    std::erase_if(pseudo.columns, [&](const Column& before) {
        return before.write == write && before.bank / 4 == record.bank / 4;
    });
    pseudo.columns.push_back({now_, record.bank, write});
    const Time data = now_ + of(write ? t_.cwl : t_.cl);
    require("data bus", data >= pseudo.data_end);
    pseudo.data_end = data + Burst;
    if (write)
        bank.write_end = data + Burst;
    else
        bank.read = now_;
    if (!closes) return;
    // The device waits for tRAS before it closes the row by itself.
    Time closing = write ? bank.write_end + of(t_.wr) : now_ + of(t_.rtp);
    if (!write) require("tWR before RDA", bank.write_end + of(t_.wr) - of(t_.rtp));
    closing = std::max(closing, bank.activated + of(t_.ras));
    bank.closed = closing;
    bank.closed_by = write ? " after WRA" : " after RDA";
    bank.row.reset();
}

// Checks a precharge. `all` is "A" for a command to all banks.
void CommandChecker::precharge(Bank& bank, const std::string& all) {
    const std::string before = all.empty() ? "" : " before PREA";
    require("tRAS" + before, bank.activated + of(t_.ras));
    require("tRTP" + before, bank.read + of(t_.rtp));
    require("tWR" + before, bank.write_end + of(t_.wr));
    if (bank.row) {
        bank.closed = now_;
        bank.closed_by = all.empty() ? "" : " after PREA";
    }
    bank.row.reset();
}

void CommandChecker::refresh_all(Pseudo& pseudo) {
    for (const Bank& bank : pseudo.banks) {
        require("closed banks", !bank.row.has_value());
        require("tRP" + bank.closed_by + " before REFab", bank.closed + of(t_.rp));
        require("tRC before REFab", bank.activated + of(t_.rc));
    }
    require("tRFCab before REFab", pseudo.all_refresh + of(t_.rfc_ab));
    pseudo.all_refresh = now_;
    pseudo.refreshes.push_back({now_, 0});
}

void CommandChecker::refresh_bank(Pseudo& pseudo, unsigned bank) {
    activation(pseudo, bank, " before REFpb");
    pseudo.banks[bank].refreshed = now_;
    pseudo.bank_refresh = now_;
    pseudo.refreshes.push_back({now_, bank});
}

}  // namespace trnsim::test
