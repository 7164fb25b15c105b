// Tests the faults of a link, one at a time: the data is right nevertheless, or the request ends with an
// error that says why.
#include <gtest/gtest.h>

#include <cmath>

#include "model/neuronlink/bench.hpp"

namespace trnsim::tlm::neuronlink {
namespace {

using test::LinkBench;
using test::Ns;
using test::Us;

constexpr Parameters Fast{.give_up_time = 5 * Us, .training_time = 2 * Us, .timeout = 100 * Us};

// Writes `count` packets from chip 0 to chip 1 at once. All answers and the data must be correct.
void expect_writes_arrive(LinkBench& b, unsigned count) {
    for (unsigned i = 0; i < count; ++i)
        b.hosts[0]->write(test::at_chip(1, std::uint64_t{i} * 512), test::pattern(512, i));
    sc_core::sc_start();
    EXPECT_EQ(b.hosts[0]->replies.size(), count);
    for (const auto& [number, reply] : b.hosts[0]->replies) EXPECT_EQ(reply.status, ::tlm::TLM_OK_RESPONSE);
    for (unsigned i = 0; i < count; ++i)
        EXPECT_EQ(b.memory(1, std::uint64_t{i} * 512, 512), test::pattern(512, i));
    EXPECT_EQ(b.link(0, 1).received.packets, count);
    EXPECT_EQ(b.network.reports(), std::vector<std::string>{});
}

Time last_answer(const LinkBench& b) {
    Time last = 0;
    for (const auto& [number, reply] : b.hosts[0]->replies) last = std::max(last, reply.at);
    return last;
}

TEST(LinkFault, WrongBit) {
    LinkBench b("b", chain(2));
    test::elaborate();
    b.wire(0, 1).faults().damage(3, {1234});
    expect_writes_arrive(b, 20);
    const auto link = b.link(0, 1);
    EXPECT_EQ(link.faults.damaged, 1u);
    EXPECT_EQ(link.received.crc_errors, 1u);
    EXPECT_EQ(link.sent.retries, 1u);
    EXPECT_EQ(link.sent.repeated, 1 + link.received.gaps);
    EXPECT_GT(link.received.gaps, 0u);
    EXPECT_LT(last_answer(b), Parameters{}.retry_time);  // the receiver asked for it
}

// Damages any bit of a frame, including header and CRC.
TEST(LinkFault, EveryBitCounts) {
    LinkBench b("b", chain(2));
    test::elaborate();
    constexpr unsigned Bits = 8 * (32 + 64);
    for (unsigned bit = 0; bit < Bits; ++bit) {
        Faults& faults = b.wire(0, 1).faults();
        faults.damage(faults.frames(), {bit});
        EXPECT_EQ(b.write(0, 1, 64 * bit, test::pattern(64, bit)).status, ::tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(b.memory(1, 64 * bit, 64), test::pattern(64, bit));
    }
    EXPECT_EQ(b.link(0, 1).received.crc_errors, Bits);
    EXPECT_EQ(b.link(0, 1).received.packets, Bits);
}

// The damaged bits change back: the CRC is right, and so is the packet that is read from the bytes.
TEST(LinkFault, DamageThatCancels) {
    LinkBench b("b", chain(2));
    test::elaborate();
    for (unsigned frame = 0; frame < 10; ++frame) b.wire(0, 1).faults().damage(frame, {77, 77});
    expect_writes_arrive(b, 10);
    EXPECT_EQ(b.link(0, 1).faults.damaged, 10u);
    EXPECT_EQ(b.link(0, 1).received.crc_errors, 0u);
}

TEST(LinkFault, LostPacketBeforeOthers) {
    LinkBench b("b", chain(2));
    test::elaborate();
    b.wire(0, 1).faults().drop(5);
    expect_writes_arrive(b, 20);
    EXPECT_EQ(b.link(0, 1).faults.dropped, 1u);
    EXPECT_EQ(b.link(0, 1).sent.retries, 1u);
    EXPECT_EQ(b.link(0, 1).received.crc_errors, 0u);
    EXPECT_LT(last_answer(b), Parameters{}.retry_time);
}

// No later packet shows the gap: the retry time runs from the packet's end on the wire.
TEST(LinkFault, LostLastPacket) {
    LinkBench b("b", chain(2));
    test::elaborate();
    const Time usual = b.write(0, 1, 0, test::pattern(512, 1)).at;
    const Time start = now();
    b.wire(0, 1).faults().drop(b.wire(0, 1).faults().frames());
    const auto late = b.write(0, 1, 0, test::pattern(512, 2));
    EXPECT_EQ(late.status, ::tlm::TLM_OK_RESPONSE);
    const Time wire = duration(544, 48'000'000'000);
    EXPECT_EQ(late.at - start, usual + wire + Parameters{}.retry_time);
    EXPECT_EQ(b.memory(1, 0, 512), test::pattern(512, 2));
}

// Acknowledgements are lost: accepted packets are not accepted again.
TEST(LinkFault, LostAcknowledgements) {
    LinkBench b("b", chain(2));
    test::elaborate();
    for (unsigned frame = 0; frame < 6; ++frame) b.wire(1, 0).faults().drop(frame);
    expect_writes_arrive(b, 3);
    EXPECT_GT(b.link(0, 1).received.duplicates, 0u);
}

// Credits are lost and nothing else brings them: the sender asks for them.
TEST(LinkFault, LostCredits) {
    Parameters parameters{.buffer = 129, .ack_interval = 0};
    LinkBench b("b", chain(3), parameters);
    test::elaborate();
    // The first packet fills the buffer of chip 1. The frame that says that it has come and gone is lost, and
    // so are the following ones for a while.
    for (unsigned frame = 0; frame < 4; ++frame) b.wire(1, 0).faults().drop(frame);
    b.hosts[0]->write(test::at_chip(2, 0), test::pattern(4096, 1));
    b.hosts[0]->write(test::at_chip(2, 4096), test::pattern(4096, 2));
    sc_core::sc_start();
    EXPECT_EQ(b.hosts[0]->replies.size(), 2u);
    for (const auto& [number, reply] : b.hosts[0]->replies) EXPECT_EQ(reply.status, ::tlm::TLM_OK_RESPONSE);
    EXPECT_GT(b.link(0, 1).sent.polls, 0u);
    EXPECT_EQ(b.link(0, 1).sent.stalls, 1u);
    EXPECT_GT(b.link(0, 1).sent.stalled, Parameters{}.retry_time);
    EXPECT_EQ(b.link(0, 1).received.packets, 2u);
}

TEST(LinkFault, ShortInterruption) {
    LinkBench b("b", chain(2), Fast);
    test::elaborate();
    for (unsigned i = 0; i < 400; ++i)
        b.hosts[0]->write(test::at_chip(1, std::uint64_t{i} * 512), test::pattern(512, i));
    sc_core::sc_start(to_sc(2 * Us));
    b.network.cut(0);
    sc_core::sc_start(to_sc(3 * Us));
    EXPECT_TRUE(b.network.usable(0));
    b.network.restore(0);
    sc_core::sc_start();
    EXPECT_EQ(b.hosts[0]->replies.size(), 400u);
    for (const auto& [number, reply] : b.hosts[0]->replies) EXPECT_EQ(reply.status, ::tlm::TLM_OK_RESPONSE);
    for (unsigned i = 0; i < 400; ++i)
        EXPECT_EQ(b.memory(1, std::uint64_t{i} * 512, 512), test::pattern(512, i));
    EXPECT_EQ(b.link(0, 1).received.packets, 400u);
    EXPECT_GT(b.link(0, 1).received.cut, 0u);
    EXPECT_EQ(b.link(0, 1).sent.lost, 0u);
}

// The repetition does not wait for the retry time: it follows the control frame with which a link starts.
TEST(LinkFault, InterruptedPacketIsRepeatedAtOnce) {
    LinkBench b("b", chain(2), Fast);
    test::elaborate();
    const Time usual = b.write(0, 1, 0, test::pattern(512, 1)).at;
    const Time start = now();
    const auto number = b.hosts[0]->write(test::at_chip(1, 0), test::pattern(512, 2));
    sc_core::sc_start(to_sc(50 * Ns));
    b.network.cut(0);
    sc_core::sc_start(to_sc(500 * Ns));
    b.network.restore(0);
    sc_core::sc_start();
    const Time up = start + 550 * Ns + Fast.training_time;
    const Time control = duration(32, 48'000'000'000);
    EXPECT_EQ(b.hosts[0]->replies.at(number).at, up + control + usual - Fast.endpoint_time);
    EXPECT_EQ(b.memory(1, 0, 512), test::pattern(512, 2));
}

// A link that comes up after it was given up has only as many credits as its buffers have room: chip 2 serves
// one write in 10 us, and one waits in the only place of chip 1 when the link to chip 0 starts again.
TEST(LinkFault, BeginsAnewWithFullBuffers) {
    Parameters parameters = Fast;
    parameters.buffer = 129;
    parameters.served = 1;
    LinkBench b("b", chain(3), parameters, {}, {std::uint64_t{64} << 20, 820'000'000'000, 10 * Us, 10 * Us});
    test::elaborate();
    for (unsigned i = 0; i < 4; ++i) b.hosts[0]->write(test::at_chip(2, i * 4096), test::pattern(4096, i));
    sc_core::sc_start(to_sc(3 * Us));
    b.network.cut(0, true);
    b.network.restore(0);
    sc_core::sc_start(to_sc(3 * Us));
    ASSERT_TRUE(b.network.usable(0));
    const auto number = b.hosts[0]->write(test::at_chip(2, 4 * 4096), test::pattern(4096, 4));
    sc_core::sc_start();
    EXPECT_EQ(b.hosts[0]->replies.at(number).status, ::tlm::TLM_OK_RESPONSE);
    EXPECT_GT(b.hosts[0]->replies.at(number).at, 40 * Us);  // after the three under way
    EXPECT_EQ(b.memory(2, 4 * 4096, 4096), test::pattern(4096, 4));
    EXPECT_EQ(b.network.reports().size(), 4u);
    EXPECT_EQ(b.network.node(0).endpoint.statistics().late, 3u);
}

TEST(LinkFault, UnreachableChip) {
    LinkBench b("b", chain(3), Fast);
    test::elaborate();
    b.network.cut(1);
    sc_core::sc_start();
    EXPECT_FALSE(b.network.usable(1));
    EXPECT_EQ(b.read(0, 2, 0x1000, 64).status, ::tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(b.write(2, 0, 0x1000, test::pattern(64, 1)).status, ::tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(
        b.network.reports(),
        (std::vector<std::string>{
            "chip 0: read of 64 bytes at 0x3000000001000: chip 2 cannot be reached: down are 1.E-2.W",
            "chip 2: write of 64 bytes at 0x1000000001000: chip 0 cannot be reached: down are 1.E-2.W"}));
    EXPECT_EQ(b.write(0, 1, 0, test::pattern(64, 2)).status, ::tlm::TLM_OK_RESPONSE);

    b.network.restore(1);
    sc_core::sc_start();
    EXPECT_TRUE(b.network.usable(1));
    EXPECT_EQ(b.write(2, 0, 0x1000, test::pattern(64, 3)).status, ::tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(b.read(0, 2, 0x1000, 64).status, ::tlm::TLM_OK_RESPONSE);
}

TEST(LinkFault, ChipWithoutCables) {
    LinkBench b("b", graph(3, std::vector<std::pair<unsigned, unsigned>>{{0, 1}}));
    test::elaborate();
    EXPECT_EQ(b.read(0, 2, 0, 4).status, ::tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(b.network.reports(),
              std::vector<std::string>{"chip 0: read of 4 bytes at 0x3000000000000: chip 2 "
                                       "cannot be reached: no way of cables leads there"});
}

// Requests that wait for a chip when it becomes unreachable are answered then, not after their timeout.
TEST(LinkFault, GetsOutOfReach) {
    LinkBench b("b", chain(3), Fast);
    test::elaborate();
    b.network.cut(1);
    const auto number = b.hosts[0]->read(test::at_chip(2, 0), 64);
    sc_core::sc_start();
    EXPECT_EQ(b.hosts[0]->replies.at(number).status, ::tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_LE(b.hosts[0]->replies.at(number).at, Fast.give_up_time + 20 * Ns);
    EXPECT_TRUE(b.network.idle());
}

// A torus has another path.
TEST(LinkFault, GoesAnotherWay) {
    LinkBench b("b", trn1_server(), Fast);
    test::elaborate();
    b.network.cut(b.cable(0, 1), true);
    b.network.cut(b.cable(0, 4), true);
    EXPECT_EQ(b.write(0, 1, 0, test::pattern(8192, 1)).status, ::tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(b.write(4, 0, 0, test::pattern(8192, 2)).status, ::tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(b.memory(1, 0, 8192), test::pattern(8192, 1));
    EXPECT_EQ(b.memory(0, 0, 8192), test::pattern(8192, 2));
    EXPECT_EQ(b.link(0, 1).sent.packets + b.link(0, 4).sent.packets, 0u);
    b.network.cut(b.cable(0, 3), true);
    b.network.cut(b.cable(0, 12), true);
    EXPECT_EQ(b.write(0, 1, 0, test::pattern(64, 1)).status, ::tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(
        b.network.reports(),
        std::vector<std::string>{"chip 0: write of 64 bytes at 0x2000000000000: chip 1 cannot be reached: "
                                 "down are 0.E-1.W, 0.S-4.N, 3.E-0.W, 12.S-0.N"});
}

// A link that is given up loses the packets on it; all others take another path.
TEST(LinkFault, OnlyWhatWasOnTheLinkIsLost) {
    LinkBench b("b", ring(4), Fast);
    test::elaborate();
    for (unsigned i = 0; i < 400; ++i)
        b.hosts[0]->write(test::at_chip(1, std::uint64_t{i} * 512), test::pattern(512, i));
    sc_core::sc_start(to_sc(2 * Us));
    b.network.cut(b.cable(0, 1), true);
    sc_core::sc_start();
    const std::uint64_t lost = b.link(0, 1).sent.lost + b.link(1, 0).sent.lost;
    EXPECT_GT(lost, 0u);
    EXPECT_LT(lost, 50u);
    std::uint64_t errors = 0;
    ASSERT_EQ(b.hosts[0]->replies.size(), 400u);
    for (unsigned i = 0; i < 400; ++i) {
        if (b.hosts[0]->replies.at(i).status != ::tlm::TLM_OK_RESPONSE) {
            ++errors;
            continue;
        }
        EXPECT_EQ(b.memory(1, std::uint64_t{i} * 512, 512), test::pattern(512, i));
    }
    EXPECT_GT(errors, 0u);
    EXPECT_LE(errors, lost);
    ASSERT_EQ(b.network.reports().size(), errors);
    EXPECT_NE(b.network.reports()[0].find("no answer within 100000 ns"), std::string::npos);
    EXPECT_GT(b.link(0, 3).sent.packets, 0u);
}

// A wire that carries nothing is given up after the retry limit, at both ends.
TEST(LinkFault, DeadWireIsGivenUp) {
    Parameters parameters = Fast;
    parameters.retry_limit = 4;
    LinkBench b("b", ring(3), parameters);
    test::elaborate();
    b.wire(0, 1).faults().set_rates({.drops = 1});
    EXPECT_EQ(b.write(0, 1, 0, test::pattern(64, 1)).status, ::tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_FALSE(b.network.usable(b.cable(0, 1)));
    EXPECT_EQ(b.link(0, 1).sent.retries, 5u);
    EXPECT_EQ(b.link(0, 1).sent.lost, 1u);
    EXPECT_EQ(b.write(0, 1, 0, test::pattern(64, 2)).status, ::tlm::TLM_OK_RESPONSE);  // through chip 2
    EXPECT_EQ(b.write(1, 0, 0, test::pattern(64, 3)).status, ::tlm::TLM_OK_RESPONSE);
    EXPECT_GT(b.link(0, 2).sent.packets, 0u);
    b.wire(0, 1).faults().set_rates({});
    b.network.restore(b.cable(0, 1));
    sc_core::sc_start();
    EXPECT_TRUE(b.network.usable(b.cable(0, 1)));
    EXPECT_EQ(b.write(0, 1, 0, test::pattern(64, 4)).status, ::tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(b.link(0, 1).received.packets, 1u);
}

// An answer after its request's timeout finds another request in its slot, or none.
TEST(LinkFault, LateAnswersAreNotTaken) {
    Parameters parameters = Fast;
    parameters.timeout = Us;
    parameters.requests = 1;
    LinkBench b("b", chain(2), parameters, {},
                {std::uint64_t{64} << 20, 820'000'000'000, 1500 * Ns, 1500 * Ns});
    test::elaborate();
    auto first = test::pattern(64, 1), second = test::pattern(64, 2);
    b.hosts[1]->debug(::tlm::TLM_WRITE_COMMAND, test::at_chip(1, 0), first);
    b.hosts[1]->debug(::tlm::TLM_WRITE_COMMAND, test::at_chip(1, 64), second);
    b.hosts[0]->read(test::at_chip(1, 0), 64);
    b.hosts[0]->read(test::at_chip(1, 64), 64);
    sc_core::sc_start();
    ASSERT_EQ(b.hosts[0]->replies.size(), 2u);
    for (const auto& [number, reply] : b.hosts[0]->replies)
        EXPECT_EQ(reply.status, ::tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(b.network.node(0).endpoint.statistics().late, 2u);
    EXPECT_EQ(b.network.node(0).endpoint.statistics().errors, 2u);
}

TEST(LinkFault, RatesAreChecked) {
    LinkBench b("b", chain(2));
    EXPECT_THROW(b.wire(0, 1).faults().set_rates({.bit_errors = -0.1}), std::invalid_argument);
    EXPECT_THROW(b.wire(0, 1).faults().set_rates({.drops = 1.5}), std::invalid_argument);
}

// The share of bits that change is the rate, within five standard deviations, in frames of any length.
TEST(LinkFault, RateOfBitErrors) {
    constexpr double Rate = 1e-4;
    Faults faults;
    faults.set_rates({.bit_errors = Rate, .seed = 5});
    std::uint64_t bits = 0, wrong = 0;
    for (unsigned i = 0; i < 20'000; ++i) {
        Frame frame;
        Packet packet;
        packet.kind = Kind::WriteRequest;
        packet.data.resize(i % 500);
        packet.length = static_cast<std::uint16_t>(packet.data.size());
        frame.packet = std::make_shared<const Packet>(packet);
        bits += 8 * 32 * flits_of(frame);
        const auto whole = encode(frame);
        ASSERT_NE(faults.pass(frame), Fate::Lost);
        for (std::size_t byte = 0; byte < frame.damaged.size(); ++byte)
            wrong += static_cast<std::uint64_t>(__builtin_popcount(whole[byte] ^ frame.damaged[byte]));
    }
    const double expected = Rate * static_cast<double>(bits);
    EXPECT_NEAR(static_cast<double>(wrong), expected, 5 * std::sqrt(expected));
}

// Directions with one seed lose different frames, and a change of the rate does not begin them anew.
TEST(LinkFault, FaultsDependOnThePlace) {
    const auto lost = [](const std::string& place, bool pauses) {
        Faults faults;
        faults.set_rates({.drops = 0.5, .seed = 5, .place = place});
        std::string text;
        for (unsigned i = 0; i < 64; ++i) {
            if (pauses && i == 32) {
                faults.set_rates({.seed = 5, .place = place});
                faults.set_rates({.drops = 0.5, .seed = 5, .place = place});
            }
            Frame frame;
            text += faults.pass(frame) == Fate::Lost ? 'x' : '.';
        }
        return text;
    };
    EXPECT_EQ(lost("0.E", false), lost("0.E", false));
    EXPECT_EQ(lost("0.E", true), lost("0.E", false));
    EXPECT_NE(lost("0.E", false), lost("1.W", false));
}

}  // namespace
}  // namespace trnsim::tlm::neuronlink
