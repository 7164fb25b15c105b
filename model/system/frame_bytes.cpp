#include "model/system/frame_bytes.hpp"

#include <memory>
#include <utility>

namespace trnsim::tlm {
namespace {

using neuronlink::Frame;
using neuronlink::Packet;

// The fields of a frame and of a packet that have a fixed size.
struct FrameHead {
    bool has_packet, repeat, poll;
    std::uint8_t channel;
    std::uint16_t sequence, expected;
    std::array<std::uint16_t, neuronlink::Channels> limits;
};
struct PacketHead {
    neuronlink::Kind kind;
    std::uint8_t status, source, destination;
    std::uint16_t length;
    std::uint32_t tag;
    std::uint64_t address;
};

std::vector<std::uint8_t> to_vector(std::span<const std::uint8_t> bytes) {
    return {bytes.begin(), bytes.end()};
}

}  // namespace

void put_frame(processes::Writer& to, const Frame& frame) {
    to.put(FrameHead{frame.packet != nullptr, frame.repeat, frame.poll, frame.channel, frame.sequence,
                     frame.expected, frame.limits});
    to.put_bytes(frame.damaged);
    if (!frame.packet) return;
    const Packet& packet = *frame.packet;
    to.put(PacketHead{packet.kind, packet.status, packet.source, packet.destination, packet.length,
                      packet.tag, packet.address});
    to.put_bytes(packet.data);
}

Frame get_frame(processes::Reader& from) {
    const auto head = from.get<FrameHead>();
    Frame frame{.packet = {},
                .channel = head.channel,
                .sequence = head.sequence,
                .expected = head.expected,
                .repeat = head.repeat,
                .limits = head.limits,
                .poll = head.poll,
                .damaged = to_vector(from.get_bytes())};
    if (!head.has_packet) return frame;
    const auto packet = from.get<PacketHead>();
    frame.packet = std::make_shared<const Packet>(Packet{.kind = packet.kind,
                                                         .status = packet.status,
                                                         .source = packet.source,
                                                         .destination = packet.destination,
                                                         .length = packet.length,
                                                         .tag = packet.tag,
                                                         .address = packet.address,
                                                         .data = to_vector(from.get_bytes())});
    return frame;
}

}  // namespace trnsim::tlm
