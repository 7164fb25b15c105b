#include "model/protocol/alarm.hpp"

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "model/protocol/alarm_heap.hpp"

namespace trnsim::tlm::protocol {

// All alarms of the simulation, and the one process that rings them.
class Alarms : public sc_core::sc_module {
  public:
    static Alarms& all() {
        // SystemC's own objects are not destroyed either.
        static Alarms* const alarms = new Alarms("alarms");
        return *alarms;
    }

    std::uint32_t add(Alarm& alarm) {
        alarms_.push_back(&alarm);
        places_.emplace_back();
        return static_cast<std::uint32_t>(alarms_.size() - 1);
    }

    // Sets the chip of the alarms that are made from now on, from 1 on; 0: none. Returns the one before.
    std::uint32_t make_for(std::uint32_t chip) {
        while (chips_.size() < chip) chips_.emplace_back(places_);
        return std::exchange(chip_, chip);
    }
    std::uint32_t chip() const { return chip_; }

    // Sets the alarm, sooner if it is set already.
    void set(Alarm& alarm, Time at) {
        const std::uint32_t number = alarm.number_;
        const bool is_set = std::exchange(alarm.at_, at) != Alarm::NotSet;
        const std::uint64_t order = alarm.by_ == Alarm::Set::ByOthers ? number : FirstOfChips + set_++;
        AlarmHeap& heap = heap_of(alarm);
        if (is_set) {
            heap.hasten({at, order, number});
        } else {
            heap.add({at, order, number});
        }
        if (!ringing_ && heap.front().number == number) due_.notify(delay_until(at));
    }

    void unset(Alarm& alarm) {
        if (std::exchange(alarm.at_, Alarm::NotSet) == Alarm::NotSet) return;
        AlarmHeap& heap = heap_of(alarm);
        heap.remove(alarm.number_);
        if (heap.empty() && !ringing_) due_.cancel();  // nothing is pending any more
    }

    Time next() const {
        const AlarmHeap& heap = ringing_ == nullptr ? heap_ : *ringing_;
        return std::min(heap.empty() ? Alarm::NotSet : heap.front().at, end_);
    }

    // Rings the alarms of one chip after the other.
    bool ring_by_chips(Time end) {
        const Apart apart(*this, end);
        if (!heap_.empty() && heap_.front().at < end) return false;
        const Time begin = now();
        for (AlarmHeap& heap : chips_) {
            ringing_ = &heap;
            shown_ = to_sc(begin);
            while (!heap.empty() && heap.front().at < end) {
                shown_ = to_sc(std::max(begin, heap.front().at));
                ring_first(heap);
            }
        }
        return true;
    }

  private:
    static constexpr std::uint64_t FirstOfChips = std::uint64_t{1} << 32;  // above the number of any alarm

    // The time in which each chip has its own heap and its own clock.
    class Apart {
      public:
        Apart(Alarms& alarms, Time end) : alarms_(alarms) {
            alarms_.apart_ = true;
            alarms_.ringing_ = &alarms_.heap_;
            alarms_.end_ = end;
            for (const AlarmHeap::Entry& entry : alarms_.heap_.take_all())
                alarms_.heap_of(*alarms_.alarms_[entry.number]).add(entry);
            alarms_.shown_ = *std::exchange(shown_time(), &alarms_.shown_);
        }
        Apart(const Apart&) = delete;
        Apart& operator=(const Apart&) = delete;
        ~Apart() {
            for (AlarmHeap& heap : alarms_.chips_) {
                for (const AlarmHeap::Entry& entry : heap.take_all()) alarms_.heap_.add(entry);
            }
            shown_time() = &sc_core::sc_time_stamp();
            alarms_.apart_ = false;
            alarms_.ringing_ = nullptr;
            alarms_.end_ = Alarm::NotSet;
            alarms_.due_.cancel();
            alarms_.notify_first();
        }

      private:
        Alarms& alarms_;
    };

    explicit Alarms(const sc_core::sc_module_name& name) : sc_module(name), heap_(places_) {
        SC_HAS_PROCESS(Alarms);
        SC_METHOD(ring);
        sensitive << due_;
        dont_initialize();
    }

    AlarmHeap& heap_of(const Alarm& alarm) {
        return apart_ && alarm.chip_ != 0 ? chips_[alarm.chip_ - 1] : heap_;
    }

    void ring_first(AlarmHeap& heap) {
        Alarm& alarm = *alarms_[heap.front().number];
        unset(alarm);
        if (!heap.empty()) __builtin_prefetch(alarms_[heap.front().number]);
        alarm.action_();
    }

    void ring() {
        ringing_ = &heap_;
        const Time time = now();
        while (!heap_.empty() && heap_.front().at <= time) ring_first(heap_);
        ringing_ = nullptr;
        notify_first();
    }

    void notify_first() {
        if (!heap_.empty()) due_.notify(delay_until(heap_.front().at));
    }

    std::vector<Alarm*> alarms_;         // all that were made, by number
    std::vector<std::uint32_t> places_;  // places in the heaps, by number
    AlarmHeap heap_;                     // all alarms that are set; while chips are apart, those of no chip
    std::deque<AlarmHeap> chips_;        // by chip, from 1 on; empty unless chips are apart
    std::uint32_t chip_ = 0;             // chip of the alarms that are made now; 0: none
    std::uint64_t set_ = 0;              // number set so far
    AlarmHeap* ringing_ = nullptr;       // the heap with the alarms that ring now; null: none do
    bool apart_ = false;
    Time end_ = Alarm::NotSet;  // end of the time in which chips are apart
    sc_core::sc_time shown_;    // the time of the chip with the alarms that ring, while chips are apart
    sc_core::sc_event due_;
};

Alarm::Alarm(std::function<void()> action, Set by)
    : action_(std::move(action)), by_(by), number_(Alarms::all().add(*this)), chip_(Alarms::all().chip()) {}

Alarm::~Alarm() {
    Alarms::all().unset(*this);
}

void Alarm::cancel() {
    Alarms::all().unset(*this);
}

Time Alarm::next() {
    return Alarms::all().next();
}

bool Alarm::ring_by_chips(Time end) {
    return Alarms::all().ring_by_chips(end);
}

void Alarm::set(Time at) {
    const Time then = std::max(at, now());
    if (then < at_) Alarms::all().set(*this, then);
}

AlarmsOfChip::AlarmsOfChip(unsigned chip) : before_(Alarms::all().make_for(chip + 1)) {}

AlarmsOfChip::~AlarmsOfChip() {
    Alarms::all().make_for(before_);
}

}  // namespace trnsim::tlm::protocol
