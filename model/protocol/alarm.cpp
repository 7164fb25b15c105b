#include "model/protocol/alarm.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace trnsim::tlm::protocol {

// All alarms of the simulation: a heap of those that are set, and the one process that rings them. The alarms
// are scattered over the memory, so the data that the heap needs to move them is kept beside the heap: the
// keys, and the places by number.
class Alarms : public sc_core::sc_module {
  public:
    static Alarms& all() {
        // SystemC's own objects are not destroyed either.
        static Alarms* const alarms = new Alarms("alarms");
        return *alarms;
    }

    std::uint32_t add(Alarm& alarm) {
        alarms_.push_back(&alarm);
        places_.push_back(Nowhere);
        return static_cast<std::uint32_t>(alarms_.size() - 1);
    }

    // Sets the alarm, sooner if it is set already.
    void set(Alarm& alarm, Time at) {
        const std::uint32_t number = alarm.number_;
        const bool is_set = alarm.at_ != Alarm::NotSet;
        alarm.at_ = at;
        if (!is_set) {
            places_[number] = static_cast<std::uint32_t>(heap_.size());
            heap_.emplace_back();
        }
        const std::uint64_t order = alarm.by_ == Alarm::Set::ByOthers ? number : FirstOfChips + set_++;
        rise(places_[number], {at, order, number});
        if (places_[number] == 0 && !ringing_) due_.notify(delay_until(at));
    }

    void unset(Alarm& alarm) {
        if (std::exchange(alarm.at_, Alarm::NotSet) == Alarm::NotSet) return;
        const std::size_t place = std::exchange(places_[alarm.number_], Nowhere);
        const Entry last = heap_.back();
        heap_.pop_back();
        if (heap_.empty() && !ringing_) due_.cancel();  // nothing is pending any more
        if (last.number == alarm.number_) return;
        if (place > 0 && last.before(heap_[parent_of(place)])) {
            rise(place, last);
        } else {
            sink(place, last);
        }
    }

    Time next() const { return heap_.empty() ? Alarm::NotSet : heap_.front().at; }

  private:
    static constexpr std::uint64_t FirstOfChips = std::uint64_t{1} << 32;  // above the number of any alarm

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
            Alarm& alarm = *alarms_[heap_.front().number];
            unset(alarm);
            if (!heap_.empty()) __builtin_prefetch(alarms_[heap_.front().number]);
            alarm.action_();
        }
        ringing_ = false;
        if (!heap_.empty()) due_.notify(delay_until(heap_.front().at));
    }

    struct Entry {
        Time at = 0;
        std::uint64_t order = 0;
        std::uint32_t number = 0;  // number of the alarm
        bool before(const Entry& other) const { return at != other.at ? at < other.at : order < other.order; }
    };
    // Each entry has four below it: the heap is half as high as one with two.
    static constexpr std::size_t Children = 4;
    static constexpr std::size_t parent_of(std::size_t place) { return (place - 1) / Children; }

    void put(std::size_t place, const Entry& entry) {
        heap_[place] = entry;
        places_[entry.number] = static_cast<std::uint32_t>(place);
    }

    // Puts an entry at a place, or higher in the heap.
    void rise(std::size_t place, const Entry& entry) {
        while (place > 0) {
            const std::size_t parent = parent_of(place);
            if (!entry.before(heap_[parent])) break;
            put(place, heap_[parent]);
            place = parent;
        }
        put(place, entry);
    }

    // Puts an entry at a place, or lower in the heap.
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

    static constexpr std::uint32_t Nowhere = ~std::uint32_t{0};

    std::vector<Entry> heap_;
    std::vector<Alarm*> alarms_;         // all that were made, by number
    std::vector<std::uint32_t> places_;  // places in the heap, by number
    std::uint64_t set_ = 0;              // number set so far
    bool ringing_ = false;
    sc_core::sc_event due_;
};

Alarm::Alarm(std::function<void()> action, Set by)
    : action_(std::move(action)), by_(by), number_(Alarms::all().add(*this)) {}

Alarm::~Alarm() {
    Alarms::all().unset(*this);
}

void Alarm::cancel() {
    Alarms::all().unset(*this);
}

Time Alarm::next() {
    return Alarms::all().next();
}

void Alarm::set(Time at) {
    const Time then = std::max(at, now());
    if (then < at_) Alarms::all().set(*this, then);
}

}  // namespace trnsim::tlm::protocol
