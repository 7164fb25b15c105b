#include "model/neuronlink/packet.hpp"

#include <algorithm>
#include <utility>

#include "model/neuronlink/crc32.hpp"

namespace trnsim::tlm::neuronlink {
namespace {

// The places of a header's fields in bytes. The lowest byte of a field comes first.
struct HeaderField {
    std::size_t offset, size;
};
constexpr HeaderField KindPlace{0, 1}, FlagsPlace{1, 1}, SourcePlace{2, 1}, DestinationPlace{3, 1},
    SequencePlace{4, 2}, ExpectedPlace{6, 2}, TagPlace{8, 4}, LengthPlace{12, 2}, AddressPlace{14, 6},
    LimitsPlace{20, 2};
static_assert(LimitsPlace.offset + LimitsPlace.size * Channels == HeaderBytes);

// The byte of the kind has the kind in bits 3:0 and the channel in bits 7:4.
constexpr std::uint8_t ControlKind = Kinds;
constexpr unsigned ChannelShift = 4;
constexpr unsigned RepeatFlag = 1, PollFlag = 2, StatusShift = 4;

constexpr std::array Statuses{
    ::tlm::TLM_OK_RESPONSE,
    ::tlm::TLM_GENERIC_ERROR_RESPONSE,
    ::tlm::TLM_ADDRESS_ERROR_RESPONSE,
    ::tlm::TLM_COMMAND_ERROR_RESPONSE,
    ::tlm::TLM_BURST_ERROR_RESPONSE,
    ::tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE,
};
constexpr std::uint8_t GenericError = 1;

void put(std::vector<std::uint8_t>& bytes, HeaderField place, std::uint64_t value) {
    for (std::size_t i = 0; i < place.size; ++i)
        bytes[place.offset + i] = static_cast<std::uint8_t>(value >> (8 * i));
}

std::uint64_t get(const std::vector<std::uint8_t>& bytes, HeaderField place) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < place.size; ++i) value |= std::uint64_t{bytes[place.offset + i]} << (8 * i);
    return value;
}

constexpr HeaderField limit_place(std::size_t channel) {
    return {LimitsPlace.offset + channel * LimitsPlace.size, LimitsPlace.size};
}

constexpr bool has_data(Kind kind) {
    return kind == Kind::WriteRequest || kind == Kind::ReadData;
}

}  // namespace

std::uint8_t status_code(Response status) {
    const auto* const found = std::find(Statuses.begin(), Statuses.end(), status);
    return found == Statuses.end() ? GenericError : static_cast<std::uint8_t>(found - Statuses.begin());
}

Response status_of(std::uint8_t code) {
    return Statuses[code < Statuses.size() ? code : GenericError];
}

std::vector<std::uint8_t> encode(const Frame& frame) {
    std::vector<std::uint8_t> bytes(flits_of(frame) * FlitBytes);
    unsigned flags = (frame.repeat ? RepeatFlag : 0) | (frame.poll ? PollFlag : 0);
    put(bytes, KindPlace, ControlKind);
    put(bytes, ExpectedPlace, frame.expected);
    for (std::size_t i = 0; i < Channels; ++i) put(bytes, limit_place(i), frame.limits[i]);
    if (frame.packet) {
        const Packet& packet = *frame.packet;
        flags |= static_cast<unsigned>(packet.status) << StatusShift;
        put(bytes, KindPlace, static_cast<unsigned>(packet.kind) | unsigned{frame.channel} << ChannelShift);
        put(bytes, SequencePlace, frame.sequence);
        put(bytes, SourcePlace, packet.source);
        put(bytes, DestinationPlace, packet.destination);
        put(bytes, TagPlace, packet.tag);
        put(bytes, LengthPlace, packet.length);
        put(bytes, AddressPlace, packet.address);
        std::copy(packet.data.begin(), packet.data.end(), bytes.begin() + HeaderBytes);
    }
    put(bytes, FlagsPlace, flags);
    const std::size_t end = bytes.size() - CrcBytes;
    put(bytes, {end, CrcBytes}, crc32({bytes.data(), end}));
    return bytes;
}

std::optional<Frame> decode(const std::vector<std::uint8_t>& bytes) {
    if (bytes.size() < FlitBytes) return std::nullopt;
    const std::size_t end = bytes.size() - CrcBytes;
    if (get(bytes, {end, CrcBytes}) != crc32({bytes.data(), end})) return std::nullopt;
    Frame frame;
    const std::uint64_t kind = get(bytes, KindPlace) % (1u << ChannelShift), flags = get(bytes, FlagsPlace);
    frame.repeat = (flags & RepeatFlag) != 0;
    frame.poll = (flags & PollFlag) != 0;
    frame.expected = static_cast<std::uint16_t>(get(bytes, ExpectedPlace));
    for (std::size_t i = 0; i < Channels; ++i)
        frame.limits[i] = static_cast<std::uint16_t>(get(bytes, limit_place(i)));
    if (kind > ControlKind) return std::nullopt;
    if (kind == ControlKind) return bytes.size() == FlitBytes ? std::optional(frame) : std::nullopt;
    Packet packet{
        .kind = static_cast<Kind>(kind),
        .status = static_cast<std::uint8_t>(flags >> StatusShift),
        .source = static_cast<std::uint8_t>(get(bytes, SourcePlace)),
        .destination = static_cast<std::uint8_t>(get(bytes, DestinationPlace)),
        .length = static_cast<std::uint16_t>(get(bytes, LengthPlace)),
        .tag = static_cast<std::uint32_t>(get(bytes, TagPlace)),
        .address = get(bytes, AddressPlace),
        .data = {},
    };
    // A read that failed has no data.
    const std::size_t length = has_data(packet.kind) && bytes.size() > FlitBytes ? packet.length : 0;
    if (bytes.size() != flits_of(length) * FlitBytes) return std::nullopt;
    packet.data.assign(bytes.begin() + HeaderBytes,
                       bytes.begin() + static_cast<std::ptrdiff_t>(HeaderBytes + length));
    frame.channel = static_cast<std::uint8_t>(get(bytes, KindPlace) >> ChannelShift);
    if (frame.channel >= Channels) return std::nullopt;
    frame.sequence = static_cast<std::uint16_t>(get(bytes, SequencePlace));
    frame.packet = std::make_shared<const Packet>(std::move(packet));
    return frame;
}

}  // namespace trnsim::tlm::neuronlink
