#include "arch/config/server_schema.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "arch/addresses/addresses.hpp"
#include "arch/addresses/pooled.hpp"
#include "arch/config/link_faults.hpp"
#include "arch/config/link_shape.hpp"

namespace trnsim::config {
namespace {

using Mistake = std::optional<ValueMistake>;

constexpr std::string_view NameType = "a name of letters, digits, '_', '-' and '.'";
constexpr std::string_view ChipType = "the name of a shipped configuration";
constexpr std::string_view SlotsType = "a list of 1 or 2 of none, rtl, fast";
constexpr std::array<std::string_view, 3> KindNames{"none", "rtl", "fast"};  // index: CoreKind
constexpr std::string_view ChipSlotsType = "a mapping of chips to such lists, as long as `slots`";

std::string text_of(const YAML::Node& node) {
    return node.IsScalar() ? node.Scalar() : "";
}

Mistake read_name(const YAML::Node& node, Server& server) {
    const auto allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
               c == '-' || c == '.';
    };
    server.name = text_of(node);
    if (!server.name.empty() && std::ranges::all_of(server.name, allowed)) return std::nullopt;
    return ValueMistake{std::string(NameType)};
}

Mistake read_chip(const YAML::Node& node, Server& server) {
    server.chip_name = text_of(node);
    const std::vector<std::string> names = shipped();
    if (std::ranges::find(names, server.chip_name) == names.end()) return ValueMistake{std::string(ChipType)};
    server.chip = load(server.chip_name);
    return std::nullopt;
}

std::optional<SlotKinds> slot_kinds(const YAML::Node& node) {
    if (!node.IsSequence() || node.size() == 0 || node.size() > addresses::CoresPerChip) return std::nullopt;
    SlotKinds kinds;
    for (const YAML::Node& slot : node) {
        const auto* kind = std::ranges::find(KindNames, text_of(slot));
        if (kind == KindNames.end()) return std::nullopt;
        kinds.push_back(static_cast<CoreKind>(kind - KindNames.begin()));
    }
    return kinds;
}

Mistake read_chips(const YAML::Node& node, Server& server) {
    const auto count = parse_quantity(text_of(node), Quantity::Count);
    if (!count || *count == 0 || *count > addresses::PooledChips)
        return ValueMistake{fmt::format("a whole number from 1 to {}", addresses::PooledChips)};
    server.slots.resize(*count);
    return std::nullopt;
}

Mistake read_slots(const YAML::Node& node, Server& server) {
    const auto kinds = slot_kinds(node);
    if (!kinds) return ValueMistake{std::string(SlotsType)};
    for (SlotKinds& slots : server.slots) slots = *kinds;
    return std::nullopt;
}

// Returns "[0, 1]": a list on one line, for messages.
std::string list_text(const YAML::Node& node) {
    if (!node.IsSequence()) return found(node);
    std::vector<std::string> items;
    for (const YAML::Node& item : node)
        items.push_back(item.IsScalar() ? item.Scalar() : std::string(kind(item)));
    return fmt::format("[{}]", fmt::join(items, ", "));
}

std::optional<std::uint64_t> chip_number(const YAML::Node& node, const Server& server) {
    const auto chip = parse_quantity(text_of(node), Quantity::Count);
    return chip && *chip < server.chips() ? chip : std::nullopt;
}

// Reads the chips whose slots differ from those of the others.
Mistake read_chip_slots(const YAML::Node& node, Server& server) {
    if (!node.IsMap()) return ValueMistake{std::string(ChipSlotsType)};
    std::set<std::uint64_t> chips;
    for (const auto& item : node) {
        const std::string name = text_of(item.first);
        const auto chip = chip_number(item.first, server);
        if (!chip)
            return ValueMistake{fmt::format("0 to {}", server.chips() - 1), fmt::format("chip '{}'", name)};
        if (!chips.insert(*chip).second) return ValueMistake{"it once", fmt::format("chip {} twice", *chip)};
        const auto kinds = slot_kinds(item.second);
        const std::size_t slots = server.slots[*chip].size();
        if (!kinds || kinds->size() != slots)
            return ValueMistake{fmt::format("a list of {} of none, rtl, fast, as long as `slots`", slots),
                                fmt::format("{} for chip {}", list_text(item.second), *chip)};
        server.slots[*chip] = *kinds;
    }
    return std::nullopt;
}

// Returns the mistake of the first entry of a list that is no pair of chips.
Mistake mistake_of_pairs(const YAML::Node& node, const Server& server) {
    for (const YAML::Node& pair : node) {
        const bool sound = pair.IsSequence() && pair.size() == 2 && chip_number(pair[0], server) &&
                           chip_number(pair[1], server);
        if (!sound)
            return ValueMistake{fmt::format("a pair of chips, each 0 to {}", server.chips() - 1),
                                list_text(pair)};
    }
    return std::nullopt;
}

Mistake read_topology(const YAML::Node& node, Server& server) {
    if (node.IsSequence()) {
        if (auto mistake = mistake_of_pairs(node, server)) return mistake;
    }
    auto shape = parse_link_shape(node);
    if (!shape) return ValueMistake{std::string(LinkShapeType)};
    const std::uint64_t placed = shape->rows * shape->columns;
    const bool grid = shape->kind == LinkShape::Kind::Torus || shape->kind == LinkShape::Kind::Mesh;
    if (grid && placed != server.chips())
        return ValueMistake{fmt::format("one of {} chips, as `chips` says", server.chips())};
    server.topology = *std::move(shape);
    return std::nullopt;
}

std::string show_name(const Server& server) {
    return server.name;
}

std::string show_chip(const Server& server) {
    return server.chip_name;
}

std::string show_chips(const Server& server) {
    return fmt::format("{}", server.chips());
}

std::string text_of(const SlotKinds& kinds) {
    std::vector<std::string_view> names;
    for (const CoreKind kind : kinds) names.push_back(name_of(kind));
    return fmt::format("[{}]", fmt::join(names, ", "));
}

std::string show_slots(const Server& server) {
    return text_of(server.slots.front());
}

std::string show_chip_slots(const Server& server) {
    std::vector<std::string> others;
    for (unsigned chip = 0; chip < server.chips(); ++chip) {
        if (server.slots[chip] != server.slots.front())
            others.push_back(fmt::format("{}: {}", chip, text_of(server.slots[chip])));
    }
    return fmt::format("{{{}}}", fmt::join(others, ", "));
}

std::string show_topology(const Server& server) {
    return show(server.topology);
}

Mistake read_faults(const YAML::Node& node, Server& server) {
    return read_link_faults(node, server.faults);
}

std::string show_faults(const Server& server) {
    return show(std::span(server.faults));
}

Mistake read_probability(const YAML::Node& node, double& value) {
    const auto read = parse_probability(text_of(node));
    if (!read) return ValueMistake{std::string(ProbabilityType)};
    value = *read;
    return std::nullopt;
}

#define TRNSIM_LINK(key, quantity, doc)                                                 \
    ServerField {                                                                       \
        "links." #key, doc, ServerNumber {                                              \
            Quantity::quantity, [](Server& s) -> std::uint64_t& { return s.links.key; } \
        }                                                                               \
    }
