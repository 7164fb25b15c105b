// Messages of Protocol Buffers on the wire: the fields of a message in their order, whatever its type.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace trnsim::importers::protobuf {

using Bytes = std::span<const std::uint8_t>;

struct Field {
    std::uint32_t number = 0;
    std::uint64_t value = 0;  // of a number, as its bits
    Bytes bytes{};            // of a text, a message or packed numbers
    bool is_bytes = false;
};

// Returns the fields of a message. Throws Error (importers/error.hpp) "message ends in a field" or for a kind
// of field that there is not.
std::vector<Field> fields_of(Bytes message);

// Returns the numbers of a repeated field: one in each field, or packed.
std::vector<std::uint64_t> numbers_of(const std::vector<Field>& fields, std::uint32_t number);

std::string text_of(const Field& field);

// Takes a message that its length precedes from the front of `bytes`.
Bytes take_message(Bytes& bytes);

}  // namespace trnsim::importers::protobuf
