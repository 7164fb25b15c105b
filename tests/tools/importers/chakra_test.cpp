// Traces of Chakra, written here byte by byte, become kernels with their communication.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>

#include "base/files/files.hpp"
#include "common/temporary_directory.hpp"
#include "tools/importers/chakra.hpp"
#include "tools/importers/error.hpp"
#include "tools/importers/replay.hpp"

namespace trnsim::importers {
namespace {

using collectives::Operation;
using collectives::Rank;

// Writes messages of Protocol Buffers.
struct Message {
    std::string bytes;

    static std::string varint(std::uint64_t value) {
        std::string text;
        for (; value >= 0x80; value >>= 7) text += static_cast<char>(value | 0x80);
        return text + static_cast<char>(value);
    }
    Message& number(unsigned field, std::uint64_t value) {
        bytes += varint(field << 3) + varint(value);
        return *this;
    }
    Message& text(unsigned field, const std::string& value) {
        bytes += varint(field << 3 | 2) + varint(value.size()) + value;
        return *this;
    }
    std::string framed() const { return varint(bytes.size()) + bytes; }
};

// An attribute: a number in the field of its type, or a text.
struct Value {
    std::string name;
    unsigned field;
    std::uint64_t number = 0;
    std::string text{};
};
constexpr unsigned Int64 = 9, Uint64 = 13, Sint64 = 17, Bool = 27, Text = 29;

std::string node(std::uint64_t id, unsigned type, const std::vector<std::uint64_t>& after,
                 const std::vector<Value>& values, std::uint64_t microseconds = 0, bool packed = true) {
    Message message;
    message.number(1, id).text(2, "node").number(3, type).number(7, microseconds);
    std::string all;
    for (const std::uint64_t one : after) {
        all += Message::varint(one);
        if (!packed) message.number(4, one);
    }
    if (packed && !all.empty()) message.text(5, all);
    for (const Value& value : values) {
        Message attribute;
        attribute.text(1, value.name);
        if (value.field == Text)
            attribute.text(Text, value.text);
        else
            attribute.number(value.field, value.number);
        message.text(10, attribute.bytes);
    }
    return message.framed();
}

constexpr unsigned Compute = 4, Send = 5, Receive = 6, Collective = 7;
constexpr std::uint64_t AllReduce = 0, Gather = 3, AllGather = 2, Broadcast = 5;

std::string collective(std::uint64_t id, const std::vector<std::uint64_t>& after, std::uint64_t type,
                       std::uint64_t bytes, const std::vector<Value>& more = {}) {
    std::vector<Value> values{
        {"is_cpu_op", Bool, 0}, {"comm_type", Int64, type}, {"comm_size", Uint64, bytes}};
    values.insert(values.end(), more.begin(), more.end());
    return node(id, Collective, after, values);
}

std::string metadata() {
    return Message().text(1, "0.0.4").framed();
}

class Chakra : public testing::Test {
  protected:
    Trace trace(const std::string& nodes, const std::string& name = "t.et") const {
        files::write(folder / name, metadata() + nodes);
        return read_chakra(folder / name);
    }
    std::string refusal(const std::vector<std::string>& ranks, const ReplayOptions& options = {}) const {
        std::string message = test::message_of<Error>([&] { replay(ranks, options); });
        const std::string text = (folder / "").string();
        for (std::size_t at = 0; (at = message.find(text)) != std::string::npos;)
            message.erase(at, text.size());
        return message;
    }
    Replay replay(const std::vector<std::string>& ranks, const ReplayOptions& options = {}) const {
        std::vector<Trace> traces;
        for (std::size_t rank = 0; rank < ranks.size(); ++rank)
            traces.push_back(trace(ranks[rank], std::to_string(rank) + ".et"));
        return replay_of(traces, options, target::of(config::load("small16")));
    }

