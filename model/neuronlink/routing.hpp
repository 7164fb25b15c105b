// Routing tables: they say where a packet goes from each buffer of a chip. docs/neuronlink.md has the
// argument why they are free of deadlocks.
#pragma once

#include "model/neuronlink/topology.hpp"

namespace trnsim::tlm::neuronlink {

// The number of the chip's own endpoint, used like a port.
constexpr unsigned Local = Ports;
constexpr unsigned Inputs = Ports + 1;

struct Hop {
    enum class Way : std::uint8_t {
        Onward,   // through `port`, or to the endpoint
        Anew,     // cannot go on from this buffer; starts again as if the chip had sent it
        Nowhere,  // the destination cannot be reached
    };
    Way way = Way::Nowhere;
    std::uint8_t port = 0;
    std::uint8_t dateline = 0;  // dateline of the channel it takes
    bool operator==(const Hop&) const = default;
};

class Table {  // routing table of one chip
  public:
    explicit Table(unsigned chips) : chips_(chips), hops_(std::size_t{Inputs} * 2 * chips) {}

    // Returns the hop of a packet for `destination` in the buffer of a port, or Local, before (0) or after
    // (1) the dateline.
    Hop& at(unsigned input, unsigned dateline, unsigned destination) {
        return hops_[(std::size_t{input} * 2 + dateline) * chips_ + destination];
    }
    const Hop& at(unsigned input, unsigned dateline, unsigned destination) const {
        return hops_[(std::size_t{input} * 2 + dateline) * chips_ + destination];
    }

    unsigned chips() const { return chips_; }
    bool reaches(unsigned destination) const {
        return destination < chips_ && at(Local, 0, destination).way == Hop::Way::Onward;
    }

  private:
    unsigned chips_;
    std::vector<Hop> hops_;
};

// Makes the tables of every chip of a grid with all its cables: columns before rows, the shorter way round;
// ways of the same length go in the positive direction from even places and in the negative one from odd
// ones. After the cable that closes a ring, packets take the other virtual channel.
std::vector<Table> dimension_order(const Topology& topology);

// Makes the tables of every chip with the cables that are usable: up*/down*, the shortest of the allowed
// ways.
std::vector<Table> up_down(const Topology& topology, const std::vector<bool>& usable);

// Uses dimension_order() for a grid if all its cables are usable, else up_down().
std::vector<Table> make_tables(const Topology& topology, const std::vector<bool>& usable);

}  // namespace trnsim::tlm::neuronlink