// Keys of faults may be left out: links have none then.
#define TRNSIM_LINK_RATE(key, doc)                                                                        \
    ServerField {                                                                                         \
        "links." #key, doc,                                                                               \
            ServerValue{[](const YAML::Node& n, Server& s) { return read_probability(n, s.links.key); },  \
                        [](const Server& s) { return fmt::format("{}", s.links.key); }, ProbabilityType}, \
            true                                                                                          \
    }
#define TRNSIM_EFA(key, quantity, minimum, maximum, doc)                                                \
    ServerField {                                                                                       \
        "efa." #key, doc, ServerNumber {                                                                \
            Quantity::quantity, [](Server& s) -> std::uint64_t& { return s.efa.key; }, minimum, maximum \
        }                                                                                               \
    }

const std::array ServerFields{
    ServerField{"name", "shown in reports", ServerValue{read_name, show_name, NameType}},
    ServerField{"chip", "configuration of every chip", ServerValue{read_chip, show_chip, ChipType}},
    ServerField{"chips", "chips, numbered from 0",
                ServerValue{read_chips, show_chips, "a whole number from 1 to 255"}},
    ServerField{"slots", "what stands in the slots of a chip",
                ServerValue{read_slots, show_slots, SlotsType}},
    ServerField{"chip_slots", "chips whose slots hold something else",
                ServerValue{read_chip_slots, show_chip_slots, ChipSlotsType}, true},
    ServerField{"topology", "how the chips are connected",
                ServerValue{read_topology, show_topology, LinkShapeType}},
    TRNSIM_LINK(lanes, Count, "lanes of a link, each way"),
    TRNSIM_LINK(lane_rate, Rate, "of a lane"),
    TRNSIM_LINK(latency, Time, "of a wire, from the last bit sent to the last bit received"),
    TRNSIM_LINK(receive_time, Time, "until a frame that has arrived has its effect"),
    TRNSIM_LINK(buffer, Count, "flits of the receiver for each virtual channel"),
    TRNSIM_LINK(replay, Count, "flits sent and not acknowledged"),
    TRNSIM_LINK(ack_interval, Time, "between control frames that nothing waits for"),
    TRNSIM_LINK(retry_time, Time, "without progress until everything is sent again"),
    TRNSIM_LINK(retry_limit, Count, "repetitions in a row until a link is given up"),
    TRNSIM_LINK(give_up_time, Time, "a link that is down longer is given up"),
    TRNSIM_LINK(training_time, Time, "until a link that comes up can be used"),
    TRNSIM_LINK(data, Size, "bytes of a packet at most"),
    TRNSIM_LINK(endpoint_time, Time, "between fabric and router, each way"),
    TRNSIM_LINK(requests, Count, "packets of a chip sent and not answered"),
    TRNSIM_LINK(served, Count, "packets of other chips under way in a chip"),
    TRNSIM_LINK(timeout, Time, "until a request without an answer ends with an error"),
    ServerField{
        "links.between_cores",
        "data between the cores of a chip, each way; 0 unless given: as fast as memory",
        ServerNumber{Quantity::Rate, [](Server& s) -> std::uint64_t& { return s.links.between_cores; }},
        true},
    TRNSIM_LINK_RATE(error_rate, "of a wrong bit, for each bit on a wire; 0 unless given"),
    TRNSIM_LINK_RATE(loss_rate, "of losing a frame, for each frame; 0 unless given"),
    ServerField{"links.fault_seed", "of wrong bits and lost frames; 0 unless given",
                ServerNumber{Quantity::Count, [](Server& s) -> std::uint64_t& { return s.links.fault_seed; }},
                true},
    ServerField{"faults", "links that fail, how and when",
                ServerValue{read_faults, show_faults, LinkFaultsType}, true},
    TRNSIM_EFA(adapters, Count, 0, 64, "adapters of the network between servers; 0: none"),
    TRNSIM_EFA(bandwidth, Rate, 1, 1'000 * GB, "of an adapter, each way"),
    TRNSIM_EFA(latency, Time, 0, 1'000'000 * Us, "from the last byte sent to its arrival"),
};

}  // namespace

