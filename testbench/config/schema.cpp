#include "testbench/config/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace trnsim::config {
namespace {

constexpr std::uint64_t KiB = 1ULL << 10;
constexpr std::uint64_t GiB = 1ULL << 30;
constexpr std::uint64_t MHz = 1'000'000;
constexpr std::uint64_t GHz = 1'000'000'000;
constexpr std::uint64_t GB = 1'000'000'000;
constexpr std::uint64_t Ns = 1'000'000;
constexpr std::uint64_t Us = 1'000 * Ns;
constexpr std::uint64_t Sec = 1'000'000 * Us;

// Largest term of a clock ratio: dividers are small counters.
constexpr std::uint64_t MaxRatioTerm = 64;

#define TRNSIM_NUMBER(key, quantity, minimum, maximum)                                              \
    Field {                                                                                         \
#key, Number {                                                                              \
            Quantity::quantity, [](Config& c) -> std::uint64_t& { return c.key; }, minimum, maximum \
        }                                                                                           \
    }
#define TRNSIM_RATIO(key)                             \
    Field {                                           \
#key, Fraction {                              \
            [](Config& c) -> Ratio& { return c.key; } \
        }                                             \
    }
#define TRNSIM_TEXT(key)                                    \
    Field {                                                 \
#key, Text {                                        \
            [](Config& c) -> std::string& { return c.key; } \
        }                                                   \
    }

constexpr std::array Fields{
    TRNSIM_TEXT(name),
    TRNSIM_NUMBER(core.array.rows, Count, 4, 256),
    TRNSIM_NUMBER(core.array.columns, Count, 4, 256),
    TRNSIM_NUMBER(core.partitions, Count, 4, 256),
    TRNSIM_NUMBER(core.sbuf_partition, Size, 4 * KiB, 256 * KiB),
    TRNSIM_NUMBER(core.psum_partition, Size, 512, 16 * KiB),
    TRNSIM_NUMBER(core.psum_banks, Count, 2, 32),
    TRNSIM_NUMBER(core.clock, Frequency, MHz, 100 * GHz),
    TRNSIM_RATIO(core.clock_ratio.tensor),
    TRNSIM_RATIO(core.clock_ratio.vector),
    TRNSIM_RATIO(core.clock_ratio.scalar),
    TRNSIM_RATIO(core.clock_ratio.gpsimd),
    TRNSIM_RATIO(core.clock_ratio.sync),
    TRNSIM_RATIO(core.clock_ratio.bus),
    TRNSIM_NUMBER(core.bus.ports, Count, 1, 8),
    TRNSIM_NUMBER(core.bus.data_bits, Count, 256, 1024),
    TRNSIM_NUMBER(core.fetch.prefetch, Count, 1, 256),
    TRNSIM_NUMBER(core.fetch.burst, Count, 1, 8),
    TRNSIM_NUMBER(core.tensor.issue_latency, Count, 2, 4095),
    TRNSIM_NUMBER(core.vector.issue_latency, Count, 2, 4095),
    TRNSIM_NUMBER(core.scalar.issue_latency, Count, 2, 4095),
    TRNSIM_NUMBER(hbm.stacks, Count, 1, 2),
    TRNSIM_NUMBER(hbm.capacity, Size, 64 * KiB, 64 * GiB),
    TRNSIM_NUMBER(hbm.bandwidth, Rate, GB, 100'000 * GB),
    TRNSIM_NUMBER(hbm.read_latency, Time, 0, 100 * Us),
    TRNSIM_NUMBER(hbm.write_latency, Time, 0, 100 * Us),
    TRNSIM_NUMBER(dma.engines, Count, 1, 16),
    TRNSIM_NUMBER(dma.rings, Count, 1, 16),
    TRNSIM_NUMBER(dma.start_latency, Time, 0, 100 * Us),
    TRNSIM_NUMBER(dma.bandwidth, Rate, GB / 10, 10'000 * GB),
    TRNSIM_NUMBER(dma.burst, Size, 64, 4 * KiB),
    TRNSIM_NUMBER(dma.burst_gap, Time, 0, 10 * Us),
    TRNSIM_NUMBER(dma.prefetch, Count, 2, 128),
    TRNSIM_NUMBER(fabric.latency, Time, 0, 100 * Us),
    TRNSIM_NUMBER(runtime.timeout, Time, Us, 1'000 * Sec),
};

#undef TRNSIM_NUMBER
#undef TRNSIM_RATIO
#undef TRNSIM_TEXT

std::string parse_number(const Number& number, const std::string& text, Config& config) {
    const auto value = parse_quantity(text, number.quantity);
    if (!value) return std::string(describe(number.quantity));
    number.of(config) = *value;
    if (*value < number.minimum || *value > number.maximum) {
        return fmt::format("{} to {}", format_quantity(number.minimum, number.quantity),
                           format_quantity(number.maximum, number.quantity));
    }
    return {};
}

std::string parse_fraction(const Fraction& fraction, const std::string& text, Config& config) {
    const std::size_t slash = text.find('/');
    const auto numerator = parse_quantity(text.substr(0, slash), Quantity::Count);
    const auto denominator = slash == std::string::npos
                                 ? std::optional<std::uint64_t>(1)
                                 : parse_quantity(text.substr(slash + 1), Quantity::Count);
    if (!numerator || !denominator) return "a fraction such as '2/5'";
    if (*numerator < 1 || *numerator > *denominator || *denominator > MaxRatioTerm) {
        return fmt::format("a fraction above 0, at most 1/1, with a denominator of at most {}", MaxRatioTerm);
    }
    fraction.of(config) = {*numerator, *denominator};
    return {};
}

std::string parse_text(const Text& value, const std::string& text, Config& config) {
    const auto allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
               c == '-' || c == '.';
    };
    if (text.empty() || !std::all_of(text.begin(), text.end(), allowed))
        return "letters, digits, '_', '-' and '.'";
    value.of(config) = text;
    return {};
}

}  // namespace

std::span<const Field> schema() {
    return Fields;
}

std::string format_field(const Field& field, const Config& config) {
    Config copy = config;  // the accessors are for reading and writing
    if (const auto* number = std::get_if<Number>(&field.value))
        return format_quantity(number->of(copy), number->quantity);
    if (const auto* fraction = std::get_if<Fraction>(&field.value)) {
        const Ratio ratio = fraction->of(copy);
        return fmt::format("{}/{}", ratio.numerator, ratio.denominator);
    }
    return std::get<Text>(field.value).of(copy);
}

std::string parse_field(const Field& field, const std::string& text, Config& config) {
    if (const auto* number = std::get_if<Number>(&field.value)) return parse_number(*number, text, config);
    if (const auto* fraction = std::get_if<Fraction>(&field.value))
        return parse_fraction(*fraction, text, config);
    return parse_text(std::get<Text>(field.value), text, config);
}

}  // namespace trnsim::config
