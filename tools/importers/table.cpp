#include "tools/importers/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>

#include "base/files/files.hpp"
#include "base/text/printable.hpp"
#include "tools/importers/error.hpp"

namespace trnsim::importers {
std::string_view trimmed(std::string_view text) {
    constexpr std::string_view Blanks = " \t\r";
    const std::size_t first = text.find_first_not_of(Blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(Blanks) - first + 1);
}

std::string name_of(const std::filesystem::path& file) {
    constexpr std::string_view Allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    std::string name = file.stem().string();
    std::ranges::replace_if(
        name, [&](char c) { return Allowed.find(c) == std::string_view::npos; }, '-');
    return name.empty() ? "imported" : name;
}

std::string yaml_scalar(std::string_view text) {
    std::string result = "\"";
    for (const char c : text::printable(text)) {
        if (c == '"' || c == '\\') result += '\\';
        result += c;
    }
    return result + "\"";
}

std::string lower(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

std::vector<std::string> cells_of(std::string_view line) {
    std::vector<std::string> cells;
    while (!line.empty()) {
        const std::size_t end = std::min(line.find(','), line.size());
        cells.emplace_back(trimmed(line.substr(0, end)));
        line.remove_prefix(std::min(line.size(), end + 1));
    }
    return cells;
}

std::vector<Row> read_table(const std::filesystem::path& file) {
    const std::vector<std::uint8_t> bytes = files::read(file);
    std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    std::vector<Row> rows;
    for (int line = 1; !text.empty(); ++line) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view row = trimmed(text.substr(0, end));
        if (!row.empty()) rows.push_back({fmt::format("{}:{}", file.string(), line), cells_of(row)});
        text.remove_prefix(std::min(text.size(), end + 1));
    }
    return rows;
}

std::uint64_t count_of(std::string_view cell, const std::string& place, const std::string& what) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    constexpr std::uint64_t Most = std::numeric_limits<std::uint32_t>::max();
    if (error == std::errc::result_out_of_range || (error == std::errc{} && value > Most))
        throw Error(fmt::format("{}: {}: found '{}', expected a whole number from 1 to {}", place, what,
                                text::printable(cell), Most));
    if (error != std::errc{} || end != cell.data() + cell.size() || value == 0)
        throw Error(fmt::format("{}: {}: found '{}', expected a whole number from 1", place, what,
                                text::printable(cell)));
    return value;
}

std::uint64_t product(std::initializer_list<std::uint64_t> factors) {
    constexpr std::uint64_t Largest = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t result = 1;
    for (const std::uint64_t factor : factors)
        if (__builtin_mul_overflow(result, factor, &result)) return Largest;
    return result;
}

}  // namespace trnsim::importers
