// Bytes and numbers as the protocol writes them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trnsim::gdb {

std::string to_hex(std::span<const std::uint8_t> bytes);
// None: these are not whole bytes.
std::optional<std::vector<std::uint8_t>> from_hex(std::string_view text);

// Takes a number in hexadecimal from the beginning of the text, and `separator` behind it unless that is 0. False: they are not
// there.
bool take_number(std::string_view& text, std::uint32_t& number, char separator = 0);

}  // namespace trnsim::gdb
