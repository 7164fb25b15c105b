// The keys of a server's file, as a table.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "arch/config/document.hpp"
#include "arch/config/server.hpp"
#include "arch/config/units.hpp"

namespace trnsim::config {

// A maximum of 0: the range is the ServerCheck's.
struct ServerNumber {
    Quantity quantity;
    std::uint64_t& (*of)(Server&);
    std::uint64_t minimum = 0, maximum = 0;
};

struct ValueMistake {
    std::string expected;
    std::string found{};  // a part of the value; empty: the value as it stands
};

// What has a reader of its own. Returns what is wrong when the value does not fit.
struct ServerValue {
    std::optional<ValueMistake> (*read)(const YAML::Node& node, Server& server);
    std::string (*show)(const Server& server);
    std::string_view type;
};

struct ServerField {
    std::string_view key;  // dotted path
    std::string_view doc;
    std::variant<ServerNumber, ServerValue> value;
    bool optional = false;
};

// Later fields may need what earlier ones have read.
std::span<const ServerField> server_schema();

struct ServerMistake {
    std::string rule;  // "KEY type" or "KEY range"
    std::string expected;
    std::string found{};  // as ValueMistake::found
};
std::optional<ServerMistake> read_field(const ServerField& field, const YAML::Node& node, Server& server);

// The value of a field.
std::string format_field(const ServerField& field, const Server& server);

// "3 to 5" in the units of the field; empty: none of its own.
std::string range_of(const ServerField& field);

// As it stands in the file, for messages: the text of a value, else what it is.
std::string found(const YAML::Node& node);

}  // namespace trnsim::config
