#include "model/neuronlink/port.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace trnsim::tlm::neuronlink {
Port::Port(unsigned number, const Parameters& parameters, PortOwner& owner, const perturb::Agent& agent,
           const PortReport& report)
    : number_(number),
      parameters_(parameters),
      owner_(owner),
      report_(report),
      wire_(parameters),
      receiver_(parameters),
      transmitter_(parameters, wire_, receiver_, report_),
      delay_(agent, fmt::format("port {}", number), LinkPerturbUnit) {
    report_standing(0);
}

void Port::receive(Frame frame, Time at) {
    // This frame was sent before the cable was cut; frames sent after it was whole again arrive later.
    if (state_ == State::Down || (state_ == State::Training && at <= up_at_)) {
        ++receiver_.statistics().cut;
        return;
    }
    Time effect = at + parameters_.receive_time + delay_.of(at);
    if (!inbox_.empty()) effect = std::max(effect, inbox_.back().at);
    inbox_.push_back({std::move(frame), effect});
    owner_.wake(effect);
}

void Port::step(Time now) {
    while (!inbox_.empty() && inbox_.front().at <= now) {
        const Frame frame = std::move(inbox_.front().frame);
        inbox_.pop_front();
        polls_ = 0;
        if (frame.damaged.empty()) {
            take(frame, now);
        } else if (const auto decoded = decode(frame.damaged)) {
            take(*decoded, now);
        } else {
            receiver_.take_damaged();
        }
    }
    check_timers(now);
}

void Port::take(const Frame& frame, Time now) {
    transmitter_.hear(frame, now);
    if (receiver_.take(frame)) owner_.arrived(number_, frame.channel, frame.packet);
}

void Port::check_timers(Time now) {
    if (state_ == State::Training && up_at_ <= now) come_up(now);
    if (state_ == State::Down && !given_up_ && down_at_ + parameters_.give_up_time <= now) give_up();
    if (!up()) return;
    bool alive = true;
    if (transmitter_.retry_at() <= now) alive = transmitter_.retry(now);
    if (poll_at_ <= now) {
        poll_at_ = now + parameters_.retry_time;
        poll_due_ = true;
        alive = alive && ++polls_ <= parameters_.retry_limit;
    }
    if (!alive) take_down(now, true);
}

void Port::send_first(Time now) {
    if (!free(now)) return;
    if (receiver_.urgent() || poll_due_) {
        transmitter_.send_control(now, std::exchange(poll_due_, false));
        last_control_ = now;
    } else if (transmitter_.repeating()) {
        transmitter_.repeat(now);
    }
}

bool Port::offer(const PacketPtr& packet, unsigned channel, Time now) {
    if (!free(now) || transmitter_.repeating()) return false;
    const std::uint64_t flits = flits_of(*packet);
    if (!transmitter_.has_room(channel, flits)) {
        if (blocked_since_ == Never && !transmitter_.has_credits(channel, flits)) {
            blocked_since_ = now;
            poll_at_ = now + parameters_.retry_time;
            ++transmitter_.statistics().stalls;
        }
        return false;
    }
    end_stall(now);
    transmitter_.send(packet, channel, now);
    return true;
}

void Port::end_stall(Time now) {
    if (blocked_since_ == Never) return;
    transmitter_.statistics().stalled += now - blocked_since_;
    report_.stall(blocked_since_, now);
    blocked_since_ = poll_at_ = Never;
    poll_due_ = false;
}

void Port::send_last(Time now, bool wanted) {
    if (!wanted) end_stall(now);
    if (!free(now) || !receiver_.pending()) return;
    if (!receiver_.urgent() && now < last_control_ + parameters_.ack_interval) return;
    transmitter_.send_control(now, false);
    last_control_ = now;
}

void Port::report_standing(Time now) {
    if (!report_) return;
    trace::LinkStanding standing{.repeats = transmitter_.repeating(),
                                 .stalled = blocked_since_ != Never,
                                 .replay = transmitter_.replay_flits(),
                                 .retries = transmitter_.statistics().retries,
                                 .failed_lanes = parameters_.lanes - wire_.lanes()};
    if (state_ != State::Up)
        standing.state =
            state_ == State::Down ? trace::LinkStanding::State::Down : trace::LinkStanding::State::Training;
    for (unsigned channel = 0; channel < Channels; ++channel)
        standing.credits[channel] = transmitter_.credits(channel);
    report_.standing(now, standing);
}

Time Port::next(Time now, bool wanted) const {
    Time next = inbox_.empty() ? Never : inbox_.front().at;
    if (state_ == State::Training) next = std::min(next, up_at_);
    if (state_ == State::Down && !given_up_) next = std::min(next, down_at_ + parameters_.give_up_time);
    if (!up()) return next;
    const Time free_at = wire_.free_at();
    if (free_at > now && (wanted || transmitter_.repeating() || poll_due_ || receiver_.urgent()))
        next = std::min(next, free_at);
    if (receiver_.pending())
        next = std::min(next, std::max(free_at, last_control_ + parameters_.ack_interval));
    return std::min({next, transmitter_.retry_at(), poll_at_});
}

void Port::take_down(Time now, bool for_good) {
    if (state_ != State::Down) {
        if (state_ == State::Up) {
            ++outages_.count;
            down_since_ = now;
        }
        state_ = State::Down;
        down_at_ = now;
        end_stall(now);
        receiver_.statistics().cut += inbox_.size();
        inbox_.clear();
    }
    if (for_good && !given_up_) give_up();
    owner_.wake(down_at_ + parameters_.give_up_time);
}

void Port::give_up() {
    given_up_ = true;
    ++outages_.given_up;
    transmitter_.give_up();
    owner_.usable(number_, false);
}

OutageStatistics Port::outages(Time now) const {
    OutageStatistics until_now = outages_;
    if (state_ != State::Up) until_now.time += now - down_since_;
    return until_now;
}

void Port::bring_up(Time now) {
    if (state_ != State::Down) return;
    if (!given_up_ && down_at_ + parameters_.give_up_time <= now) give_up();
    state_ = State::Training;
    up_at_ = now + parameters_.training_time;
    owner_.wake(up_at_);
}

void Port::come_up(Time now) {
    state_ = State::Up;
    outages_.time += now - down_since_;
    const bool anew = std::exchange(given_up_, false);
    if (anew) {
        transmitter_.restart();
        receiver_.restart();
    }
    transmitter_.resume(now);
    receiver_.resume();
    if (anew) owner_.usable(number_, true);
}

}  // namespace trnsim::tlm::neuronlink
