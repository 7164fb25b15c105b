#include "arch/config/schema.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

namespace trnsim::config {
namespace {

// Largest term of a clock ratio: dividers are small counters.
constexpr std::uint64_t MaxRatioTerm = 64;

#define TRNSIM_NUMBER(key, quantity, minimum, maximum, doc)                                         \
    Field {                                                                                         \
#key, doc, Number {                                                                         \
            Quantity::quantity, [](Config& c) -> std::uint64_t& { return c.key; }, minimum, maximum \
        }                                                                                           \
    }
#define TRNSIM_RATIO(key, doc)                        \
    Field {                                           \
#key, doc, Fraction {                         \
            [](Config& c) -> Ratio& { return c.key; } \
        }                                             \
    }
#define TRNSIM_RATE(key, smallest, doc)                         \
    Field {                                                     \
#key, doc, Fraction {                                   \
            [](Config& c) -> Ratio& { return c.key; }, smallest \
        }                                                       \
    }
#define TRNSIM_CHOICE(key, options, doc)                             \
    Field {                                                          \
#key, doc, Choice {                                          \
            [](Config& c) -> std::string& { return c.key; }, options \
        }                                                            \
    }
#define TRNSIM_OVERRIDE(key, minimum, maximum, doc)                             \
    Field {                                                                     \
#key, doc, Override {                                                   \
            [](Config& c) -> std::uint64_t& { return c.key; }, minimum, maximum \
        }                                                                       \
    }
#define TRNSIM_TEXT(key, doc)                               \
    Field {                                                 \
#key, doc, Text {                                   \
            [](Config& c) -> std::string& { return c.key; } \
        }                                                   \
    }

constexpr std::string_view DmaSplits[] = {"even", "partitions"};
constexpr std::string_view HbmModels[] = {"simple", "banked"};
constexpr std::string_view HbmPresets[] = {"A", "B"};
constexpr std::string_view HbmMappings[] = {"interleaved", "hashed", "row"};
constexpr std::string_view HbmPagePolicies[] = {"open", "closed", "adaptive"};
constexpr std::string_view HbmSchedulers[] = {"fr_fcfs", "fcfs"};
constexpr std::string_view HbmRefreshes[] = {"all_bank", "per_bank", "none"};

