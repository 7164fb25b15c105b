#include "lib/config/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "isa/core_window.hpp"
#include "lib/config/units.hpp"

namespace trnsim::config {
namespace {

using Wide = unsigned __int128;

constexpr std::uint64_t SbufGranule = 4ULL << 10;
constexpr std::uint64_t MinPsumBank = 512;  // bytes

std::uint64_t sbuf_limit(const Config& c) {
    return isa::sbuf_partition_stride(static_cast<std::uint32_t>(c.core.partitions));
}

// Bytes a second of all subordinate ports times the ratio's denominator and 8.
bool bus_carries_dma(const Config& c) {
    const Ratio ratio = c.core.clock_ratio.bus;
    const Wide have = Wide{c.core.bus.ports} * c.core.bus.data_bits * c.core.clock * ratio.numerator;
    const Wide need = Wide{c.dma.engines} * c.dma.bandwidth * 8 * ratio.denominator;
    return have >= need;
}

std::string bus_need(const Config& c) {
    return fmt::format("ports and data_bits that carry {} DMA engines of {} each", c.dma.engines,
                       format_quantity(c.dma.bandwidth, Quantity::Rate));
}

struct Rule {
    std::string_view key, name;
    std::string_view doc;  // what is expected, without values
    bool (*holds)(const Config&);
    std::string (*expected)(const Config&) = nullptr;  // the same with values; none: `doc` has them
};

constexpr std::array Rules{
    Rule{"core.partitions", "partitions-power-of-two", "a power of two",
         [](const Config& c) { return std::has_single_bit(c.core.partitions); }},
    Rule{"core.array.rows", "rows-multiple-of-4", "a multiple of 4",
         [](const Config& c) { return c.core.array.rows % 4 == 0; }},
    Rule{"core.array.rows", "rows-within-partitions", "at most core.partitions",
         [](const Config& c) { return c.core.array.rows <= c.core.partitions; },
         [](const Config& c) { return fmt::format("at most core.partitions, {}", c.core.partitions); }},
    Rule{"core.array.columns", "columns-multiple-of-4", "a multiple of 4",
         [](const Config& c) { return c.core.array.columns % 4 == 0; }},
    Rule{"core.array.columns", "columns-within-partitions", "at most core.partitions",
         [](const Config& c) { return c.core.array.columns <= c.core.partitions; },
         [](const Config& c) { return fmt::format("at most core.partitions, {}", c.core.partitions); }},
    Rule{"core.sbuf_partition", "sbuf-granule", "a multiple of 4 KiB",
         [](const Config& c) { return c.core.sbuf_partition % SbufGranule == 0; }},
    Rule{"core.sbuf_partition", "sbuf-within-window",
         "at most 32 MiB / max(core.partitions, 128), the share of a partition in the 32 MiB window",
         [](const Config& c) { return c.core.sbuf_partition <= sbuf_limit(c); },
         [](const Config& c) {
             return fmt::format("at most {}, the share of a partition in the 32 MiB window",
                                format_quantity(sbuf_limit(c), Quantity::Size));
         }},
    Rule{"core.psum_partition", "psum-power-of-two", "a power of two",
         [](const Config& c) { return std::has_single_bit(c.core.psum_partition); }},
    Rule{"core.psum_banks", "banks-power-of-two", "a power of two",
         [](const Config& c) { return std::has_single_bit(c.core.psum_banks); }},
    Rule{"core.psum_banks", "bank-size", "banks of at least 512 B",
         [](const Config& c) { return c.core.psum_partition / c.core.psum_banks >= MinPsumBank; }},
    Rule{"core.bus.data_bits", "data-bits-power-of-two", "a power of two",
         [](const Config& c) { return std::has_single_bit(c.core.bus.data_bits); }},
    Rule{"core.bus.ports", "bus-carries-dma",
         "core.bus.ports x core.bus.data_bits x bus clock at least dma.engines x dma.bandwidth: the core "
         "window "
         "must not be the bottleneck",
         bus_carries_dma, bus_need},
    Rule{"core.fetch.burst", "burst-within-prefetch", "at most core.fetch.prefetch",
         [](const Config& c) { return c.core.fetch.burst <= c.core.fetch.prefetch; },
         [](const Config& c) {
             return fmt::format("at most core.fetch.prefetch, {}", c.core.fetch.prefetch);
         }},
    Rule{"hbm.capacity", "capacity-granule", "a multiple of 4 KiB",
         [](const Config& c) { return c.hbm.capacity % SbufGranule == 0; }},
    Rule{"dma.burst", "burst-power-of-two", "a power of two",
         [](const Config& c) { return std::has_single_bit(c.dma.burst); }},
};

}  // namespace

std::optional<Violation> check_rules(const Config& config) {
    for (const Rule& rule : Rules) {
        if (rule.holds(config)) continue;
        return Violation{rule.key, rule.name,
                         rule.expected != nullptr ? rule.expected(config) : std::string(rule.doc)};
    }
    return std::nullopt;
}

std::vector<RuleInfo> combination_rules() {
    std::vector<RuleInfo> rules;
    rules.reserve(std::size(Rules));
    for (const Rule& rule : Rules) rules.push_back({rule.key, rule.name, rule.doc});
    return rules;
}

}  // namespace trnsim::config
