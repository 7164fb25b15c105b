// Counts of the network between servers (docs/efa.md). Times are femtoseconds.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/protocol/types.hpp"

namespace trnsim::tlm::efa {

struct AdapterStatistics {
    std::uint64_t messages_sent = 0, messages_received = 0, messages_lost = 0;
    std::uint64_t bytes_sent = 0, bytes_received = 0;  // payload of complete messages
};

// The resources that flows share: an adapter each way, and the links between a switch and the tier above,
// each way.
enum class LinkKind : std::uint8_t { Send, Receive, LeafUp, LeafDown, SpineUp, SpineDown };
constexpr std::size_t LinkKindCount = 6;

// Returns a name like "send" or "leaf-up".
std::string_view name(LinkKind kind);

struct LinkStatistics {
    LinkKind kind = LinkKind::Send;
    std::uint32_t number = 0;  // number of the adapter, over all servers, or of the switch in its tier
    double capacity = 0;       // bytes a second
    double bytes = 0;          // bytes on the wire
    Time full = 0;             // fs in which all of the capacity was used
};

// The time that messages took to leave, compared with the time they would have taken alone: congestion.
struct Waiting {
    std::uint64_t messages = 0;
    double alone = 0, taken = 0;  // seconds, summed over all messages
    double worst = 1;             // largest ratio of taken to alone of a message

    double slowdown() const { return alone == 0 ? 1 : taken / alone; }
};

}  // namespace trnsim::tlm::efa