    const test::TemporaryDirectory folder;
};

std::vector<neff::Collective> collectives_of(const neff::Package& package) {
    std::vector<neff::Collective> all;
    for (const neff::Transfer& transfer : package.transfers)
        if (transfer.collective) all.push_back(*transfer.collective);
    return all;
}

TEST_F(Chakra, ATraceIsRead) {
    const std::string nodes =
        collective(7, {3}, AllReduce, 4096, {{"pg_name", Text, 0, "1"}}) +
        node(3, Compute, {}, {{"num_ops", Sint64, 12}}, 25) +
        node(4, Send, {3, 7}, {{"comm_dst", Int64, 2}, {"comm_tag", Sint64, 10}}, 0, false);
    const Trace read = trace(nodes);
    EXPECT_EQ(read.version, "0.0.4");
    ASSERT_EQ(read.nodes.size(), 3u);
    EXPECT_EQ(read.nodes[0].id, 3u);
    EXPECT_EQ(read.nodes[0].microseconds, 25u);
    EXPECT_EQ(read.nodes[1].id, 7u);
    EXPECT_EQ(read.nodes[1].type, NodeType::Collective);
    EXPECT_EQ(read.nodes[1].bytes, 4096u);
    EXPECT_EQ(read.nodes[1].group, "1");
    EXPECT_EQ(read.nodes[2].peer, 2u);
    EXPECT_EQ(read.nodes[2].tag, 5u) << "10 is 5 in the encoding of signed numbers";
    EXPECT_EQ(read.nodes[2].after, (std::vector<std::uint64_t>{3, 7}));
    // Compressed it is the same.
    const std::string bytes = metadata() + nodes;
    const gzFile stream = gzopen((folder / "z.et").c_str(), "wb");
    gzwrite(stream, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(stream);
    EXPECT_EQ(read_chakra(folder / "z.et").nodes.size(), 3u);
}

TEST_F(Chakra, BadTraces) {
    const auto message = [&](const std::string& bytes) {
        files::write(folder / "b.et", bytes);
        const std::string text = test::message_of<Error>([&] { read_chakra(folder / "b.et"); });
        return text.substr((folder / "b.et").string().size());
    };
    EXPECT_EQ(message(""), ": byte 0: no metadata, expected a Chakra trace");
    EXPECT_EQ(message("\x7fxyz"), ": byte 1: a message ends in a field, expected a Chakra trace");
    EXPECT_EQ(message(metadata() + node(1, Compute, {2}, {})),
              ": node 1 depends on 2, expected a node of the file");
    EXPECT_EQ(message(metadata() + node(1, Compute, {2}, {}) + node(2, Compute, {1}, {})),
              ": dependences of 2 nodes form a circle, expected none");
    EXPECT_EQ(message(metadata() + node(1, Compute, {}, {}) + node(1, Compute, {}, {})),
              ": found two nodes 1, expected one");
}

// A small file that is compressed may become one of any size.
TEST_F(Chakra, TracesHaveALimit) {
    const auto refusal = [&](const std::string& piece, std::size_t pieces) {
        const gzFile stream = gzopen((folder / "z.et").c_str(), "wb1");
        const std::string first = metadata();
        gzwrite(stream, first.data(), static_cast<unsigned>(first.size()));
        for (std::size_t i = 0; i < pieces; ++i)
            gzwrite(stream, piece.data(), static_cast<unsigned>(piece.size()));
        gzclose(stream);
        const std::string text = test::message_of<Error>([&] { read_chakra(folder / "z.et"); });
        return text.substr((folder / "z.et").string().size());
    };
    EXPECT_EQ(refusal(std::string(1 << 20, '\0'), 257),
              ": found more than 268435456 bytes when it is not compressed, expected at most that");
    EXPECT_TRUE(refusal(std::string(1'000'001, '\0'), 1)
                    .ends_with(": more than 1000000 nodes, expected a Chakra trace"));
}

// Dependences through computations order collectives, and sizes are those of a rank's input.
TEST_F(Chakra, CollectivesOfAllRanks) {
    const std::string rank = collective(1, {}, AllReduce, 256) + node(2, Compute, {1}, {}, 40) +
                             collective(3, {2}, AllGather, 64) +
                             collective(5, {}, Broadcast, 32, {{"root", Int64, 2}});
    const Replay made =
        replay({rank, rank, rank}, {.algorithms = {{Operation::AllReduce, collectives::Algorithm::Ring}}});
    EXPECT_EQ(made.collectives, 3u);
    EXPECT_EQ(made.left_out, 3u);
    EXPECT_EQ(made.left_microseconds, 40u);
    const auto all = collectives_of(made.package);
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(all[0].request.operation, Operation::AllReduce);
    EXPECT_EQ(all[0].request.dtype, isa::Dtype::Bf16);
    EXPECT_EQ(all[0].request.count, 128u);
    EXPECT_EQ(all[0].algorithm, collectives::Algorithm::Ring);
    EXPECT_EQ(all[1].request.operation, Operation::AllGather);
    EXPECT_EQ(all[1].request.count, 64u);
    EXPECT_EQ(all[2].request.root, 2u);
    EXPECT_EQ(all[0].request.ranks, 3u);
}

TEST_F(Chakra, GroupsAndPairs) {
    const std::vector<Value> first{{"pg_name", Text, 0, "a"}}, second{{"pg_name", Text, 0, "b"}};
    const auto send = [](std::uint64_t id, std::uint64_t to) {
        return node(id, Send, {}, {{"comm_dst", Int64, to}, {"comm_size", Int64, 100}});
    };
    const auto receive = [](std::uint64_t id, std::uint64_t from) {
        return node(id, Receive, {}, {{"comm_src", Int64, from}, {"comm_size", Int64, 100}});
    };
    // Both ranks of a pair send first; nothing orders the two.
    const Replay made = replay({collective(1, {}, AllReduce, 64, first) + send(2, 2) + receive(3, 2),
                                collective(1, {}, AllReduce, 64, first),
                                collective(9, {}, AllReduce, 64, second) + send(2, 0) + receive(3, 0),
                                collective(9, {}, AllReduce, 64, second)},
                               {.groups = {{"a", {0, 1}}, {"b", {2, 3}}}});
    std::vector<std::vector<std::vector<Rank>>> groups;
    std::vector<std::pair<Rank, Rank>> pairs;
    for (const neff::Collective& one : collectives_of(made.package)) {
        groups.push_back(one.request.groups);
        pairs.insert(pairs.end(), one.request.pairs.begin(), one.request.pairs.end());
    }
    std::ranges::sort(groups);
    std::ranges::sort(pairs);
    EXPECT_EQ(groups, (std::vector<std::vector<std::vector<Rank>>>{{{0, 1}}, {{0, 2}}, {{2, 0}}, {{2, 3}}}));
    EXPECT_EQ(pairs, (std::vector<std::pair<Rank, Rank>>{{0, 2}, {2, 0}}));
}

TEST_F(Chakra, WhatIsRefused) {
    const std::string reduce = collective(1, {}, AllReduce, 64), gather = collective(2, {}, Gather, 64);
    EXPECT_EQ(refusal({reduce}), "found 1 traces, expected one for each of several ranks");
    EXPECT_EQ(refusal({node(1, Compute, {}, {}), node(1, Compute, {}, {})}),
              "0.et: no communication, expected some");
    EXPECT_TRUE(refusal({gather, gather}).starts_with("0.et: node 2 'node': found collective 3, expected"));
    EXPECT_EQ(
        refusal({reduce, collective(4, {}, AllReduce, 65)}),
        "1.et: node 4 'node': found all-reduce of 65 bytes, expected all-reduce of 64 bytes as at 0.et: node "
        "1 'node'");
    EXPECT_EQ(refusal({reduce, node(1, Compute, {}, {})}),
              "0.et: node 1 'node': found on 1 ranks, expected all 2 of its group");
    EXPECT_EQ(refusal({collective(1, {}, AllReduce, 63), collective(1, {}, AllReduce, 63)}),
              "0.et: node 1 'node': found 63 bytes, expected a multiple of 2");
    const auto silent = [](std::uint64_t bytes) {
        return node(1, Collective, {}, {{"comm_size", Uint64, bytes}});
    };
    EXPECT_EQ(refusal({silent(64), silent(64)}), "0.et: node 1 'node': no comm_type, expected it");
    const std::string huge = collective(1, {}, AllReduce, std::uint64_t{1} << 50);
    EXPECT_TRUE(refusal({huge, huge}).starts_with("0.et: node 1 'node': tensor 'x0' of "))
        << refusal({huge, huge});
    // Each rank receives before it sends.
    const auto waits = [](std::uint64_t other) {
        return node(1, Receive, {}, {{"comm_src", Int64, other}, {"comm_size", Int64, 8}}) +
               node(2, Send, {1}, {{"comm_dst", Int64, other}, {"comm_size", Int64, 8}});
    };
    EXPECT_EQ(
        refusal({waits(1), waits(0)}),
        "0.et: node 1 'node': waits for communications that wait for it, expected an order of all ranks");
}

TEST_F(Chakra, GroupFiles) {
    files::write(folder / "g.json", std::string_view("{\n\t\"1\":[0,1],\n\t\"x\":[2]\n}\n"));
    EXPECT_EQ(read_groups(folder / "g.json"), (RankGroups{{"1", {0, 1}}, {"x", {2}}}));
    files::write(folder / "g.json", std::string_view("[0, 1]"));
    EXPECT_EQ(test::message_of<Error>([&] { read_groups(folder / "g.json"); }),
              (folder / "g.json").string() + ": expected groups of ranks such as {\"1\": [0, 1, 2]}");
}

}  // namespace
}  // namespace trnsim::importers
