// The controller of a pseudo channel: queues, open rows, the direction of the data bus, refresh. It decides
// which command comes next and when.
//
// Time goes from action to action, not from cycle to cycle: plan() finds the earliest possible action,
// perform() performs it. No plan depends on entries that arrive later.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "arch/config/config.hpp"
#include "model/hbm/constraints.hpp"
#include "model/hbm/page_policy.hpp"
#include "model/hbm/queue.hpp"
#include "model/hbm/refresh.hpp"
#include "model/hbm/scheduler.hpp"
#include "model/hbm/statistics.hpp"
#include "model/protocol/ring_queue.hpp"

namespace trnsim::tlm::hbm {

// The maker of the entries.
class Requester {
  public:
    virtual ~Requester() = default;
    virtual void admitted(const Entry& entry, Cycle at) = 0;  // a write has a place in its queue
    virtual void moved(const Entry& entry, Cycle at) = 0;     // the command of its last burst is given
};

// The command buses, which the pseudo channels of a channel share.
struct Buses {
    enum Bus : std::uint8_t { Row, Column, Neither };
    std::array<Cycle, 3> free{};  // first free cycle; Neither is always free
};

struct PseudoChannelId {
    unsigned channel, pseudo;
};

class PseudoChannel {
  public:
    PseudoChannel(const config::BankedHbm& hbm, PseudoChannelId place, Requester& requester,
                  CommandSink* sink);

    // The next action.
    struct Action {
        // Column and Row are commands for waiting entries; Refresh is a refresh command or one that prepares
        // it.
        enum Kind : std::uint8_t { Nothing, Arrival, Due, Column, Row, Refresh };
        Cycle at = Never;
        Kind kind = Nothing;
        Command command{};
        // Fills the last word: the host waits if copies write other pieces than are read next.
        unsigned bank = 0;

        Buses::Bus bus() const {
            return kind == Column ? Buses::Column : kind >= Row ? Buses::Row : Buses::Neither;
        }
    };

    // Entries come in ascending order of arrival.
    void add(const Entry& entry) {
        ingress_.push_back(entry);
        known_until_ = 0;
    }
    // True if nothing waits in the queues, no row is open, and there is no sink for commands.
    bool quiet() const {
        return sink_ == nullptr && open_ == 0 && queues_[Reading].empty() && queues_[Writing].empty();
    }
    void report_to(CommandSink* sink) { sink_ = sink; }
    Cycle next_arrival() const { return ingress_.empty() ? Never : ingress_.front().arrival; }

    Action plan(const Buses& buses);
    void perform(const Action& action, Buses& buses);

    // Leaves out most of the refreshes while it is quiet until `until`: they would be given when they fall
    // due, and only their number matters.
    void skip_refreshes(Cycle until);

    // Returns the bursts moved so far.
    std::uint64_t moved() const { return counts_.bursts(); }
    // Adds the counts up to `now`.
    void add_counts(DramCounts& counts, Cycle now) const;

  private:
    enum Direction : std::uint8_t { Reading, Writing };
    static Direction other(Direction direction) { return direction == Reading ? Writing : Reading; }

    // The banks that may get a column command, and those that may get a row command.
    struct Grant {
        BankMask column = 0, row = 0;
    };

    void look();
    void look_at_queues();
    Action plan_refresh(const Buses& buses) const;
    // Plan the next column command, if there is one before `before`, and the next row command, not before
    // `from`.
    Action plan_column(const Buses& buses, Cycle before) const;
    Action plan_row(Cycle from) const;
    BankMask closing(BankMask hits) const;
    void choose_direction();
    bool wants_other_direction() const;
    bool has_waited(const Queue& queue) const;
    void admit();
    bool may_admit(bool complete) const;
    bool serves_as_before(unsigned bank) const;
    void give_column(const Action& action);
    void give_row(const Action& action);
    void open(unsigned bank, std::uint32_t row, Cycle at);
    void close(unsigned bank, Cycle at);
    void record(const Action& action, std::uint32_t row, unsigned column, std::uint64_t sequence);

    PseudoChannelId place_;
    Requester& requester_;
    CommandSink* sink_;
    Constraints constraints_;
    Refresh refresh_;
    std::unique_ptr<PagePolicy> pages_;
    std::unique_ptr<Scheduler> scheduler_;
    Cycle max_wait_;
    std::uint64_t write_high_, write_low_;

    Cycle time_ = 0;  // time of the last action
    protocol::RingQueue<Entry> ingress_;
    bool blocked_ = false;  // the first of ingress_ finds no place
    // The direction of the queue with an entry that the first of ingress_ must not overtake.
    std::optional<Direction> hazard_;
    std::array<Queue, 2> queues_;
    Direction direction_ = Reading;

    // The members below are valid for all plans before this cycle, or until something changes them: an
    // arrival, an entry that comes or goes, a command other than a column command.
    Cycle known_until_ = 0;
    Action edge_;              // the next arrival, or a refresh that falls due
    BankMask refreshing_ = 0;  // banks not to be used until they are refreshed
    Grant grant_;
    std::optional<Action> row_;  // the next row command, once it is planned
    // Each queue is served out of order until this cycle or longer: it was computed for an entry that has
    // been the oldest, and later entries may wait longer.
    std::array<Cycle, 2> reorders_until_{};

    struct Bank {
        std::uint32_t row = 0;
        bool fresh = false;       // no burst has been moved since the row was opened
        bool conflicted = false;  // it was closed because another row is wanted
    };
    std::array<Bank, Banks> banks_{};
    BankMask open_ = 0;
    Cycle opened_at_ = 0;  // when open_ stopped being empty
    DramCounts counts_;    // all counts except hits
};

}  // namespace trnsim::tlm::hbm
