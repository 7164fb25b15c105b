// What happened on the network between servers (docs/efa.md). Times are femtoseconds.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/protocol/types.hpp"

namespace trnsim::tlm::efa {

struct AdapterStatistics {
    std::uint64_t messages_sent = 0, messages_received = 0, messages_lost = 0;
    std::uint64_t bytes_sent = 0, bytes_received = 0;  // payload of complete messages
};

// What flows share: an adapter each way, the links of a switch to the tier above and from it.
enum class LinkKind : std::uint8_t { Send, Receive, LeafUp, LeafDown, SpineUp, SpineDown };
constexpr std::size_t LinkKindCount = 6;

// "send", "leaf-up"
std::string_view name(LinkKind kind);

struct LinkStatistics {
    LinkKind kind = LinkKind::Send;
    std::uint32_t number = 0;  // of the adapter, counted through the servers, or of the switch in its tier
    double capacity = 0;       // bytes a second
    double bytes = 0;          // that passed, on the wire
    Time full = 0;             // how long all of the capacity was given away
};

// How long messages took to leave beside what they would have taken alone: congestion.
struct Waiting {
    std::uint64_t messages = 0;
    double alone = 0, taken = 0;  // seconds, of all messages
    double worst = 1;             // taken over alone, of the message for which it was the most

    double slowdown() const { return alone == 0 ? 1 : taken / alone; }
};

}  // namespace trnsim::tlm::efa
