// Sizes and times of a chip's links. Only the number of ports and the bandwidth of a chip are published;
// docs/neuronlink.md says where each value comes from.
#pragma once

#include <cstdint>

#include "model/protocol/types.hpp"

namespace trnsim::tlm::neuronlink {

constexpr unsigned Ports = 4;  // ports of a chip

struct Parameters {
    // One direction of a link.
    std::uint64_t lanes = 16;
    std::uint64_t lane_rate = 3'000'000'000;  // bytes a second on one lane
    Time latency = 100 * FsPerNs;             // on the wire: from the last bit sent to the last bit received
    Time receive_time = 30 * FsPerNs;         // check, buffer and look-up: until a frame has its effect
    std::uint64_t buffer = 1024;              // flits; the receiver's, for each virtual channel
    std::uint64_t replay = 1024;              // flits; the sender's: sent and not yet acknowledged
    Time ack_interval = 20 * FsPerNs;         // between control frames that have only acknowledgements
    Time retry_time = 2 * FsPerUs;            // without an acknowledgement; then all is sent again
    std::uint64_t retry_limit = 64;           // retries in a row; then the link is given up
    Time give_up_time = 50 * FsPerUs;         // a link that is down longer is given up
    Time training_time = 10 * FsPerUs;        // time until a link that comes up can be used

    // Packets.
    std::uint64_t data = 4096;  // maximum bytes; a power of two

    // The endpoint of a chip.
    Time endpoint_time = 20 * FsPerNs;  // between the chip's fabric and the router, each way
    std::uint64_t requests = 512;       // maximum packets sent and not answered
    std::uint64_t served = 128;         // maximum packets of other chips under way in the chip
    Time timeout = 10'000 * FsPerUs;    // time until a request without an answer is an error
};

// Throws std::invalid_argument with one line for a value outside its range and for values that do not fit
// each other.
void check(const Parameters& parameters);

}  // namespace trnsim::tlm::neuronlink
