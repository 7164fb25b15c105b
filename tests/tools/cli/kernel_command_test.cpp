// Tests trnsim kernel, disasm and config.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "arch/target/target.hpp"
#include "base/files/files.hpp"
#include "common/stream_package.hpp"
#include "compiler/neff/neff.hpp"
#include "session.hpp"

namespace trnsim::cli {
namespace {

TEST(KernelCommand, ListShowsArgumentsInputsAndOutputs) {
    test::Session trnsim;
    EXPECT_EQ(trnsim({"kernel", "list"}), 0);
    for (const char* expected : {"matmul: ", "--M ", "default bf16", "input  a", "output c"}) {
        EXPECT_NE(trnsim.out.find(expected), std::string::npos) << expected << "\n" << trnsim.out;
    }
}

TEST(KernelCommand, AllSpellingsOfArgumentsBuildTheSameKernel) {
    test::Session trnsim;
    EXPECT_EQ(trnsim({"kernel", "build", "matmul", "--M", "64", "--K", "128", "--N", "32", "-o",
                      trnsim.path("a.neff")}),
              0)
        << trnsim.err;
    EXPECT_NE(trnsim.out.find("a.neff: matmul"), std::string::npos);
    EXPECT_EQ(trnsim({"kernel", "build", "matmul", "--output", trnsim.path("b.neff"), "--arg", "M=64",
                      "--arg", "K=128", "--N=32", "--config", "trn1"}),
              0)
        << trnsim.err;
    EXPECT_EQ(files::read(trnsim.path("a.neff")), files::read(trnsim.path("b.neff")));
}

TEST(KernelCommand, DisassemblyHasOneLineForEachInstruction) {
    test::Session trnsim;
    trnsim.sample_run();
    EXPECT_EQ(trnsim({"disasm", trnsim.path("k.neff")}), 0);
    EXPECT_EQ(trnsim.out,
              "vector 0 event_semaphore wait S[3]>=16\n"
              "vector 1 halt\n"
              "sync 0 dma_trigger transfer=0 ('load a')\n"
              "sync 1 event_semaphore wait S[3]>=16\n"
              "sync 2 dma_trigger transfer=1 ('store y')\n"
              "sync 3 event_semaphore wait S[4]>=16\n"
              "sync 4 halt\n");
}

TEST(KernelCommand, HelpShowsTheArgumentsOfTheKernel) {
    test::Session trnsim;
    EXPECT_EQ(trnsim({"kernel", "build", "adamw", "--help"}), 0) << trnsim.err;
    EXPECT_NE(trnsim.out.find("    --lr             learning rate (default 1e-3)\n"), std::string::npos)
        << trnsim.out;
    EXPECT_EQ(trnsim.out.find("contraction"), std::string::npos) << "of another kernel";
    EXPECT_EQ(trnsim({"kernel", "build", "--help"}), 0);
    EXPECT_EQ(trnsim.out.find("learning rate"), std::string::npos) << trnsim.out;
    EXPECT_EQ(trnsim({"kernel", "build", "adam", "--help"}), 0);
    EXPECT_NE(trnsim.out.find("There is no kernel 'adam'."), std::string::npos) << trnsim.out;
}

TEST(InfoCommand, SaysWhatIsInAContainer) {
    test::Session trnsim;
    ASSERT_EQ(trnsim({"kernel", "build", "matmul", "--M", "16", "--K", "16", "--N", "32", "--config",
                      "small16", "-o", trnsim.path("k.neff")}),
              0);
    EXPECT_EQ(trnsim({"info", trnsim.path("k.neff")}), 0) << trnsim.err;
    for (const char* expected :
         {"matmul M=16 K=16 N=32 dtype=bf16\n", "the built-in kernel, trnsim ", "with source lines",
          "  target             small16: 16 x 16 array, ",
          "  input              a [16, 16] bf16, 512 bytes\n",
          "  output             c [16, 32] fp32, 2048 bytes\n", "load_stationary", "  queue              "})
        EXPECT_NE(trnsim.out.find(expected), std::string::npos) << expected << trnsim.out;
    EXPECT_EQ(trnsim({"info", trnsim.path("k.neff"), "--json"}), 0) << trnsim.err;
    const auto json = nlohmann::json::parse(trnsim.out);
    const neff::Package package = neff::read(trnsim.path("k.neff"));
    EXPECT_EQ(json["kernel"], "matmul");
    EXPECT_EQ(json["built_in"], true);
    EXPECT_EQ(json["configuration"], "small16");
    EXPECT_EQ(json["target"]["rows"], 16);
    EXPECT_EQ(json["tensors"][1]["shape"], (std::vector<int>{16, 32}));
    std::size_t instructions = 0, transfers = 0, descriptors = 0;
    for (const auto& engine : json["engines"]) {
        std::size_t of = 0;
        for (const auto& count : engine["of"]) of += count.get<std::size_t>();
        EXPECT_EQ(engine["instructions"], of);
        instructions += of;
    }
    for (const auto& queue : json["queues"]) {
        transfers += queue["transfers"].get<std::size_t>();
        descriptors += queue["descriptors"].get<std::size_t>();
    }
    EXPECT_EQ(json["bytes"]["instructions"], 64 * instructions);
    EXPECT_EQ(transfers, package.transfers.size());
    EXPECT_GE(descriptors, transfers);
    EXPECT_EQ(json["bytes"]["file"], std::filesystem::file_size(trnsim.path("k.neff")));
    trnsim.sample_run();
    EXPECT_EQ(trnsim({"info", trnsim.path("k.neff")}), 0) << trnsim.err;
    EXPECT_NE(trnsim.out.find("another program, without source lines"), std::string::npos) << trnsim.out;
    EXPECT_EQ(trnsim({"info", trnsim.path("a.npy")}), 2);
}

TEST(InfoCommand, CountsTransfersInEveryIteration) {
    test::Session trnsim;
    const std::string path = trnsim.path("k.neff");
    neff::write(path, test::stream_package(target::of(config::load("small16"))));
    EXPECT_EQ(trnsim({"info", path, "--json"}), 0) << trnsim.err;
    const auto queue = nlohmann::json::parse(trnsim.out)["queues"][0];
    EXPECT_EQ(queue["transfers"], 37);
    EXPECT_EQ(queue["descriptors"], 37 * 16);
    EXPECT_EQ(queue["bytes"], 37 * 16 * 13 * 4);
}

TEST(ConfigCommand, ListsWhatIsShipped) {
    test::Session trnsim;
    EXPECT_EQ(trnsim({"config", "list"}), 0) << trnsim.err;
    EXPECT_NE(
        trnsim.out.find("small16       16 x 16 array at 2.8 GHz, 16 partitions with 64 KiB of SBUF each, "),
        std::string::npos)
        << trnsim.out;
    EXPECT_NE(trnsim.out.find("\ntrn1 "), std::string::npos) << trnsim.out;
    EXPECT_NE(trnsim.out.find("\ntrn1.32xlarge 16 chips of trn1, 32 links\n"), std::string::npos)
        << trnsim.out;
    EXPECT_EQ(trnsim({"config", "servers"}), 0) << trnsim.err;
    EXPECT_NE(trnsim.out.find("\ntrn1.32xlarge 16 chips of trn1, 32 links\n"), std::string::npos)
        << trnsim.out;
}

TEST(ConfigCommand, ShowsAndChecks) {
    test::Session trnsim;
    EXPECT_EQ(trnsim({"config", "show", "trn1"}), 0) << trnsim.err;
    files::write(trnsim.path("copy.yaml"), trnsim.out);
    const std::string shown = trnsim.out;
    EXPECT_EQ(trnsim({"config", "show", trnsim.path("copy.yaml")}), 0) << trnsim.err;
    EXPECT_EQ(trnsim.out, shown);
    EXPECT_EQ(trnsim({"config", "check", trnsim.path("copy.yaml")}), 0);
    EXPECT_NE(trnsim.out.find("copy.yaml: configuration 'trn1' is sound"), std::string::npos);
    for (const char* command : {"show", "check", "area"}) {
        EXPECT_EQ(trnsim({"config", command, "trn1.32xlarg"}), 2);
        EXPECT_TRUE(
            trnsim.err.starts_with("trnsim: configuration 'trn1.32xlarg' is not known, expected one like "
                                   "'trn1.32xlarge' or the path"))
            << trnsim.err;
    }
    files::write(trnsim.path("bad.yaml"), "name: bad\ncore: 7\n");
    EXPECT_EQ(trnsim({"config", "check", trnsim.path("bad.yaml")}), 2);
    EXPECT_NE(trnsim.err.find("bad.yaml:2"), std::string::npos) << trnsim.err;
}

TEST(ConfigCommand, ShowsAndChecksServers) {
    test::Session trnsim;
    EXPECT_EQ(trnsim({"config", "show", "inf2-ring"}), 0) << trnsim.err;
    EXPECT_NE(trnsim.out.find("\nchips: 12\n"), std::string::npos) << trnsim.out;
    EXPECT_NE(trnsim.out.find("\nlinks:\n  lanes: "), std::string::npos) << trnsim.out;
    const std::string shown = trnsim.out, copy = trnsim.path("copy.yaml");
    files::write(copy, shown);
    EXPECT_EQ(trnsim({"config", "show", copy}), 0) << trnsim.err;
    EXPECT_EQ(trnsim.out, shown) << "a file of all keys";
    EXPECT_EQ(trnsim({"config", "check", copy}), 0) << trnsim.err;
    EXPECT_EQ(trnsim.out, copy + ": server 'inf2-ring' of 12 chips of trn1 is sound\n");
    EXPECT_EQ(trnsim({"config", "check", "trn1.32xlarge"}), 0) << trnsim.err;
    // A file that only extends a server, and one that extends such a file.
    files::write(trnsim.path("mine.yaml"), "extends: trn1-4\nname: mine\n");
    files::write(trnsim.path("bad.yaml"), "extends: mine.yaml\nname: bad\nchips: none\n");
    EXPECT_EQ(trnsim({"config", "check", trnsim.path("mine.yaml")}), 0) << trnsim.err;
    EXPECT_NE(trnsim.out.find(": server 'mine' of 4 chips of trn1 is sound\n"), std::string::npos);
    EXPECT_EQ(trnsim({"config", "check", trnsim.path("bad.yaml")}), 2);
    EXPECT_NE(trnsim.err.find("bad.yaml:3:8: chips: found 'none', expected "), std::string::npos)
        << trnsim.err;
    EXPECT_EQ(trnsim({"config", "area", "trn1-4"}), 0) << trnsim.err;
}

TEST(KernelCommand, BadUsageExitsWith2AndOneLine) {
    test::Session trnsim;
    const std::string out = trnsim.path("k.neff");
    const std::pair<std::vector<std::string>, const char*> cases[] = {
        {{"kernel"}, "subcommand"},
        {{"kernel", "frob"}, "no command 'frob'; there are: list build"},
        {{"kernel", "build", "matmul"}, "--output is required"},
        {{"kernel", "build", "nothing", "-o", out}, "no kernel 'nothing'; there are matmul"},
        {{"kernel", "build", "matmul", "-o", out}, "M"},
        {{"kernel", "build", "matmul", "--M", "64", "--M", "65", "-o", out}, "argument 'M' given twice"},
        {{"kernel", "build", "matmul", "--Q", "1", "--M", "1", "--K", "1", "--N", "1", "-o", out}, "Q"},
        {{"kernel", "build", "matmul", "--M", "x", "--K", "1", "--N", "1", "-o", out}, "x"},
        {{"kernel", "build", "matmul", "-o", out, "--M"}, "--M: expected a value"},
        {{"kernel", "build", "matmul", "stray", "-o", out}, "'stray': expected an argument of the kernel"},
        {{"kernel", "build", "matmul", "-o", out, "--arg", "M"}, "--arg M: expected NAME=VALUE"},
        {{"kernel", "build", "matmul", "--M", "1", "--K", "1", "--N", "1", "-o", trnsim.path("no/k.neff")},
         "cannot write"},
        {{"disasm", trnsim.path("none")}, "none: no such file"},
        {{"disasm", out, "--bogus"}, "--bogus"},
        {{"config", "show", "nowhere"}, "nowhere"},
    };
    for (const auto& [arguments, expected] : cases) {
        EXPECT_EQ(trnsim(arguments), 2) << expected;
        EXPECT_NE(trnsim.err.find(expected), std::string::npos)
            << "expected: " << expected << "\nfound: " << trnsim.err;
        EXPECT_EQ(std::ranges::count(trnsim.err, '\n'), 1) << trnsim.err;
        EXPECT_EQ(trnsim.out, "");
    }
    EXPECT_EQ(trnsim.directory.entries(), 0u);
}

}  // namespace
}  // namespace trnsim::cli
