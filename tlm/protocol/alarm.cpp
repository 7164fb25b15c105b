#include "tlm/protocol/alarm.hpp"

#include <utility>
#include <vector>

namespace trnsim::tlm::protocol {

// All alarms of the simulation: a heap of those that are set, and the one process that rings them.
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
            heap_.push_back(&alarm);
        }
        rise(alarm.place_);
        if (alarm.place_ == 0 && !ringing_) due_.notify(delay_until(at));
    }

    void unset(Alarm& alarm) {
        const std::size_t place = std::exchange(alarm.place_, Alarm::NotSet);
        if (place == Alarm::NotSet) return;
        Alarm& last = *heap_.back();
        heap_.pop_back();
        if (&last == &alarm) return;
        put(place, last);
        rise(place);
        sink(last.place_);
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
        while (!heap_.empty() && heap_.front()->at_ <= time) {
            Alarm& alarm = *heap_.front();
            unset(alarm);
            alarm.action_();
        }
        ringing_ = false;
        if (!heap_.empty()) due_.notify(delay_until(heap_.front()->at_));
    }

    void put(std::size_t place, Alarm& alarm) {
        heap_[place] = &alarm;
        alarm.place_ = place;
    }

    void rise(std::size_t place) {
        Alarm& alarm = *heap_[place];
        while (place > 0) {
            const std::size_t parent = (place - 1) / 2;
            if (!alarm.before(*heap_[parent])) break;
            put(place, *heap_[parent]);
            place = parent;
        }
        put(place, alarm);
    }

    void sink(std::size_t place) {
        Alarm& alarm = *heap_[place];
        while (true) {
            std::size_t child = 2 * place + 1;
            if (child >= heap_.size()) break;
            if (child + 1 < heap_.size() && heap_[child + 1]->before(*heap_[child])) ++child;
            if (!heap_[child]->before(alarm)) break;
            put(place, *heap_[child]);
            place = child;
        }
        put(place, alarm);
    }

    std::vector<Alarm*> heap_;
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
