// The closed forms of the links: flits of a packet, time on the wire, time of a hop.
#pragma once

#include "model/neuronlink/parameters.hpp"

namespace trnsim::tlm::neuronlink {

constexpr std::uint64_t FlitBytes = 32;
// bytes of every frame before and after its data; together one flit
constexpr std::uint64_t HeaderBytes = 28, CrcBytes = 4;

// Returns the flits of a frame with this many bytes of data.
constexpr std::uint64_t flits_of(std::uint64_t data) {
    return 1 + (data + FlitBytes - 1) / FlitBytes;
}

// Returns the bytes a second of one direction with this many lanes.
constexpr std::uint64_t rate_of(const Parameters& parameters, std::uint64_t lanes) {
    return lanes * parameters.lane_rate;
}

// Returns how long flits occupy a wire of this rate.
constexpr Time wire_time(std::uint64_t flits, std::uint64_t rate) {
    return duration(flits * FlitBytes, rate);
}

// Returns the time from the start of a frame on a free wire until it has its effect at the other end.
constexpr Time hop_time(const Parameters& parameters, std::uint64_t data) {
    return wire_time(flits_of(data), rate_of(parameters, parameters.lanes)) + parameters.latency +
           parameters.receive_time;
}

// Returns the longest time from the start of a packet until its acknowledgement has come back, if nothing
// goes wrong and the far side forwards at once: it may have to wait for a packet on the wire or for its
// interval.
constexpr Time acknowledgement_time(const Parameters& parameters) {
    const Time longest = wire_time(flits_of(parameters.data), rate_of(parameters, parameters.lanes));
    return hop_time(parameters, parameters.data) +
           (longest > parameters.ack_interval ? longest : parameters.ack_interval) +
           hop_time(parameters, parameters.data);
}

}  // namespace trnsim::tlm::neuronlink
