#include "tools/gdb/hex.hpp"

#include <fmt/format.h>

#include <charconv>

namespace trnsim::gdb {
namespace {

constexpr int Base = 16;

}  // namespace

std::string to_hex(std::span<const std::uint8_t> bytes) {
    std::string text;
    for (const std::uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
    return text;
}

std::optional<std::vector<std::uint8_t>> from_hex(std::string_view text) {
    if (text.size() % 2 != 0) return std::nullopt;
    std::vector<std::uint8_t> bytes(text.size() / 2);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const std::string_view digits = text.substr(2 * i, 2);
        const auto [end, failure] =
            std::from_chars(digits.data(), digits.data() + digits.size(), bytes[i], Base);
        if (failure != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    }
    return bytes;
}

bool take_number(std::string_view& text, std::uint32_t& number, char separator) {
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number, Base);
    if (failure != std::errc()) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (separator == 0) return true;
    if (!text.starts_with(separator)) return false;
    text.remove_prefix(1);
    return true;
}

}  // namespace trnsim::gdb
