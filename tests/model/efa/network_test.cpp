#include "model/efa/network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <random>

#include "common/random.hpp"

namespace trnsim::tlm::efa {
namespace {

// The figures are round: a byte takes 100 ps.
constexpr Parameters Plain{.adapters = 2,
                           .bandwidth = 10'000'000'000,
                           .efficiency = 1,
                           .latency = 15 * FsPerUs,
                           .packet = 1000,
                           .header = 0};
constexpr Time Byte = FsPerSecond / Plain.bandwidth;
constexpr Parameters Trn1{};  // a trn1.32xlarge

std::vector<Arrival> all_of(Network& network) {
    std::vector<Arrival> arrivals;
    while (const auto next = network.next()) {
        const auto some = network.advance(*next);
        EXPECT_FALSE(some.empty()) << "next() names a time at which nothing arrives: " << *next;
        arrivals.insert(arrivals.end(), some.begin(), some.end());
    }
    return arrivals;
}

void expect_near(Time found, Time expected) {
    EXPECT_NEAR(static_cast<double>(found), static_cast<double>(expected), 10) << "fs";
}

TEST(EfaNetwork, AMessageTakesItsBytesAndTheLatency) {
    Network network(2, Plain);
    network.send({0, 0}, {1, 1}, 12'345, 700);
    const auto arrivals = all_of(network);
    ASSERT_EQ(arrivals.size(), 1u);
    EXPECT_EQ(arrivals[0], (Arrival{0, 700 + 12'345 * Byte + Plain.latency, true}));
}

TEST(EfaNetwork, EveryPacketHasAHeaderAndAnEmptyMessageOne) {
    Parameters parameters = Plain;
    parameters.header = 60;
    const auto time_of = [&](std::uint64_t bytes) {
        Network network(2, parameters);
        network.send({0, 0}, {1, 0}, bytes, 0);
        return all_of(network).at(0).at - Plain.latency;
    };
    EXPECT_EQ(time_of(0), 60 * Byte);
    EXPECT_EQ(time_of(1000), 1060 * Byte);
    EXPECT_EQ(time_of(1001), 1121 * Byte);
    parameters.efficiency = 0.5;
    EXPECT_EQ(time_of(1001), 2 * 1121 * Byte);
}

TEST(EfaNetwork, SendersToOneAdapterShareIt) {
    Network network(8, Plain);
    for (unsigned server = 1; server < 8; ++server) network.send({server, 0}, {0, 0}, 1'000'000, 0);
    network.send({1, 1}, {0, 1}, 1'000'000, 0);
    const auto arrivals = all_of(network);
    ASSERT_EQ(arrivals.size(), 8u);
    EXPECT_EQ(arrivals[0].message, 7u) << "the one to another adapter";
    expect_near(arrivals[0].at, 1'000'000 * Byte + Plain.latency);
    for (std::size_t k = 1; k < 8; ++k) expect_near(arrivals[k].at, 7 * 1'000'000 * Byte + Plain.latency);
}

TEST(EfaNetwork, BothWaysAreApart) {
    Network network(2, Plain);
    network.send({0, 0}, {1, 0}, 5000, 0);
    network.send({1, 0}, {0, 0}, 5000, 0);
    for (const auto& arrival : all_of(network)) EXPECT_EQ(arrival.at, 5000 * Byte + Plain.latency);
}

// The second message begins when the first is half done: each gets half of the rate until the first ends,
// then the second gets all.
TEST(EfaNetwork, RatesChangeWhereMessagesBeginAndEnd) {
    Network network(3, Plain);
    network.send({0, 0}, {2, 0}, 10'000, 0);
    network.send({1, 0}, {2, 0}, 10'000, 5000 * Byte);
    EXPECT_DOUBLE_EQ(network.rate(0), 5e9);
    const auto arrivals = all_of(network);
    ASSERT_EQ(arrivals.size(), 2u);
    expect_near(arrivals[0].at, 15'000 * Byte + Plain.latency);
    expect_near(arrivals[1].at, 20'000 * Byte + Plain.latency);
}

TEST(EfaNetwork, LinksAboveALeafAreShared) {
    Parameters parameters = Plain;
    parameters.tiers[0] = {2, 4};
    // A leaf has 4 adapters and one adapter's bandwidth upwards.
    Network network(4, parameters);
    network.send({0, 0}, {2, 0}, 1000, 0);
    network.send({0, 1}, {3, 0}, 1000, 0);
    network.send({0, 1}, {1, 0}, 1500,
                 0);  // in the leaf: half of adapter 1, as the other has half of the uplink
    network.send({2, 0}, {3, 1}, 1000, 0);  // in the other leaf
    const auto arrivals = all_of(network);
    ASSERT_EQ(arrivals.size(), 4u);
    EXPECT_EQ(arrivals[0].message, 3u);
    expect_near(arrivals[0].at, 1000 * Byte + Plain.latency);
    expect_near(arrivals[1].at, 2000 * Byte + Plain.latency);
    expect_near(arrivals[2].at, 2000 * Byte + Plain.latency);
    EXPECT_EQ(arrivals[3].message, 2u);
    expect_near(arrivals[3].at, 2500 * Byte + Plain.latency);
}

TEST(EfaNetwork, LinksDownToALeafAreShared) {
    Parameters parameters = Plain;
    parameters.tiers[0] = {2, 4};
    Network network(6, parameters);
    network.send({0, 0}, {4, 0}, 1000, 0);  // two leaves send to a third
    network.send({2, 0}, {5, 0}, 1000, 0);
    const auto arrivals = all_of(network);
    ASSERT_EQ(arrivals.size(), 2u);
    for (const auto& arrival : arrivals) expect_near(arrival.at, 2000 * Byte + Plain.latency);
}

TEST(EfaNetwork, MessagesOfADisconnectedAdapterAreLost) {
    Network network(3, Plain);
    network.send({0, 0}, {1, 0}, 1000, 0);     // has left when the adapter is disconnected
    network.send({0, 0}, {2, 0}, 100'000, 0);  // has not left then
    network.send({2, 1}, {0, 0}, 100'000, 0);  // is under way to it
    network.send({1, 1}, {2, 1}, 100'000, 0);  // does not use it
    const Time gone = 50'000 * Byte;
    network.disconnect({0, 0}, gone);
    network.send({0, 0}, {1, 0}, 1000, gone + 1);
    network.connect({0, 0}, gone + 2);
    network.send({0, 0}, {1, 0}, 1000, gone + 2);
    std::map<MessageId, Arrival> arrivals;
    for (const auto& arrival : all_of(network)) arrivals[arrival.message] = arrival;
    ASSERT_EQ(arrivals.size(), 6u);
    EXPECT_TRUE(arrivals[0].complete);
    EXPECT_EQ(arrivals[1], (Arrival{1, gone, false}));
    EXPECT_EQ(arrivals[2], (Arrival{2, gone, false}));
    EXPECT_TRUE(arrivals[3].complete);
    EXPECT_EQ(arrivals[4], (Arrival{4, gone + 1, false}));
    EXPECT_TRUE(arrivals[5].complete);
    EXPECT_EQ(network.statistics({0, 0}).messages_lost, 2u);
    EXPECT_EQ(network.statistics({2, 1}).messages_lost, 1u);
    EXPECT_EQ(network.statistics({0, 0}).bytes_sent, 2000u);
    EXPECT_EQ(network.statistics({2, 1}).bytes_received, 100'000u);
}

struct Sent {
    Adapter from, to;
    std::uint64_t bytes;
    Time at;
};

double random_oversubscription(std::mt19937_64& random) {
    return 1 + 0.01 * static_cast<double>(random() % 300);
}

std::array<Tier, Tiers> random_tiers(std::mt19937_64& random) {
    std::array<Tier, Tiers> tiers;
    if (random() % 3 == 0) return tiers;
    tiers[0] = {static_cast<unsigned>(1 + random() % 3), random_oversubscription(random)};
    if (random() % 2 == 0)
        tiers[1] = {tiers[0].servers * static_cast<unsigned>(1 + random() % 3),
                    random_oversubscription(random)};
    return tiers;
}

std::vector<Sent> random_messages(std::mt19937_64& random, unsigned servers, const Parameters& parameters) {
    const auto below = [&](std::uint64_t limit) { return random() % limit; };
    std::vector<Sent> messages;
    Time at = 0;
    for (std::size_t count = 1 + below(60); messages.size() < count;) {
        if (below(3) != 0) at += below(1ull << below(40));
        const Adapter from{static_cast<unsigned>(below(servers)),
                           static_cast<unsigned>(below(parameters.adapters))};
        const Adapter to{static_cast<unsigned>(below(servers)),
                         static_cast<unsigned>(below(parameters.adapters))};
        if (from.server != to.server) messages.push_back({from, to, below(1ull << below(24)), at});
    }
    return messages;
}

// The rates are constant between two events: integrated until a message's last byte has left, they give the
// size of the message. Asking the network more often changes nothing.
TEST(EfaNetwork, RatesMoveWhatIsSentAndAskingChangesNothing) {
    auto random = test::generator();
    for (std::uint64_t n = 0; n < 200 * test::scale(); ++n) {
        Parameters parameters{.adapters = static_cast<unsigned>(1 + random() % 4),
                              .bandwidth = 1'000'000'000 + random() % 100'000'000'000,
                              .efficiency = 0.3 + 0.001 * static_cast<double>(random() % 700),
                              .latency = random() % (20 * FsPerUs),
                              .packet = static_cast<std::uint32_t>(1 + random() % 9000),
                              .header = static_cast<std::uint32_t>(random() % 100),
                              .tiers = random_tiers(random)};
        const auto servers = static_cast<unsigned>(2 + random() % 7);
        const auto messages = random_messages(random, servers, parameters);

        Network once(servers, parameters);
        for (const auto& message : messages) once.send(message.from, message.to, message.bytes, message.at);
        const auto expected = all_of(once);
        ASSERT_EQ(expected.size(), messages.size());

        Network often(servers, parameters);
        std::vector<Arrival> found;
        std::vector<double> moved(messages.size());
        std::vector<Time> begun(messages.size());
        Time now = 0;
        // Adds the bytes that leave from `now` to `to`; no message begins or ends in between.
        const auto go_to = [&](Time to) {
            for (std::size_t k = 0; k < messages.size(); ++k)
                moved[k] += often.rate(k) * static_cast<double>(to - now) / static_cast<double>(FsPerSecond);
            const auto some = often.advance(to);
            found.insert(found.end(), some.begin(), some.end());
            now = to;
        };
        // Each end is an event, although next() reports its arrival.
        std::vector<Time> ends;
        ends.reserve(expected.size());
        for (const auto& arrival : expected) ends.push_back(arrival.at - parameters.latency);
        std::sort(ends.begin(), ends.end());
        const auto pass_ends = [&](Time to) {
            for (const Time end : ends)
                if (end > now && end < to) {
                    go_to(now + (end - now) / 2);
                    go_to(end);
                }
            go_to(to);
        };
        for (const auto& message : messages) {
            pass_ends(message.at);
            often.send(message.from, message.to, message.bytes, message.at);
        }
        pass_ends(expected.back().at);
        ASSERT_EQ(found, expected) << "case " << n;
        for (std::size_t k = 0; k < messages.size(); ++k) {
            const double packets =
                std::max(std::ceil(static_cast<double>(messages[k].bytes) / parameters.packet), 1.0);
            const double wire = static_cast<double>(messages[k].bytes) + packets * parameters.header;
            ASSERT_NEAR(moved[k], wire, 1e-6 * wire + 1) << "case " << n << " message " << k;
        }
    }
}

// Returns the links that a message passes, by the definition of the tiers: (kind, number) of each link.
std::vector<std::pair<LinkKind, unsigned>> links_of(const Sent& message, const Parameters& parameters) {
    const auto adapter = [&](Adapter a) { return a.server * parameters.adapters + a.number; };
    std::vector<std::pair<LinkKind, unsigned>> links{{LinkKind::Send, adapter(message.from)},
                                                     {LinkKind::Receive, adapter(message.to)}};
    const auto climb = [&](const Tier& tier, LinkKind up, LinkKind down) {
        if (tier.servers == 0) return;
        const unsigned from = message.from.server / tier.servers, to = message.to.server / tier.servers;
        if (from != to) links.insert(links.end(), {{up, from}, {down, to}});
    };
    climb(parameters.tiers[0], LinkKind::LeafUp, LinkKind::LeafDown);
    climb(parameters.tiers[1], LinkKind::SpineUp, LinkKind::SpineDown);
    return links;
}

double capacity_of(LinkKind kind, const Parameters& parameters) {
    const double adapter = static_cast<double>(parameters.bandwidth) * parameters.efficiency;
    if (kind == LinkKind::Send || kind == LinkKind::Receive) return adapter;
    const bool leaf = kind == LinkKind::LeafUp || kind == LinkKind::LeafDown;
    const Tier& tier = parameters.tiers[leaf ? 0 : 1];
    return adapter * parameters.adapters * tier.servers / tier.oversubscription;
}

// Rates are max-min fair by the definition: no link gives more than it has, and every message has a
// bottleneck, a link that gives all it has and gives no other message more. Each link counts the bytes it
// gives.
TEST(EfaNetwork, RatesOnRandomNetworksHaveABottleneckEach) {
    auto random = test::generator();
    for (std::uint64_t n = 0; n < 300 * test::scale(); ++n) {
        Parameters parameters = Plain;
        parameters.adapters = static_cast<unsigned>(1 + random() % 3);
        parameters.header = 0;
        parameters.tiers = random_tiers(random);
        const auto servers = static_cast<unsigned>(2 + random() % 11);
        Network network(servers, parameters);
        std::vector<Sent> messages = random_messages(random, servers, parameters);
        for (Sent& message : messages) {
            message.bytes = (1ull << 40) + random() % 1000;
            network.send(message.from, message.to, message.bytes, 0);
        }
        std::map<std::pair<LinkKind, unsigned>, double> given, most;
        for (std::size_t k = 0; k < messages.size(); ++k)
            for (const auto& link : links_of(messages[k], parameters)) {
                given[link] += network.rate(k);
                most[link] = std::max(most[link], network.rate(k));
            }
        for (const auto& [link, rate] : given)
            ASSERT_LE(rate, capacity_of(link.first, parameters) * (1 + 1e-9)) << name(link.first);
        for (std::size_t k = 0; k < messages.size(); ++k) {
            const auto links = links_of(messages[k], parameters);
            ASSERT_TRUE(std::any_of(links.begin(), links.end(),
                                    [&](const auto& link) {
                                        return given[link] >=
                                                   capacity_of(link.first, parameters) * (1 - 1e-9) &&
                                               network.rate(k) >= most[link] * (1 - 1e-9);
                                    }))
                << "case " << n << " message " << k << " could have more than " << network.rate(k);
        }
        constexpr Time Later = FsPerSecond / 8;
        network.advance(Later);
        for (const LinkStatistics& link : network.links()) {
            const double rate = given[{link.kind, link.number}];
            const double capacity = capacity_of(link.kind, parameters);
            ASSERT_DOUBLE_EQ(link.capacity, capacity) << name(link.kind);
            ASSERT_NEAR(link.bytes, rate / 8, 1e-9 * rate) << name(link.kind) << " " << link.number;
            ASSERT_EQ(link.full, rate >= capacity * (1 - 1e-9) ? Later : 0) << name(link.kind);
        }
    }
}

// Every byte on the wire passes every link of its path, even if the network is asked in between.
TEST(EfaNetwork, LinksConserveBytes) {
    auto random = test::generator();
    for (std::uint64_t n = 0; n < 100 * test::scale(); ++n) {
        Parameters parameters = Plain;
        parameters.header = static_cast<std::uint32_t>(random() % 100);
        parameters.tiers = random_tiers(random);
        const auto servers = static_cast<unsigned>(2 + random() % 7);
        const auto messages = random_messages(random, servers, parameters);
        Network network(servers, parameters);
        std::map<std::pair<LinkKind, unsigned>, double> expected;
        for (const auto& message : messages) {
            const auto stream = random() % 2 == 0 ? std::optional<Stream>(random() % 2) : std::nullopt;
            network.send(message.from, message.to, message.bytes, message.at, stream);
            if (random() % 2 == 0) network.links();
            const double packets =
                std::max(std::ceil(static_cast<double>(message.bytes) / parameters.packet), 1.0);
            for (const auto& link : links_of(message, parameters))
                expected[link] += static_cast<double>(message.bytes) + packets * parameters.header;
        }
        ASSERT_EQ(all_of(network).size(), messages.size());
        for (const LinkStatistics& link : network.links()) {
            const double bytes = expected[std::pair(link.kind, link.number)];
            ASSERT_NEAR(link.bytes, bytes, 1e-6 * bytes + 1)
                << "case " << n << " " << name(link.kind) << " " << link.number;
        }
        ASSERT_EQ(network.waiting().messages, messages.size());
        ASSERT_GE(network.waiting().slowdown(), 1 - 1e-6);
        ASSERT_GE(network.waiting().worst, network.waiting().slowdown() * (1 - 1e-9));
    }
}

// Three tiers of switches have 2 servers in a leaf and 4 in a spine; each tier adds two switches to a path.
TEST(EfaNetwork, EverySwitchOfTheWayAddsItsLatency) {
    Parameters parameters = Plain;
    parameters.hop = 300 * FsPerUs / 1000;
    parameters.tiers = {Tier{2, 1}, Tier{4, 1}};
    const auto time_to = [&](unsigned server) {
        Network network(8, parameters);
        network.send({0, 0}, {server, 0}, 1000, 0);
        return all_of(network).at(0).at - 1000 * Byte - Plain.latency;
    };
    EXPECT_EQ(time_to(1), 0u);
    EXPECT_EQ(time_to(2), 2 * parameters.hop);
    EXPECT_EQ(time_to(5), 4 * parameters.hop);
}

// All 8 adapters of 4 servers send to the other half of the network: the uplinks of the spine give each a
// third.
TEST(EfaNetwork, AnOversubscribedSpineIsShared) {
    Parameters parameters = Plain;
    parameters.tiers = {Tier{2, 1}, Tier{4, 3}};
    Network network(8, parameters);
    for (unsigned server = 0; server < 4; ++server)
        for (unsigned adapter = 0; adapter < Plain.adapters; ++adapter)
            network.send({server, adapter}, {server + 4, adapter}, 30'000, 0);
    const auto arrivals = all_of(network);
    ASSERT_EQ(arrivals.size(), 4 * Plain.adapters);
    for (const auto& arrival : arrivals) expect_near(arrival.at, 90'000 * Byte + Plain.latency);
    EXPECT_NEAR(network.waiting().slowdown(), 3, 1e-6);
    EXPECT_NEAR(network.waiting().worst, 3, 1e-6);
    for (const LinkStatistics& link : network.links()) {
        const bool spine = (link.kind == LinkKind::SpineUp && link.number == 0) ||
                           (link.kind == LinkKind::SpineDown && link.number == 1);
        EXPECT_NEAR(static_cast<double>(link.full), spine ? static_cast<double>(90'000 * Byte) : 0, 10)
            << name(link.kind) << " " << link.number;
    }
}

// Two streams share an adapter; the messages of each stream leave in turn.
TEST(EfaNetwork, MessagesOfAStreamLeaveInTurn) {
    Network network(3, Plain);
    for (unsigned k = 0; k < 3; ++k) network.send({0, 0}, {1, 0}, 1000, 0, 7);
    for (unsigned k = 0; k < 2; ++k) network.send({0, 0}, {2, 0}, 1000, 0, 7);
    EXPECT_DOUBLE_EQ(network.rate(0), 5e9);
    EXPECT_DOUBLE_EQ(network.rate(1), 0);
    const auto arrivals = all_of(network);
    ASSERT_EQ(arrivals.size(), 5u);
    const std::vector<std::pair<MessageId, unsigned>> expected{{0, 2}, {3, 2}, {1, 4}, {4, 4}, {2, 5}};
    for (std::size_t k = 0; k < 5; ++k) {
        EXPECT_EQ(arrivals[k].message, expected[k].first);
        expect_near(arrivals[k].at, expected[k].second * 1000 * Byte + Plain.latency);
    }
    EXPECT_NEAR(network.waiting().worst, 2, 1e-6) << "waiting for its turn is not congestion";
}

TEST(EfaNetwork, AStreamOfADisconnectedAdapterIsLost) {
    Network network(3, Plain);
    for (unsigned k = 0; k < 3; ++k) network.send({0, 0}, {1, 0}, 1000, 0, 0);
    network.send({0, 0}, {2, 0}, 1000, 0, 0);
    network.disconnect({1, 0}, 2500 * Byte);  // the first has left, the second has not
    network.connect({1, 0}, 2500 * Byte);
    network.send({0, 0}, {1, 0}, 1000, 2500 * Byte, 0);
    std::map<MessageId, bool> complete;
    for (const auto& arrival : all_of(network)) complete[arrival.message] = arrival.complete;
    EXPECT_EQ(complete, (std::map<MessageId, bool>{{0, true}, {1, false}, {2, false}, {3, true}, {4, true}}));
}

TEST(EfaNetwork, BadParametersAndCallsAreRefused) {
    const auto message_of = [](const std::function<void()>& call) -> std::string {
        try {
            call();
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "";
    };
    Parameters none = Plain;
    none.adapters = 0;
    EXPECT_EQ(message_of([&] { Network(2, none); }), "efa.adapters: found 0, expected 1 to 64");
    Parameters thin = Plain;
    thin.efficiency = 1.5;
    EXPECT_EQ(message_of([&] { Network(2, thin); }), "efa.efficiency: found 1.5, expected 0.01 to 1");
    Parameters uneven = Plain;
    uneven.tiers = {Tier{4, 1}, Tier{6, 1}};
    EXPECT_EQ(message_of([&] { Network(2, uneven); }),
              "efa.tiers: found switches of 6 servers, expected a multiple of those below, 4");
    uneven.tiers = {Tier{0, 1}, Tier{6, 1}};
    EXPECT_EQ(message_of([&] { Network(2, uneven); }),
              "efa.tiers: found switches of 6 servers, expected a multiple of those below, 0");
    uneven.tiers = {Tier{4, 1001}, Tier{}};
    EXPECT_EQ(message_of([&] { Network(2, uneven); }),
              "efa.oversubscription: found 1001, expected 0.015625 to 1000");
    Network network(2, Plain);
    EXPECT_EQ(message_of([&] {
                  network.send({0, 0}, {2, 0}, 1, 0);
              }),
              "efa: found adapter 0 of server 2, expected one of 2 of 2 servers");
    EXPECT_EQ(message_of([&] {
                  network.send({1, 0}, {1, 1}, 1, 0);
              }),
              "efa: found a message within server 1, expected adapters of two servers");
    network.advance(1000);
    EXPECT_EQ(message_of([&] {
                  network.send({0, 0}, {1, 0}, 1, 999);
              }),
              "efa: found a call for 999 fs, expected 1000 fs or later");
    EXPECT_EQ(network.next(), std::nullopt) << "what is refused leaves nothing behind";
}

// Published times of an all-reduce of uint8 by two ranks on two instances (docs/efa.md): each sends half of
// its data to the other, and half of the sum.
TEST(EfaNetwork, PublishedTimes) {
    struct Point {
        std::uint64_t bytes;
        double microseconds, model;  // as docs/efa.md lists them
    };
    for (const auto& [bytes, published, listed] :
         {Point{64ull << 10, 43.77, 36.8}, Point{512ull << 10, 126.55, 84.2},
          Point{4ull << 20, 517.65, 463.6}, Point{8ull << 20, 949.92, 897.1},
          Point{128ull << 20, 21'125, 13'903}, Point{1ull << 30, 167'630, 111'018}}) {
        Network network(2, Trn1);
        Time end = 0;
        for (unsigned step = 0; step < 2; ++step) {
            network.send({0, 0}, {1, 0}, bytes / 2, end);
            network.send({1, 0}, {0, 0}, bytes / 2, end);
            end = all_of(network).back().at;
        }
        const double found = static_cast<double>(end) / static_cast<double>(FsPerUs);
        std::printf("%10llu B: published %9.2f us, model %9.2f us, %+.0f %%\n",
                    static_cast<unsigned long long>(bytes), published, found, 100 * (found / published - 1));
        EXPECT_NEAR(found, listed, 0.001 * listed) << bytes;
    }
}

// A ring goes over the adapters of 256 servers.
TEST(EfaNetwork, HundredsOfServers) {
    constexpr unsigned Servers = 256;
    Network network(Servers, Trn1);
    Time end = 0;
    constexpr unsigned Steps = 20;
    for (unsigned step = 0; step < Steps; ++step) {
        for (unsigned server = 0; server < Servers; ++server)
            for (unsigned adapter = 0; adapter < Trn1.adapters; ++adapter)
                network.send({server, adapter}, {(server + 1) % Servers, adapter}, 1 << 20, end);
        end = all_of(network).back().at;
    }
    Network one(2, Trn1);
    one.send({0, 0}, {1, 0}, 1 << 20, 0);
    expect_near(end, Steps * all_of(one)[0].at);
}

}  // namespace
}  // namespace trnsim::tlm::efa
