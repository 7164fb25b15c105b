// The times at which banks of a pseudo channel have to be refreshed.
//
// A refresh falls due every tREFI (all banks) or tREFIpb (the banks in turn). It is given at once if nothing
// waits for the banks; otherwise it is postponed while no more than `postpone` are due together.
#pragma once

#include <optional>
#include <string_view>

#include "arch/config/dram_timing.hpp"
#include "model/hbm/command.hpp"

namespace trnsim::tlm::hbm {

class Refresh {
  public:
    // `mode` is "all_bank", "per_bank" or "none"; throws std::invalid_argument for any other. `first` is the
    // time when the first one falls due.
    Refresh(std::string_view mode, const config::DramTiming& timing, unsigned postpone, Cycle first);

    Command command() const { return command_; }
    // Returns the banks of the next refresh.
    BankMask banks() const { return command_ == Command::RefreshAll ? AllBanks : mask_of(bank_); }
    unsigned bank() const { return bank_; }

    // Returns whether it has to be given now. `waiting`: the banks for which something waits.
    bool urgent(Cycle now, BankMask waiting) const { return now >= urgent_from(waiting); }
    Cycle urgent_from(BankMask waiting) const { return (waiting & banks()) == 0 ? due_ : put_off_; }
    Cycle due() const { return due_; }
    // Returns the number that are due.
    std::uint64_t owed(Cycle now) const { return now < due_ ? 0 : (now - due_) / interval_ + 1; }

    // Notes that `count` refreshes have been given.
    void done(std::uint64_t count = 1);

  private:
    Command command_;
    Cycle interval_, put_off_for_;
    Cycle due_, put_off_;  // when the next one falls due, and when it can be postponed no longer
    unsigned bank_ = 0;
};

}  // namespace trnsim::tlm::hbm
