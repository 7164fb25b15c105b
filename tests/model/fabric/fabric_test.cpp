#include "model/fabric/fabric.hpp"

#include <gtest/gtest.h>

#include <queue>
#include <stdexcept>

#include "common/random.hpp"
#include "model/common/host.hpp"
#include "model/hbm/stack.hpp"

namespace trnsim::tlm::fabric {
namespace {

constexpr Time Ns = 1'000'000;
constexpr Time Latency = 20 * Ns;
constexpr std::uint64_t High = 0x1000000000;
constexpr Range Map[] = {{High, 1 << 20, 1}, {0, 1 << 20, 0}};
constexpr hbm::StackTiming Timing{1 << 20, 410'000'000'000, 120 * Ns, 60 * Ns};

struct Bench : sc_core::sc_module {
    explicit Bench(const sc_core::sc_module_name& name, perturb::Seed seed = {}, Sides sides = {})
        : sc_module(name),
          fabric("fabric", 3, 2, Map, Latency, seed, std::move(sides)),
          low("low", Timing),
          high("high", Timing) {
        for (unsigned i = 0; i < 3; ++i) {
            auto& host = hosts.emplace_back(("host_" + std::to_string(i)).c_str());
            checkers.bind(host.port.socket, fabric.from(i));
        }
        checkers.bind(fabric.to(0), low.port.socket);
        checkers.bind(fabric.to(1), high.port.socket);
    }
    ~Bench() override { EXPECT_EQ(checkers.findings(), std::vector<std::string>{}); }

    test::Checkers checkers;
    Fabric fabric;
    hbm::Stack low, high;
    std::deque<test::Host> hosts;
};

TEST(Fabric, RoutesByAddressWithLatencyEachWay) {
    Bench b("b");
    test::elaborate();
    const auto data = test::pattern(64, 1);
    const auto write = b.hosts[0].write(High + 128, data);
    sc_core::sc_start();
    EXPECT_EQ(b.hosts[0].replies.at(write).at, 2 * Latency + 60 * Ns + duration(64, Timing.bandwidth));
    EXPECT_EQ(b.high.traffic().bytes_written, 64u);
    EXPECT_EQ(b.low.traffic().bytes_written, 0u);
    std::vector<std::uint8_t> back(64);
    EXPECT_EQ(b.hosts[1].debug(::tlm::TLM_READ_COMMAND, High + 128, back), 64u);
    EXPECT_EQ(back, data);
}

TEST(Fabric, RefusesAddressesOutsideTheMap) {
    Bench b("b");
    test::elaborate();
    const auto hole = b.hosts[0].read(1 << 20, 4);
    const auto across = b.hosts[0].read((1 << 20) - 2, 4);
    const auto top = b.hosts[0].read(~std::uint64_t{0}, 4);
    sc_core::sc_start();
    for (const auto number : {hole, across, top}) {
        EXPECT_EQ(b.hosts[0].replies.at(number).status, ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(b.hosts[0].replies.at(number).at, 2 * Latency);
    }
    std::vector<std::uint8_t> data(4);
    EXPECT_EQ(b.hosts[0].debug(::tlm::TLM_READ_COMMAND, 1 << 20, data), 0u);
}

TEST(Fabric, SharesATargetThatHoldsOff) {
    Bench b("b");
    test::elaborate();
    constexpr int Count = 400;
    for (int i = 0; i < Count; ++i) {
        for (test::Host& host : b.hosts) host.read(512 * i, 512);
    }
    b.hosts[0].read(High, 512);
    sc_core::sc_start();
    Time last = 0;
    for (const test::Host& host : b.hosts) {
        EXPECT_EQ(host.replies.size(), Count + (&host == &b.hosts[0] ? 1u : 0u));
        for (const auto& [number, reply] : host.replies) last = std::max(last, reply.at);
    }
    const double expected = 1e15 * 3 * Count * 512 / 410e9 + 2e6 * 20 + 120e6;
    EXPECT_NEAR(static_cast<double>(last), expected, expected * 1e-4);
}

// Host 0 and the low target are on side 0, host 1 and the high one on side 1, host 2 is on none.
Sides two_sides() {
    return {{0u, 1u}, {0u, 1u}, 1'000'000'000};
}
constexpr Time Crossing512 = 512 * Ns;  // of 512 bytes at that bandwidth

Time alone(std::uint64_t bytes, bool reads) {
    return 2 * Latency + (reads ? 120 : 60) * Ns + duration(bytes, Timing.bandwidth);
}

TEST(Fabric, DataBetweenSidesTakesItsPath) {
    Bench b("b", {}, two_sides());
    test::elaborate();
    const auto written = b.hosts[0].write(High, test::pattern(512, 1));
    sc_core::sc_start();
    EXPECT_EQ(b.hosts[0].replies.at(written).at, Crossing512 + alone(512, false));
    const Time begin = now();
    const auto read = b.hosts[0].read(High, 512);
    sc_core::sc_start();
    EXPECT_EQ(b.hosts[0].replies.at(read).at, begin + Crossing512 + alone(512, true));
    EXPECT_EQ(b.hosts[0].replies.at(read).data, test::pattern(512, 1));
}

TEST(Fabric, OtherDataIsAsFastAsWithoutSides) {
    Bench b("b", {}, two_sides());
    test::elaborate();
    const auto own = b.hosts[0].read(0, 512), from_none = b.hosts[2].read(High, 512);
    sc_core::sc_start();
    EXPECT_EQ(b.hosts[0].replies.at(own).at, alone(512, true));
    EXPECT_EQ(b.hosts[2].replies.at(from_none).at, alone(512, true));
}

// Returns the time of the last answer when both hosts read and write over the path from side 0 to side 1, and
// one of them also over the other direction.
Time both_directions(Bench& b, int count) {
    for (int i = 0; i < count; ++i) {
        b.hosts[0].write(High + 512 * i, test::pattern(512, i));
        b.hosts[1].read(512 * i, 512);
        b.hosts[0].read(High + 512 * (count + i), 512);
    }
    sc_core::sc_start();
    EXPECT_EQ(b.hosts[0].replies.size(), 2u * count);
    EXPECT_EQ(b.hosts[1].replies.size(), 1u * count);
    for (int i = 0; i < count; ++i) {
        std::vector<std::uint8_t> there(512);
        b.hosts[2].debug(::tlm::TLM_READ_COMMAND, High + 512 * i, there);
        EXPECT_EQ(there, test::pattern(512, i));
    }
    Time last = 0;
    for (const test::Host& host : b.hosts) {
        for (const auto& [number, reply] : host.replies) last = std::max(last, reply.at);
    }
    return last;
}

// The data of a direction follow each other; those of both do not wait for each other. The last read may have
// waited in its target for the others.
TEST(Fabric, EachDirectionBetweenSidesHasItsBandwidth) {
    Bench b("b", {}, two_sides());
    test::elaborate();
    constexpr int Count = 20;
    const Time last = both_directions(b, Count);
    EXPECT_GE(last, 2 * Count * Crossing512);
    EXPECT_LE(last,
              2 * Count * Crossing512 + alone(512, true) + (Count - 1) * duration(512, Timing.bandwidth));
}

TEST(Fabric, PerturbedDataBetweenSidesTakesItsPath) {
    Bench b("b", 3, two_sides());
    test::elaborate();
    constexpr int Count = 20;
    EXPECT_GE(both_directions(b, Count), 2 * Count * Crossing512);
}

// The last word that an initiator writes to a place stays; initiators and responses overtake each other.
TEST(Fabric, PerturbedRequestsOfAnInitiatorStayInOrder) {
    Bench b("b", 1);
    test::elaborate();
    unsigned overtaken = 0, late = 0;
    for (std::uint8_t round = 1; round <= 100; ++round) {
        for (std::uint8_t step = 1; step <= 8; ++step)
            b.hosts[0].write(0, {static_cast<std::uint8_t>(round + step)});
        b.hosts[0].write(64, {round});
        b.hosts[1].write(64, {0});
        const auto first = b.hosts[2].read(128, 64), second = b.hosts[2].read(High, 64);
        sc_core::sc_start();
        std::vector<std::uint8_t> last(1), shared(1);
        b.hosts[2].debug(::tlm::TLM_READ_COMMAND, 0, last);
        b.hosts[2].debug(::tlm::TLM_READ_COMMAND, 64, shared);
        ASSERT_EQ(last[0], static_cast<std::uint8_t>(round + 8));
        overtaken += shared[0] == round;
        late += b.hosts[2].replies.at(second).at < b.hosts[2].replies.at(first).at;
    }
    EXPECT_GT(overtaken, 5u);
    EXPECT_GT(late, 5u);
    EXPECT_EQ(b.hosts[0].replies.size(), 900u);
}

TEST(Fabric, PerturbedTargetsThatHoldOff) {
    Bench b("b", 2);
    test::elaborate();
    constexpr int Count = 400;
    for (int i = 0; i < Count; ++i) {
        for (test::Host& host : b.hosts) host.read(512 * i, 512);
    }
    sc_core::sc_start();
    for (const test::Host& host : b.hosts) EXPECT_EQ(host.replies.size(), Count);
}

// Ends responses late, so that responses of several targets meet.
class SlowInitiator : public sc_core::sc_module {
  public:
    explicit SlowInitiator(const sc_core::sc_module_name& name) : sc_module(name), socket("socket") {
        socket.register_nb_transport_bw(this, &SlowInitiator::backward);
        SC_HAS_PROCESS(SlowInitiator);
        SC_METHOD(end);
        sensitive << end_event_;
        dont_initialize();
    }
    void send(std::uint64_t address) {
        auto& t = pool_.make(::tlm::TLM_READ_COMMAND, address, 64);
        Phase phase = ::tlm::BEGIN_REQ;
        sc_core::sc_time delay;
        socket->nb_transport_fw(t, phase, delay);
    }
    tlm_utils::simple_initiator_socket<SlowInitiator> socket;
    int ended = 0;

  private:
    Sync backward(Payload& payload, Phase& phase, sc_core::sc_time& delay) {
        if (phase == ::tlm::BEGIN_RESP) {
            waiting_ = &payload;
            end_event_.notify(delay + to_sc(100 * Ns));
        }
        return ::tlm::TLM_ACCEPTED;
    }
    void end() {
        Payload& payload = *waiting_;
        Phase phase = ::tlm::END_RESP;
        sc_core::sc_time delay;
        ++ended;
        socket->nb_transport_fw(payload, phase, delay);
        payload.release();
    }
    protocol::PayloadPool pool_;
    Payload* waiting_ = nullptr;
    sc_core::sc_event end_event_;
};

TEST(Fabric, KeepsResponsesApart) {
    Fabric fabric("fabric", 1, 2, Map, Latency);
    hbm::Stack low("low", Timing);
    hbm::Stack high("high", Timing);
    SlowInitiator initiator("initiator");
    test::Checkers checkers;
    checkers.bind(initiator.socket, fabric.from(0));
    checkers.bind(fabric.to(0), low.port.socket);
    checkers.bind(fabric.to(1), high.port.socket);
    test::elaborate();
    for (int i = 0; i < 4; ++i) {
        initiator.send(64 * i);
        initiator.send(High + 64 * i);
    }
    sc_core::sc_start();
    EXPECT_EQ(initiator.ended, 8);
    EXPECT_EQ(checkers.findings(), std::vector<std::string>{});
}

TEST(Fabric, RandomTrafficKeepsData) {
    Bench b("b");
    test::elaborate();
    auto random = test::generator();
    std::vector<std::pair<std::uint64_t, std::vector<std::uint8_t>>> written;
    for (std::uint64_t i = 0; i < 200 * test::scale() && i < 1024; ++i) {
        const auto data = test::pattern(1 + random() % 512, i);
        const std::uint64_t address = (random() % 2) * High + 1024 * i;
        b.hosts[random() % 3].write(address, data, random() % (1000 * Ns));
        written.emplace_back(address, data);
    }
    sc_core::sc_start();
    for (const auto& [address, data] : written) {
        std::vector<std::uint8_t> back(data.size());
        b.hosts[0].debug(::tlm::TLM_READ_COMMAND, address, back);
        EXPECT_EQ(back, data);
    }
}

TEST(Fabric, RefusesBadMaps) {
    constexpr Range Overlap[] = {{0, 100, 0}, {99, 100, 0}};
    constexpr Range Nowhere[] = {{0, 100, 1}};
    EXPECT_THROW(Fabric("a", 1, 1, Overlap, 0), std::invalid_argument);
    EXPECT_THROW(Fabric("b", 1, 1, Nowhere, 0), std::invalid_argument);
}

}  // namespace
}  // namespace trnsim::tlm::fabric
