// Packets, which travel from endpoint to endpoint, and frames, which travel over one cable.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "model/neuronlink/timing.hpp"

namespace trnsim::tlm::neuronlink {

enum class Kind : std::uint8_t { ReadRequest, WriteRequest, ReadData, WriteAcknowledgement };
constexpr unsigned Kinds = 4;

constexpr bool is_response(Kind kind) {
    return kind == Kind::ReadData || kind == Kind::WriteAcknowledgement;
}

// Virtual channels of a link: requests and responses apart, each before and behind the dateline of a ring
// (docs/neuronlink.md).
constexpr unsigned Channels = 4;
constexpr unsigned channel_of(Kind kind, unsigned dateline) {
    return (is_response(kind) ? 2u : 0u) + dateline;
}
constexpr unsigned dateline_of(unsigned channel) {
    return channel % 2;
}

struct Packet {
    Kind kind = Kind::ReadRequest;
    std::uint8_t status = 0;       // of a response: status_code() of the access
    std::uint8_t source = 0;       // chip
    std::uint8_t destination = 0;  // chip
    std::uint16_t length = 0;      // bytes: of the data, or that are to be read
    std::uint32_t tag = 0;         // the request's, chosen by its sender
    std::uint64_t address = 0;     // on the destination; 48 bits
    std::vector<std::uint8_t> data;

    bool operator==(const Packet&) const = default;
};

using PacketPtr = std::shared_ptr<const Packet>;

inline std::uint64_t flits_of(const Packet& packet) {
    return flits_of(packet.data.size());
}

// A packet with what the link adds to it, or a control frame: credits and acknowledgements alone.
struct Frame {
    PacketPtr packet;            // none: a control frame
    std::uint8_t channel = 0;    // of the packet
    std::uint16_t sequence = 0;  // of the packet
    // From the sender's receiving side: the packet it expects next, whether it asks for a repetition from
    // there on, and for each channel how many flits may have been sent altogether, all modulo 2^16.
    std::uint16_t expected = 0;
    bool repeat = false;
    std::array<std::uint16_t, Channels> limits{};
    bool poll = false;  // the other side is to send a control frame

    // What arrives where bits have changed on the way; otherwise empty.
    std::vector<std::uint8_t> damaged;
};

inline std::uint64_t flits_of(const Frame& frame) {
    return frame.packet ? flits_of(*frame.packet) : 1;
}

// The bytes on the wire: header, data filled up with zeros to whole flits, CRC.
std::vector<std::uint8_t> encode(const Frame& frame);
// Nothing when the CRC is wrong, or when no frame has these bytes.
std::optional<Frame> decode(const std::vector<std::uint8_t>& bytes);

// Responses of TLM as the codes of packets, and back. What has no code is TLM_GENERIC_ERROR_RESPONSE.
std::uint8_t status_code(Response status);
Response status_of(std::uint8_t code);

}  // namespace trnsim::tlm::neuronlink
