#include "tools/importers/astra_sim.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>

#include "arch/config/document.hpp"
#include "arch/config/server_schema.hpp"
#include "arch/config/units.hpp"
#include "base/text/printable.hpp"
#include "model/neuronlink/timing.hpp"
#include "model/neuronlink/topology.hpp"
#include "model/system/load_server.hpp"
#include "tools/importers/error.hpp"
#include "tools/importers/table.hpp"

namespace trnsim::importers {
namespace {

using collectives::Algorithm;
using collectives::Operation;
using config::Document;

constexpr const char* NetworkFile = "a network file of ASTRA-sim";
constexpr const char* SystemFile = "a system file of ASTRA-sim";
const std::vector<std::string> NetworkKeys{"topology", "npus_count", "bandwidth", "latency"};

std::string text_of(const config::Location& place) {
    return fmt::format("{}:{}:{}", place.file, place.line, place.column);
}

[[noreturn]] void refuse(const config::Location& place, const std::string& message) {
    throw Error(fmt::format("{}: {}", text_of(place), message));
}

// Returns the entries of a mapping by key, with their places. Keys that are not `known` are refused, or, if
// `others` is there, listed in it.
std::map<std::string, config::Entry> entries_of(const Document& document,
                                                const std::vector<std::string>& known,
                                                std::vector<std::string>* others) {
    std::map<std::string, config::Entry> entries;
    for (const auto& item : document.root()) {
        const std::string key = item.first.IsScalar() ? item.first.Scalar() : "";
        const config::Location place = document.place(item.first);
        const bool is_known = std::ranges::find(known, key) != known.end();
        if (!is_known && others == nullptr)
            refuse(place, fmt::format("unknown key '{}', expected {}", text::printable(key),
                                      fmt::join(known, ", ")));
        if (!is_known) others->push_back(text::printable(key));
        if (!entries.emplace(key, config::Entry{item.second, document.place(item.second)}).second)
            refuse(place, fmt::format("found {} twice, expected it once", text::printable(key)));
    }
    return entries;
}

std::vector<std::string> list_of(const std::map<std::string, config::Entry>& entries, const std::string& key,
                                 const Document& document) {
    const auto found = entries.find(key);
    if (found == entries.end()) throw Error(fmt::format("{}: no {}, expected it", document.file(), key));
    const auto& [node, place] = found->second;
    std::vector<std::string> items;
    if (node.IsSequence())
        for (const YAML::Node& item : node) items.push_back(item.IsScalar() ? item.Scalar() : "");
    if (items.empty()) refuse(place, fmt::format("{}: expected a list with a value for each dimension", key));
    return items;
}

// Returns a number from 0 to 10^9 in thousandths; the files have fractions such as 936.25.
std::optional<std::uint64_t> thousandths(const std::string& text) {
    constexpr double Most = 1e12;
    try {
        std::size_t read = 0;
        const double value = std::stod(text, &read) * 1000;
        if (read != text.size() || !(value >= 0) || value > Most) return std::nullopt;
        return static_cast<std::uint64_t>(std::llround(value));
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

std::string time_text(std::uint64_t fs) {
    return config::format_quantity(fs, config::Quantity::Time);
}

std::string rate_text(std::uint64_t rate) {
    return config::format_quantity(rate, config::Quantity::Rate);
}

// The NPUs that a NPU of this dimension is connected to, as steps along it.
std::set<std::uint64_t> steps_of(const Dimension& dimension) {
    std::set<std::uint64_t> steps;
    for (std::uint64_t step = 1; step < dimension.npus; ++step)
        if (dimension.kind == Dimension::Kind::FullyConnected || step == 1 || step == dimension.npus - 1)
            steps.insert(step);
    return steps;
}

// Returns every link of the network, as a list of pairs in the form of a server's file.
std::string pairs_of(const AstraNetwork& network, std::uint64_t npus) {
    std::set<std::pair<std::uint64_t, std::uint64_t>> pairs;
    std::uint64_t stride = 1;
    for (const Dimension& dimension : network) {
        for (std::uint64_t npu = 0; npu < npus; ++npu) {
            const std::uint64_t at = npu / stride % dimension.npus;
            for (const std::uint64_t step : steps_of(dimension)) {
                const std::uint64_t other = npu + stride * ((at + step) % dimension.npus) - stride * at;
                pairs.insert(std::minmax(npu, other));
            }
        }
        stride *= dimension.npus;
    }
    std::vector<std::string> texts;
    for (const auto& [a, b] : pairs) texts.push_back(fmt::format("[{}, {}]", a, b));
    return fmt::format("[{}]", fmt::join(texts, ", "));
}

// Returns the topology in the form of a server's file; rings of three or more keep the routing of rings.
std::string topology_of(const AstraNetwork& network, std::uint64_t npus) {
    const bool rings = std::ranges::all_of(network, [](const Dimension& dimension) {
        return dimension.kind == Dimension::Kind::Ring && dimension.npus > 2;
    });
    if (rings && network.size() == 1) return fmt::format("ring {}", npus);
    if (rings && network.size() == 2) return fmt::format("torus {}x{}", network[1].npus, network[0].npus);
    return pairs_of(network, npus);
}

// Throws Error if dimensions differ in what all links of a server share.
void expect_alike(const AstraNetwork& network, const std::filesystem::path& source) {
    for (const Dimension& dimension : network) {
        if (dimension.bandwidth == network.front().bandwidth && dimension.latency == network.front().latency)
            continue;
        throw Error(fmt::format(
            "{}: found links of {}, {} and of {}, {}, expected one bandwidth and one latency, "
            "as all links of a server have",
            source.string(), rate_text(network.front().bandwidth), time_text(network.front().latency),
            rate_text(dimension.bandwidth), time_text(dimension.latency)));
    }
}

// The names of algorithms in system files that stand for one here.
struct Name {
    std::string_view word;
    Algorithm algorithm;
};
constexpr std::array Names{Name{"ring", Algorithm::Ring},
                           Name{"oneRing", Algorithm::Ring},
                           Name{"direct", Algorithm::Mesh},
                           Name{"oneDirect", Algorithm::Mesh},
                           Name{"halvingDoubling", Algorithm::HalvingDoubling},
                           Name{"oneHalvingDoubling", Algorithm::HalvingDoubling}};
struct OperationKey {
    std::string_view key;
    Operation operation;
};
constexpr std::array OperationKeys{OperationKey{"all-reduce-implementation", Operation::AllReduce},
                                   OperationKey{"all-gather-implementation", Operation::AllGather},
                                   OperationKey{"reduce-scatter-implementation", Operation::ReduceScatter}};
constexpr std::string_view EndpointDelay = "endpoint-delay";

// Returns the algorithm of a list with one word for each dimension, if all are the same and known.
std::optional<Algorithm> algorithm_of(const YAML::Node& node) {
    if (!node.IsSequence() || node.size() == 0) return std::nullopt;
    std::set<std::string> words;
    for (const YAML::Node& item : node) words.insert(item.IsScalar() ? item.Scalar() : "");
    const auto* name = std::ranges::find(Names, *words.begin(), &Name::word);
    return words.size() == 1 && name != Names.end() ? std::optional(name->algorithm) : std::nullopt;
}

}  // namespace

AstraNetwork read_astra_network(const std::filesystem::path& file) {
    const Document document(file, NetworkFile);
    const auto entries = entries_of(document, NetworkKeys, nullptr);
    std::map<std::string, std::vector<std::string>> lists;
    for (const std::string& key : NetworkKeys) {
        lists[key] = list_of(entries, key, document);
        if (lists[key].size() != lists[NetworkKeys.front()].size())
            refuse(entries.at(key).place,
                   fmt::format("{}: found {} values, expected {}, as many as of topology", key,
                               lists[key].size(), lists[NetworkKeys.front()].size()));
    }
    AstraNetwork network;
    for (std::size_t i = 0; i < lists["topology"].size(); ++i) {
        const auto value_of = [&](const char* key, const char* expected) {
            const auto value = thousandths(lists[key][i]);
            if (!value || (*value == 0 && std::string_view(key) != "latency"))
                refuse(entries.at(key).place, fmt::format("{}: found '{}', expected {}", key,
                                                          text::printable(lists[key][i]), expected));
            return *value;
        };
        Dimension dimension;
        const std::string& kind = lists["topology"][i];
        if (kind != "Ring" && kind != "FullyConnected")
            refuse(entries.at("topology").place,
                   fmt::format("topology: found {}, expected Ring or FullyConnected{}", text::printable(kind),
                               kind == "Switch" ? ", as chips are connected by cables" : ""));
        dimension.kind = kind == "Ring" ? Dimension::Kind::Ring : Dimension::Kind::FullyConnected;
        const std::uint64_t npus = value_of("npus_count", "a whole number from 1");
        if (npus % 1000 != 0)
            refuse(entries.at("npus_count").place,
                   fmt::format("npus_count: found '{}', expected a whole number", lists["npus_count"][i]));
        dimension.npus = npus / 1000;
        dimension.bandwidth =
            value_of("bandwidth", "a number of GB/s above 0, at most 10^9") * config::GB / 1000;
        dimension.bandwidth_at = text_of(entries.at("bandwidth").place);
        dimension.latency = value_of("latency", "a number of ns from 0 to 10^9") * config::Ps;
        dimension.latency_at = text_of(entries.at("latency").place);
        network.push_back(dimension);
    }
    return network;
}

AstraSystem read_astra_system(const std::filesystem::path& file) {
    const Document document(file, SystemFile);
    std::vector<std::string> known{std::string(EndpointDelay)};
    for (const OperationKey& row : OperationKeys) known.emplace_back(row.key);
    AstraSystem system;
    const auto entries = entries_of(document, known, &system.left_out);
    if (const auto delay = entries.find(std::string(EndpointDelay)); delay != entries.end()) {
        const auto value =
            delay->second.node.IsScalar() ? thousandths(delay->second.node.Scalar()) : std::nullopt;
        if (!value)
            refuse(delay->second.place, fmt::format("{}: found {}, expected a number of ns from 0 to 10^9",
                                                    EndpointDelay, config::found(delay->second.node)));
        system.endpoint_delay = *value * config::Ps;
        system.endpoint_delay_at = text_of(delay->second.place);
    }
    for (const OperationKey& row : OperationKeys) {
        const auto entry = entries.find(std::string(row.key));
        if (entry == entries.end()) continue;
        if (const auto algorithm = algorithm_of(entry->second.node))
            system.algorithms.emplace(row.operation, *algorithm);
        else
            system.left_out.emplace_back(row.key);
    }
    return system;
}

namespace {

// Returns the keys of times that links of this latency and rate need longer than they are: twice the least.
std::string patience(const config::Links& links) {
    tlm::neuronlink::Parameters parameters = tlm::link_parameters(links);
    const tlm::Time retry = 2 * tlm::neuronlink::acknowledgement_time(parameters);
    parameters.lanes = 1;  // training sends on one
    const tlm::Time training = 2 * tlm::neuronlink::hop_time(parameters, parameters.data);
    std::string keys;
    if (retry > links.retry_time) keys += fmt::format(", retry_time: {}", time_text(retry));
    if (training > links.training_time) keys += fmt::format(", training_time: {}", time_text(training));
    return keys;
}

}  // namespace

std::string server_of(const AstraNetwork& network, const AstraSystem* system,
                      const std::filesystem::path& source, const std::string& base, const std::string& name) {
    expect_alike(network, source);
    const std::uint64_t npus = std::accumulate(
        network.begin(), network.end(), std::uint64_t{1},
        [](std::uint64_t product, const Dimension& dimension) { return product * dimension.npus; });
    constexpr std::uint64_t MostChips = 255;
    if (npus > MostChips)
        throw Error(fmt::format("{}: found {} NPUs, expected at most {}, the chips of a server",
                                source.string(), npus, MostChips));
    std::uint64_t cables = 0;
    for (const Dimension& dimension : network) cables += steps_of(dimension).size();
    if (cables > tlm::neuronlink::Ports)
        throw Error(fmt::format("{}: found NPUs with {} links, expected at most {}, those of a chip",
                                source.string(), cables, tlm::neuronlink::Ports));
    config::Links links = tlm::load_server(base).links;
    links.lane_rate = network.front().bandwidth / links.lanes;
    links.latency = network.front().latency;
    std::string keys =
        fmt::format("lane_rate: {}, latency: {}", rate_text(links.lane_rate), time_text(links.latency));
    if (system != nullptr) keys += fmt::format(", endpoint_time: {}", time_text(system->endpoint_delay));
    keys += patience(links);
    return fmt::format(
        "# Written by trnsim import astra-sim from {}. Every link has {} lanes.\n"
        "extends: {}\n"
        "name: {}\n"
        "chips: {}\n"
        "topology: {}\n"
        "links: {{ {} }}\n",
        text::printable(source.filename().string()), links.lanes, yaml_scalar(name), name_of(source), npus,
        topology_of(network, npus), keys);
}

void check_server(const std::filesystem::path& written, const AstraNetwork& network,
                  const AstraSystem* system, const std::filesystem::path& source) {
    try {
        tlm::link_topology(tlm::load_server(written.string()));
    } catch (const std::exception& error) {
        // "FILE:6:42: links.latency: found ..." of the file that is checked; the reader has the source alone.
        std::string_view what = error.what();
        if (what.starts_with(written.string()))
            what.remove_prefix(std::min(what.find(": ", written.string().size()) + 2, what.size()));
        std::string place = source.string();
        const auto comes_from = [&](std::string_view key, const std::string& origin) {
            if (what.starts_with(key) && !origin.empty()) place = origin;
        };
        comes_from("links.lane_rate", network.front().bandwidth_at);
        comes_from("links.latency", network.front().latency_at);
        if (system != nullptr) comes_from("links.endpoint_time", system->endpoint_delay_at);
        throw Error(fmt::format("{}: {}", place, what));
    }
}

}  // namespace trnsim::importers