constexpr std::array ConfigFields{
    TRNSIM_TEXT(name, "shown in reports"),
    TRNSIM_NUMBER(core.array.rows, Count, 4, 256, "array rows: partitions read, contraction"),
    TRNSIM_NUMBER(core.array.columns, Count, 4, 256, "array columns: partitions written"),
    TRNSIM_NUMBER(core.partitions, Count, 4, 256, "partitions of SBUF and PSUM, lanes"),
    TRNSIM_NUMBER(core.sbuf_partition, Size, 4 * KiB, 256 * KiB, "SBUF bytes a partition"),
    TRNSIM_NUMBER(core.psum_partition, Size, 512, 16 * KiB, "PSUM bytes a partition"),
    TRNSIM_NUMBER(core.psum_banks, Count, 2, 32, "PSUM banks of a partition"),
    TRNSIM_NUMBER(core.psum_strict, Count, 0, 1,
                  "adding to a PSUM word that no matmul has written: 1 an error, 0 counted"),
    TRNSIM_NUMBER(core.ecc, Count, 0, 1, "SBUF and PSUM with (1) or without (0) error correction"),
    TRNSIM_NUMBER(core.clock, Frequency, MHz, 100 * GHz, "core clock; the engines run at fractions of it"),
    TRNSIM_RATIO(core.clock_ratio.tensor, "Tensor clock / core clock"),
    TRNSIM_RATIO(core.clock_ratio.vector, "Vector clock / core clock"),
    TRNSIM_RATIO(core.clock_ratio.scalar, "Scalar clock / core clock"),
    TRNSIM_RATIO(core.clock_ratio.gpsimd, "GpSimd clock / core clock"),
    TRNSIM_RATIO(core.clock_ratio.sync, "Sync clock / core clock; clocks nothing yet"),
    TRNSIM_RATIO(core.clock_ratio.bus, "clock of bus ports, control and all sequencers / core clock"),
    TRNSIM_NUMBER(core.bus.ports, Count, 1, 8, "AXI subordinate ports of the core"),
    TRNSIM_NUMBER(core.bus.data_bits, Count, 256, 1024, "bits of a port"),
    TRNSIM_NUMBER(core.fetch.prefetch, Count, 1, 256, "instructions a sequencer holds"),
    TRNSIM_NUMBER(core.fetch.burst, Count, 1, 8, "instructions of one fetch"),
    TRNSIM_NUMBER(core.semaphore_latency, Count, 2, 255,
                  "bus cycles from issue to completion of an event_semaphore"),
    TRNSIM_NUMBER(core.tensor.issue_latency, Count, 2, 4095, "Tensor cycles from issue to the first element"),
    TRNSIM_NUMBER(core.tensor.utilisation, Count, 500, 1000,
                  "moving elements that enter a tile of the array in 1000 Tensor cycles, at most"),
    TRNSIM_NUMBER(core.vector.issue_latency, Count, 2, 4095, "Vector cycles from issue to the first read"),
    TRNSIM_NUMBER(core.vector.dependent_latency, Count, 0, 4095,
                  "Vector cycles from the last write of an instruction, 64 after its start at the earliest, "
                  "to the first read of one that "
                  "depends on it"),
    TRNSIM_RATE(core.vector.reciprocal_rate, 8,
                "elements of a reciprocal in a Vector cycle, at most; a single divider gives 1/8"),
    TRNSIM_NUMBER(core.scalar.issue_latency, Count, 2, 4095, "Scalar cycles from issue to the first read"),
    TRNSIM_NUMBER(core.scalar.dependent_latency, Count, 0, 4095,
                  "Scalar cycles from the last write of an instruction, 64 after its start at the earliest, "
                  "to the first read of one that "
                  "depends on it"),
    TRNSIM_NUMBER(core.gpsimd.issue_latency, Count, 1, 1023,
                  "GpSimd cycles from a command to the interrupt of its cores; 2 and one a core at least, "
                  "for the writes to their mailboxes"),
    TRNSIM_NUMBER(core.gpsimd.vlen, Count, 128, 512, "bits of a vector register of a GpSimd core"),
    TRNSIM_CHOICE(hbm.model, HbmModels,
                  "simple: latency and bandwidth; banked: channels, banks and commands"),
    TRNSIM_NUMBER(hbm.stacks, Count, 1, 2, "HBM stacks"),
    TRNSIM_NUMBER(hbm.capacity, Size, 64 * KiB, 64 * GiB, "bytes a stack"),
    TRNSIM_NUMBER(hbm.bandwidth, Rate, GB, 100'000 * GB, "of all stacks together, model simple"),
    TRNSIM_NUMBER(hbm.read_latency, Time, 0, 100 * Us,
                  "unloaded, from the request to the first data, model simple"),
    TRNSIM_NUMBER(hbm.write_latency, Time, 0, 100 * Us,
                  "unloaded, from the last data to the response, model simple"),
    TRNSIM_CHOICE(hbm.banked.preset, HbmPresets, "timing of model banked; both are estimates"),
    TRNSIM_NUMBER(hbm.banked.tck, Time, 100 * Ps, 10 * Ns,
                  "a cycle of CK, in which 2048 bits of a stack are moved"),
    TRNSIM_CHOICE(hbm.banked.mapping, HbmMappings, "of addresses to channels, banks and rows"),
    TRNSIM_CHOICE(hbm.banked.page_policy, HbmPagePolicies, "when rows are closed"),
    TRNSIM_CHOICE(hbm.banked.scheduler, HbmSchedulers, "which access is served next"),
    TRNSIM_NUMBER(hbm.banked.max_wait, Count, 100, 1'000'000,
                  "CK after which what has waited longest goes first"),
    TRNSIM_NUMBER(hbm.banked.read_queue, Count, 32, 1024,
                  "bursts of 32 B for the scheduler of a pseudo channel"),
    TRNSIM_NUMBER(hbm.banked.write_queue, Count, 32, 1024, "the same of writes"),
    TRNSIM_NUMBER(hbm.banked.write_high, Count, 1, 1024,
                  "bursts in the write queue from which on writes go first"),
    TRNSIM_NUMBER(hbm.banked.write_low, Count, 0, 1023, "bursts left when reads go first again"),
    TRNSIM_CHOICE(hbm.banked.refresh, HbmRefreshes, "refresh commands; none: DRAM that needs none"),
    TRNSIM_NUMBER(hbm.banked.postpone, Count, 0, 8, "refreshes that may be put off while there is work"),
    TRNSIM_NUMBER(hbm.banked.read_latency, Time, 0, 100 * Us, "of a read beyond what the DRAM takes"),
    TRNSIM_NUMBER(hbm.banked.write_latency, Time, Ns, 100 * Us,
                  "from a place in the write queue to the response"),
    TRNSIM_NUMBER(hbm.banked.ecc, Count, 0, 1, "with (1) or without (0) error correction"),
    TRNSIM_NUMBER(hbm.banked.single_upset_every, Count, 0, 1'000'000'000'000,
                  "reads after which one finds a wrong bit; 0: never"),
    TRNSIM_NUMBER(hbm.banked.double_upset_every, Count, 0, 1'000'000'000'000,
                  "reads after which one finds two wrong bits in a word; 0: never"),
    TRNSIM_OVERRIDE(hbm.banked.timing.cl, 1, 4096, "CK: RD to its data"),
    TRNSIM_OVERRIDE(hbm.banked.timing.cwl, 1, 4096, "CK: WR to its data"),
    TRNSIM_OVERRIDE(hbm.banked.timing.rcd_rd, 1, 4096, "CK: ACT to RD"),
    TRNSIM_OVERRIDE(hbm.banked.timing.rcd_wr, 1, 4096, "CK: ACT to WR"),
    TRNSIM_OVERRIDE(hbm.banked.timing.rp, 1, 4096, "CK: PRE to ACT"),
    TRNSIM_OVERRIDE(hbm.banked.timing.ras, 1, 4096, "CK: ACT to PRE"),
    TRNSIM_OVERRIDE(hbm.banked.timing.rc, 1, 4096, "CK: ACT to ACT of a bank"),
    TRNSIM_OVERRIDE(hbm.banked.timing.wr, 1, 4096, "CK: end of write data to PRE"),
    TRNSIM_OVERRIDE(hbm.banked.timing.rtp, 1, 4096, "CK: RD to PRE"),
    TRNSIM_OVERRIDE(hbm.banked.timing.ccd_s, 2, 4096, "CK: RD to RD and WR to WR, other bank group"),
    TRNSIM_OVERRIDE(hbm.banked.timing.ccd_l, 2, 4096, "CK: the same, same bank group"),
    TRNSIM_OVERRIDE(hbm.banked.timing.rrd_s, 2, 4096, "CK: ACT to ACT, other bank group"),
    TRNSIM_OVERRIDE(hbm.banked.timing.rrd_l, 2, 4096, "CK: the same, same bank group"),
    TRNSIM_OVERRIDE(hbm.banked.timing.faw, 4, 4096, "CK: window of at most four ACT"),
    TRNSIM_OVERRIDE(hbm.banked.timing.wtr_s, 1, 4096, "CK: end of write data to RD, other bank group"),
    TRNSIM_OVERRIDE(hbm.banked.timing.wtr_l, 1, 4096, "CK: the same, same bank group"),
    TRNSIM_OVERRIDE(hbm.banked.timing.rtw, 4, 4096, "CK: RD to WR"),
    TRNSIM_OVERRIDE(hbm.banked.timing.rfc_ab, 1, 4096, "CK: all-bank refresh to the next command"),
    TRNSIM_OVERRIDE(hbm.banked.timing.rfc_pb, 1, 4096, "CK: per-bank refresh to ACT of the bank"),
    TRNSIM_OVERRIDE(hbm.banked.timing.rrefd, 2, 4096,
                    "CK: per-bank refresh to ACT or refresh of another bank"),
    TRNSIM_OVERRIDE(hbm.banked.timing.refi, 1, 100'000, "CK: between all-bank refreshes"),
    TRNSIM_OVERRIDE(hbm.banked.timing.refi_pb, 1, 100'000, "CK: between per-bank refreshes"),
    TRNSIM_NUMBER(dma.engines, Count, 1, 16, "DMA engines of the core"),
    TRNSIM_CHOICE(
        dma.split, DmaSplits,
        "of a transfer among the engines; partitions: an engine has the same partitions of SBUF and "
        "PSUM in every transfer, as many as any other; even: it has as many pieces as any other"),
    TRNSIM_NUMBER(dma.rings, Count, 1, 16, "rings of an engine"),
    TRNSIM_NUMBER(dma.start_latency, Time, 0, 100 * Us,
                  "from the doorbell to the first write, at least what fetching and reading take"),
    TRNSIM_NUMBER(dma.bandwidth, Rate, GB / 10, 10'000 * GB, "peak of one engine"),
    TRNSIM_NUMBER(dma.burst, Size, 64, 4 * KiB, "a burst never crosses a multiple of it"),
    TRNSIM_NUMBER(dma.burst_gap, Time, 0, 10 * Us,
                  "after a full burst of one engine; after a part of one its share"),
    TRNSIM_NUMBER(dma.prefetch, Count, 2, 128, "descriptors an engine holds for each direction of a ring"),
    TRNSIM_NUMBER(fabric.latency, Time, 0, 100 * Us, "one way"),
    TRNSIM_NUMBER(runtime.timeout, Time, Us, 1'000 * Sec,
                  "simulated time without progress after which a run counts as hung"),
    TRNSIM_NUMBER(runtime.idle_instructions, Count, 1'000, 1'000'000'000'000,
                  "instructions in a row without effect after which a run counts as hung"),
};

#undef TRNSIM_NUMBER
#undef TRNSIM_RATIO
#undef TRNSIM_RATE
#undef TRNSIM_CHOICE
#undef TRNSIM_OVERRIDE
#undef TRNSIM_TEXT

// A mistake: the kind of the rule and the expected value.
struct Finding {
    std::string_view kind;
    std::string expected;
};
using Check = std::optional<Finding>;
constexpr std::string_view Type = "type", Range = "range";

Shape shape(const Number& number) {
    return {std::string(describe(number.quantity)),
            fmt::format("{} to {}", format_quantity(number.minimum, number.quantity),
                        format_quantity(number.maximum, number.quantity))};
}

Shape shape(const Fraction& fraction) {
    const std::string least =
        fraction.smallest == 0 ? "above 0" : fmt::format("of at least 1/{}", fraction.smallest);
    return {"a fraction such as '2/5'",
            fmt::format("a fraction {}, at most 1/1, with a denominator of at most {}", least, MaxRatioTerm)};
}

Shape shape(const Text&) {
    return {"letters, digits, '_', '-' and '.'", ""};
}

Shape shape(const Choice& choice) {
    return {fmt::format("one of {}", fmt::join(choice.options, ", ")), ""};
}

constexpr std::string_view Preset = "preset";

Shape shape(const Override& value) {
    return {"a whole number or 'preset'", fmt::format("{} to {} or preset", value.minimum, value.maximum)};
}

Check parse(const Number& number, const std::string& text, Config& config) {
    const auto value = parse_quantity(text, number.quantity);
    if (!value) return Finding{Type, shape(number).type};
    number.of(config) = *value;
    if (*value >= number.minimum && *value <= number.maximum) return std::nullopt;
    return Finding{Range, shape(number).range};
}

Check parse(const Fraction& fraction, const std::string& text, Config& config) {
    const std::size_t slash = text.find('/');
    const auto numerator = parse_quantity(text.substr(0, slash), Quantity::Count);
    const auto denominator = slash == std::string::npos
                                 ? std::optional<std::uint64_t>(1)
                                 : parse_quantity(text.substr(slash + 1), Quantity::Count);
    if (!numerator || !denominator) return Finding{Type, shape(fraction).type};
    fraction.of(config) = {*numerator, *denominator};
    const bool at_most_one = *numerator >= 1 && *numerator <= *denominator && *denominator <= MaxRatioTerm;
    if (at_most_one && (fraction.smallest == 0 || *numerator * fraction.smallest >= *denominator))
        return std::nullopt;
    return Finding{Range, shape(fraction).range};
}

Check parse(const Text& value, const std::string& text, Config& config) {
    const auto allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
               c == '-' || c == '.';
    };
    value.of(config) = text;
    if (!text.empty() && std::all_of(text.begin(), text.end(), allowed)) return std::nullopt;
    return Finding{Type, shape(value).type};
}

Check parse(const Choice& choice, const std::string& text, Config& config) {
    choice.of(config) = text;
    if (std::ranges::find(choice.options, text) != choice.options.end()) return std::nullopt;
    return Finding{Type, shape(choice).type};
}

Check parse(const Override& value, const std::string& text, Config& config) {
    const auto cycles =
        text == Preset ? std::optional<std::uint64_t>(0) : parse_quantity(text, Quantity::Count);
    if (!cycles) return Finding{Type, shape(value).type};
    value.of(config) = *cycles;
    if (text == Preset || (*cycles >= value.minimum && *cycles <= value.maximum)) return std::nullopt;
    return Finding{Range, shape(value).range};
}

std::string format(const Number& number, Config& config) {
    return format_quantity(number.of(config), number.quantity);
}
std::string format(const Fraction& fraction, Config& config) {
    const Ratio ratio = fraction.of(config);
    return fmt::format("{}/{}", ratio.numerator, ratio.denominator);
}
std::string format(const Text& text, Config& config) {
    return text.of(config);
}
std::string format(const Choice& choice, Config& config) {
    return choice.of(config);
}
std::string format(const Override& value, Config& config) {
    const std::uint64_t cycles = value.of(config);
    return cycles == 0 ? std::string(Preset) : fmt::format("{}", cycles);
}

std::string rule(const Field& field, std::string_view kind) {
    return fmt::format("{} {}", field.key, kind);
}

}  // namespace

std::span<const Field> schema() {
    return ConfigFields;
}

std::string format_field(const Field& field, const Config& config) {
    Config copy = config;  // the accessors are for reading and writing
    return std::visit([&](const auto& value) { return format(value, copy); }, field.value);
}

std::optional<Mistake> parse_field(const Field& field, const std::string& text, Config& config) {
    Check finding =
        std::visit([&](const auto& value) -> Check { return parse(value, text, config); }, field.value);
    if (!finding) return std::nullopt;
    return Mistake{rule(field, finding->kind), std::move(finding->expected)};
}

Shape shape_of(const Field& field) {
    return std::visit([](const auto& value) { return shape(value); }, field.value);
}

std::vector<std::string> rules_of(const Field& field) {
    std::vector<std::string> rules{rule(field, Type)};
    if (!shape_of(field).range.empty()) rules.push_back(rule(field, Range));
    return rules;
}

const Field* find_field(std::string_view key) {
    const auto* found = std::ranges::find(ConfigFields, key, &Field::key);
    return found == ConfigFields.end() ? nullptr : found;
}

}  // namespace trnsim::config
