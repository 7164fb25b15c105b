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

// Virtual channels of a link: separate ones for requests and responses, and each before and after the
// dateline of a ring (docs/neuronlink.md).
constexpr unsigned Channels = 4;
constexpr unsigned channel_of(Kind kind, unsigned dateline) {
    return (is_response(kind) ? 2u : 0u) + dateline;
}
constexpr unsigned dateline_of(unsigned channel) {
    return channel % 2;
}

struct Packet {
    Kind kind = Kind::ReadRequest;
    std::uint8_t status = 0;       // status_code() of the access, in responses
    std::uint8_t source = 0;       // chip
    std::uint8_t destination = 0;  // chip
    std::uint16_t length = 0;      // bytes of data, or bytes to read
    std::uint32_t tag = 0;         // chosen by the sender of the request
    std::uint64_t address = 0;     // on the destination; 48 bits
    std::vector<std::uint8_t> data;

    bool operator==(const Packet&) const = default;
};

using PacketPtr = std::shared_ptr<const Packet>;

inline std::uint64_t flits_of(const Packet& packet) {
    return flits_of(packet.data.size());
}

// A packet with the fields that the link adds, or a control frame, which has only credits and
// acknowledgements.
struct Frame {
    PacketPtr packet;            // null: a control frame
    std::uint8_t channel = 0;    // channel of the packet
    std::uint16_t sequence = 0;  // number of the packet
    // The message from the sender's receiving side: the packet it expects next, whether it asks for a
    // repetition from there on, and for each channel the total number of flits that may have been sent, all
    // modulo 2^16.
    std::uint16_t expected = 0;
    bool repeat = false;
    std::array<std::uint16_t, Channels> limits{};
    bool poll = false;  // the other side is to send a control frame

    // The bytes that arrive if bits have changed on the way; otherwise empty.
    std::vector<std::uint8_t> damaged;
};

inline std::uint64_t flits_of(const Frame& frame) {
    return frame.packet ? flits_of(*frame.packet) : 1;
}

// Returns the bytes on the wire: header, data padded with zeros to whole flits, CRC.
std::vector<std::uint8_t> encode(const Frame& frame);
// Returns nothing if the CRC is wrong or no frame has these bytes.
std::optional<Frame> decode(const std::vector<std::uint8_t>& bytes);

// Convert responses of TLM to the codes of packets and back. A response without a code becomes
// TLM_GENERIC_ERROR_RESPONSE.
std::uint8_t status_code(Response status);
Response status_of(std::uint8_t code);

}  // namespace trnsim::tlm::neuronlink
