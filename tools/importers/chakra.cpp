#include "tools/importers/chakra.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <queue>
#include <unordered_map>

#include "base/files/files.hpp"
#include "base/text/printable.hpp"
#include "tools/importers/error.hpp"
#include "tools/importers/protobuf.hpp"

namespace trnsim::importers {
namespace {

using protobuf::Bytes;
using protobuf::Field;

// Numbers of fields in the schema, versions 0.0.4 and later.
namespace metadata {
constexpr std::uint32_t Version = 1;
}
namespace node {
constexpr std::uint32_t Id = 1, Name = 2, Type = 3, ControlAfter = 4, DataAfter = 5, Duration = 7,
                        Attribute = 10;
}
namespace attribute {
constexpr std::uint32_t Name = 1, Documentation = 2;
// Types whose numbers are encoded with the sign in the lowest bit, and texts.
constexpr std::uint32_t Sint32 = 15, Sint64 = 17, Text = 29;
}  // namespace attribute

// The most bytes, when it is not compressed, and nodes of a trace: a small file may become any number of them.
constexpr std::size_t MostBytes = 256 << 20, MostNodes = 1'000'000;

// Reads a whole file; gzread() gives a file that is not compressed as it is.
std::vector<std::uint8_t> contents_of(const std::filesystem::path& file) {
    files::InputFile there(file);  // throws for what is no file
    const std::unique_ptr<gzFile_s, int (*)(gzFile)> stream(gzopen(file.c_str(), "rb"), gzclose);
    std::vector<std::uint8_t> bytes;
    std::array<std::uint8_t, 1 << 16> piece{};
    for (int count = 1; stream != nullptr && count > 0;) {
        count = gzread(stream.get(), piece.data(), piece.size());
        if (count < 0)
            throw Error(fmt::format("{}: expected a trace, or one compressed by gzip", file.string()));
        bytes.insert(bytes.end(), piece.begin(), piece.begin() + count);
        if (bytes.size() > MostBytes)
            throw Error(
                fmt::format("{}: found more than {} bytes when it is not compressed, expected at most that",
                            file.string(), MostBytes));
    }
    return bytes;
}

struct Attribute {
    std::string name;
    std::uint64_t number = 0;
    std::string text;
};

// Returns an attribute; its value is the field that is neither name nor documentation.
Attribute attribute_of(Bytes message) {
    Attribute one;
    for (const Field& field : protobuf::fields_of(message)) {
        if (field.number == attribute::Name) {
            one.name = protobuf::text_of(field);
        } else if (field.number == attribute::Text) {
            one.text = protobuf::text_of(field);
        } else if (field.number != attribute::Documentation && !field.is_bytes) {
            const bool zigzag = field.number == attribute::Sint32 || field.number == attribute::Sint64;
            one.number = zigzag ? field.value >> 1 : field.value;
        }
    }
    return one;
}

// A number that a node may have as an attribute, or a text with it.
struct NumberAttribute {
    std::string_view name;
    std::uint64_t TraceNode::*member;
};
constexpr std::array NumberAttributes{
    NumberAttribute{"comm_size", &TraceNode::bytes}, NumberAttribute{"comm_tag", &TraceNode::tag},
    NumberAttribute{"root", &TraceNode::root}, NumberAttribute{"comm_root", &TraceNode::root}};

void set(TraceNode& node, const Attribute& attribute) {
    for (const NumberAttribute& row : NumberAttributes)
        if (row.name == attribute.name) node.*row.member = attribute.number;
    if (attribute.name == "comm_type") node.comm = static_cast<CommType>(attribute.number);
    const bool peer = node.type == NodeType::Send
                          ? attribute.name == "comm_dst"
                          : node.type == NodeType::Receive && attribute.name == "comm_src";
    if (peer) node.peer = attribute.number;
    if (attribute.name == "pg_name" || attribute.name == "comm_group")
        node.group = attribute.text.empty() ? std::to_string(attribute.number) : attribute.text;
}

TraceNode node_of(Bytes message) {
    TraceNode one;
    const std::vector<Field> fields = protobuf::fields_of(message);
    for (const Field& field : fields) {
        if (field.number == node::Id) one.id = field.value;
        if (field.number == node::Name) one.name = text::printable(protobuf::text_of(field));
        if (field.number == node::Type) {
            // Types of later versions are of storage, which is not here.
            const auto last = static_cast<std::uint64_t>(NodeType::Collective);
            one.type = field.value > last ? NodeType::Invalid : static_cast<NodeType>(field.value);
        }
        if (field.number == node::Duration) one.microseconds = field.value;
    }
    for (const std::uint32_t number : {node::ControlAfter, node::DataAfter})
        for (const std::uint64_t id : protobuf::numbers_of(fields, number)) one.after.push_back(id);
    for (const Field& field : fields)
        if (field.number == node::Attribute) set(one, attribute_of(field.bytes));
    return one;
}

// Returns the nodes so that each comes after those that it depends on, and else by their numbers.
std::vector<TraceNode> ordered(std::vector<TraceNode> nodes, const std::filesystem::path& file) {
    std::unordered_map<std::uint64_t, std::size_t> index;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (!index.emplace(nodes[i].id, i).second)
            throw Error(fmt::format("{}: found two nodes {}, expected one", file.string(), nodes[i].id));
    }
    std::vector<std::size_t> left(nodes.size());
    std::vector<std::vector<std::size_t>> next(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        for (const std::uint64_t id : nodes[i].after) {
            const auto before = index.find(id);
            if (before == index.end())
                throw Error(fmt::format("{}: node {} depends on {}, expected a node of the file",
                                        file.string(), nodes[i].id, id));
            next[before->second].push_back(i);
            ++left[i];
        }
    }
    const auto later = [&nodes](std::size_t a, std::size_t b) { return nodes[a].id > nodes[b].id; };
    std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> ready(later);
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (left[i] == 0) ready.push(i);
    std::vector<TraceNode> result;
    while (!ready.empty()) {
        const std::size_t one = ready.top();
        ready.pop();
        for (const std::size_t other : next[one])
            if (--left[other] == 0) ready.push(other);
        result.push_back(nodes[one]);
    }
    if (result.size() != nodes.size())
        throw Error(fmt::format("{}: dependences of {} nodes form a circle, expected none", file.string(),
                                nodes.size() - result.size()));
    return result;
}

}  // namespace

