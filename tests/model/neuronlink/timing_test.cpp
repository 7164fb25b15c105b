// Compares latency and bandwidth without faults with closed forms, which are written here a second time.
#include <gtest/gtest.h>

#include <cstdio>
#include <ctime>

#include "base/time/cycles.hpp"
#include "model/neuronlink/bench.hpp"

namespace trnsim::tlm::neuronlink {
namespace {

using test::LinkBench;
using test::Ns;

constexpr Time Endpoint = 20 * Ns, Latency = 100 * Ns, Receive = 30 * Ns;
constexpr std::uint64_t Rate = 48'000'000'000;  // 16 lanes of 3 GB/s

// Returns the time of bytes at a rate, rounded up to a femtosecond.
Time time_of(std::uint64_t bytes, std::uint64_t rate) {
    return cycles_to_time(bytes, rate, Round::Up);
}

// A frame has a header and a CRC of 32 bytes together, and data in units of 32 bytes.
Time wire(std::uint64_t bytes, std::uint64_t rate = Rate) {
    return time_of(32 + (bytes + 31) / 32 * 32, rate);
}

Time hop(std::uint64_t bytes, std::uint64_t rate = Rate) {
    return wire(bytes, rate) + Latency + Receive;
}

Time memory(std::uint64_t bytes, bool read) {
    return time_of(std::max<std::uint64_t>(bytes, 32), 820'000'000'000) + (read ? 120 : 60) * Ns;
}

TEST(LinkTiming, UnloadedLatency) {
    LinkBench b("b", chain(5));
    test::elaborate();
    for (unsigned hops = 1; hops < 5; ++hops) {
        for (const std::uint32_t bytes : {1u, 32u, 100u, 4096u}) {
            Time start = now();
            const auto written = b.write(0, hops, 4096, test::pattern(bytes, hops));
            EXPECT_EQ(written.status, ::tlm::TLM_OK_RESPONSE);
            EXPECT_EQ(written.at - start, 4 * Endpoint + hops * (hop(bytes) + hop(0)) + memory(bytes, false));
            start = now();
            const auto read = b.read(0, hops, 4096, bytes);
            EXPECT_EQ(read.data, test::pattern(bytes, hops));
            EXPECT_EQ(read.at - start, 4 * Endpoint + hops * (hop(0) + hop(bytes)) + memory(bytes, true));
        }
    }
}

// A chip accesses itself through its pooled address without a link.
TEST(LinkTiming, OwnChip) {
    LinkBench b("b", chain(2));
    test::elaborate();
    EXPECT_EQ(b.write(1, 1, 64, test::pattern(512, 1)).at, 4 * Endpoint + memory(512, false));
    EXPECT_EQ(b.memory(1, 64, 512), test::pattern(512, 1));
    EXPECT_EQ(b.link(0, 1).sent.flits + b.link(1, 0).sent.flits, 0u);
}

// Parts follow each other without a gap; the last one decides.
TEST(LinkTiming, PartsOfALargeRequest) {
    LinkBench b("b", chain(2));
    test::elaborate();
    const auto written = b.write(0, 1, 100, test::pattern(10'000, 1));
    EXPECT_EQ(written.at, 4 * Endpoint + wire(3996) + wire(4096) + hop(1908) + memory(1908, false) + hop(0));
    EXPECT_EQ(b.memory(1, 100, 10'000), test::pattern(10'000, 1));
    EXPECT_EQ(b.link(0, 1).sent.packets, 3u);
}

// Sends `count` requests at once and returns the time of the last answer.
Time stream(LinkBench& b, unsigned count, std::uint32_t bytes, bool write) {
    const Time start = now();
    for (unsigned i = 0; i < count; ++i) {
        const std::uint64_t address = test::at_chip(1, std::uint64_t{i} % 1000 * bytes);
        write ? b.hosts[0]->write(address, test::pattern(bytes, i)) : b.hosts[0]->read(address, bytes);
    }
    sc_core::sc_start();
    Time last = 0;
    for (const auto& [number, reply] : b.hosts[0]->replies) {
        EXPECT_EQ(reply.status, ::tlm::TLM_OK_RESPONSE);
        last = std::max(last, reply.at);
    }
    EXPECT_EQ(b.hosts[0]->replies.size(), count);
    return last - start;
}

// The wire is never idle. The last acknowledgement may have to wait for a frame without data.
void expect_stream(Time time, unsigned count, std::uint32_t bytes, bool write, std::uint64_t rate = Rate) {
    const Time least =
        4 * Endpoint + count * wire(bytes, rate) + wire(0) + 2 * (Latency + Receive) + memory(bytes, !write);
    EXPECT_GE(time, least);
    EXPECT_LE(time, least + 2 * wire(0));
}

TEST(LinkTiming, StreamOfWrites) {
    LinkBench b("b", chain(2));
    test::elaborate();
    expect_stream(stream(b, 1000, 4096, true), 1000, 4096, true);
    const auto link = b.link(0, 1);
    EXPECT_EQ(link.sent.packets, 1000u);
    EXPECT_EQ(link.sent.bytes, 4'096'000u);
    EXPECT_EQ(link.received.packets, 1000u);
    EXPECT_EQ(link.sent.busy, 1000 * wire(4096) + link.sent.control * wire(0));
    EXPECT_EQ(link.sent.stalls, 0u);
    EXPECT_EQ(link.sent.retries, 0u);
}

TEST(LinkTiming, StreamOfReads) {
    LinkBench b("b", chain(2));
    test::elaborate();
    expect_stream(stream(b, 1000, 4096, false), 1000, 4096, false);
}

TEST(LinkTiming, SmallPacketsCarryLess) {
    LinkBench b("b", chain(2));
    test::elaborate();
    expect_stream(stream(b, 1000, 512, true), 1000, 512, true);
}

TEST(LinkTiming, LanesThatFailMakeTheLinkSlower) {
    LinkBench b("b", chain(2));
    test::elaborate();
    b.wire(0, 1).set_lanes(5);
    expect_stream(stream(b, 500, 4096, true), 500, 4096, true, 15'000'000'000);
    EXPECT_EQ(b.link(0, 1).sent.retries, 0u);
    EXPECT_THROW(b.wire(0, 1).set_lanes(0), std::invalid_argument);
    EXPECT_THROW(b.wire(0, 1).set_lanes(17), std::invalid_argument);
}

// Tests both directions at once: each carries its own data and the acknowledgements of the other.
TEST(LinkTiming, BothDirections) {
    LinkBench b("b", chain(2));
    test::elaborate();
    constexpr unsigned Count = 1000;
    for (unsigned i = 0; i < Count; ++i) {
        b.hosts[0]->write(test::at_chip(1, std::uint64_t{i} * 4096), test::pattern(4096, i));
        b.hosts[1]->write(test::at_chip(0, std::uint64_t{i} * 4096), test::pattern(4096, i));
    }
    sc_core::sc_start();
    for (const auto& host : b.hosts) {
        Time last = 0;
        for (const auto& [number, reply] : host->replies) last = std::max(last, reply.at);
        const auto expected = static_cast<double>(Count * (wire(4096) + wire(0)));
        EXPECT_NEAR(static_cast<double>(last), expected, expected * 0.01);
    }
}

// A buffer has room for one packet: the next one leaves after the receiver has reported that the last has
// left or arrived.
void expect_one_at_a_time(const Parameters& parameters) {
    LinkBench b("b", chain(2), parameters);
    test::elaborate();
    const Time period = hop(4096) + hop(0);
    EXPECT_EQ(stream(b, 200, 4096, true),
              4 * Endpoint + 199 * period + hop(4096) + memory(4096, false) + hop(0));
    EXPECT_EQ(b.link(0, 1).sent.replay_peak, 129u);
    EXPECT_EQ(b.link(0, 1).received.peak[0], 129u);
}

TEST(LinkTiming, CreditsForOnePacket) {
    expect_one_at_a_time({.buffer = 129, .ack_interval = 0});
}

TEST(LinkTiming, ReplayBufferForOnePacket) {
    expect_one_at_a_time({.replay = 129, .ack_interval = 0});
}

// Three chips write to one over the same last link, in turn.
TEST(LinkTiming, InputsTakeTurns) {
    LinkBench b("b", chain(4));
    test::elaborate();
    constexpr unsigned Count = 300;
    for (unsigned chip = 0; chip < 3; ++chip) {
        for (unsigned i = 0; i < Count; ++i)
            b.hosts[chip]->write(test::at_chip(3, std::uint64_t{i} * 4096), test::pattern(4096, i));
    }
    sc_core::sc_start();
    std::array<Time, 3> last{};
    for (unsigned chip = 0; chip < 3; ++chip) {
        for (const auto& [number, reply] : b.hosts[chip]->replies)
            last[chip] = std::max(last[chip], reply.at);
    }
    const auto all = static_cast<double>(3 * Count * wire(4096));
    EXPECT_NEAR(static_cast<double>(std::max({last[0], last[1], last[2]})), all, all * 0.02);
    // The chip next to the link has every second turn, the other two share the rest: it is done after two
    // thirds of the time.
    EXPECT_NEAR(static_cast<double>(last[2]), all * 2 / 3, all * 0.03);
}

// Writes any contents of its transactions.
class Writer : public sc_core::sc_module {
  public:
    explicit Writer(const sc_core::sc_module_name& name)
        : sc_module(name), port("port", [](auto&, Time) {}) {}
    void write(std::uint64_t address, std::uint32_t length) {
        port.send(pool_.make(::tlm::TLM_WRITE_COMMAND, address, length), now());
    }
    protocol::InitiatorPort port;

  private:
    protocol::PayloadPool pool_;
};

// Prints how long a packet takes to simulate, as machines differ. The first round warms up memories.
TEST(LinkTiming, CostOfAPacket) {
    const Topology server = trn1_server();
    const auto neighbours = server.neighbours();
    test::LinkBenchOf<Writer> b("b", server, {}, {}, {std::uint64_t{64} << 20, 3'000'000'000'000, Ns, Ns});
    test::elaborate();
    constexpr unsigned Count = 250, Rounds = 8;
    std::clock_t start = 0;
    for (unsigned round = 0; round <= Rounds; ++round) {
        if (round == 1) start = std::clock();
        for (unsigned chip = 0; chip < 16; ++chip) {
            for (unsigned i = 0; i < Count; ++i) {
                const unsigned to = neighbours[chip][i % Ports]->chip;
                b.hosts[chip]->write(test::at_chip(to, std::uint64_t{i} * 4096), 4096);
            }
        }
        sc_core::sc_start();
    }
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    std::uint64_t packets = 0;
    for (std::size_t i = 0; i < server.cables.size(); ++i)
        packets += b.network.statistics(i, true).sent.packets + b.network.statistics(i, false).sent.packets;
    EXPECT_EQ(packets, 2u * 16 * Count * (Rounds + 1));  // writes and acknowledgements
    std::printf("%.2f us of processor time a packet, checkers and memories included\n",
                seconds * 1e6 / (2.0 * 16 * Count * Rounds));
}

}  // namespace
}  // namespace trnsim::tlm::neuronlink
