#include "tools/importers/protobuf.hpp"

#include <fmt/format.h>

#include "tools/importers/error.hpp"

namespace trnsim::importers::protobuf {
namespace {

// The low bits of the number before a field (https://protobuf.dev/programming-guides/encoding).
enum Wire : std::uint8_t { Varint = 0, Fixed64 = 1, Length = 2, Fixed32 = 5 };
constexpr unsigned WireBits = 3;

[[noreturn]] void ends() {
    throw Error("a message ends in a field");
}

std::uint64_t take_varint(Bytes& bytes) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (bytes.empty()) ends();
        const std::uint8_t byte = bytes.front();
        bytes = bytes.subspan(1);
        value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) return value;
    }
    throw Error("a number has more than ten bytes");
}

Bytes take(Bytes& bytes, std::uint64_t count) {
    if (count > bytes.size()) ends();
    const Bytes taken = bytes.first(count);
    bytes = bytes.subspan(count);
    return taken;
}

std::uint64_t fixed(Bytes bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | bytes[i];
    return value;
}

}  // namespace

Bytes take_message(Bytes& bytes) {
    const std::uint64_t length = take_varint(bytes);
    return take(bytes, length);
}

std::vector<Field> fields_of(Bytes message) {
    std::vector<Field> fields;
    while (!message.empty()) {
        const std::uint64_t key = take_varint(message);
        Field field{.number = static_cast<std::uint32_t>(key >> WireBits)};
        switch (key & ((1u << WireBits) - 1)) {
            case Varint:
                field.value = take_varint(message);
                break;
            case Fixed64:
                field.value = fixed(take(message, 8));
                break;
            case Fixed32:
                field.value = fixed(take(message, 4));
                break;
            case Length:
                field.bytes = take_message(message);
                field.is_bytes = true;
                break;
            default:
                throw Error(fmt::format("a field is of kind {}, which there is not", key & 7));
        }
        fields.push_back(field);
    }
    return fields;
}

std::vector<std::uint64_t> numbers_of(const std::vector<Field>& fields, std::uint32_t number) {
    std::vector<std::uint64_t> numbers;
    for (const Field& field : fields) {
        if (field.number != number) continue;
        if (!field.is_bytes) numbers.push_back(field.value);
        for (Bytes rest = field.bytes; !rest.empty();) numbers.push_back(take_varint(rest));
    }
    return numbers;
}

std::string text_of(const Field& field) {
    return {field.bytes.begin(), field.bytes.end()};
}

}  // namespace trnsim::importers::protobuf
