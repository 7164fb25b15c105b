// Tests servers from files: the shipped ones, and a bad file in the folder `bad_servers` for every rule.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "arch/config/server.hpp"
#include "arch/config/values.hpp"
#include "common/bad_files.hpp"
#include "model/system/load_server.hpp"

namespace trnsim::test {
namespace {

namespace fs = std::filesystem;
using config::CoreKind;
using config::Server;
using tlm::load_server;

Server read(const std::string& text) {
    const fs::path path = fs::path(testing::TempDir()) / "own_server.yaml";
    std::ofstream(path) << text;
    return load_server(path.string());
}

TEST(ServerFiles, ShippedOnes) {
    EXPECT_EQ(config::shipped_servers(),
              (std::vector<std::string>{"inf2-ring", "trn1-4", "trn1-8", "trn1.2xlarge", "trn1.32xlarge"}));
    struct {
        const char* name;
        unsigned chips;
        std::size_t cables;
        std::uint64_t adapters;
    } const table[] = {{"inf2-ring", 12, 12, 0},
                       {"trn1-4", 4, 6, 2},
                       {"trn1-8", 8, 16, 4},
                       {"trn1.2xlarge", 1, 0, 0},
                       {"trn1.32xlarge", 16, 32, 8}};
    for (const auto& row : table) {
        SCOPED_TRACE(row.name);
        const Server server = load_server(row.name);
        EXPECT_EQ(server.name, row.name);
        EXPECT_EQ(server.chips(), row.chips);
        EXPECT_EQ(server.efa.adapters, row.adapters);
        EXPECT_EQ(server.chip, config::load("trn1"));
        EXPECT_EQ(tlm::link_topology(server).cables.size(), row.cables);
    }
}

// The file has the models' own defaults, which are in docs/neuronlink.md and docs/efa.md, except for what is
// calibrated.
TEST(ServerFiles, LinksOfTrn1) {
    const Server server = load_server("trn1.32xlarge");
    const auto from_file = tlm::link_parameters(server.links);
    const tlm::neuronlink::Parameters defaults;
    EXPECT_EQ(defaults.lanes * defaults.lane_rate, 48'000'000'000u)
        << "a quarter of half of what is published";
    EXPECT_EQ(from_file.lanes * from_file.lane_rate, 35'200'000'000u);
    EXPECT_EQ(from_file.latency, 250'000'000u);
    EXPECT_EQ(from_file.retry_time, 3'000'000'000u);
    EXPECT_EQ(server.links.between_cores, 59'000'000'000u);
#define TRNSIM_SAME(member) EXPECT_EQ(from_file.member, defaults.member)
    TRNSIM_SAME(lanes);
    TRNSIM_SAME(receive_time);
    TRNSIM_SAME(buffer);
    TRNSIM_SAME(replay);
    TRNSIM_SAME(ack_interval);
    TRNSIM_SAME(retry_limit);
    TRNSIM_SAME(give_up_time);
    TRNSIM_SAME(training_time);
    TRNSIM_SAME(data);
    TRNSIM_SAME(endpoint_time);
    TRNSIM_SAME(requests);
    TRNSIM_SAME(served);
    TRNSIM_SAME(timeout);
#undef TRNSIM_SAME
    EXPECT_EQ(server.efa.bandwidth, 12'500'000'000u);
    EXPECT_EQ(server.efa.latency, 15'000'000'000u);
    EXPECT_EQ(tlm::link_topology(server).cables, tlm::neuronlink::trn1_server().cables);
}

TEST(ServerFiles, WhatIsWrittenNearerToTheTopWins) {
    const Server server = read(
        "extends: trn1.32xlarge\nname: own\nchip: small8\nchips: 3\nslots: [none]\n"
        "chip_slots: { 1: [rtl], 2: [fast] }\ntopology: [[0, 1], [2, 1], [0, 1]]\nlinks: { lanes: 8 }\n");
    EXPECT_EQ(server.name, "own");
    EXPECT_EQ(server.chip, config::load("small8"));
    EXPECT_EQ(server.slots,
              (std::vector<config::SlotKinds>{{CoreKind::None}, {CoreKind::Rtl}, {CoreKind::Fast}}));
    EXPECT_EQ(server.topology.links, (std::vector<std::pair<unsigned, unsigned>>{{0, 1}, {2, 1}, {0, 1}}));
    EXPECT_EQ(server.links.lanes, 8u);
    EXPECT_EQ(server.links.buffer, 1024u);
}

TEST(ServerFiles, Topologies) {
    const auto cables = [](const std::string& topology, int chips) {
        return tlm::link_topology(read("extends: trn1.32xlarge\nchips: " + std::to_string(chips) +
                                       "\ntopology: " + topology + "\n"))
            .cables.size();
    };
    EXPECT_EQ(cables("ring 7", 7), 7u);
    EXPECT_EQ(cables("chain 7", 7), 6u);
    EXPECT_EQ(cables("mesh 3x5", 15), 22u);
    EXPECT_EQ(cables("torus 3x5", 15), 30u);
    EXPECT_EQ(cables("fully connected", 5), 10u);
    EXPECT_EQ(cables("[]", 2), 0u);
    EXPECT_EQ(cables("ring 255", 255), 255u);
}

TEST(ServerFiles, BadOnesSayWhatWhereAndWhatWasExpectedForEveryRule) {
    const std::set<std::string> broken =
        refused(TRNSIM_BAD_SERVERS, [](const fs::path& file) { load_server(file.string()); });
    for (const std::string& rule : config::server_rules())
        EXPECT_TRUE(broken.contains(rule)) << "no file breaks: " << rule;
    for (const config::ServerKey& key : config::server_keys()) {
        if (key.key.starts_with("links.") || key.key == "topology" || key.key == "faults") {
            EXPECT_TRUE(broken.contains(std::string(key.key)))
                << "no file breaks the models' rule of " << key.key;
        }
    }
}

TEST(ServerFiles, UnknownName) {
    const auto message = [](const std::string& name) -> std::string {
        try {
            load_server(name);
        } catch (const config::Error& error) {
            return error.what();
        }
        return "none";
    };
    EXPECT_EQ(
        message("trn1.16xlarge"),
        "server 'trn1.16xlarge' is not known, expected one like 'trn1.2xlarge' or the path of a file (there "
        "are: inf2-ring, trn1-4, trn1-8, trn1.2xlarge, trn1.32xlarge)");
    EXPECT_EQ(message("./nowhere.yaml"), "./nowhere.yaml: cannot be read, expected a server's file");
    EXPECT_EQ(message("./"), "./: no regular file, expected a server's file");
}

config::Server with(const std::vector<std::string>& settings) {
    return load_server("trn1-4", settings);
}

TEST(ServerSettings, TakeThePlaceOfTheFile) {
    const config::Server file = load_server("trn1-4");
    config::Server expected = file;
    const config::Server set = with(
        {"links.lanes=8", "links.latency=250 ns", "hbm.model=banked", "dma.engines=8", "topology=ring 4"});
    expected.links.lanes = 8;
    expected.links.latency = 250 * FsPerNs;
    expected.chip.hbm.model = "banked";
    expected.chip.dma.engines = 8;
    EXPECT_EQ(set.links, expected.links);
    EXPECT_EQ(set.chip, expected.chip);
    EXPECT_EQ(tlm::link_topology(set).cables.size(), 4u);
    EXPECT_EQ(tlm::link_topology(file).cables.size(), 6u);
    EXPECT_EQ(set.slots, file.slots);
    // If a key needs another one, both are read first, whichever comes first.
    EXPECT_EQ(with({"topology=torus 2x4", "chips=8"}).chips(), 8u);
    EXPECT_EQ(with({"chips=8", "topology=torus 2x4"}).chips(), 8u);
    EXPECT_EQ(with({}).links, file.links);
}

// Every value is written in a form that can be read, so two servers with equal values are equal.
TEST(ServerValues, MakeTheServerThatTheyAreOf) {
    const auto same = [](const Server& server) {
        SCOPED_TRACE(server.name);
        std::vector<std::string> settings;
        std::set<std::string> keys;
        for (const auto& [key, value] : config::values_of(server)) {
            // The name of the chips' configuration, which comes with `chip`, has the same key as the server's
            // name.
            if (keys.insert(key).second) settings.push_back(fmt::format("{}={}", key, value));
        }
        const Server read = with(settings);
        EXPECT_EQ(read.name, server.name);
        EXPECT_EQ(read.chip_name, server.chip_name);
        EXPECT_EQ(read.chip, server.chip);
        EXPECT_EQ(read.slots, server.slots);
        EXPECT_EQ(read.topology, server.topology);
        EXPECT_EQ(read.links, server.links);
        EXPECT_EQ(read.faults, server.faults);
        EXPECT_EQ(read.efa, server.efa);
        EXPECT_EQ(config::values_of(read), config::values_of(server));
    };
    for (const std::string& name : config::shipped_servers()) same(load_server(name));
    same(with({"chips=3", "topology=[[0, 1], [2, 1]]", "slots=[none, fast]", "chip_slots={1: [rtl, fast]}",
               "links.latency=1234567 fs", "hbm.banked.timing.cl=20", "efa.bandwidth=1 GB/s"}));
    same(with({"topology=fully connected", "links.lanes=3"}));
    same(with({"links.error_rate=1.25e-9", "links.loss_rate=0.0625", "links.fault_seed=7",
               "faults=[{cut: 0.N, at: 1234567 fs, until: 10 us}, {lanes: all, working: 3},"
               " {bit_errors: 0.N-1.N, rate: 1e-300}, {lost_frames: 1.N, rate: 1, at: 2 ms}]"}));
}

TEST(ServerSettings, OneLineForWhatDoesNotFit) {
    const auto message = [](const std::vector<std::string>& settings) -> std::string {
        try {
            with(settings);
        } catch (const config::Error& error) {
            return error.what();
        }
        return "none";
    };
    EXPECT_EQ(message({"links.lanes"}), "links.lanes: found no '=', expected KEY=VALUE");
    EXPECT_EQ(message({"links.lane=4"}),
              "links.lane=4: no key of a server or its chips, expected one, perhaps links.lanes");
    EXPECT_EQ(message({"links.lanes=4", "links.lanes=8"}),
              "links.lanes=8: the second value of this key, expected one");
    EXPECT_EQ(message({"links.lanes=many"}),
              "links.lanes=many: links.lanes: found 'many', expected a whole number");
    EXPECT_EQ(message({"hbm.model=fast"}),
              "hbm.model=fast: hbm.model: found 'fast', expected one of simple, banked");
    EXPECT_EQ(message({"topology=[1"}), "topology=[1: the value is no YAML, expected one as in a file");
    // Breaks rules of links, of cables and of the chip.
    EXPECT_TRUE(message({"links.buffer=3"}).starts_with("links.buffer=3: links.buffer: found '3', expected"))
        << message({"links.buffer=3"});
    EXPECT_TRUE(message({"topology=torus 9x9"}).starts_with("topology=torus 9x9: topology: found"))
        << message({"topology=torus 9x9"});
    EXPECT_TRUE(message({"hbm.banked.write_low=60", "hbm.banked.write_high=50"}).find("hbm.banked.write_") !=
                std::string::npos)
        << message({"hbm.banked.write_low=60", "hbm.banked.write_high=50"});
}

}  // namespace
}  // namespace trnsim::test
