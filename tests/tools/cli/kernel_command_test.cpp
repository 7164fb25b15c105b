// trnsim kernel, disasm and config
#include <gtest/gtest.h>

#include <algorithm>

#include "lib/base/files/files.hpp"
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

TEST(ConfigCommand, ShowsAndChecks) {
    test::Session trnsim;
    EXPECT_EQ(trnsim({"config", "show", "trn1"}), 0) << trnsim.err;
    files::write(trnsim.path("copy.yaml"), trnsim.out);
    const std::string shown = trnsim.out;
    EXPECT_EQ(trnsim({"config", "show", trnsim.path("copy.yaml")}), 0) << trnsim.err;
    EXPECT_EQ(trnsim.out, shown);
    EXPECT_EQ(trnsim({"config", "check", trnsim.path("copy.yaml")}), 0);
    EXPECT_NE(trnsim.out.find("copy.yaml: configuration 'trn1' is sound"), std::string::npos);
    files::write(trnsim.path("bad.yaml"), "name: bad\ncore: 7\n");
    EXPECT_EQ(trnsim({"config", "check", trnsim.path("bad.yaml")}), 2);
    EXPECT_NE(trnsim.err.find("bad.yaml:2"), std::string::npos) << trnsim.err;
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
