#include "tlm/protocol/alarm.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace trnsim::tlm::protocol {

// All alarms of the simulation: a heap of those that are set, and the one process that rings them. The heap has the
// keys beside the alarms, which lie all over the memory.
class Alarms : public sc_core::sc_module {
  public:
    static Alarms& all() {
        // SystemC's own objects are not taken down either.
        static Alarms* const alarms = new Alarms("alarms");
        return *alarms;
    }

    std::uint64_t next_number() { return made_++; }

    void set(Alarm& alarm, Time at) {
        const bool is_set = alarm.place_ != Alarm::NotSet;
        if (is_set && alarm.at_ <= at) return;
        alarm.at_ = at;
        alarm.order_ = alarm.by_ == Alarm::Set::ByOthers ? alarm.number_ : FirstOfChips + set_++;
        if (!is_set) {
            alarm.place_ = heap_.size();
            heap_.emplace_back();
        }
        rise(alarm.place_, {at, alarm.order_, &alarm});
        if (alarm.place_ == 0 && !ringing_) due_.notify(delay_until(at));
    }

    void unset(Alarm& alarm) {
        const std::size_t place = std::exchange(alarm.place_, Alarm::NotSet);
        if (place == Alarm::NotSet) return;
        const Entry last = heap_.back();
        heap_.pop_back();
        if (last.alarm == &alarm) return;
        if (place > 0 && last.before(heap_[parent_of(place)])) {
            rise(place, last);
        } else {
            sink(place, last);
        }
    }

  private:
    static constexpr std::uint64_t FirstOfChips = std::uint64_t{1} << 32;  // behind the number of any alarm

    explicit Alarms(const sc_core::sc_module_name& name) : sc_module(name) {
        SC_HAS_PROCESS(Alarms);
        SC_METHOD(ring);
        sensitive << due_;
        dont_initialize();
    }

    void ring() {
        ringing_ = true;
        const Time time = now();
        while (!heap_.empty() && heap_.front().at <= time) {
            Alarm& alarm = *heap_.front().alarm;
            unset(alarm);
            alarm.action_();
        }
        ringing_ = false;
        if (!heap_.empty()) due_.notify(delay_until(heap_.front().at));
    }

    struct Entry {
        Time at = 0;
        std::uint64_t order = 0;
        Alarm* alarm = nullptr;
        bool before(const Entry& other) const { return at != other.at ? at < other.at : order < other.order; }
    };
    // Of each entry four are below it: a heap half as high as one of two.
    static constexpr std::size_t Children = 4;
    static constexpr std::size_t parent_of(std::size_t place) { return (place - 1) / Children; }

    void put(std::size_t place, const Entry& entry) {
        heap_[place] = entry;
        entry.alarm->place_ = place;
    }

    // Puts an entry at a place, or higher.
    void rise(std::size_t place, const Entry& entry) {
        while (place > 0) {
            const std::size_t parent = parent_of(place);
            if (!entry.before(heap_[parent])) break;
            put(place, heap_[parent]);
            place = parent;
        }
        put(place, entry);
    }

    // Puts an entry at a place, or lower.
    void sink(std::size_t place, const Entry& entry) {
        while (true) {
            const std::size_t first = Children * place + 1;
            if (first >= heap_.size()) break;
            const std::size_t end = std::min(first + Children, heap_.size());
            std::size_t child = first;
            for (std::size_t other = first + 1; other < end; ++other)
                if (heap_[other].before(heap_[child])) child = other;
            if (!heap_[child].before(entry)) break;
            put(place, heap_[child]);
            place = child;
        }
        put(place, entry);
    }

    std::vector<Entry> heap_;
    std::uint64_t made_ = 0, set_ = 0;  // so far
    bool ringing_ = false;
    sc_core::sc_event due_;
};

Alarm::Alarm(std::function<void()> action, Set by)
    : action_(std::move(action)), by_(by), number_(Alarms::all().next_number()) {}

Alarm::~Alarm() {
    Alarms::all().unset(*this);
}

void Alarm::notify(const sc_core::sc_time& delay) {
    Alarms::all().set(*this, now() + delay.value());
}

}  // namespace trnsim::tlm::protocol
