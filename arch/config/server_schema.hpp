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

// A number. A maximum of 0 means that the ServerCheck checks the range.
struct ServerNumber {
    Quantity quantity;
    std::uint64_t& (*of)(Server&);
    std::uint64_t minimum = 0, maximum = 0;
};

struct ValueMistake {
    std::string expected;
    std::string found{};                         // a part of the value; empty: the value as it stands
    YAML::Mark place = YAML::Mark::null_mark();  // of that part, where it is known
};

// A value with a reader of its own. read() returns the mistake when the value does not fit.
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

// The order counts: later fields may need the values of earlier ones.
std::span<const ServerField> server_schema();

struct ServerMistake {
    std::string rule;  // "KEY type" or "KEY range"
    std::string expected;
    std::string found{};  // see ValueMistake::found
    YAML::Mark place = YAML::Mark::null_mark();
};
std::optional<ServerMistake> read_field(const ServerField& field, const YAML::Node& node, Server& server);

// The value of a field.
std::string format_field(const ServerField& field, const Server& server);

// Returns "3 to 5" in the units of the field; empty: it has no range of its own.
std::string range_of(const ServerField& field);

// Returns the text for messages: the text of a value, else its kind.
std::string found(const YAML::Node& node);

}  // namespace trnsim::config
