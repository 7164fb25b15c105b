// Reads networks from files: the shipped ones, and a bad file in the folder `bad_networks` for every rule.
#include "arch/config/network.hpp"

#include <gtest/gtest.h>

#include "arch/config/values.hpp"
#include "common/bad_files.hpp"

namespace trnsim::config {
namespace {

TEST(NetworkFiles, ShippedOnes) {
    EXPECT_EQ(shipped_networks(), (std::vector<std::string>{"one-switch", "oversubscribed", "ultracluster"}));
    const Network cluster = read_network("ultracluster");
    EXPECT_EQ(cluster, (Network{.efficiency = 0.78,
                                .packet = 8192,
                                .header = 64,
                                .hop = 500'000'000,
                                .segment = 1 << 20,
                                .step = 1'440'000'000,
                                .combine = 136'000'000'000,
                                .leaf = {16, 1},
                                .spine = {256, 1}}));
    EXPECT_EQ(read_network("one-switch").leaf.servers, 0u);
    EXPECT_EQ(read_network("oversubscribed").leaf, (NetworkTier{16, 2}));
    EXPECT_EQ(read_network("oversubscribed").spine, (NetworkTier{256, 4}));
}

TEST(NetworkFiles, BadOnesSayWhatWhereAndWhatWasExpectedForEveryRule) {
    const std::set<std::string> broken = test::refused(
        TRNSIM_BAD_NETWORKS, [](const std::filesystem::path& file) { read_network(file.string()); });
    for (const std::string& rule : network_rules())
        EXPECT_TRUE(broken.contains(rule)) << "no file breaks: " << rule;
    EXPECT_EQ(broken.size(), network_rules().size());
}

// Two networks with equal values are equal.
TEST(NetworkFiles, ValuesOfEveryKey) {
    const Network network = read_network("ultracluster");
    EXPECT_EQ(values_of(network), (Values{{"efficiency", "0.78"},
                                          {"packet", "8 KiB"},
                                          {"header", "64 B"},
                                          {"hop", "500 ns"},
                                          {"segment", "1 MiB"},
                                          {"step", "1.44 us"},
                                          {"combine", "136 GB/s"},
                                          {"leaf.servers", "16"},
                                          {"leaf.oversubscription", "1"},
                                          {"spine.servers", "256"},
                                          {"spine.oversubscription", "1"}}));
}

TEST(NetworkFiles, UnknownName) {
    const auto message = [](const std::string& name) -> std::string {
        try {
            read_network(name);
        } catch (const Error& error) {
            return error.what();
        }
        return "none";
    };
    EXPECT_EQ(message("ultraclusters"),
              "network 'ultraclusters' is not known, expected one like 'ultracluster' or the path of a file "
              "(there are: one-switch, oversubscribed, ultracluster)");
    EXPECT_EQ(message("./nowhere.yaml"), "./nowhere.yaml: cannot be read, expected a network's file");
    EXPECT_EQ(message("./"), "./: no regular file, expected a network's file");
}

}  // namespace
}  // namespace trnsim::config
