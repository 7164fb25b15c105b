// Tests the report of nccom-test, its refusals, and small collectives from end to end.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "model/processes/run.hpp"
#include "tools/nccom/command.hpp"
#include "tools/nccom/published.hpp"
#include "tools/nccom/report.hpp"

namespace trnsim::nccom {
namespace {

namespace fs = std::filesystem;

std::string temporary(const std::string& name, const std::string& text = "") {
    const fs::path path = fs::path(testing::TempDir()) / ("nccom_" + name);
    if (!text.empty()) std::ofstream(path) << text;
    return path.string();
}

nlohmann::json report(const Arguments& arguments) {
    std::ifstream stream(arguments.report);
    return nlohmann::json::parse(stream).at("results");
}

Arguments small(const std::string& operation) {
    Arguments arguments;
    arguments.operation = operation;
    arguments.server = "trn1-4";
    arguments.ranks = 5;
    arguments.from = "8";
    arguments.to = "1K";
    arguments.report = temporary("report.json");
    return arguments;
}

std::string refusal(const Arguments& arguments) {
    std::ostringstream out;
    try {
        run(arguments, out);
    } catch (const std::exception& error) {
        EXPECT_EQ(out.str(), "");
        return error.what();
    }
    return "none";
}

TEST(Nccom, TableAndJson) {
    const std::vector<Row> rows{
        {.bytes = 1ULL << 30, .elements = 1ULL << 29, .algorithm = "ring", .seconds = {0.5, 1.5}},
        {.bytes = 8, .elements = 4, .algorithm = "mesh", .seconds = {1e-5}}};
    Columns columns{.type = "bf16", .members = 4, .algorithm = true};
    EXPECT_EQ(
        header_line(columns),
        "         size(B)    count(elems)            type           algorithm        time(us)     algbw(GB/s)"
        "     busbw(GB/s)");
    EXPECT_EQ(
        line(rows[0], columns),
        "      1073741824       536870912            bf16                ring      1000000.00          1.0000"
        "          1.5000");
    EXPECT_EQ(last_line(rows, columns), "Avg bus bandwidth:   0.7506 GB/s");
    columns.statistics = {"avg", "p50", "max"};
    const auto results = nlohmann::json::parse(json(rows, columns)).at("results");
    ASSERT_EQ(results.size(), 2u);
    EXPECT_EQ(results[0].at("size(B)"), 1ULL << 30);
    EXPECT_EQ(results[0].at("count(elems)"), 1ULL << 29);
    EXPECT_EQ(results[0].at("type"), "bf16");
    EXPECT_EQ(results[0].at("algorithm"), "ring");
    EXPECT_EQ(results[0].at("algbw(GB/s)"), 1.0);
    EXPECT_EQ(results[0].at("busbw(GB/s)"), 1.5);
    EXPECT_EQ(results[0].at("time:avg(us)"), 1e6);
    EXPECT_EQ(results[0].at("time:p50(us)"), 5e5);
    EXPECT_EQ(results[0].at("time:max(us)"), 1.5e6);
}

TEST(Nccom, Statistics) {
    const std::vector<double> values{4, 1, 3, 2};
    EXPECT_EQ(statistic("avg", values), 2.5);
    EXPECT_EQ(statistic("min", values), 1);
    EXPECT_EQ(statistic("p25", values), 1);
    EXPECT_EQ(statistic("p26", values), 2);
    EXPECT_EQ(statistic("p100", values), 4);
    for (const char* name : {"", "p", "p0", "p101", "p5x", "mean"})
        EXPECT_THROW(statistic(name, values), std::invalid_argument) << name;
}

TEST(Nccom, EveryOperationIsRight) {
    for (const OperationName& operation : operation_names()) {
        SCOPED_TRACE(operation.name);
        Arguments arguments = small(std::string(operation.name));
        arguments.factor = 16;
        arguments.type = "bf16";
        arguments.check = "random";
        arguments.show_sizes = true;
        std::ostringstream out;
        EXPECT_EQ(run(arguments, out).errors, 0u);
        const auto results = report(arguments);
        ASSERT_EQ(results.size(), 2u) << "8 and 128 bytes";
        const bool parts =
            operation.name == "allg" || operation.name == "redsct" || operation.name == "alltoall";
        EXPECT_EQ(results[0].at("size(B)"), parts ? 10 : 8) << "whole elements for each rank";
        EXPECT_EQ(results[1].at("size(B)"), parts ? 130 : 128);
        EXPECT_EQ(results[0].at("input(B)"), operation.name == "allg" ? 2 : parts ? 10 : 8);
        EXPECT_EQ(results[0].at("output(B)"), operation.name == "redsct" ? 2 : parts ? 10 : 8);
        EXPECT_GT(results[0].at("time:avg(us)"), 1.3);
        const double seconds = results[1].at("time:avg(us)").get<double>() * 1e-6;
        EXPECT_NEAR(results[1].at("algbw(GB/s)"),
                    results[1].at("size(B)").get<double>() / seconds / std::pow(2, 30), 1e-9);
        const std::string text = out.str();
        EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
        EXPECT_NE(text.find("Avg bus bandwidth:   "), std::string::npos);
    }
}

TEST(Nccom, IterationsAlgorithmsGroupsAndPairs) {
    Arguments arguments = small("allr");
    arguments.to = "8";
    arguments.iterations = 3;
    arguments.warmup = 1;
    arguments.statistics = "min,max";
    arguments.algorithm = "ring";
    arguments.check = "all_ones";
    arguments.show_algorithm = true;
    std::ostringstream out;
    EXPECT_EQ(run(arguments, out).errors, 0u);
    const auto one = report(arguments)[0];
    EXPECT_EQ(one.at("algorithm"), "ring");
    EXPECT_EQ(one.at("time:min(us)"), one.at("time:max(us)")) << "nothing is random";
    arguments.groups = temporary("groups.json", R"({"replica_groups": [[[0, 3], [4, 1]]]})");
    EXPECT_EQ(run(arguments, out).errors, 0u);
    EXPECT_LT(report(arguments)[0].at("time:max(us)"), one.at("time:max(us)")) << "of two ranks";
    Arguments permute = small("permute");
    permute.check = "random";
    permute.pairs = temporary("pairs.json", R"({"src_target_pairs": [[[0, 3], [3, 0]]]})");
    EXPECT_EQ(run(permute, out).errors, 0u);
}

// A quarter of the lanes makes a collective slower that links limit, and so does a longer start of transfers;
// another model of HBM changes the time.
TEST(Nccom, SettingsOfTheServer) {
    const auto time = [](const std::vector<std::string>& settings) {
        Arguments arguments = small("allg");
        arguments.ranks = 8;
        arguments.from = arguments.to = "1M";
        arguments.algorithm = "ring";
        arguments.settings = settings;
        std::ostringstream out;
        EXPECT_EQ(run(arguments, out).errors, 0u);
        return report(arguments)[0].at("time:avg(us)").get<double>();
    };
    const double usual = time({});
    EXPECT_EQ(time({"links.lanes=16"}), usual) << "as in the file";
    EXPECT_GT(time({"links.lanes=4"}), 1.5 * usual);
    EXPECT_GT(time({"dma.start_latency=3 us"}), usual + 5);
    EXPECT_NE(time({"hbm.model=banked"}), usual);
}

TEST(Nccom, WhatIsRefused) {
    const auto with = [](auto change) {
        Arguments arguments = small("allr");
        change(arguments);
        return refusal(arguments);
    };
    EXPECT_EQ(with([](Arguments& a) { a.operation = "allx"; }),
              "operation allx: expected one of allr allg redsct sendrecv alltoall permute");
    EXPECT_EQ(with([](Arguments& a) { a.type = "fp64"; }),
              "--datatype fp64: expected one of uint8 int8 uint16 int16 uint32 int32 fp16 bf16 fp32");
    for (const std::uint32_t count : {0u, 5u})
        EXPECT_EQ(with([&](Arguments& a) { a.processes = count; }),
                  "--processes " + std::to_string(count) + ": expected 1 to 4, the chips of trn1-4");
    ::setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
    EXPECT_EQ(with([](Arguments& a) { a.processes = 3; }),
              "--processes 3: expected 2, which mpirun has started, or no --processes");
    ::setenv("OMPI_COMM_WORLD_SIZE", "5", 1);
    EXPECT_EQ(with([](Arguments&) {}), "mpirun -n 5: expected 1 to 4, the chips of trn1-4");
    ::unsetenv("OMPI_COMM_WORLD_SIZE");
    for (const char* other : {"PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
        ::setenv(other, "2", 1);
        EXPECT_EQ(with([](Arguments&) {}), std::string(other) +
                                               " is 2: expected Open MPI's mpirun, or one process, which "
                                               "starts others with --processes");
        ::unsetenv(other);
    }
    EXPECT_EQ(with([](Arguments& a) { a.nodes = 0; }), "--nnodes 0: expected 1 to 4096");
    EXPECT_EQ(with([](Arguments& a) { a.nodes = 4097; }), "--nnodes 4097: expected 1 to 4096");
    EXPECT_EQ(with([](Arguments& a) { a.network = "ultracluster"; }),
              "--network: expected several servers, --nnodes");
    EXPECT_EQ(with([](Arguments& a) { a.show_network = true; }),
              "--show-network: expected several servers, --nnodes");
    EXPECT_EQ(with([](Arguments& a) { a.ranks = 1; }), "--nworkers 1: expected at least 2");
    EXPECT_EQ(with([](Arguments& a) { a.ranks = 9; }), "trn1-4: 9 ranks, expected at most 8, its cores");
    EXPECT_EQ(with([](Arguments& a) { a.iterations = 0; }), "--iters 0: expected at least 1");
    for (const char* size : {"", "0", "8X", "8KB", "-1", "2000G"})
        EXPECT_EQ(
            with([&](Arguments& a) { a.from = size; }),
            "--minbytes " + std::string(size) + ": expected bytes from 1 to 1024G, as 512, 8K, 64M or 1G");
    EXPECT_EQ(with([](Arguments& a) { a.from = "2K"; }), "--minbytes 2K: expected at most --maxbytes, 1K");
    EXPECT_EQ(with([](Arguments& a) { a.factor = 0; }), "--stepfactor 0: expected at least 2");
    EXPECT_EQ(with([](Arguments& a) { a.factor = 1; }), "--stepfactor 1: expected at least 2");
    EXPECT_EQ(with([](Arguments& a) { a.factor = 2, a.step = "8"; }),
              "--stepbytes and --stepfactor: expected one of them");
    EXPECT_EQ(with([](Arguments& a) { a.to = "1M", a.step = "1"; }), "more than 1000 sizes, expected fewer");
    EXPECT_EQ(with([](Arguments& a) { a.check = "ones"; }), "--check ones: expected random or all_ones");
    EXPECT_EQ(with([](Arguments& a) { a.statistics = "avg,mean"; }),
              "statistic 'mean', expected avg, min, max or p1 to p100");
    EXPECT_EQ(with([](Arguments& a) { a.algorithm = "tree"; }).substr(0, 37),
              "--algorithm tree: expected one of rin");
    EXPECT_EQ(with([](Arguments& a) { a.perturb = "x"; }),
              "--perturb x: expected a whole number from 0 to 4294967295");
    EXPECT_EQ(with([](Arguments& a) { a.server = "trn1"; }).substr(0, 29), "server 'trn1' is not known, e");
    const std::string file = temporary("bad.json", R"({"replica_groups": [[0, 1]]})");
    EXPECT_EQ(with([&](Arguments& a) { a.groups = file; }),
              file + R"(: expected {"replica_groups": [[[0, 1], [2, 3]]]}, one list of groups)");
    EXPECT_EQ(with([&](Arguments& a) { a.operation = "permute", a.pairs = file; }),
              file + R"(: expected {"src_target_pairs": [[[0, 1], [1, 0]]]}, one list of pairs)");
    std::ofstream(file) << "{";
    EXPECT_EQ(with([&](Arguments& a) { a.groups = file; }), file + ": expected JSON");
    EXPECT_EQ(with([](Arguments& a) { a.to = "1024G", a.step = "1023G"; }),
              "a size of 1098437885960 bytes, expected at most 17179869184, a rank's HBM");
}

TEST(Nccom, RanksInFilesAreWholeNumbersOfRanksThatThereAre) {
    const auto refused = [](const std::string& operation, const std::string& lists) {
        Arguments arguments = small(operation);
        const bool pairs = operation == "permute" || operation == "sendrecv";
        const std::string key = pairs ? "src_target_pairs" : "replica_groups";
        (pairs ? arguments.pairs : arguments.groups) =
            temporary("ranks.json", R"({")" + key + R"(": )" + lists + "}");
        const std::string text = refusal(arguments);
        return text.substr(text.find("ranks.json: ") + 12);
    };
    for (const char* number : {"0.5", "1e30", "-1", "5", "18446744073709551616", "true", "null", "\"1\""}) {
        const std::string list = "[[[" + std::string(number) + ", 1]]]";
        const std::string found = std::string(number) == "1e30"                   ? "1e+30"
                                  : std::string(number) == "18446744073709551616" ? "1.8446744073709552e+19"
                                                                                  : number;
        const auto expected = [&found](const char* key) {
            return fmt::format("{}: found {}, expected a rank, 0 to 4", key, found);
        };
        EXPECT_EQ(refused("allr", list), expected("replica_groups"));
        EXPECT_EQ(refused("permute", list), expected("src_target_pairs"));
    }
    for (const char* lists : {"[[[0, 1, 2]]]", "[[[0]]]", "[[0, 1]]", "[[[0, [1]]]]", "[[[0, 1]], [[2, 3]]]",
                              "[]", "[[]]", "[[[]]]", "7"})
        EXPECT_EQ(refused("sendrecv", lists),
                  R"(expected {"src_target_pairs": [[[0, 1], [1, 0]]]}, one list of pairs)")
            << lists;
    Arguments pairs = small("allr");
    pairs.pairs = temporary("pairs_of_allr.json", R"({"src_target_pairs": [[[0, 3]]]})");
    EXPECT_EQ(refusal(pairs), "--custom-src-target-pairs: found allr, expected permute or sendrecv");
}

TEST(Nccom, WhatTheSimulationFindsIsAFailureWithItsStatus) {
    const auto failure = [](const std::string& from,
                            const std::vector<std::string>& settings) -> std::string {
        Arguments arguments = small("allr");
        arguments.ranks = 8;
        arguments.from = arguments.to = from;
        arguments.algorithm = "ring";
        arguments.settings = settings;
        std::ostringstream out;
        for (const std::uint32_t processes : {2u, 1u}) {
            arguments.processes = processes;
            try {
                run(arguments, out);
            } catch (const tlm::processes::Failure& found) {
                const std::string text = found.what();
                EXPECT_EQ(text.find('\n'), std::string::npos) << text;
                if (processes == 1) return text;
            }
        }
        return "none";
    };
    const auto expect = [](const std::string& text, const std::string& status, const std::string& cause) {
        EXPECT_TRUE(text.starts_with(status) && text.find(cause) != std::string::npos) << text;
    };
    expect(failure("8", {"topology=[[0, 1], [2, 3]]"}), "status 1200: ", "cannot be reached");
    expect(failure("512K", {"links.timeout=1 us"}), "status 1200: ", "no answer within 1000 ns");
    expect(failure("64K", {"hbm.model=banked", "hbm.banked.double_upset_every=50"}),
           "status 1201: ", "refused");
    expect(failure("64K", {"runtime.timeout=1 us"}), "status 1200: ", "no progress for runtime.timeout");
}

TEST(Nccom, WhatIsRefusedOfSeveralServers) {
    const auto with = [](auto change) {
        Arguments arguments = small("allr");
        arguments.nodes = 3;
        arguments.ranks = 6;
        change(arguments);
        return refusal(arguments);
    };
    EXPECT_EQ(with([](Arguments& a) { a.ranks = 7; }), "--nworkers 7: expected a multiple of the 3 servers");
    EXPECT_EQ(with([](Arguments& a) { a.ranks = 27; }), "trn1-4: 9 ranks, expected at most 8, its cores");
    EXPECT_EQ(with([](Arguments& a) { a.ranks = 3, a.check = "random"; }),
              "--check: expected several ranks a server, as only what happens within one is simulated");
    EXPECT_EQ(with([](Arguments& a) { a.groups = "groups.json"; }),
              "--custom-replica-groups: expected one server");
    EXPECT_EQ(with([](Arguments& a) { a.pairs = "pairs.json"; }),
              "--custom-src-target-pairs: expected one server");
    EXPECT_EQ(with([](Arguments& a) { a.operation = "permute"; }),
              "permute of 3 servers: expected one of allr allg redsct");
    EXPECT_EQ(with([](Arguments& a) { a.algorithm = "mesh"; }),
              "--algorithm mesh: expected one of ring, halving-doubling");
    EXPECT_EQ(with([](Arguments& a) { a.algorithm = "ring", a.nodes = a.ranks = 513; }),
              "ring of 513 servers, expected at most 512");
    EXPECT_EQ(with([](Arguments& a) { a.server = "inf2-ring"; }),
              "inf2-ring: efa.adapters: found 0, expected at least 1");
    EXPECT_EQ(with([](Arguments& a) { a.network = "ultra"; }).substr(0, 31),
              "network 'ultra' is not known, e");
}

// The simulated part within a server gives right results, the network takes the rest of the time; sizes are
// whole elements for each rank of a server, or of all servers.
TEST(Nccom, SeveralServers) {
    for (const char* const operation : {"allr", "allg", "redsct"}) {
        SCOPED_TRACE(operation);
        Arguments arguments = small(operation);
        arguments.nodes = 3;
        arguments.ranks = 12;
        arguments.from = "50";
        arguments.to = "5000";
        arguments.factor = 100;
        arguments.type = "bf16";
        arguments.check = "random";
        arguments.show_sizes = arguments.show_algorithm = arguments.show_network = true;
        std::ostringstream out;
        EXPECT_EQ(run(arguments, out).errors, 0u);
        const auto results = report(arguments);
        ASSERT_EQ(results.size(), 2u);
        const std::uint64_t whole = std::string(operation) == "allr" ? 56 : 72;
        EXPECT_EQ(results[0].at("size(B)"), whole);
        EXPECT_EQ(results[0].at("input(B)"), std::string(operation) == "allg" ? 6 : whole);
        EXPECT_EQ(results[0].at("output(B)"), std::string(operation) == "redsct" ? 6 : whole);
        for (const auto& result : results) {
            EXPECT_NEAR(result.at("within(us)").get<double>() + result.at("network(us)").get<double>(),
                        result.at("time:avg(us)").get<double>(), 1e-6);
            EXPECT_GT(result.at("within(us)"), 1.3);
            EXPECT_GT(result.at("network(us)"), std::string(operation) == "allr" ? 30 : 15);
            EXPECT_LT(result.at("network(us)"), 150);
            EXPECT_GE(result.at("slowdown"), 1 - 1e-6);
            EXPECT_LE(result.at("busy(%)"), 100 + 1e-6);
        }
    }
}

// With one rank in each server nothing is simulated, and the network alone takes its closed form: half of the
// bytes go both ways, then half of the sum, in three steps; one of them combines.
TEST(Nccom, OneRankAServer) {
    Arguments arguments = small("allr");
    arguments.server = "trn1.32xlarge";
    arguments.nodes = arguments.ranks = 2;
    arguments.from = arguments.to = "64K";
    std::ostringstream out;
    EXPECT_EQ(run(arguments, out).errors, 0u);
    const double half = 32768, wire = half * (1 + 64.0 / 8192) / (12.5e3 * 0.78);
    EXPECT_NEAR(report(arguments)[0].at("time:avg(us)"), 2 * (wire + 15) + 3 * 1.44 + half / 136e3, 1e-3);
}

TEST(Nccom, SeveralProcessesReportTheSame) {
    Arguments arguments = small("allr");
    arguments.ranks = 8;
    arguments.to = "64K";
    arguments.factor = 16;
    arguments.check = "random";
    nlohmann::json one;
    for (const std::uint32_t processes : {1u, 2u, 3u, 4u}) {
        SCOPED_TRACE(processes);
        arguments.processes = processes;
        std::ostringstream out;
        EXPECT_EQ(run(arguments, out).errors, 0u);
        if (processes == 1) one = report(arguments);
        EXPECT_EQ(report(arguments), one);
    }
}

TEST(Nccom, SeveralProcessesOfOneOfSeveralServersReportTheSame) {
    Arguments arguments = small("allr");
    arguments.ranks = 16;
    arguments.nodes = 2;
    arguments.to = "8";
    arguments.check = "random";
    nlohmann::json one;
    for (const std::uint32_t processes : {1u, 3u}) {
        arguments.processes = processes;
        std::ostringstream out;
        EXPECT_EQ(run(arguments, out).errors, 0u);
        if (processes == 1) one = report(arguments);
        EXPECT_EQ(report(arguments), one);
    }
}

TEST(Nccom, ProgressComesBeforeEachLineAndIsTakenAway) {
    Arguments arguments = small("allr");
    arguments.ranks = 2;
    arguments.factor = 128;
    std::ostringstream out;
    std::string told;
    run(arguments, out, {.progress = [&](const std::string& text) { told += text + ";"; }});
    EXPECT_EQ(told, "size 1 of 2: 8 bytes;;size 2 of 2: 1024 bytes;;");
}

TEST(Nccom, ATestThatIsEndedReportsTheSizesThatAreThere) {
    Arguments arguments = small("allr");
    arguments.from = "1K";
    arguments.to = "1G";
    arguments.factor = 1024;
    arguments.server_statistics = temporary("statistics.json");
    bool goes_on = true;
    const Watch watch{.progress = [&](const std::string& text) { goes_on = !text.starts_with("size 3"); },
                      .goes_on = [&] { return goes_on; }};
    std::ostringstream out;
    const Summary summary = run(arguments, out, watch);
    EXPECT_EQ(summary.sizes, 3u);
    EXPECT_EQ(summary.there, 2u);
    EXPECT_EQ(report(arguments).size(), 2u);
    EXPECT_NE(out.str().find("Avg bus bandwidth: "), std::string::npos);
    std::ifstream stream(arguments.server_statistics);
    EXPECT_EQ(nlohmann::json::parse(stream).at("sizes").size(), 2u);
}

TEST(Nccom, ATestThatIsEndedAtOnceWritesNothing) {
    Arguments arguments = small("allr");
    std::filesystem::remove(arguments.report);
    std::ostringstream out;
    const Summary summary = run(arguments, out, {.goes_on = [] { return false; }});
    EXPECT_EQ(summary.there, 0u);
    EXPECT_FALSE(summary.complete());
    EXPECT_FALSE(std::filesystem::exists(arguments.report));
}

// Returns points of 1 MiB with these errors, and one of 8 bytes and a contradicted one that are far off.
Comparison with_errors(const std::vector<double>& errors) {
    static const collectives::PublishedPoint counted{"third party", 8, collectives::MiB, 100},
        small{"third party", 8, 8, 100}, contradicted{"third party", 8, collectives::MiB, 100, {}, true};
    Comparison all;
    for (const double error : errors) all.points.push_back({&counted, "ring", 100 * (1 + error)});
    all.points.push_back({&small, "mesh", 500});
    all.points.push_back({&contradicted, "ring", 500});
    return all;
}

TEST(Published, ErrorsOfThePointsThatCount) {
    EXPECT_TRUE(with_errors({}).within());
    const Comparison all = with_errors({-0.02, 0.149, 0.04, 0.16});
    EXPECT_NEAR(all.median(), 0.0945, 1e-9);
    EXPECT_NEAR(all.worst(), 0.16, 1e-9);
    EXPECT_FALSE(all.within()) << "one is beyond 15 %";
    EXPECT_TRUE(with_errors({-0.02, 0.149, 0.04}).within());
    EXPECT_FALSE(with_errors({-0.02, 0.149, -0.11}).within()) << "the median is beyond 10 %";
    EXPECT_EQ(published_line(all.points[1]),
              "| third party | 8 | 1 MiB | ring | 0 | 100.0 | 114.9 | +14.9 % |");
    EXPECT_EQ(published_line(all.points[4]),
              "| third party | 8 | 8 B | mesh | 0 | 100.0 | 500.0 | +400.0 %, not counted |");
    EXPECT_EQ(
        published_last_line(all),
        "4 points count: median error 9.5 % (expected at most 10 %), worst 16.0 % (expected at most 15 %)");
}

TEST(Published, SimulatesThePointsOfOneServer) {
    Arguments arguments;
    arguments.operation = "allr";
    arguments.type = PublishedType;
    arguments.to = "1K";
    std::ostringstream out;
    const Comparison all = compare_with_published(arguments, {"operation", "--published"}, out);
    ASSERT_EQ(all.points.size(), 4u) << out.str();
    for (const Compared& one : all.points) {
        EXPECT_EQ(one.point->bytes, 1024u);
        EXPECT_EQ(one.algorithm, "mesh");
        EXPECT_LT(std::fabs(one.error()), 0.25) << published_line(one);
    }
    arguments.settings = {"dma.start_latency=10 us"};
    std::ostringstream slow;
    EXPECT_GT(compare_with_published(arguments, {}, slow).points.back().error(), 1) << slow.str();
}

TEST(Published, WhatIsRefused) {
    const auto message = [](const std::string& operation, const std::string& option) -> std::string {
        Arguments arguments;
        arguments.operation = operation;
        std::ostringstream out;
        try {
            compare_with_published(arguments, {"operation", option}, out);
        } catch (const std::exception& error) {
            return error.what();
        }
        return "none";
    };
    EXPECT_EQ(message("allg", "--published"), "--published allg: expected allr");
    EXPECT_EQ(message("allr", "--nworkers"),
              "--published --nworkers: expected one of operation --published --maxbytes --datatype --config "
              "--set --cut --processes --non-interactive");
}

}  // namespace
}  // namespace trnsim::nccom
