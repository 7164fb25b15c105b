#include "model/hbm/pseudo_channel.hpp"

#include <algorithm>
#include <bit>

namespace trnsim::tlm::hbm {
namespace {

// Returns the first refresh time: the pseudo channels do not all refresh at once.
Cycle first_refresh(const config::DramTiming& timing, PseudoChannelId place) {
    const unsigned number = place.channel * PseudoChannels + place.pseudo;
    return timing.refi + timing.refi * number / (std::uint64_t{Channels} * PseudoChannels);
}

}  // namespace

PseudoChannel::PseudoChannel(const config::BankedHbm& hbm, PseudoChannelId place, Requester& requester,
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

PseudoChannel::Action PseudoChannel::plan(const Buses& buses) {
    if (time_ >= known_until_) look();
    // At equal times the action offered first wins.
    Action next = edge_;
    const auto offer = [&next](const Action& action) {
        if (action.at < next.at) next = action;
    };
    if (refreshing_ != 0) offer(plan_refresh(buses));
    if (grant_.column != 0) offer(plan_column(buses, next.at));
    if (grant_.row == 0) return next;
    // Column commands do not change the planned row command: they only raise times of row commands for their
    // own bank, and that bank has none before its hits have been moved. The time does not matter either while
    // the bus is free when the command comes.
    const Cycle from = std::max(time_, buses.free[Buses::Row]);
    if (from >= next.at) return next;
    if (!row_ || row_->at < from) row_ = plan_row(from);
    offer(*row_);
    return next;
}

// Finds what does not depend on the buses and on the column commands that are given.
void PseudoChannel::look() {
    edge_ = {};
    if (!ingress_.empty() && !blocked_)
        edge_ = {std::max(time_, ingress_.front().arrival), Action::Arrival, {}, 0};
    const auto waiting = static_cast<BankMask>(queues_[Reading].waiting() | queues_[Writing].waiting());
    const Cycle urgent_from = refresh_.urgent_from(waiting);
    refreshing_ = time_ >= urgent_from ? refresh_.banks() : BankMask{0};
    if (refreshing_ == 0 && urgent_from < edge_.at) edge_ = {urgent_from, Action::Due, {}, 0};
    known_until_ = edge_.at;
    row_.reset();
    grant_ = {};
    choose_direction();
    if (!queues_[direction_].empty()) look_at_queues();
}

// Finds the banks that may be served, and until when they and the direction stay the same. Inline, like
// plan_column() and give_column(): each has one caller, which calls it for every burst.
inline void PseudoChannel::look_at_queues() {
    const Queue& here = queues_[direction_];
    const Queue& there = queues_[other(direction_)];
    Cycle& until = reorders_until_[direction_];
    if (time_ >= until) until = scheduler_->reorders_until(here.oldest());
    if (time_ < until) {  // row hits go first
        const auto banks = static_cast<BankMask>(here.waiting() & ~refreshing_);
        grant_ = {static_cast<BankMask>(banks & here.hits()), static_cast<BankMask>(banks & ~here.hits())};
        known_until_ = std::min(known_until_, until);
    } else {  // only the oldest entry
        const unsigned bank = here.oldest().bank;
        const auto banks = static_cast<BankMask>(mask_of(bank) & ~refreshing_);
        (here.head_is_hit(bank) ? grant_.column : grant_.row) = banks;
    }
    if (there.empty()) return;
    if (direction_ == Writing) known_until_ = 0;  // every burst may be the last before reads continue
    for (const Queue& queue : queues_) {
        const Cycle waited_from = hazard_ ? Never : queue.oldest().arrival + max_wait_;
        if (waited_from > time_) known_until_ = std::min(known_until_, waited_from);
    }
}

// Plans the refresh; its banks are not used until they are refreshed.
PseudoChannel::Action PseudoChannel::plan_refresh(const Buses& buses) const {
    const bool all = refresh_.command() == Command::RefreshAll;
    const bool closed = (open_ & refresh_.banks()) == 0;
    const Command command = closed ? refresh_.command() : all ? Command::PrechargeAll : Command::Precharge;
    const unsigned bank = all ? 0 : refresh_.bank();
    const Cycle earliest = all ? constraints_.earliest_of_all(command) : constraints_.earliest(command, bank);
    return {std::max({time_, buses.free[Buses::Row], earliest}), Action::Refresh, command, bank};
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

// Returns those of the banks in which the next burst closes the row, because it is the last one that waits
// for that row.
BankMask PseudoChannel::closing(BankMask hits) const {
    const Queue& queue = queues_[direction_];
    BankMask result = 0;
    const auto asked = static_cast<BankMask>(hits & pages_->closing() & ~queues_[other(direction_)].hits());
    for (BankMask left = asked; left != 0; left = without_lowest(left)) {
        const auto bank = static_cast<unsigned>(std::countr_zero(left));
        if (queue.hit(bank).bursts == 1 && !queue.has_second_hit(bank)) result |= mask_of(bank);
    }
    return result;
}

inline PseudoChannel::Action PseudoChannel::plan_column(const Buses& buses, Cycle before) const {
    struct Row {
        Command command, closing;
    };
    static constexpr std::array Rows{Row{Command::Read, Command::ReadAuto},
                                     Row{Command::Write, Command::WriteAuto}};  // by direction
    const Row row = Rows[direction_];
    const Cycle bus = std::max(time_, buses.free[Buses::Column]);
    const Cycle from = std::max(bus, constraints_.earliest_of_all(row.command));
    if (from >= before) return {};
    const Queue& queue = queues_[direction_];
    const BankMask closed = closing(grant_.column);
    const Constraints::Times times = constraints_.times_of(row.command);
    Cycle best_at = Never;
    std::uint64_t best_sequence = 0;
    unsigned best = 0;
    for (BankMask left = grant_.column; left != 0; left = without_lowest(left)) {
        const auto bank = static_cast<unsigned>(std::countr_zero(left));
        const Cycle at = (closed & mask_of(bank)) != 0
                             ? std::max(bus, constraints_.earliest(row.closing, bank))
                             : std::max(from, Constraints::earliest_in_bank(times, bank));
        if (at > best_at) continue;
        const std::uint64_t sequence = queue.hit(bank).sequence;
        if (at == best_at && sequence >= best_sequence) continue;
        best_at = at;
        best_sequence = sequence;
        best = bank;
    }
    return {best_at, Action::Column, (closed & mask_of(best)) != 0 ? row.closing : row.command, best};
}

PseudoChannel::Action PseudoChannel::plan_row(Cycle from) const {
    const Queue& queue = queues_[direction_];
    Action best;
    std::uint64_t best_sequence = 0;
    for (BankMask left = grant_.row; left != 0; left = without_lowest(left)) {
        const auto bank = static_cast<unsigned>(std::countr_zero(left));
        const Command command = (open_ & mask_of(bank)) != 0 ? Command::Precharge : Command::Activate;
        const Cycle at = std::max(from, constraints_.earliest(command, bank));
        if (at > best.at) continue;
        const std::uint64_t sequence = queue.head(bank).sequence;
        if (at == best.at && sequence >= best_sequence) continue;
        best = {at, Action::Row, command, bank};
        best_sequence = sequence;
    }
    return best;
}

void PseudoChannel::perform(const Action& action, Buses& buses) {
    time_ = action.at;
    switch (action.kind) {
        case Action::Arrival:
            admit();
            break;
        case Action::Column:
            buses.free[Buses::Column] = action.at + cycles_of(action.command);
            constraints_.issue(action.command, action.bank, action.at);
            give_column(action);
            break;
        case Action::Row:
        case Action::Refresh:
            buses.free[Buses::Row] = action.at + cycles_of(action.command);
            constraints_.issue(action.command, action.bank, action.at);
            give_row(action);
            break;
        case Action::Due:
        case Action::Nothing:
            break;
    }
}

// Moves arrived entries to their queues while there is room. Nothing overtakes an access to the same burst in
// the other direction.
void PseudoChannel::admit() {
    blocked_ = false;
    hazard_.reset();
    known_until_ = 0;
    while (!ingress_.empty() && ingress_.front().arrival <= time_) {
        const Entry& entry = ingress_.front();
        const Direction direction = entry.write ? Writing : Reading;
        blocked_ = !queues_[direction].has_room(entry);
        if (blocked_) return;
        if (queues_[other(direction)].overlaps(entry)) {
            hazard_ = other(direction);
            blocked_ = true;
            return;
        }
        const bool is_open = (open_ & mask_of(entry.bank)) != 0;
        queues_[direction].push(entry, time_, is_open && banks_[entry.bank].row == entry.row);
        if (entry.write) requester_.admitted(entry, time_);
        ingress_.pop_front();
    }
}

// Returns whether the first of ingress_, which found no place, must be tried again after a burst has been
// moved.
bool PseudoChannel::may_admit(bool complete) const {
    if (hazard_) return complete;
    const Entry& entry = ingress_.front();
    return queues_[entry.write ? Writing : Reading].has_room(entry);
}

// Returns whether the same banks may be served after an entry of `bank` has gone, because no other one takes
// its place.
bool PseudoChannel::serves_as_before(unsigned bank) const {
    return (queues_[direction_].hits() & mask_of(bank)) != 0 && queues_[other(direction_)].empty() &&
           time_ < reorders_until_[direction_];
}

inline void PseudoChannel::give_column(const Action& action) {
    Queue& queue = queues_[direction_];
    Bank& bank = banks_[action.bank];
    const Entry& entry = queue.hit(action.bank);
    if (sink_ != nullptr) record(action, entry.row, entry.column, entry.sequence);
    ++(direction_ == Reading ? counts_.reads : counts_.writes);
    if (bank.fresh) ++(bank.conflicted ? counts_.conflicts : counts_.misses);
    bank.fresh = bank.conflicted = false;
    const bool complete = queue.advance(action.bank);
    if (complete) {
        requester_.moved(entry, action.at);
        queue.remove_hit(action.bank);
    }
    if (action.command == Command::ReadAuto || action.command == Command::WriteAuto)
        close(action.bank, action.at);
    if (complete && !serves_as_before(action.bank)) known_until_ = 0;
    if (blocked_ && may_admit(complete)) admit();
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
    known_until_ = 0;
    if (sink_ != nullptr) record(action, row, 0, 0);
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
    sink_->command(
        {action.at, place_.channel, place_.pseudo, action.command, action.bank, row, column, sequence});
}

void PseudoChannel::skip_refreshes(Cycle until) {
    constexpr std::uint64_t Simulated = std::uint64_t{2} * Banks;  // number of simulated ones, the last
    if (refresh_.owed(until) <= Simulated) return;
    const std::uint64_t skipped = refresh_.owed(until) - Simulated;
    refresh_.done(skipped);
    known_until_ = 0;
    (refresh_.command() == Command::RefreshAll ? counts_.all_refreshes : counts_.bank_refreshes) += skipped;
}

void PseudoChannel::add_counts(DramCounts& counts, Cycle now) const {
    DramCounts own = counts_;
    own.hits = own.bursts() - own.misses - own.conflicts;
    if (open_ != 0 && now > opened_at_) own.open_cycles += now - opened_at_;
    counts = sum({counts, own});
}

}  // namespace trnsim::tlm::hbm
