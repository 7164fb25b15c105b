#include "arch/config/units.hpp"

#include "base/time/time.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <span>

namespace trnsim::config {
namespace {

struct Unit {
    std::string_view name;
    std::uint64_t scale;
};

constexpr std::array Counts{Unit{"", 1}};
constexpr std::array Sizes{Unit{"B", 1}, Unit{"KiB", 1ULL << 10}, Unit{"MiB", 1ULL << 20},
                           Unit{"GiB", 1ULL << 30}};
constexpr std::array Frequencies{Unit{"Hz", 1}, Unit{"kHz", 1'000}, Unit{"MHz", 1'000'000},
                                 Unit{"GHz", 1'000'000'000}};
constexpr std::array Rates{Unit{"B/s", 1}, Unit{"kB/s", 1'000}, Unit{"MB/s", 1'000'000},
                           Unit{"GB/s", 1'000'000'000}, Unit{"TB/s", 1'000'000'000'000}};
constexpr std::array Times{Unit{"fs", 1},       Unit{"ps", 1'000},           Unit{"ns", 1'000'000},
                           Unit{"us", FsPerUs}, Unit{"ms", 1'000 * FsPerUs}, Unit{"s", FsPerSecond}};

struct Row {
    std::span<const Unit> units;  // ascending
    std::string_view description;
};

// The rows are in the order of Quantity.
constexpr std::array Rows{
    Row{Counts, "a whole number"},
    Row{Sizes, "a size such as '24 MiB'"},
    Row{Frequencies, "a frequency such as '2.8 GHz'"},
    Row{Rates, "a rate such as '820 GB/s'"},
    Row{Times, "a time such as '1300 ns'"},
};

const Row& row(Quantity quantity) {
    return Rows[static_cast<std::size_t>(quantity)];
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

std::string_view take_digits(std::string_view& text) {
    std::size_t length = 0;
    while (length < text.size() && is_digit(text[length])) ++length;
    const std::string_view digits = text.substr(0, length);
    text.remove_prefix(length);
    return digits;
}

using Wide = unsigned __int128;

}  // namespace

std::optional<std::uint64_t> parse_quantity(std::string_view text, Quantity quantity) {
    constexpr std::size_t MaxDigits = 20;
    const std::string_view whole = take_digits(text);
    std::string_view fraction;
    if (text.starts_with('.')) {
        text.remove_prefix(1);
        fraction = take_digits(text);
        if (fraction.empty()) return std::nullopt;
    }
    if (whole.empty() || whole.size() + fraction.size() > MaxDigits) return std::nullopt;
    while (text.starts_with(' ')) text.remove_prefix(1);
    for (const Unit& unit : row(quantity).units) {
        if (unit.name != text) continue;
        Wide digits = 0;
        Wide divisor = 1;
        for (const char c : whole) digits = digits * 10 + static_cast<unsigned>(c - '0');
        for (const char c : fraction) {
            digits = digits * 10 + static_cast<unsigned>(c - '0');
            divisor *= 10;
        }
        if (digits > std::numeric_limits<Wide>::max() / unit.scale) return std::nullopt;
        const Wide scaled = digits * unit.scale;
        if (scaled % divisor != 0 || scaled / divisor > std::numeric_limits<std::uint64_t>::max())
            return std::nullopt;
        return static_cast<std::uint64_t>(scaled / divisor);
    }
    return std::nullopt;
}

std::optional<std::uint32_t> parse_seed(std::string_view text) {
    const auto value = parse_quantity(text, Quantity::Count);
    if (!value || *value > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
    return static_cast<std::uint32_t>(*value);
}

std::string format_quantity(std::uint64_t value, Quantity quantity) {
    const std::span<const Unit> units = row(quantity).units;
    for (std::size_t i = units.size(); i-- > 0;) {
        const Unit& unit = units[i];
        const Wide thousandths = static_cast<Wide>(value) * 1000;
        const bool exact = thousandths % unit.scale == 0;
        if (i != 0 && (value < unit.scale || !exact)) continue;
        const std::uint64_t fraction = static_cast<std::uint64_t>(thousandths / unit.scale % 1000);
        std::string text = fmt::format("{}", value / unit.scale);
        if (fraction != 0) {
            text += fmt::format(".{:03}", fraction);
            while (text.back() == '0') text.pop_back();
        }
        return unit.name.empty() ? text : fmt::format("{} {}", text, unit.name);
    }
    return {};
}

std::string_view describe(Quantity quantity) {
    return row(quantity).description;
}

}  // namespace trnsim::config
