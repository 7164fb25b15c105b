#include "arch/config/link_faults.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

#include "arch/config/units.hpp"

namespace trnsim::config {
namespace {

using FaultKind = LinkFault::Kind;
using FaultMistake = std::optional<ValueMistake>;

constexpr std::string_view At = "at", Until = "until", Working = "working", Rate = "rate";
constexpr std::string_view KindsWithRate = "bit_errors and lost_frames";  // what has a rate

// A kind of fault: the key that names it and has the link, and the key that it needs beside it.
struct FaultRow {
    std::string_view key;
    FaultKind kind;
    std::string_view needs;
};
constexpr std::array FaultRows{
    FaultRow{"cut", FaultKind::Cut, ""},
    FaultRow{"lanes", FaultKind::Lanes, Working},
    FaultRow{"bit_errors", FaultKind::BitErrors, Rate},
    FaultRow{"lost_frames", FaultKind::LostFrames, Rate},
};

FaultMistake read_value(std::string_view key, const std::string& text, LinkFault& fault) {
    const auto mistake = [&](std::string_view expected) {
        return ValueMistake{std::string(expected), fmt::format("{}: '{}'", key, text)};
    };
    if (key == Rate) {
        const auto rate = parse_probability(text);
        if (!rate || *rate > 1) return mistake("a probability of 0 to 1 such as '1e-9'");
        fault.rate = *rate;
        return std::nullopt;
    }
    const Quantity quantity = key == Working ? Quantity::Count : Quantity::Time;
    const auto value = parse_quantity(text, quantity);
    if (!value) return mistake(describe(quantity));
    (key == Working ? fault.working : key == At ? fault.at : fault.until) = *value;
    return std::nullopt;
}

// Reads a fault, whose keys may come in any order.
FaultMistake read_fault(const YAML::Node& node, LinkFault& fault) {
    if (!node.IsMap()) return ValueMistake{std::string(LinkFaultsType), std::string(kind(node))};
    const FaultRow* row = nullptr;
    std::set<std::string> keys;
    for (const auto& item : node) {
        const std::string key = item.first.IsScalar() ? item.first.Scalar() : "";
        if (!item.second.IsScalar())
            return ValueMistake{"a value", fmt::format("{} for key '{}' of a fault", kind(item.second), key)};
        if (!keys.insert(key).second) return ValueMistake{"it once", fmt::format("key '{}' twice", key)};
        if (const auto* found = std::ranges::find(FaultRows, key, &FaultRow::key); found != FaultRows.end()) {
            if (row != nullptr)
                return ValueMistake{"one of them", fmt::format("'{}' and '{}' in a fault", row->key, key)};
            row = found;
            fault.kind = row->kind;
            fault.link = item.second.Scalar();
            continue;
        }
        if (key != At && key != Until && key != Working && key != Rate)
            return ValueMistake{"cut, lanes, bit_errors or lost_frames, and at, until, working or rate",
                                fmt::format("key '{}' of a fault", key)};
        if (auto wrong = read_value(key, item.second.Scalar(), fault)) return wrong;
    }
    if (row == nullptr)
        return ValueMistake{"cut, lanes, bit_errors or lost_frames in it", "a fault of no kind"};
    for (const std::string_view key : {Working, Rate}) {
        const bool needed = key == row->needs;
        if (keys.contains(std::string(key)) == needed) continue;
        return ValueMistake{needed ? "it"
                                   : fmt::format("it with {} alone",
                                                 key == Working ? std::string_view("lanes") : KindsWithRate),
                            fmt::format("'{}' {} `{}`", row->key, needed ? "without" : "with", key)};
    }
    if (fault.until <= fault.at)
        return ValueMistake{"an end after its beginning",
                            fmt::format("a fault from {} until {}", format_quantity(fault.at, Quantity::Time),
                                        format_quantity(fault.until, Quantity::Time))};
    return std::nullopt;
}

std::string show(const LinkFault& fault) {
    const auto& row = *std::ranges::find(FaultRows, fault.kind, &FaultRow::kind);
    std::string text = fmt::format("{}: {}", row.key, fault.link);
    if (row.needs == Working) text += fmt::format(", working: {}", fault.working);
    if (row.needs == Rate) text += fmt::format(", rate: {}", fault.rate);
    if (fault.at != 0) text += fmt::format(", at: {}", format_quantity(fault.at, Quantity::Time));
    if (fault.until != LinkFault().until)
        text += fmt::format(", until: {}", format_quantity(fault.until, Quantity::Time));
    return fmt::format("{{{}}}", text);
}

}  // namespace

std::optional<double> parse_probability(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return std::isfinite(value) && !std::signbit(value) ? std::optional(value) : std::nullopt;
}

FaultMistake read_link_faults(const YAML::Node& node, std::vector<LinkFault>& faults) {
    if (!node.IsSequence()) return ValueMistake{std::string(LinkFaultsType)};
    faults.clear();
    for (const YAML::Node& one : node) {
        if (auto mistake = read_fault(one, faults.emplace_back())) {
            mistake->place = one.Mark();
            return mistake;
        }
    }
    return std::nullopt;
}

std::optional<LinkFault> parse_cut(std::string_view text) {
    constexpr std::string_view To = "..";
    const std::size_t sign = text.find('@');
    if (sign == 0 || sign == std::string_view::npos) return std::nullopt;
    LinkFault fault{.kind = FaultKind::Cut, .link = std::string(text.substr(0, sign))};
    const std::string_view times = text.substr(sign + 1);
    const std::size_t to = times.find(To);
    const auto at = parse_quantity(times.substr(0, to), Quantity::Time);
    if (!at) return std::nullopt;
    fault.at = *at;
    if (to == std::string_view::npos) return fault;
    const auto until = parse_quantity(times.substr(to + To.size()), Quantity::Time);
    if (!until) return std::nullopt;
    fault.until = *until;
    return fault;
}

std::string show(std::span<const LinkFault> faults) {
    std::vector<std::string> texts;
    for (const LinkFault& fault : faults) texts.push_back(show(fault));
    return fmt::format("[{}]", fmt::join(texts, ", "));
}

}  // namespace trnsim::config
