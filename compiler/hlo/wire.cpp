#include "compiler/hlo/wire.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "compiler/hlo/error.hpp"
#include "compiler/hlo/limits.hpp"

namespace trnsim::hlo::wire {
namespace {

constexpr std::uint64_t LargestNumber = (1u << 29) - 1;

std::uint64_t take_fixed(std::string_view& bytes, std::size_t size) {
    if (bytes.size() < size) throw Error("a number is cut off");
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data(), size);
    bytes.remove_prefix(size);
    return value;
}

}  // namespace

std::uint64_t take_varint(std::string_view& bytes) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (bytes.empty()) throw Error("a number is cut off");
        const auto byte = static_cast<unsigned char>(bytes.front());
        bytes.remove_prefix(1);
        value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
        if (byte < 0x80) return value;
    }
    throw Error("a number has more than ten bytes");
}

void append_varint(std::string& bytes, std::uint64_t value) {
    while (value >= 0x80) {
        bytes += static_cast<char>(value | 0x80);
        value >>= 7;
    }
    bytes += static_cast<char>(value);
}

std::vector<Field> split(std::string_view message) {
    std::vector<Field> fields;
    while (!message.empty()) {
        const std::string_view begin = message;
        const std::uint64_t tag = take_varint(message);
        Field field;
        if (tag >> 3 == 0 || tag >> 3 > LargestNumber)
            throw Error(fmt::format("there is no field {}", tag >> 3));
        field.number = static_cast<std::uint32_t>(tag >> 3);
        switch (tag & 7) {
            case 0:
                field.value = take_varint(message);
                break;
            case 1:
                field.value = take_fixed(message, 8);
                break;
            case 5:
                field.value = take_fixed(message, 4);
                break;
            case 2: {
                const std::uint64_t size = take_varint(message);
                if (size > message.size()) {
                    throw Error(fmt::format("field {} has {} bytes, of which {} are there", field.number,
                                            size, message.size()));
                }
                field.bytes = message.substr(0, size);
                message.remove_prefix(size);
                break;
            }
            default:
                throw Error(fmt::format("field {} has the unknown wire type {}", field.number, tag & 7));
        }
        field.type = static_cast<Type>(tag & 7);
        field.raw = begin.substr(0, begin.size() - message.size());
        fields.push_back(field);
    }
    return fields;
}

MessageReader::MessageReader(std::string_view message, Budget& budget, std::size_t depth)
    : budget_(&budget), depth_(depth) {
    if (depth > MaxDepth) throw Error(fmt::format("messages lie more than {} deep in each other", MaxDepth));
    fields_ = split(message);
    if (budget.messages < 1 + fields_.size()) {
        throw Error(fmt::format("there are more than {} fields", MaxMessages));
    }
    budget.messages -= 1 + fields_.size();
}

bool MessageReader::take(Field& field, std::uint32_t number, Type type) {
    if (field.number != number || field.taken) return false;
    if (field.type != type) {
        throw Error(fmt::format("field {} has wire type {}, expected {}", number,
                                static_cast<int>(field.type), static_cast<int>(type)));
    }
    field.taken = true;
    return true;
}

void MessageReader::number(std::uint32_t number, std::int64_t& value) {
    for (Field& field : fields_) {
        if (take(field, number, Type::Varint)) value = static_cast<std::int64_t>(field.value);
    }
}

void MessageReader::flag(std::uint32_t number, bool& value) {
    for (Field& field : fields_) {
        if (take(field, number, Type::Varint)) value = field.value != 0;
    }
}

void MessageReader::real(std::uint32_t number, float& value) {
    for (Field& field : fields_) {
        if (take(field, number, Type::Fixed32))
            value = std::bit_cast<float>(static_cast<std::uint32_t>(field.value));
    }
}

void MessageReader::text(std::uint32_t number, std::string& value) {
    for (Field& field : fields_) {
        if (take(field, number, Type::Bytes)) value = field.bytes;
    }
}

void MessageReader::texts(std::uint32_t number, std::vector<std::string>& values) {
    for (Field& field : fields_) {
        if (take(field, number, Type::Bytes)) values.emplace_back(field.bytes);
    }
}

void MessageReader::numbers(std::uint32_t number, Integers& values) {
    for (Field& field : fields_) {
        if (field.number == number && field.type == Type::Varint) {
            field.taken = true;
            values.push_back(static_cast<std::int64_t>(field.value));
        } else if (take(field, number, Type::Bytes)) {
            std::string_view packed = field.bytes;
            while (!packed.empty()) values.push_back(static_cast<std::int64_t>(take_varint(packed)));
        }
    }
}

void MessageReader::flags(std::uint32_t number, std::vector<std::uint8_t>& values) {
    Integers wide;
    numbers(number, wide);
    for (const std::int64_t value : wide) values.push_back(value != 0 ? 1 : 0);
}

void MessageReader::unknown(Unknown& unknown) {
    for (const Field& field : fields_) {
        if (!field.taken) unknown.push_back({field.number, std::string(field.raw)});
    }
    std::ranges::stable_sort(unknown, {}, &RawField::number);
}

void MessageWriter::advance(std::uint32_t number) {
    if (unknown_ == nullptr) return;
    while (next_unknown_ < unknown_->size() && (*unknown_)[next_unknown_].number < number) {
        *bytes_ += (*unknown_)[next_unknown_++].bytes;
    }
}

void MessageWriter::finish() {
    advance(static_cast<std::uint32_t>(LargestNumber) + 1);
}

void MessageWriter::tag(std::uint32_t number, Type type) {
    advance(number);
    append_varint(*bytes_, std::uint64_t{number} << 3 | static_cast<std::uint64_t>(type));
}

void MessageWriter::bytes(std::uint32_t number, std::string_view value) {
    tag(number, Type::Bytes);
    append_varint(*bytes_, value.size());
    *bytes_ += value;
}

void MessageWriter::number(std::uint32_t number, std::int64_t value) {
    if (value == 0) return;
    tag(number, Type::Varint);
    append_varint(*bytes_, static_cast<std::uint64_t>(value));
}

void MessageWriter::flag(std::uint32_t number, bool value) {
    this->number(number, value ? 1 : 0);
}

void MessageWriter::real(std::uint32_t number, float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if (bits == 0) return;
    tag(number, Type::Fixed32);
    bytes_->append(reinterpret_cast<const char*>(&bits), sizeof(bits));
}

void MessageWriter::text(std::uint32_t number, const std::string& value) {
    if (!value.empty()) bytes(number, value);
}

void MessageWriter::texts(std::uint32_t number, const std::vector<std::string>& values) {
    for (const std::string& value : values) bytes(number, value);
}

void MessageWriter::numbers(std::uint32_t number, const Integers& values) {
    if (values.empty()) return;
    std::string packed;
    for (const std::int64_t value : values) append_varint(packed, static_cast<std::uint64_t>(value));
    bytes(number, packed);
}

void MessageWriter::flags(std::uint32_t number, const std::vector<std::uint8_t>& values) {
    numbers(number, Integers(values.begin(), values.end()));
}

}  // namespace trnsim::hlo::wire
