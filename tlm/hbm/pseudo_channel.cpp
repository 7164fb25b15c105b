#include "tlm/hbm/pseudo_channel.hpp"

#include <algorithm>
#include <bit>

namespace trnsim::tlm::hbm {
namespace {

constexpr Cycle ActivateCycles = 2;  // of the row command bus

// The pseudo channels do not all refresh at once.
Cycle first_refresh(const config::DramTiming& timing, Place place) {
    const unsigned number = place.channel * PseudoChannels + place.pseudo;
    return timing.refi + timing.refi * number / (Channels * PseudoChannels);
}

}  // namespace

PseudoChannel::PseudoChannel(const config::BankedHbm& hbm, Place place, Requester& requester,
                             CommandSink* sink)
    : place_(place),
      requester_(requester),
      sink_(sink),
      constraints_(timing_of(hbm)),
      refresh_(hbm.refresh, timing_of(hbm), static_cast<unsigned>(hbm.postpone),
               first_refresh(timing_of(hbm), place)),
      pages_(make_page_policy(hbm.page_policy)),
      scheduler_(make_scheduler(hbm.scheduler, hbm.max_wait)),
      max_wait_(hbm.max_wait),
      write_high_(hbm.write_high),
      write_low_(hbm.write_low),
      queues_{Queue(hbm.read_queue), Queue(hbm.write_queue)} {}

void PseudoChannel::offer(const Action& action) {
    if (action.at < next_.at) next_ = action;
}

PseudoChannel::Action PseudoChannel::plan(const Buses& buses) {
    next_ = {};
    if (!ingress_.empty() && !blocked_)
        offer({std::max(time_, ingress_.front().arrival), Action::Arrival, {}, 0});
    const BankMask refreshing = plan_refresh(buses);
    choose_direction();
    const Queue& queue = queues_[direction_];
    if (queue.empty()) return next_;
    Grant grant = scheduler_->grant(queue, time_);
    grant.banks = static_cast<BankMask>(grant.banks & ~refreshing);
    plan_column(queue, grant, buses);
    plan_row(queue, grant, buses);
    return next_;
}

// The banks that are not to be used until they are refreshed.
BankMask PseudoChannel::plan_refresh(const Buses& buses) {
    const auto waiting = static_cast<BankMask>(queues_[Reading].waiting() | queues_[Writing].waiting());
    if (!refresh_.urgent(time_, waiting)) {
        offer({refresh_.urgent_from(waiting), Action::Due, {}, 0});
        return 0;
    }
    const bool all = refresh_.command() == Command::RefreshAll;
    const bool closed = (open_ & refresh_.banks()) == 0;
    const Command command = closed ? refresh_.command() : all ? Command::PrechargeAll : Command::Precharge;
    const unsigned bank = all ? 0 : refresh_.bank();
    const Cycle earliest = all ? constraints_.earliest_of_all(command) : constraints_.earliest(command, bank);
    offer({std::max({time_, buses.row_free, earliest}), Action::Refresh, command, bank});
    return refresh_.banks();
}

bool PseudoChannel::has_waited(const Queue& queue) const {
    return !queue.empty() && time_ >= queue.oldest().arrival + max_wait_;
}

bool PseudoChannel::wants_other_direction() const {
    const Queue& here = queues_[direction_];
    const Queue& there = queues_[other(direction_)];
    if (there.empty()) return false;
    if (here.empty()) return true;
    if (hazard_) return *hazard_ != direction_;
    const bool here_waited = has_waited(here), there_waited = has_waited(there);
    if (here_waited && there_waited) return there.oldest().sequence < here.oldest().sequence;
    if (here_waited || there_waited) return there_waited;
    return direction_ == Reading ? there.bursts() >= write_high_ : here.bursts() <= write_low_;
}

void PseudoChannel::choose_direction() {
    if (wants_other_direction()) direction_ = other(direction_);
}

// The last burst that waits for a row may close it.
Command PseudoChannel::column_command(const Queue& queue, unsigned bank) const {
    const bool reads = direction_ == Reading;
    const bool closes = queue.hit(bank).bursts == 1 && pages_->closes(bank) && !queue.has_second_hit(bank) &&
                        (queues_[other(direction_)].hits() & mask_of(bank)) == 0;
    if (closes) return reads ? Command::ReadAuto : Command::WriteAuto;
    return reads ? Command::Read : Command::Write;
}

void PseudoChannel::plan_column(const Queue& queue, const Grant& grant, const Buses& buses) {
    const Cycle from = std::max(time_, buses.column_free);
    Action best;
    std::uint64_t best_sequence = 0;
    for (BankMask left = grant.banks & queue.hits(); left != 0; left = without_lowest(left)) {
        const auto bank = static_cast<unsigned>(std::countr_zero(left));
        if (grant.in_order && !queue.head_is_hit(bank)) continue;
        const Command command = column_command(queue, bank);
        const Cycle at = std::max(from, constraints_.earliest(command, bank));
        const std::uint64_t sequence = queue.hit(bank).sequence;
        if (at > best.at || (at == best.at && sequence >= best_sequence)) continue;
        best = {at, Action::Column, command, bank};
        best_sequence = sequence;
    }
    offer(best);
}

void PseudoChannel::plan_row(const Queue& queue, const Grant& grant, const Buses& buses) {
    const Cycle from = std::max(time_, buses.row_free);
    Action best;
    std::uint64_t best_sequence = 0;
    for (BankMask left = grant.banks & queue.waiting(); left != 0; left = without_lowest(left)) {
        const auto bank = static_cast<unsigned>(std::countr_zero(left));
        const bool hit = (queue.hits() & mask_of(bank)) != 0;
        if (hit && (!grant.in_order || queue.head_is_hit(bank))) continue;
        const Command command = (open_ & mask_of(bank)) != 0 ? Command::Precharge : Command::Activate;
        const Cycle at = std::max(from, constraints_.earliest(command, bank));
        const std::uint64_t sequence = queue.head(bank).sequence;
        if (at > best.at || (at == best.at && sequence >= best_sequence)) continue;
        best = {at, Action::Row, command, bank};
        best_sequence = sequence;
    }
    offer(best);
}

void PseudoChannel::perform(const Action& action, Buses& buses) {
    time_ = action.at;
    switch (action.kind) {
        case Action::Arrival:
            admit();
            break;
        case Action::Column:
            buses.column_free = action.at + 1;
            constraints_.issue(action.command, action.bank, action.at);
            give_column(action);
            break;
        case Action::Row:
        case Action::Refresh:
            buses.row_free = action.at + (action.command == Command::Activate ? ActivateCycles : 1);
            constraints_.issue(action.command, action.bank, action.at);
            give_row(action);
            break;
        case Action::Due:
        case Action::Nothing:
            break;
    }
}

// What has arrived goes to its queue while there is room. Nothing overtakes an access to the same burst in the
// other direction.
void PseudoChannel::admit() {
    blocked_ = false;
    hazard_.reset();
    while (!ingress_.empty() && ingress_.front().arrival <= time_) {
        Entry entry = ingress_.front();
        const Direction direction = entry.write ? Writing : Reading;
        blocked_ = !queues_[direction].has_room(entry);
        if (blocked_) return;
        if (queues_[other(direction)].overlaps(entry)) {
            hazard_ = other(direction);
            blocked_ = true;
            return;
        }
        entry.arrival = time_;  // it waits from now on
        const bool is_open = (open_ & mask_of(entry.bank)) != 0;
        queues_[direction].push(entry, is_open ? std::optional(banks_[entry.bank].row) : std::nullopt);
        requester_.admitted(entry, time_);
        ingress_.pop_front();
    }
}

void PseudoChannel::give_column(const Action& action) {
    Queue& queue = queues_[direction_];
    Bank& bank = banks_[action.bank];
    const Entry entry = queue.hit(action.bank);
    record(action, entry.row, entry.column, entry.sequence);
    ++(direction_ == Reading ? counts_.reads : counts_.writes);
    ++(!bank.fresh ? counts_.hits : bank.conflicted ? counts_.conflicts : counts_.misses);
    bank.fresh = bank.conflicted = false;
    const bool complete = queue.advance(action.bank);
    requester_.moved(entry, action.at);
    if (action.command == Command::ReadAuto || action.command == Command::WriteAuto)
        close(action.bank, action.at);
    if (blocked_ && (complete || !hazard_)) admit();
}

void PseudoChannel::give_row(const Action& action) {
    std::uint32_t row = 0;
    switch (action.command) {
        case Command::Activate:
            row = queues_[direction_].head(action.bank).row;
            open(action.bank, row, action.at);
            break;
        case Command::Precharge:
            close(action.bank, action.at);
            if (action.kind == Action::Row) {
                banks_[action.bank].conflicted = true;
                pages_->conflicted(action.bank);
            }
            break;
        case Command::PrechargeAll:
            for (BankMask left = open_; left != 0; left = without_lowest(left))
                close(static_cast<unsigned>(std::countr_zero(left)), action.at);
            break;
        default:
            ++(action.command == Command::RefreshAll ? counts_.all_refreshes : counts_.bank_refreshes);
            refresh_.done();
            break;
    }
    record(action, row, 0, 0);
}

void PseudoChannel::open(unsigned bank, std::uint32_t row, Cycle at) {
    if (open_ == 0) opened_at_ = at;
    open_ |= mask_of(bank);
    banks_[bank].row = row;
    banks_[bank].fresh = true;
    pages_->opened(bank, row);
    for (Queue& queue : queues_) queue.opened(bank, row);
    ++counts_.activates;
}

void PseudoChannel::close(unsigned bank, Cycle at) {
    open_ &= static_cast<BankMask>(~mask_of(bank));
    banks_[bank].conflicted = false;
    for (Queue& queue : queues_) queue.closed(bank);
    ++counts_.precharges;
    if (open_ == 0) counts_.open_cycles += at - opened_at_;
}

void PseudoChannel::record(const Action& action, std::uint32_t row, unsigned column, std::uint64_t sequence) {
    if (sink_ == nullptr) return;
    sink_->command(
        {action.at, place_.channel, place_.pseudo, action.command, action.bank, row, column, sequence});
}

void PseudoChannel::skip_refreshes(Cycle until) {
    constexpr std::uint64_t Simulated = 2 * Banks;  // the last ones
    if (refresh_.owed(until) <= Simulated) return;
    const std::uint64_t skipped = refresh_.owed(until) - Simulated;
    refresh_.done(skipped);
    (refresh_.command() == Command::RefreshAll ? counts_.all_refreshes : counts_.bank_refreshes) += skipped;
}

void PseudoChannel::add_counts(DramCounts& counts, Cycle now) const {
    DramCounts own = counts_;
    if (open_ != 0 && now > opened_at_) own.open_cycles += now - opened_at_;
    counts = sum({counts, own});
}

}  // namespace trnsim::tlm::hbm
