#include "arch/config/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "arch/config/units.hpp"
#include "isa/core_window.hpp"

namespace trnsim::config {
namespace {

using Wide = unsigned __int128;

constexpr std::uint64_t SbufGranule = 4ULL << 10;
constexpr std::uint64_t MinPsumBank = 512;  // bytes

std::uint64_t sbuf_limit(const Config& c) {
    return isa::sbuf_partition_stride(static_cast<std::uint32_t>(c.core.partitions));
}

// Returns the bytes a second of all subordinate ports times the ratio's denominator and 8.
bool bus_carries_dma(const Config& c) {
    const Ratio ratio = c.core.clock_ratio.bus;
    const Wide have = Wide{c.core.bus.ports} * c.core.bus.data_bits * c.core.clock * ratio.numerator;
    const Wide need = Wide{c.dma.engines} * c.dma.bandwidth * 8 * ratio.denominator;
    return have >= need;
}

std::string bus_need(const Config& c) {
    const Ratio ratio = c.core.clock_ratio.bus;
    return fmt::format(
        "ports and data_bits that carry {} DMA engines (dma.engines) of {} each (dma.bandwidth) with {} "
        "(core.clock) x {}/{} (core.clock_ratio.bus)",
        c.dma.engines, format_quantity(c.dma.bandwidth, Quantity::Rate),
        format_quantity(c.core.clock, Quantity::Frequency), ratio.numerator, ratio.denominator);
}

// True if one timing parameter is at most another one, both with the values in force.
template <std::uint64_t DramTiming::*Smaller, std::uint64_t DramTiming::*Larger>
bool at_most(const Config& c) {
    const DramTiming timing = timing_of(c.hbm.banked);
    return timing.*Smaller <= timing.*Larger;
}

struct Rule {
    std::string_view key, name;
    std::string_view doc;  // the expectation without values
    bool (*holds)(const Config&);
    std::string (*expected)(const Config&) = nullptr;  // the same with values; nullptr: `doc` has them
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
             return fmt::format(
                 "at most {}, the share of a partition in the 32 MiB window with core.partitions {}",
                 format_quantity(sbuf_limit(c), Quantity::Size), c.core.partitions);
         }},
    Rule{"core.psum_partition", "psum-power-of-two", "a power of two",
         [](const Config& c) { return std::has_single_bit(c.core.psum_partition); }},
    Rule{"core.psum_banks", "banks-power-of-two", "a power of two",
         [](const Config& c) { return std::has_single_bit(c.core.psum_banks); }},
    Rule{"core.psum_banks", "bank-size", "banks of at least 512 B",
         [](const Config& c) { return c.core.psum_partition / c.core.psum_banks >= MinPsumBank; },
         [](const Config& c) {
             return fmt::format("banks of at least 512 B, of {} (core.psum_partition)",
                                format_quantity(c.core.psum_partition, Quantity::Size));
         }},
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
    Rule{"core.gpsimd.vlen", "vlen-power-of-two", "a power of two",
         [](const Config& c) { return std::has_single_bit(c.core.gpsimd.vlen); }},
    Rule{"hbm.capacity", "capacity-granule", "a multiple of 4 KiB",
         [](const Config& c) { return c.hbm.capacity % SbufGranule == 0; }},
    Rule{"hbm.banked.write_high", "write-high-within-queue", "at most hbm.banked.write_queue",
         [](const Config& c) { return c.hbm.banked.write_high <= c.hbm.banked.write_queue; }},
    Rule{"hbm.banked.write_low", "write-low-below-high", "less than hbm.banked.write_high",
         [](const Config& c) { return c.hbm.banked.write_low < c.hbm.banked.write_high; }},
    Rule{"hbm.banked.timing.rc", "row-cycle", "at least ras + rp",
         [](const Config& c) {
             const DramTiming t = timing_of(c.hbm.banked);
             return t.rc >= t.ras + t.rp;
         },
         [](const Config& c) {
             const DramTiming t = timing_of(c.hbm.banked);
             return fmt::format("at least ras + rp, {}", t.ras + t.rp);
         }},
    Rule{"hbm.banked.timing.ccd_l", "ccd-long", "at least ccd_s",
         at_most<&DramTiming::ccd_s, &DramTiming::ccd_l>},
    Rule{"hbm.banked.timing.rrd_l", "rrd-long", "at least rrd_s",
         at_most<&DramTiming::rrd_s, &DramTiming::rrd_l>},
    Rule{"hbm.banked.timing.wtr_l", "wtr-long", "at least wtr_s",
         at_most<&DramTiming::wtr_s, &DramTiming::wtr_l>},
    Rule{"hbm.banked.timing.rtw", "read-to-write",
         "at least cl + 4 - cwl: the data bus changes its direction",
         [](const Config& c) {
             const DramTiming t = timing_of(c.hbm.banked);
             return t.rtw + t.cwl >= t.cl + 4;
         }},
    Rule{"hbm.banked.timing.refi", "refresh-interval",
         "at least 2 x rfc_ab + rc and rfc_ab + rc + 2: refresh must leave time",
         [](const Config& c) {
             const DramTiming t = timing_of(c.hbm.banked);
             return t.refi >= t.rfc_ab + t.rc + std::max<std::uint64_t>(t.rfc_ab, 2);
         }},
    Rule{"hbm.banked.timing.refi_pb", "bank-refresh-interval",
         "at least rfc_pb + rc and rrefd + rc: refresh must leave time",
         [](const Config& c) {
             const DramTiming t = timing_of(c.hbm.banked);
             return t.refi_pb >= std::max(t.rfc_pb, t.rrefd) + t.rc;
         }},
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
