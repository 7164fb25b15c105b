// Sends random reads and writes between all chips: the data is right, everything is answered, nothing is lost
// or overrun.
#include <gtest/gtest.h>

#include "common/random.hpp"
#include "model/fabric/fabric.hpp"
#include "model/neuronlink/worker.hpp"

namespace trnsim::tlm::neuronlink {
namespace {

using test::LinkBench;
using test::Ns;
using test::WorkerBench;

void expect_clean_links(const WorkerBench& b, const Parameters& parameters) {
    for (std::size_t i = 0; i < b.network.topology().cables.size(); ++i) {
        for (const bool from_a : {true, false}) {
            const LinkStatistics link = b.network.statistics(i, from_a);
            EXPECT_EQ(link.sent.packets, link.received.packets);
            EXPECT_EQ(link.sent.bytes, link.received.bytes);
            EXPECT_EQ(link.sent.lost + link.received.crc_errors + link.received.cut, 0u);
            EXPECT_EQ(link.sent.repeated, link.received.duplicates + link.received.gaps);
            EXPECT_LE(link.sent.replay_peak, parameters.replay);
            for (const std::uint64_t peak : link.received.peak) EXPECT_LE(peak, parameters.buffer);
        }
    }
}

void run(const Topology& topology, const Parameters& parameters = {}, perturb::Seed perturb = {},
         std::uint64_t requests = 150) {
    WorkerBench b("b", topology, test::seed(), parameters, {.perturb = perturb});
    test::elaborate();
    requests *= test::heavy_scale();
    b.work(requests, 12);
    sc_core::sc_start();
    EXPECT_TRUE(b.done());
    EXPECT_TRUE(b.network.idle());
    EXPECT_EQ(b.outcomes().right, requests * topology.chips);
    EXPECT_EQ(b.outcomes().wrong, 0u);
    EXPECT_EQ(b.differences(), 0u);
    EXPECT_EQ(b.network.reports(), std::vector<std::string>{});
    expect_clean_links(b, parameters);
}

// The buffers hold little more than a packet, so packets often wait for credits.
constexpr Parameters Narrow{.buffer = 40, .replay = 70, .data = 1024, .requests = 7, .served = 3};

TEST(LinkTraffic, Server) {
    run(trn1_server());
}
TEST(LinkTraffic, ServerWithSmallBuffers) {
    run(trn1_server(), Narrow);
}
TEST(LinkTraffic, PerturbedServer) {
    run(trn1_server(), {}, 1);
}
TEST(LinkTraffic, PerturbedServerWithSmallBuffers) {
    run(trn1_server(), Narrow, 2, 60);
}
TEST(LinkTraffic, Ring) {
    run(ring(7), Narrow);
}
TEST(LinkTraffic, Chain) {
    run(chain(6), Narrow);
}
TEST(LinkTraffic, Mesh) {
    run(mesh(3, 5), Narrow);
}
TEST(LinkTraffic, OddTorus) {
    run(torus(5, 3), Narrow);
}
TEST(LinkTraffic, TwoByTwoTorus) {
    run(torus(2, 2));
}
TEST(LinkTraffic, OneChip) {
    run(chain(1));
}

// Makes a tree of random cables that reaches every chip, and adds more cables.
Topology random_connected_graph(std::mt19937_64& random) {
    const auto chips = static_cast<unsigned>(3 + random() % 12);
    std::vector<unsigned> used(chips);
    std::vector<std::pair<unsigned, unsigned>> pairs;
    const auto add = [&](unsigned a, unsigned b) {
        if (a == b || used[a] == Ports || used[b] == Ports) return false;
        pairs.emplace_back(a, b);
        ++used[a];
        ++used[b];
        return true;
    };
    for (unsigned chip = 1; chip < chips; ++chip) {
        while (!add(chip, static_cast<unsigned>(random() % chip))) {
        }
    }
    for (std::uint64_t left = random() % chips; left > 0; --left)
        add(static_cast<unsigned>(random() % chips), static_cast<unsigned>(random() % chips));
    return graph(chips, pairs);
}

void run_random_graph(unsigned number) {
    std::mt19937_64 random(test::seed() + number);
    run(random_connected_graph(random), number % 2 == 0 ? Narrow : Parameters{}, {}, 100);
}
TEST(LinkTraffic, RandomGraph1) {
    run_random_graph(1);
}
TEST(LinkTraffic, RandomGraph2) {
    run_random_graph(2);
}
TEST(LinkTraffic, RandomGraph3) {
    run_random_graph(3);
}
TEST(LinkTraffic, RandomGraph4) {
    run_random_graph(4);
}

// Every chip of a ring sends packets to the second next chip; the buffers hold one packet. With the dateline
// everything arrives; with one channel a direction all packets wait for each other. Returns the errors.
unsigned errors_of_ring(bool datelines) {
    NetworkOptions options;
    options.make_tables = [datelines](const Topology& topology, const std::vector<bool>&) {
        std::vector<Table> tables = dimension_order(topology);
        for (Table& table : tables) {
            for (unsigned input = 0; input < Inputs && !datelines; ++input) {
                for (unsigned to = 0; to < topology.chips; ++to) table.at(input, 0, to).dateline = 0;
            }
        }
        return tables;
    };
    LinkBench b("b", ring(6), {.buffer = 33, .data = 1024, .timeout = 1000 * test::Us}, options);
    test::elaborate();
    for (unsigned chip = 0; chip < 6; ++chip) {
        for (unsigned i = 0; i < 100; ++i) {
            b.hosts[chip]->write(test::at_chip((chip + 2) % 6, (chip * 100 + i) * 1024),
                                 test::pattern(1024, i));
        }
    }
    while (b.network.node(0).endpoint.statistics().requests < 100 || now() < 2000 * test::Us)
        sc_core::sc_start(to_sc(100 * test::Us));
    unsigned errors = 0;
    for (const auto& host : b.hosts) {
        EXPECT_EQ(host->replies.size(), 100u);
        for (const auto& [number, reply] : host->replies)
            errors += reply.status == ::tlm::TLM_OK_RESPONSE ? 0 : 1;
    }
    return errors;
}
TEST(LinkTraffic, DatelinesKeepARingMoving) {
    EXPECT_EQ(errors_of_ring(true), 0u);
}
TEST(LinkTraffic, WithoutDatelinesARingStops) {
    EXPECT_EQ(errors_of_ring(false), 600u);
}

// Tables change while packets are under way, because cut cables come back: packets that may not go on from
// their place start again, and none is lost.
TEST(LinkTraffic, NewTablesLoseNothing) {
    Parameters parameters;
    parameters.training_time = 2 * test::Us;
    WorkerBench b("b", trn1_server(), test::seed(), parameters);
    test::elaborate();
    const std::vector<std::size_t> cables{0, 5, 9, 14, 20, 27, 31};
    for (const std::size_t cable : cables) b.network.cut(cable, true);
    b.work(800, 60);
    for (const std::size_t cable : cables) {
        sc_core::sc_start(to_sc(test::Us));
        b.network.restore(cable);
    }
    sc_core::sc_start();
    EXPECT_TRUE(b.done());
    EXPECT_TRUE(b.network.idle());
    EXPECT_EQ(b.outcomes().right, 800u * 16);
    EXPECT_EQ(b.differences(), 0u);
    EXPECT_EQ(b.network.reports(), std::vector<std::string>{});
    std::uint64_t rerouted = 0;
    for (unsigned chip = 0; chip < 16; ++chip)
        rerouted += b.network.node(chip).router().statistics().rerouted;
    EXPECT_GT(rerouted, 0u);
    for (std::size_t i = 0; i < 32; ++i) EXPECT_TRUE(b.network.usable(i));
}

// The links are a target of the chip's fabric, as the memory is, and one of its initiators.
TEST(LinkTraffic, BehindAFabric) {
    constexpr fabric::Range Map[] = {{0, std::uint64_t{64} << 20, 0},
                                     {addresses::PooledBase, addresses::PooledBytes, 1}};
    constexpr Time FabricLatency = 10 * Ns;
    Network network("network", chain(2), Parameters{});
    std::deque<fabric::Fabric> fabrics;
    std::deque<hbm::Stack> memories;
    std::deque<test::Host> hosts;
    test::Checkers checkers;
    for (unsigned chip = 0; chip < 2; ++chip) {
        const std::string number = std::to_string(chip);
        auto& fabric = fabrics.emplace_back(("fabric_" + number).c_str(), 2, 2, Map, FabricLatency);
        auto& memory = memories.emplace_back(("memory_" + number).c_str(), test::LinkMemory);
        auto& host = hosts.emplace_back(("host_" + number).c_str());
        Endpoint& endpoint = network.node(chip).endpoint;
        checkers.bind(host.port.socket, fabric.from(0));
        checkers.bind(endpoint.to_chip.socket, fabric.from(1));
        checkers.bind(fabric.to(0), memory.port.socket);
        checkers.bind(fabric.to(1), endpoint.from_chip.socket);
    }
    test::elaborate();
    const auto data = test::pattern(9000, 1);
    const auto written = hosts[0].write(addresses::pooled_address(1, 5000), data);
    sc_core::sc_start();
    EXPECT_EQ(hosts[0].replies.at(written).status, ::tlm::TLM_OK_RESPONSE);
    const auto near = hosts[1].read(5000, 9000),
               far = hosts[0].read(addresses::pooled_address(1, 5000), 9000);
    sc_core::sc_start();
    EXPECT_EQ(hosts[1].replies.at(near).data, data);
    EXPECT_EQ(hosts[0].replies.at(far).data, data);
    std::vector<std::uint8_t> back(9000);
    EXPECT_EQ(hosts[0].debug(::tlm::TLM_READ_COMMAND, addresses::pooled_address(1, 5000), back), 9000u);
    EXPECT_EQ(back, data);
    const auto nowhere = hosts[0].read(addresses::pooled_address(2, 5000), 4);
    sc_core::sc_start();
    EXPECT_EQ(hosts[0].replies.at(nowhere).status, ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(checkers.findings(), std::vector<std::string>{});
}

// b_transport from a thread takes as long as the four phases.
struct BlockingBench : sc_core::sc_module {
    explicit BlockingBench(const sc_core::sc_module_name& name) : sc_module(name), bench("bench", chain(2)) {
        SC_HAS_PROCESS(BlockingBench);
        SC_THREAD(run);
    }
    void run() {
        auto& host = *bench.hosts[0];
        auto& t = host.pool.make(::tlm::TLM_READ_COMMAND, test::at_chip(1, 0), 512);
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        host.port.socket->b_transport(t, delay);
        taken = now() + delay.value();
        status = t.get_response_status();
        t.release();
    }
    LinkBench bench;
    Time taken = 0;
    Response status = ::tlm::TLM_INCOMPLETE_RESPONSE;
};

TEST(LinkTraffic, BlockingTransport) {
    BlockingBench b("b");
    sc_core::sc_start();
    const Time blocking = b.taken;
    EXPECT_EQ(b.status, ::tlm::TLM_OK_RESPONSE);
    const Time start = now();
    EXPECT_EQ(b.bench.read(0, 1, 0, 512).at - start, blocking);
}

TEST(LinkTraffic, BackDoorTakesNoTime) {
    LinkBench b("b", ring(5));
    test::elaborate();
    auto data = test::pattern(20'000, 3);
    EXPECT_EQ(b.hosts[0]->debug(::tlm::TLM_WRITE_COMMAND, test::at_chip(3, 77), data), 20'000u);
    EXPECT_EQ(b.memory(3, 77, 20'000), data);
    std::vector<std::uint8_t> beyond(8);
    EXPECT_EQ(b.hosts[0]->debug(::tlm::TLM_READ_COMMAND, test::at_chip(5, 0), beyond), 0u);
    EXPECT_EQ(b.hosts[0]->debug(::tlm::TLM_READ_COMMAND, test::at_chip(4, (64 << 20) - 4), beyond), 0u);
    EXPECT_EQ(now(), 0u);
    EXPECT_EQ(b.link(0, 1).sent.flits, 0u);
}

TEST(LinkTraffic, ErrorsOfTheOtherChipTravelBack) {
    LinkBench b("b", chain(3));
    test::elaborate();
    EXPECT_EQ(b.read(0, 2, 64 << 20, 4).status, ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(b.write(0, 2, (64 << 20) - 2, test::pattern(4, 1)).status, ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
    // A part that is answered well does not hide the error of another part.
    EXPECT_EQ(b.read(0, 2, (64 << 20) - 4096, 8192).status, ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(b.read(0, 2, (64 << 20) - 4096, 4096).status, ::tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(b.network.reports(), std::vector<std::string>{});
}

TEST(LinkTraffic, RefusesWhatItCannotCarry) {
    LinkBench b("b", chain(2));
    test::elaborate();
    const auto status = [&](auto change) {
        auto& t = b.hosts[0]->pool.make(::tlm::TLM_WRITE_COMMAND, test::at_chip(1, 0), 64);
        change(t);
        const auto number = b.hosts[0]->send(t, now());
        sc_core::sc_start();
        return b.hosts[0]->replies.at(number).status;
    };
    static unsigned char enables[] = {0xff, 0x00};
    EXPECT_EQ(status([](auto&) {}), ::tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(status([](auto& t) {
                  t.set_byte_enable_ptr(enables);
                  t.set_byte_enable_length(2);
              }),
              ::tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    EXPECT_EQ(status([](auto& t) { t.set_streaming_width(32); }), ::tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(status([](auto& t) { t.set_command(::tlm::TLM_IGNORE_COMMAND); }),
              ::tlm::TLM_COMMAND_ERROR_RESPONSE);
    EXPECT_EQ(status([](auto& t) { t.set_address(test::at_chip(2, 0)); }), ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(status([](auto& t) { t.set_address(test::at_chip(1, 0) - 2); }),
              ::tlm::TLM_ADDRESS_ERROR_RESPONSE);  // begins on one chip and ends on the next
    EXPECT_EQ(status([](auto& t) { t.set_address(std::uint64_t{255} << 48); }),
              ::tlm::TLM_ADDRESS_ERROR_RESPONSE);  // beyond the pool
    EXPECT_EQ(b.memory(1, 0, 64).size(), 64u);
}

}  // namespace
}  // namespace trnsim::tlm::neuronlink
