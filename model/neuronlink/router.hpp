// The router of a chip: packets wait in the buffers of their virtual channels, or in the queues of the
// endpoint, which has one for each output and class; the first packet of each queue asks for the output that
// the table names. An output serves the queues that ask in turn. A packet moves as a whole, when the next
// chip has room for all of it.
#pragma once

#include <deque>
#include <memory>

#include "model/neuronlink/endpoint.hpp"
#include "model/neuronlink/port.hpp"
#include "model/neuronlink/routing.hpp"

namespace trnsim::tlm::neuronlink {

class Router {
  public:
    using PortList = std::array<std::unique_ptr<Port>, Ports>;

    Router(PortList& ports, Endpoint& endpoint, Table table);

    // Sets the table. Packets under way go on by the new table from where they are.
    void set_table(Table table);
    const Table& table() const { return table_; }

    void arrived(unsigned port, unsigned channel, PacketPtr packet);  // it is in the port's buffer
    void inject(PacketPtr packet);                                    // it comes from the endpoint

    // Moves every packet that can go now.
    void move(Time now);
    bool wants(unsigned port) const { return wanting_[port] != 0; }
    bool empty() const;

    const RouterStatistics& statistics() const { return statistics_; }

  private:
    struct Waiting {
        PacketPtr packet;
        bool own;  // came from the endpoint, which is told when it has left
    };
    // The buffers, numbered port * Channels + channel, and after them the queues of the endpoint.
    static constexpr unsigned Buffers = Ports * Channels;
    static constexpr unsigned Queues = Buffers + 2 * Inputs;

    Hop hop_of(unsigned input, unsigned dateline, const Packet& packet) const;
    void start(Waiting waiting);
    void look_up(unsigned queue);
    void leave(unsigned queue);
    bool move_one(unsigned output, Time now);
    bool go(unsigned queue, unsigned output, Time now);

    PortList& ports_;
    Endpoint& endpoint_;
    Table table_;
    std::array<std::deque<Waiting>, Queues> queues_;
    std::array<Hop, Queues> hops_{};               // those of the first packet of each queue
    std::array<std::uint32_t, Inputs> wanting_{};  // by output: bits of the queues with a first packet for it
    std::array<unsigned, Inputs> turn_{};          // by output: the queue that is asked first
    RouterStatistics statistics_;
};

}  // namespace trnsim::tlm::neuronlink
