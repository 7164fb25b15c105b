#include "model/neuronlink/router.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

namespace trnsim::tlm::neuronlink {

Router::Router(PortList& ports, Endpoint& endpoint, Table table)
    : ports_(ports), endpoint_(endpoint), table_(std::move(table)) {}

void Router::set_table(Table table) {
    table_ = std::move(table);
    wanting_.fill(0);
    std::deque<Waiting> own;
    for (unsigned queue = Buffers; queue < Queues; ++queue) {
        std::move(queues_[queue].begin(), queues_[queue].end(), std::back_inserter(own));
        queues_[queue].clear();
    }
    for (Waiting& waiting : own) start(std::move(waiting));
    for (unsigned buffer = 0; buffer < Buffers; ++buffer) look_up(buffer);
}

void Router::arrived(unsigned port, unsigned channel, PacketPtr packet) {
    const unsigned buffer = port * Channels + channel;
    queues_[buffer].push_back({std::move(packet), false});
    if (queues_[buffer].size() == 1) look_up(buffer);
}

void Router::inject(PacketPtr packet) {
    start({std::move(packet), true});
}

Hop Router::hop_of(unsigned input, unsigned dateline, const Packet& packet) const {
    return packet.destination < table_.chips() ? table_.at(input, dateline, packet.destination) : Hop{};
}

// Puts a packet that begins its way here into the queue of its class and output.
void Router::start(Waiting waiting) {
    const Packet& packet = *waiting.packet;
    const Hop hop = hop_of(Local, 0, packet);
    if (hop.way != Hop::Way::Onward) {
        ++statistics_.stranded;
        if (waiting.own) endpoint_.left(packet);
        return;
    }
    const unsigned queue = Buffers + (is_response(packet.kind) ? Inputs : 0) + hop.port;
    queues_[queue].push_back(std::move(waiting));
    if (queues_[queue].size() == 1) look_up(queue);
}

// Finds the output for the first packet of a queue. A packet that cannot go on from its buffer starts anew;
// one for an unreachable chip is discarded.
void Router::look_up(unsigned queue) {
    const bool buffer = queue < Buffers;
    const unsigned input = buffer ? queue / Channels : Local;
    const unsigned dateline = buffer ? dateline_of(queue % Channels) : 0;
    while (!queues_[queue].empty()) {
        const Waiting& first = queues_[queue].front();
        const Hop hop = hop_of(input, dateline, *first.packet);
        if (hop.way == Hop::Way::Onward) {
            hops_[queue] = hop;
            wanting_[hop.port] |= 1u << queue;
            return;
        }
        Waiting moved{first.packet, false};
        leave(queue);
        if (hop.way == Hop::Way::Anew) {
            ++statistics_.rerouted;
            start(std::move(moved));
        } else {
            ++statistics_.stranded;
        }
    }
}

// Removes the first packet of a queue.
void Router::leave(unsigned queue) {
    const Waiting first = std::move(queues_[queue].front());
    queues_[queue].pop_front();
    if (queue < Buffers) ports_[queue / Channels]->release(queue % Channels, flits_of(*first.packet));
    if (first.own) endpoint_.left(*first.packet);
}

bool Router::go(unsigned queue, unsigned output, Time now) {
    const PacketPtr& packet = queues_[queue].front().packet;
    if (output == Local) {
        if (!endpoint_.takes(*packet)) return false;
        endpoint_.deliver(*packet, now);
    } else {
        if (!ports_[output]->offer(packet, channel_of(packet->kind, hops_[queue].dateline), now))
            return false;
        if (!queues_[queue].front().own) ++statistics_.forwarded;
    }
    wanting_[output] &= ~(1u << queue);
    leave(queue);
    look_up(queue);
    return true;
}

bool Router::move_one(unsigned output, Time now) {
    const std::uint32_t before = (1u << turn_[output]) - 1;
    for (const std::uint32_t part : {wanting_[output] & ~before, wanting_[output] & before}) {
        for (std::uint32_t left = part; left != 0; left &= left - 1) {
            const auto queue = static_cast<unsigned>(std::countr_zero(left));
            if (!go(queue, output, now)) continue;
            turn_[output] = (queue + 1) % Queues;
            return true;
        }
    }
    return false;
}

void Router::move(Time now) {
    for (bool moved = true; moved;) {
        moved = false;
        for (unsigned output = 0; output < Inputs; ++output) {
            while (wanting_[output] != 0 && move_one(output, now)) moved = true;
        }
    }
}

bool Router::empty() const {
    return std::all_of(queues_.begin(), queues_.end(), [](const auto& queue) { return queue.empty(); });
}

}  // namespace trnsim::tlm::neuronlink
