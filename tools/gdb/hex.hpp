// Converts bytes and numbers to and from the text of the protocol.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trnsim::gdb {

std::string to_hex(std::span<const std::uint8_t> bytes);
// Returns nothing if the text is not whole bytes.
std::optional<std::vector<std::uint8_t>> from_hex(std::string_view text);

// Takes a hexadecimal number from the beginning of the text, and the `separator` after it unless that is 0.
// Returns false if they are not there.
bool take_number(std::string_view& text, std::uint32_t& number, char separator = 0);

}  // namespace trnsim::gdb
