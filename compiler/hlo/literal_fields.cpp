#include "compiler/hlo/literal_fields.hpp"

#include <fmt/format.h>

#include "compiler/hlo/error.hpp"
#include "compiler/hlo/limits.hpp"
#include "compiler/hlo/schema.hpp"

namespace trnsim::hlo {
namespace {

using wire::Field;

constexpr std::uint32_t ShapeField = 1, TupleField = 10;

std::size_t per_byte(const TypeInfo& type) {
    return type.bits < 8 ? 8u / type.bits : 1u;
}

// Appends the elements of a field to `data`, each of them in at least a byte, in the order of the file.
void decode(const Field& field, const TypeInfo& type, std::string& data) {
    const std::size_t bytes = element_bytes(type.type);
    const auto append = [&](std::uint64_t value) {
        data.append(reinterpret_cast<const char*>(&value), bytes);
    };
    if (field.type != wire::Type::Bytes) {
        append(field.value);
    } else if (type.encoding == LiteralEncoding::Varint) {
        std::string_view packed = field.bytes;
        while (!packed.empty()) append(wire::take_varint(packed));
    } else if (per_byte(type) > 1) {
        const unsigned mask = (1u << type.bits) - 1;
        for (const char c : field.bytes) {
            for (std::size_t i = 0; i < per_byte(type); ++i) {
                data += static_cast<char>(static_cast<unsigned char>(c) >> (i * type.bits) & mask);
            }
        }
    } else {
        data += field.bytes;
    }
}

std::string encode(const std::string& data, const TypeInfo& type) {
    const std::size_t bytes = element_bytes(type.type);
    std::string field;
    if (type.encoding == LiteralEncoding::Varint) {
        for (std::size_t at = 0; at + bytes <= data.size(); at += bytes) {
            std::uint64_t value = 0;
            std::memcpy(&value, data.data() + at, bytes);
            if (type.type == ElementType::S32)
                value =
                    static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(value)));
            wire::append_varint(field, value);
        }
    } else if (const std::size_t group = per_byte(type); group > 1) {
        const unsigned mask = (1u << type.bits) - 1;
        for (std::size_t at = 0; at < data.size(); at += group) {
            unsigned packed = 0;
            for (std::size_t i = 0; i < group && at + i < data.size(); ++i) {
                packed |= (static_cast<unsigned char>(data[at + i]) & mask) << (i * type.bits);
            }
            field += static_cast<char>(packed);
        }
    } else {
        field = data;
    }
    return field;
}

void check_count(const Literal& literal, std::string& data) {
    const TypeInfo& type = info(literal.shape.type);
    const std::size_t bytes = element_bytes(type.type);
    const std::int64_t expected = elements(literal.shape);
    // The last byte of elements below a byte may be filled up.
    if (per_byte(type) > 1 && expected >= 0 &&
        data.size() / per_byte(type) ==
            (static_cast<std::size_t>(expected) + per_byte(type) - 1) / per_byte(type)) {
        data.resize(static_cast<std::size_t>(expected));
    }
    if (expected < 0 || data.size() % bytes != 0 ||
        data.size() / bytes != static_cast<std::size_t>(expected)) {
        throw Error(fmt::format("a literal of {} elements has the shape {}", data.size() / bytes,
                                format(literal.shape)));
    }
}

bool is_permutation_of(const Integers& order, std::size_t rank) {
    std::vector<char> seen(rank, 0);
    for (const std::int64_t dimension : order) {
        if (dimension < 0 || dimension >= static_cast<std::int64_t>(rank) ||
            seen[static_cast<std::size_t>(dimension)]++ != 0)
            return false;
    }
    return order.size() == rank;
}

}  // namespace

ElementType type_of(std::int64_t number) {
    const auto type = find_type(static_cast<std::uint64_t>(number));
    if (number != 0 && !type) throw Error(fmt::format("there is no element type {}", number));
    return type.value_or(ElementType::Invalid);
}

void transfer(wire::MessageReader& a, Literal& m) {
    a.message(ShapeField, m.shape);
    a.messages(TupleField, m.tuple);
    const TypeInfo& type = info(m.shape.type);
    if (type.encoding != LiteralEncoding::None) {
        std::string data;
        for (Field& field : a.fields()) {
            if (field.number != type.literal_field) continue;
            field.taken = true;
            decode(field, type, data);
        }
        if (m.shape.rank() > MaxRank)
            throw Error(fmt::format("a literal has {} dimensions, at most {}", m.shape.rank(), MaxRank));
        check_count(m, data);
        if (m.shape.layout && !is_permutation_of(m.shape.layout->minor_to_major, m.shape.rank())) {
            throw Error(fmt::format("the layout {{{}}} is no order of the {} dimensions of a literal",
                                    format(m.shape.layout->minor_to_major), m.shape.rank()));
        }
        m.data = from_layout(data, m.shape);
    }
    a.unknown(m.unknown);
}

void transfer(wire::MessageWriter& a, Literal& m) {
    a.unknown(m.unknown);
    a.message(ShapeField, m.shape);
    const TypeInfo& type = info(m.shape.type);
    const bool before = type.literal_field < TupleField;
    if (!before) a.messages(TupleField, m.tuple);
    if (!m.data.empty()) a.bytes(type.literal_field, encode(to_layout(m.data, m.shape), type));
    if (before) a.messages(TupleField, m.tuple);
}

}  // namespace trnsim::hlo
