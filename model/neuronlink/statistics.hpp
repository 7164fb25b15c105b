// Counts of one direction of a link at its two ends.
#pragma once

#include <array>
#include <cstdint>

#include "model/neuronlink/packet.hpp"

namespace trnsim::tlm::neuronlink {

struct SendStatistics {
    std::uint64_t packets = 0;      // sent for the first time
    std::uint64_t bytes = 0;        // bytes of data in them
    std::uint64_t control = 0;      // frames without a packet
    std::uint64_t repeated = 0;     // packets sent again
    std::uint64_t retries = 0;      // times that sending again began
    std::uint64_t polls = 0;        // requests for a control frame after a long wait for credits
    std::uint64_t lost = 0;         // packets that were not acknowledged when the link was given up
    std::uint64_t flits = 0;        // flits of all frames
    Time busy = 0;                  // fs in which the wire was occupied
    std::uint64_t stalls = 0;       // waits for credits while the wire was free
    Time stalled = 0;               // fs of these waits
    std::uint64_t replay_peak = 0;  // flits, maximum
};

struct ReceiveStatistics {
    std::uint64_t packets = 0;                   // accepted
    std::uint64_t bytes = 0;                     // bytes of data in them
    std::uint64_t crc_errors = 0;                // damaged frames
    std::uint64_t duplicates = 0;                // packets that had been accepted before
    std::uint64_t gaps = 0;                      // packets that followed a missing one
    std::uint64_t cut = 0;                       // frames that arrived while the link was down
    std::array<std::uint64_t, Channels> peak{};  // maximum flits in each buffer
};

// Faults of the wire itself.
struct FaultStatistics {
    std::uint64_t damaged = 0;  // frames
    std::uint64_t dropped = 0;  // frames
};

// Times in which a link cannot be used, at one of its ends.
struct OutageStatistics {
    std::uint64_t count = 0;     // times that the link went down
    Time time = 0;               // fs until it could be used again, training included
    std::uint64_t given_up = 0;  // times that it was given up
};

struct LinkStatistics {
    SendStatistics sent;
    ReceiveStatistics received;
    FaultStatistics faults;  // faults of the sending direction
};

struct EndpointStatistics {
    std::uint64_t requests = 0;  // transactions of the chip
    std::uint64_t packets = 0;   // requests sent
    std::uint64_t served = 0;    // requests of other chips
    std::uint64_t errors = 0;    // packets answered with an error without the access, each reported
    std::uint64_t late = 0;      // answers that came after the error
};

struct RouterStatistics {
    std::uint64_t forwarded = 0;  // packets of other chips for other chips
    std::uint64_t rerouted = 0;   // packets that started anew here after tables had changed
    std::uint64_t stranded = 0;   // packets discarded because their chip could not be reached any more
};

}  // namespace trnsim::tlm::neuronlink
