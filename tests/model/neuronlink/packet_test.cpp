// Tests packets on the wire, the CRC, and the ranges of parameters.
#include "model/neuronlink/packet.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "common/random.hpp"
#include "model/neuronlink/crc32.hpp"

namespace trnsim::tlm::neuronlink {
namespace {

// Divides polynomials bit by bit, as the division is defined.
std::uint32_t divide(const std::vector<std::uint8_t>& bytes) {
    std::uint32_t rest = 0xffffffff;
    for (const std::uint8_t byte : bytes) {
        for (int bit = 0; bit < 8; ++bit) {
            const bool carry = (rest >> 31 ^ byte >> bit) & 1;
            rest = rest << 1 ^ (carry ? 0x1edc6f41 : 0);
        }
    }
    std::uint32_t reflected = 0;
    for (int bit = 0; bit < 32; ++bit) reflected |= (rest >> bit & 1) << (31 - bit);
    return ~reflected;
}

Frame random_frame(std::mt19937_64& random) {
    Frame frame;
    frame.expected = static_cast<std::uint16_t>(random());
    frame.repeat = random() % 2 == 0;
    frame.poll = random() % 2 == 0;
    for (std::uint16_t& limit : frame.limits) limit = static_cast<std::uint16_t>(random());
    if (random() % 4 == 0) return frame;
    Packet packet;
    packet.kind = static_cast<Kind>(random() % Kinds);
    packet.status = static_cast<std::uint8_t>(is_response(packet.kind) ? random() % 6 : 0);
    packet.source = static_cast<std::uint8_t>(random() % 255);
    packet.destination = static_cast<std::uint8_t>(random() % 255);
    packet.length = static_cast<std::uint16_t>(1 + random() % 4096);
    packet.tag = static_cast<std::uint32_t>(random());
    packet.address = random() >> 16;
    const bool failed = packet.kind == Kind::ReadData && packet.status != 0;
    if ((packet.kind == Kind::WriteRequest || packet.kind == Kind::ReadData) && !failed) {
        packet.data.resize(packet.length);
        for (std::uint8_t& byte : packet.data) byte = static_cast<std::uint8_t>(random());
    }
    frame.channel = static_cast<std::uint8_t>(random() % Channels);
    frame.sequence = static_cast<std::uint16_t>(random());
    frame.packet = std::make_shared<const Packet>(packet);
    return frame;
}

TEST(Crc, PublishedValue) {
    const std::string_view text = "123456789";
    EXPECT_EQ(crc32({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}), 0xe3069283u);
}

TEST(Crc, IsTheDivision) {
    auto random = test::generator();
    for (int i = 0; i < 200; ++i) {
        std::vector<std::uint8_t> bytes(random() % 300);
        for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
        ASSERT_EQ(crc32(bytes), divide(bytes));
    }
}

TEST(LinkPacket, Flits) {
    EXPECT_EQ(flits_of(0), 1u);
    EXPECT_EQ(flits_of(1), 2u);
    EXPECT_EQ(flits_of(32), 2u);
    EXPECT_EQ(flits_of(33), 3u);
    EXPECT_EQ(flits_of(4096), 129u);
}

TEST(LinkPacket, BytesAndBack) {
    auto random = test::generator();
    for (std::uint64_t i = 0; i < 2000 * test::scale(); ++i) {
        const Frame frame = random_frame(random);
        const std::vector<std::uint8_t> bytes = encode(frame);
        ASSERT_EQ(bytes.size(), flits_of(frame) * 32);
        const auto back = decode(bytes);
        ASSERT_TRUE(back.has_value());
        ASSERT_EQ(back->expected, frame.expected);
        ASSERT_EQ(back->repeat, frame.repeat);
        ASSERT_EQ(back->poll, frame.poll);
        ASSERT_EQ(back->limits, frame.limits);
        ASSERT_EQ(back->packet != nullptr, frame.packet != nullptr);
        if (!frame.packet) continue;
        ASSERT_EQ(*back->packet, *frame.packet);
        ASSERT_EQ(back->channel, frame.channel);
        ASSERT_EQ(back->sequence, frame.sequence);
    }
}

// A CRC of 32 bits finds up to three wrong bits in frames this long, and every burst of up to 32.
TEST(LinkPacket, WrongBitsAreFound) {
    auto random = test::generator();
    const auto flip = [](std::vector<std::uint8_t>& bytes, std::uint64_t bit) {
        bytes[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
    };
    for (std::uint64_t i = 0; i < 1000 * test::scale(); ++i) {
        const std::vector<std::uint8_t> bytes = encode(random_frame(random));
        const std::uint64_t bits = bytes.size() * 8;
        std::vector<std::uint8_t> scattered = bytes;
        for (std::uint64_t left = 1 + random() % 3; left > 0; --left) flip(scattered, random() % bits);
        if (scattered != bytes) {
            ASSERT_FALSE(decode(scattered).has_value());
        }
        std::vector<std::uint8_t> burst = bytes;
        const std::uint64_t start = random() % (bits - 32);
        flip(burst, start);
        for (std::uint64_t bit = 1; bit < 32; ++bit) {
            if (random() % 2 == 0) flip(burst, start + bit);
        }
        ASSERT_FALSE(decode(burst).has_value());
    }
}

TEST(LinkPacket, StatusesTravel) {
    for (const Response status : {::tlm::TLM_OK_RESPONSE, ::tlm::TLM_GENERIC_ERROR_RESPONSE,
                                  ::tlm::TLM_ADDRESS_ERROR_RESPONSE, ::tlm::TLM_COMMAND_ERROR_RESPONSE,
                                  ::tlm::TLM_BURST_ERROR_RESPONSE, ::tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE}) {
        EXPECT_EQ(status_of(status_code(status)), status);
    }
    EXPECT_EQ(status_of(status_code(::tlm::TLM_INCOMPLETE_RESPONSE)), ::tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(status_of(15), ::tlm::TLM_GENERIC_ERROR_RESPONSE);
}

void expect_refused(Parameters parameters, const std::string& message) {
    try {
        check(parameters);
        ADD_FAILURE() << "accepted, expected: " << message;
    } catch (const std::invalid_argument& error) {
        EXPECT_EQ(error.what(), message);
    }
}

TEST(LinkParameters, Ranges) {
    EXPECT_NO_THROW(check(Parameters{}));
    expect_refused({.lanes = 0}, "neuronlink lanes is 0, expected 1 to 64");
    expect_refused({.lanes = 65}, "neuronlink lanes is 65, expected 1 to 64");
    EXPECT_NO_THROW(check({.lanes = 64}));
    expect_refused({.latency = 0}, "neuronlink latency is 0, expected 1000000 to 1000000000000");
    expect_refused({.data = 96}, "neuronlink data is 96, expected a power of two");
    expect_refused({.buffer = 128}, "neuronlink buffer is 128, expected at least 129: the flits of a packet");
    EXPECT_NO_THROW(check({.buffer = 129}));
    expect_refused({.replay = 128}, "neuronlink replay is 128, expected at least 129: the flits of a packet");
    // The time is two hops of a packet of 4096 bytes (86 ns on the wire and 130 ns after it), with a packet
    // in between.
    expect_refused({.retry_time = 517'999'999},
                   "neuronlink retry_time is 517999999, expected at least 518000000: until an "
                   "acknowledgement comes");
    EXPECT_NO_THROW(check({.retry_time = 518'000'000}));
    // The time is that of 4128 bytes on a lane of 3 GB/s, and 130 ns.
    expect_refused({.training_time = 1'505'999'999},
                   "neuronlink training_time is 1505999999, expected at least 1506000000: until a frame "
                   "has arrived that was sent on one lane");
    EXPECT_NO_THROW(check({.training_time = 1'506'000'000}));
}

}  // namespace
}  // namespace trnsim::tlm::neuronlink