std::string_view name_of(CoreKind kind) {
    return KindNames.at(static_cast<std::size_t>(kind));
}

std::span<const ServerField> server_schema() {
    return ServerFields;
}

std::string format_field(const ServerField& field, const Server& server) {
    if (const auto* value = std::get_if<ServerValue>(&field.value)) return value->show(server);
    const auto& number = std::get<ServerNumber>(field.value);
    Server copy = server;  // the accessor is for reading and writing
    return format_quantity(number.of(copy), number.quantity);
}

std::string range_of(const ServerField& field) {
    const auto* number = std::get_if<ServerNumber>(&field.value);
    if (number == nullptr || number->maximum == 0) return "";
    return fmt::format("{} to {}", format_quantity(number->minimum, number->quantity),
                       format_quantity(number->maximum, number->quantity));
}

std::string found(const YAML::Node& node) {
    return node.IsScalar() ? fmt::format("'{}'", node.Scalar()) : std::string(kind(node));
}

std::optional<ServerMistake> read_field(const ServerField& field, const YAML::Node& node, Server& server) {
    const auto mistake = [&](std::string_view what, std::string expected) {
        return ServerMistake{fmt::format("{} {}", field.key, what), std::move(expected), {}};
    };
    if (const auto* value = std::get_if<ServerValue>(&field.value)) {
        auto wrong = value->read(node, server);
        if (!wrong) return std::nullopt;
        ServerMistake whole = mistake("type", std::move(wrong->expected));
        whole.found = std::move(wrong->found);
        whole.place = wrong->place;
        return whole;
    }
    const auto& number = std::get<ServerNumber>(field.value);
    const auto value = parse_quantity(text_of(node), number.quantity);
    if (!value) return mistake("type", std::string(describe(number.quantity)));
    if (number.maximum != 0 && (*value < number.minimum || *value > number.maximum))
        return mistake("range", range_of(field));
    number.of(server) = *value;
    return std::nullopt;
}

}  // namespace trnsim::config
