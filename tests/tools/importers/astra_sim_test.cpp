// Networks of ASTRA-sim become servers with their links.
#include <gtest/gtest.h>

#include "base/files/files.hpp"
#include "common/temporary_directory.hpp"
#include "model/system/load_server.hpp"
#include "tools/importers/astra_sim.hpp"
#include "tools/importers/error.hpp"

namespace trnsim::importers {
namespace {

using collectives::Algorithm;
using collectives::Operation;

class Astra : public testing::Test {
  protected:
    config::Server server(const std::string& network, const std::string& system = "") const {
        files::write(folder / "net.yml", network);
        std::optional<AstraSystem> read;
        if (!system.empty()) {
            files::write(folder / "sys.json", system);
            read = read_astra_system(folder / "sys.json");
        }
        files::write(folder / "server.yaml",
                     server_of(read_astra_network(folder / "net.yml"), read ? &*read : nullptr, "net 1.yml",
                               "trn1.32xlarge", "trn1.32xlarge"));
        return tlm::load_server((folder / "server.yaml").string());
    }
    std::string refusal(const std::string& network) const {
        std::string message = test::message_of<Error>([&] { server(network); });
        const std::string path = (folder / "net.yml").string();
        return message.starts_with(path) ? message.substr(path.size()) : message;
    }

    const test::TemporaryDirectory folder;
};

TEST_F(Astra, Rings) {
    const config::Server one = server(
        "topology: [ Ring ]\nnpus_count: [ 8 ]\nbandwidth: [ 50.0 ]  # GB/s\nlatency: [ 936.25 ]  # ns\n");
    EXPECT_EQ(one.name, "net-1");
    EXPECT_EQ(one.chips(), 8u);
    EXPECT_EQ(tlm::link_topology(one).cables, tlm::neuronlink::ring(8).cables);
    EXPECT_EQ(one.links.lanes * one.links.lane_rate, 50'000'000'000u);
    EXPECT_EQ(one.links.latency, 936'250'000u);
}

// NPU 1 follows NPU 0 in the first dimension: in a row of the torus.
TEST_F(Astra, TwoRingsAreATorus) {
    const config::Server two = server(R"({"topology": ["Ring", "Ring"], "npus_count": [4, 3],
        "bandwidth": [48, 48], "latency": [500, 500]})",
                                      R"({"endpoint-delay": 10, "scheduling-policy": "LIFO"})");
    EXPECT_EQ(two.topology.kind, config::LinkShape::Kind::Torus);
    EXPECT_EQ(tlm::link_topology(two).cables, tlm::neuronlink::torus(3, 4).cables);
    EXPECT_EQ(two.links.endpoint_time, 10'000'000u);
}

TEST_F(Astra, OthersAreLists) {
    const auto pairs = [&](const std::string& network) { return server(network).topology.links; };
    using Pairs = std::vector<std::pair<unsigned, unsigned>>;
    EXPECT_EQ(pairs("topology: [FullyConnected]\nnpus_count: [4]\nbandwidth: [48]\nlatency: [100]\n"),
              (Pairs{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}));
    EXPECT_EQ(pairs("topology: [Ring, FullyConnected]\nnpus_count: [2, 3]\nbandwidth: [48, 48]\n"
                    "latency: [100, 100]\n"),
              (Pairs{{0, 1}, {0, 2}, {0, 4}, {1, 3}, {1, 5}, {2, 3}, {2, 4}, {3, 5}, {4, 5}}));
}

TEST_F(Astra, WhatIsRefused) {
    EXPECT_EQ(
        refusal("topology: [Switch]\nnpus_count: [8]\nbandwidth: [400]\nlatency: [900]\n"),
        ":1:11: topology: found Switch, expected Ring or FullyConnected, as chips are connected by cables");
    EXPECT_EQ(refusal("topology: [Ring, Ring]\nnpus_count: [8]\nbandwidth: [4, 4]\nlatency: [9, 9]\n"),
              ":2:13: npus_count: found 1 values, expected 2, as many as of topology");
    EXPECT_EQ(refusal("topology: [Ring]\nnpus_count: [8]\nbandwidth: [fast]\nlatency: [9]\n"),
              ":3:12: bandwidth: found 'fast', expected a number of GB/s above 0, at most 10^9");
    EXPECT_EQ(refusal("topology: [Ring]\nnpus_count: [8]\nbandwidth: [4]\n"), ": no latency, expected it");
    EXPECT_EQ(refusal("topology: [Ring]\nlinks: 4\n"),
              ":2:1: unknown key 'links', expected topology, npus_count, bandwidth, latency");
    EXPECT_EQ(refusal("topology: [Ring, Ring]\nnpus_count: [3, 3]\nbandwidth: [4, 5]\nlatency: [9, 9]\n"),
              "net 1.yml: found links of 4 GB/s, 9 ns and of 5 GB/s, 9 ns, expected one bandwidth and one "
              "latency, as all links of a server have");
    EXPECT_EQ(refusal("topology: [FullyConnected]\nnpus_count: [6]\nbandwidth: [4]\nlatency: [9]\n"),
              "net 1.yml: found NPUs with 5 links, expected at most 4, those of a chip");
    EXPECT_EQ(refusal("topology: [Ring, Ring]\nnpus_count: [16, 16]\nbandwidth: [4, 4]\nlatency: [9, 9]\n"),
              "net 1.yml: found 256 NPUs, expected at most 255, the chips of a server");
}

TEST_F(Astra, Systems) {
    files::write(folder / "sys.json", std::string_view(R"({
        "scheduling-policy": "LIFO", "endpoint-delay": 10.5,
        "all-reduce-implementation": ["ring", "ring"], "all-gather-implementation": ["direct"],
        "reduce-scatter-implementation": ["ring", "halvingDoubling"], "local-mem-bw": 50})"));
    const AstraSystem system = read_astra_system(folder / "sys.json");
    EXPECT_EQ(system.endpoint_delay, 10'500'000u);
    EXPECT_EQ(system.algorithms, (std::map<Operation, Algorithm>{{Operation::AllReduce, Algorithm::Ring},
                                                                 {Operation::AllGather, Algorithm::Mesh}}));
    EXPECT_EQ(system.left_out, (std::vector<std::string>{"scheduling-policy", "local-mem-bw",
                                                         "reduce-scatter-implementation"}));
}

}  // namespace
}  // namespace trnsim::importers
