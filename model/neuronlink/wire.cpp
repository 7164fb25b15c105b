#include "model/neuronlink/wire.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace trnsim::tlm::neuronlink {

Wire::Wire(const Parameters& parameters) : parameters_(parameters), lanes_(parameters.lanes) {}

void Wire::set_lanes(std::uint64_t lanes) {
    if (lanes == 0 || lanes > parameters_.lanes) {
        throw std::invalid_argument(
            fmt::format("neuronlink: {} working lanes, expected 1 to {}", lanes, parameters_.lanes));
    }
    lanes_ = lanes;
}

Fate Wire::send(Frame frame, Time now, SendStatistics& statistics) {
    const std::uint64_t flits = flits_of(frame);
    const Time time = wire_time(flits, rate_of(parameters_, lanes_));
    free_at_ = now + time;
    statistics.flits += flits;
    statistics.busy += time;
    const Fate fate = faults_.pass(frame);
    if (fate != Fate::Lost) cable_->send(std::move(frame), free_at_ + parameters_.latency);
    return fate;
}

}  // namespace trnsim::tlm::neuronlink
