// Tests --server-stats of the command: one file for all sizes, with any number of processes.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tools/nccom/command.hpp"

namespace trnsim::nccom {
namespace {

using nlohmann::json;

TEST(ServerStatistics, FileOfACommand) {
    Arguments arguments;
    arguments.operation = "allr";
    arguments.server = "trn1-4";
    arguments.ranks = 8;
    arguments.from = "4K";
    arguments.to = "16K";
    arguments.factor = 4;
    const auto path = std::filesystem::path(testing::TempDir()) / "nccom_server_statistics.json";
    arguments.server_statistics = path.string();
    json one;
    for (const unsigned processes : {1u, 2u, 3u, 4u}) {
        arguments.processes = processes;
        std::ostringstream out;
        EXPECT_EQ(run(arguments, out).errors, 0u);
        std::ifstream stream(path);
        const json file = json::parse(stream);
        if (processes == 1) one = file;
        EXPECT_EQ(file, one);
    }
    ASSERT_EQ(one.at("sizes").size(), 2u);
    EXPECT_EQ(one.at("sizes")[1].at("bytes"), 16384u);
    for (const json& size : one.at("sizes")) {
        EXPECT_GT(size.at("links")[0].at("sent").at("bytes"), 0u);
        for (const json& each : size.at("links"))
            EXPECT_EQ(each.at("received").at("bytes"), each.at("sent").at("bytes"));
    }
    arguments.server = "trn1.2xlarge";  // one chip
    arguments.processes = 1;
    arguments.ranks = 2;
    std::ostringstream lines;
    EXPECT_EQ(run(arguments, lines).errors, 0u);
    std::ifstream stream(path);
    const json alone = json::parse(stream).at("sizes")[0];
    EXPECT_EQ(alone.at("links"), json::array());
    EXPECT_EQ(alone.at("chips").size(), 1u);
    arguments.nodes = 2;
    std::ostringstream out;
    try {
        run(arguments, out);
        FAIL() << "not refused";
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "--server-stats: expected one server");
    }
    arguments.nodes = 1;
    arguments.server_statistics = "/nowhere/file.json";
    EXPECT_THROW(run(arguments, out), std::exception);
    EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace trnsim::nccom
