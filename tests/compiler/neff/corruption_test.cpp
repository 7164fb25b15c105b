// Damaged container files give one clear line each, never a crash and never a package.
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <span>

#include "common/collective_package.hpp"
#include "common/gather_package.hpp"
#include "common/random.hpp"
#include "common/sample_package.hpp"
#include "common/stream_package.hpp"
#include "common/temporary_directory.hpp"
#include "compiler/neff/header.hpp"
#include "compiler/neff/members.hpp"
#include "compiler/neff/neff.hpp"

namespace trnsim::neff {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::string error_of(const Bytes& bytes) {
    return test::message_of<Error>([&] { parse(bytes, "k.neff"); });
}

// Returns a file with a correct header around any tar.
Bytes wrap(const Bytes& tar) {
    const auto header = make_header("sample", tar);
    Bytes bytes(header.begin(), header.end());
    for (const std::uint8_t byte : tar) bytes.push_back(byte);
    return bytes;
}

void expect_message(const std::string& found, const std::string& expected) {
    EXPECT_EQ(found.substr(0, 8), "k.neff: ");
    EXPECT_NE(found.find(expected), std::string::npos) << "expected: " << expected << "\nfound: " << found;
    EXPECT_EQ(found.find('\n'), std::string::npos) << found;
}

TEST(Corruption, EveryHeaderByteIsGuarded) {
    const Bytes good = serialise(test::sample_package());
    for (std::size_t at = 0; at < HeaderBytes; ++at) {
        for (const std::uint8_t flip : {0x01, 0x80}) {
            Bytes bytes = good;
            bytes[at] ^= flip;
            expect_message(error_of(bytes), "header field ");
        }
    }
}

TEST(Corruption, HeaderErrorsNameFieldAndOffset) {
    const std::pair<std::size_t, const char*> cases[] = {
        {0, "header field pkg_version at byte 0: found 3, expected 2"},
        {8, "header field header_size at byte 8: found 1025, expected 1024"},
        {16, "header field data_size at byte 16:"},
        {24, "header field ver_major at byte 24:"},
        {172, "header field hash at byte 172: does not match the tar"},
        {204, "header field uuid at byte 204: does not belong to the hash"},
        {221, "header field name '"},
        {1000, "header field padding at byte 556: expected zero bytes"},
    };
    for (const auto& [at, expected] : cases) {
        Bytes bytes = serialise(test::sample_package());
        bytes[at] ^= 1;
        expect_message(error_of(bytes), expected);
    }
}

TEST(Corruption, EveryBitOfTheTarIsGuardedByTheHash) {
    const Bytes good = serialise(test::sample_package());
    for (std::size_t at = HeaderBytes; at < good.size(); at += 97) {
        Bytes bytes = good;
        bytes[at] ^= 0x10;
        expect_message(error_of(bytes), "header field hash");
    }
}

TEST(Corruption, EveryTruncationIsRefused) {
    const Bytes good = serialise(test::sample_package());
    for (std::size_t size = 0; size < good.size(); size += size < 2048 ? 1 : 101) {
        expect_message(error_of(Bytes(good.begin(), good.begin() + static_cast<long>(size))), "truncated");
    }
    Bytes longer = good;
    longer.push_back(0);
    expect_message(error_of(longer), "the file is too long");
}

TEST(Corruption, AnElfFileIsCalledOne) {
    expect_message(error_of({0x7f, 'E', 'L', 'F'}), "is an ELF file");
}

TEST(Corruption, DamagedTarWithAMatchingHashIsRefused) {
    const Bytes tar = make_tar(to_members(test::sample_package()));
    auto generator = test::generator();
    for (std::uint64_t i = 0; i < 300 * test::scale();
         ++i) {  // any result is allowed except a crash or a message of several lines
        Bytes damaged = tar;
        damaged[generator() % damaged.size()] ^= static_cast<std::uint8_t>(1 + generator() % 255);
        EXPECT_EQ(error_of(wrap(damaged)).find('\n'), std::string::npos);
    }
    for (std::size_t size = 0; size + 1024 < tar.size(); size += 211) {
        EXPECT_NE(error_of(wrap(Bytes(tar.begin(), tar.begin() + static_cast<long>(size)))), "") << size;
    }
    expect_message(error_of(wrap(Bytes(4096, 0x55))), "tar");
    expect_message(error_of(wrap({})), "tar: not a tar archive");
}

TEST(Corruption, MissingAndForeignMembers) {
    for (const auto& [path, contents] : to_members(test::sample_package())) {
        Members members = to_members(test::sample_package());
        members.erase(path);
        expect_message(error_of(wrap(make_tar(members))), "member " + path + " is missing");
        members[path] = contents;
        members[path + ".more"] = contents;
        expect_message(error_of(wrap(make_tar(members))), "unexpected member '" + path + ".more'");
    }
}

TEST(Corruption, BinaryOfHalfAnInstruction) {
    Members members = to_members(test::sample_package());
    members["sg00/sync.bin"].resize(100);
    expect_message(error_of(wrap(make_tar(members))), "sg00/sync.bin: 100 bytes, expected a multiple of 64");
}

struct Edit {
    const char* member;
    const char* pointer;  // JSON pointer
    nlohmann::json value;
    const char* expected;
};

const Edit Edits[] = {
    {"neff.json", "/format", "other", "neff.json.format: expected 'trnsim kernel'"},
    {"neff.json", "/version", 2, "neff.json.version: expected 1"},
    {"neff.json", "/subgraphs", 1, "neff.json.subgraphs: expected an array of 1"},
    {"info.json", "/name", 3, "info.json.name: expected a string"},
    {"info.json", "/name", "other", "header field name 'sample': info.json says 'other'"},
    {"info.json", "/target/rows", "x", "info.json.target.rows: expected a whole number"},
    {"info.json", "/target/rows", 64000, "target.rows = 64000"},
    {"info.json", "/target", nullptr, "info.json.target: expected an object"},
    {"sg00/def.json", "/var", "x", "sg00/def.json.var: expected an array"},
    {"sg00/def.json", "/var/1/var_id", 5, "sg00/def.json.var[1].var_id: expected 1"},
    {"sg00/def.json", "/var/1/type", "file",
     "sg00/def.json.var[1].type: expected input, output, tmp-buf or update"},
    {"sg00/def.json", "/var/0/dtype", "fp64", "sg00/def.json.var[0].dtype: expected one of i8"},
    {"sg00/def.json", "/var/0/size", 127, "sg00/def.json.var[0].size: expected 128"},
    {"sg00/def.json", "/var/0/shape/0", -4, "sg00/def.json.var[0].shape[0]: expected a whole number"},
    {"sg00/def.json", "/var/0/shape/0", 1.5, "sg00/def.json.var[0].shape[0]: expected a whole number"},
    {"sg00/def.json", "/dma_queue/0/owner", "none",
     "sg00/def.json.dma_queue[0].owner: expected one of tensor"},
    {"sg00/def.json", "/dma_queue/0/num_queues", 3, "num_queues: expected 16"},
    {"sg00/def.json", "/engines/0/binary", "x", "sg00/def.json.engines[0].binary: expected 'tensor.bin'"},
    {"sg00/Sync.json", "/dma/0/id", 1, "sg00/Sync.json.dma[1].id: expected an id of its own"},
    {"sg00/Sync.json", "/dma/0/id", 4, "no engine has the transfer with id 0"},
    {"sg00/Sync.json", "/dma/0/queue", "q", "sg00/Sync.json.dma[0].queue: expected a queue of"},
    {"sg00/Sync.json", "/dma/0/semaphore", 256,
     "sg00/Sync.json.dma[0].semaphore: expected a whole number from 0 to 255"},
    {"sg00/Sync.json", "/dma/0/desc/op", "add",
     "sg00/Sync.json.dma[0].desc.op: expected copy, transpose, gather, scatter or collective"},
    {"sg00/Sync.json", "/dma/0/desc/op", "gather", "sg00/Sync.json.dma[0].desc.index: missing"},
    {"sg00/Sync.json", "/dma/0/desc/from/var_id", 9,
     "sg00/Sync.json.dma[0].desc.from.var_id: expected the id"},
    {"sg00/Sync.json", "/dma/0/desc/from/variable", "y", "desc.from.variable: expected 'a'"},
    {"sg00/Sync.json", "/dma/0/desc/from/steps/0", 1e300, "desc.from.steps[0]: expected a whole number"},
    {"sg00/Sync.json", "/dma/0/desc/from/steps", nlohmann::json::array({1}),
     "desc.from.steps: expected an array of 4"},
    {"sg00/Sync.json", "/dma/0/desc/to/space", "host", "desc.to.space: expected 'core'"},
    {"sg00/Sync.json", "/dma/0/desc/from/offset", 4, "out of bounds of tensor 'a'"},
    {"sg00/Sync.json", "/dma", nullptr, "sg00/Sync.json.dma: expected an array"},
};

// Edits of a container with a loop.
const Edit LoopEdits[] = {
    {"sg00/def.json", "/loops", 1, "sg00/def.json.loops: expected an array"},
    {"sg00/def.json", "/loops", nlohmann::json::array(), "transfer 0 'load a': loop 0 of 0"},
    {"sg00/def.json", "/loops/0", nlohmann::json::object(), "sg00/def.json.loops[0].iterations: missing"},
    {"sg00/def.json", "/loops/0/iterations", -1,
     "sg00/def.json.loops[0].iterations: expected a whole number from 0 to 4294967295"},
    {"sg00/def.json", "/loops/0/iterations", 0, "loop 0: iterations = 0: expected 1 to 16777200"},
    {"sg00/def.json", "/loops/0/iterations", 10'000'000,
     "queue 'qLoad': at least 50000000 descriptors an engine, a ring has at most 16777200"},
    {"sg00/Sync.json", "/dma/0/loop", "x", "sg00/Sync.json.dma[0].loop: expected a whole number"},
    {"sg00/Sync.json", "/dma/0/loop", 1, "transfer 0 'load a': loop 1 of 1"},
    {"sg00/Sync.json", "/dma/0/desc/from/iteration_steps/0", 1.5,
     "sg00/Sync.json.dma[0].desc.from.iteration_steps[0]: expected a whole number"},
    {"sg00/Sync.json", "/dma/0/desc/to/iteration_sizes", nlohmann::json::array({1}),
     "sg00/Sync.json.dma[0].desc.to.iteration_sizes: expected an array of 4"},
    {"sg00/Sync.json", "/dma/0/desc/to/iteration_sizes/3", 0, "to: size 0 in iteration dimension 3"},
    {"sg00/Sync.json", "/dma/0/desc/from/iteration_sizes/0", 38,
     "transfer 0 'load a', from: bytes 0 to 246323 are out of bounds of tensor 'a'"},
};

// Edits of a container with indices.
const Edit IndexEdits[] = {
    {"sg00/Sync.json", "/dma/1/desc/index", 1, "sg00/Sync.json.dma[1].desc.index: expected an object"},
    {"sg00/Sync.json", "/dma/1/desc/index/space", "host", "desc.index.space: expected 'core'"},
    {"sg00/Sync.json", "/dma/1/desc/index/row_step", "x", "desc.index.row_step: expected a whole number"},
    {"sg00/Sync.json", "/dma/1/desc/index/first", 1LL << 31,
     "desc.index.first: expected a number of 32 bits"},
    {"sg00/Sync.json", "/dma/1/desc/index/last", -(1LL << 31) - 1,
     "desc.index.last: expected a number of 32 bits"},
    {"sg00/Sync.json", "/dma/1/desc/index/last", 9, "out of bounds of tensor 'a'"},
    {"sg00/Sync.json", "/dma/1/desc/index/out_of_bounds", "wrap",
     "desc.index.out_of_bounds: expected error or skip"},
    {"sg00/Sync.json", "/dma/1/desc/index/sizes/0", 7, "7 indices of 30 elements"},
};

// Edits of a container with collectives.
const Edit CollectiveEdits[] = {
    {"sg00/Sync.json", "/dma/0/desc/collective", 1,
     "sg00/Sync.json.dma[0].desc.collective: expected an object"},
    {"sg00/Sync.json", "/dma/0/desc/collective/operation", "all",
     "desc.collective.operation: expected the name of a collective operation"},
    {"sg00/Sync.json", "/dma/0/desc/collective/reduction", "mean",
     "desc.collective.reduction: expected add, multiply, min or max"},
    {"sg00/Sync.json", "/dma/0/desc/collective/rounding", "up",
     "desc.collective.rounding: expected nearest or stochastic"},
    {"sg00/Sync.json", "/dma/0/desc/collective/dtype", "fp64",
     "desc.collective.dtype: expected the name of an element type"},
    {"sg00/Sync.json", "/dma/0/desc/collective/count", -1, "desc.collective.count: expected a whole number"},
    {"sg00/Sync.json", "/dma/0/desc/collective/ranks", 5000000000,
     "desc.collective.ranks: expected a whole number"},
    {"sg00/Sync.json", "/dma/0/desc/collective/groups/0/1", 1, "group 1: rank 1 is in group 0 already"},
    {"sg00/Sync.json", "/dma/0/desc/collective/algorithm", "magic",
     "desc.collective.algorithm: expected the name of an algorithm"},
    {"sg00/Sync.json", "/dma/1/desc/collective/pairs/0", nlohmann::json::array({1}),
     "desc.collective.pairs[0]: expected an array of 2"},
    {"sg00/Sync.json", "/dma/2/desc/collective/root", "x", "desc.collective.root: expected a whole number"},
};

void expect_named(const Package& package, std::span<const Edit> edits) {
    for (const Edit& edit : edits) {
        Members members = to_members(package);
        Bytes& bytes = members.at(edit.member);
        auto json = nlohmann::json::parse(bytes.begin(), bytes.end());
        json.at(nlohmann::json::json_pointer(edit.pointer)) = edit.value;
        const std::string text = json.dump();
        bytes.assign(text.begin(), text.end());
        expect_message(error_of(wrap(make_tar(members))), edit.expected);
    }
}

TEST(Corruption, WrongJsonValuesAreNamedByPath) {
    expect_named(test::sample_package(), Edits);
    Package gather = test::gather_package();
    gather.name = "sample";
    expect_named(gather, IndexEdits);
    Package meeting = test::collective_package();
    meeting.name = "sample";
    expect_named(meeting, CollectiveEdits);
    Package stream = test::stream_package(test::sample_package().target);
    stream.name = "sample";
    expect_named(stream, LoopEdits);
}

class AnyValue : public testing::TestWithParam<Package (*)()> {};

TEST_P(AnyValue, OrNoneIsNoCrash) {
    const nlohmann::json values[] = {
        nullptr, true, -1, 1.5, "", nlohmann::json::array(), nlohmann::json::object()};
    const Package package = GetParam()();
    for (const auto& [path, original] : to_members(package)) {
        if (!path.ends_with(".json")) continue;
        const auto document = nlohmann::json::parse(original.begin(), original.end());
        const auto flat = document.flatten();
        for (const auto& [pointer, ignored] : flat.items()) {
            for (const nlohmann::json& value : values) {
                Members members = to_members(package);
                auto edited = document;
                edited[nlohmann::json::json_pointer(pointer)] = value;
                const std::string text = edited.dump();
                members[path].assign(text.begin(), text.end());
                EXPECT_EQ(error_of(wrap(make_tar(members))).find('\n'), std::string::npos) << path << pointer;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Corruption, AnyValue,
                         testing::Values(
                             test::sample_package, test::collective_package,
                             +[] { return test::stream_package(test::sample_package().target); }));

TEST(Corruption, SourceLinesBelongToTheInstructions) {
    const auto error_with = [](const std::function<void(Members&)>& damage) {
        Members members = to_members(test::sample_package_with_sources());
        damage(members);
        return error_of(wrap(make_tar(members)));
    };
    EXPECT_EQ(error_with([](Members&) {}), "");
    expect_message(error_with([](Members& members) { members["sg00/sync.places"][0] = 4; }),
                   "sg00/sync.places: place 4 of instruction 0, expected at most 3");
    expect_message(error_with([](Members& members) { members["sg00/sync.places"].resize(16); }),
                   "sg00/sync.places: 16 bytes, expected 20, 4 for each instruction");
    expect_message(error_with([](Members& members) { members.erase("sg00/vector.places"); }),
                   "member sg00/vector.places is missing");
    expect_message(error_with([](Members& members) { members.erase("sources.json"); }),
                   "unexpected member 'sg00/");
    expect_message(error_with([](Members& members) {
                       const std::string text = R"({"files": ["k.cpp"], "places": [[0, 1], [1, 2], [0, 3]]})";
                       members["sources.json"].assign(text.begin(), text.end());
                   }),
                   "sources.json.places[1][0]: expected the number of one of 1 files");
    Package package = test::sample_package_with_sources();
    package.sources.of[4].pop_back();
    EXPECT_THROW(serialise(package), Error) << "what is written can be read";
}

TEST(Corruption, NotJson) {
    Members members = to_members(test::sample_package());
    members["sg00/def.json"] = {'{', '"'};
    expect_message(error_of(wrap(make_tar(members))), "sg00/def.json: not JSON at byte ");
    members["sg00/def.json"] = {'1', 'e', '9', '9', '9'};
    expect_message(error_of(wrap(make_tar(members))), "sg00/def.json: a number above ");
}

}  // namespace
}  // namespace trnsim::neff