Trace read_chakra(const std::filesystem::path& file) {
    const std::vector<std::uint8_t> bytes = contents_of(file);
    Trace trace{file, {}, {}};
    Bytes rest(bytes);
    try {
        if (rest.empty()) throw Error("no metadata");
        for (const Field& field : protobuf::fields_of(protobuf::take_message(rest)))
            if (field.number == metadata::Version && field.is_bytes) trace.version = protobuf::text_of(field);
        while (!rest.empty()) {
            trace.nodes.push_back(node_of(protobuf::take_message(rest)));
            if (trace.nodes.size() > MostNodes) throw Error(fmt::format("more than {} nodes", MostNodes));
        }
    } catch (const Error& error) {
        throw Error(fmt::format("{}: byte {}: {}, expected a Chakra trace", file.string(),
                                bytes.size() - rest.size(), error.what()));
    }
    trace.nodes = ordered(std::move(trace.nodes), file);
    return trace;
}

RankGroups read_groups(const std::filesystem::path& file) {
    const std::vector<std::uint8_t> bytes = files::read(file);
    const auto json = nlohmann::json::parse(bytes.begin(), bytes.end(), nullptr, false);
    RankGroups groups;
    const auto refuse = [&file] {
        throw Error(fmt::format("{}: expected groups of ranks such as {{\"1\": [0, 1, 2]}}", file.string()));
    };
    if (!json.is_object()) refuse();
    for (const auto& [name, ranks] : json.items()) {
        if (!ranks.is_array() || ranks.empty()) refuse();
        for (const auto& rank : ranks) {
            if (!rank.is_number_unsigned()) refuse();
            groups[name].push_back(rank.get<std::uint32_t>());
        }
    }
    return groups;
}

}  // namespace trnsim::importers
