#include <gtest/gtest.h>

#include <algorithm>

#include "session.hpp"
#include "tools/cli/wave_on_error.hpp"

namespace trnsim::cli {
namespace {

using Arguments = std::vector<std::string>;

Arguments wave(test::Session& trnsim, const Arguments& more) {
    Arguments arguments = trnsim.sample_run();
    arguments.front() = "wave";
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

TEST(WaveCommand, RecordsTheScopesOfTheViewAndOpensItInTheRoot) {
    test::Session trnsim;
    const std::string path = trnsim.path("w.fst");
    EXPECT_EQ(trnsim(wave(trnsim, {"--view", "tensor", "-o", path})), 0) << trnsim.err;
    EXPECT_EQ(trnsim.wave_request->scopes, Arguments{"tensor"});
    EXPECT_TRUE(std::filesystem::exists(path));
    EXPECT_EQ(trnsim.viewer, (Arguments{path, "waves/tensor.gtkw"}));
    EXPECT_TRUE(std::filesystem::exists(trnsim.viewer_folder / "waves/tensor.gtkw"));
    EXPECT_TRUE(std::filesystem::exists(trnsim.viewer_folder / "waves/filters/element.py"));
    EXPECT_EQ(trnsim.out.find("gtkwave"), std::string::npos);
}

TEST(WaveCommand, EveryViewHasItsOwnScopeAndThoseItShowsBeside) {
    test::Session trnsim;
    for (const std::string view : {"core", "tensor", "vector", "scalar", "rounding"}) {
        EXPECT_EQ(trnsim(wave(trnsim, {"--view", view, "-o", trnsim.path("w.fst")})), 0) << trnsim.err;
        const Arguments& scopes = trnsim.wave_request->scopes;
        EXPECT_TRUE(std::ranges::count(scopes, view)) << view;
    }
}

TEST(WaveCommand, WithoutAViewerSaysHowToLookLater) {
    test::Session trnsim;
    trnsim.obstacle = "no display";
    const std::string path = trnsim.path("w.fst");
    EXPECT_EQ(trnsim(wave(trnsim, {"-o", path, "--wave-window", "1:2"})), 0) << trnsim.err;
    EXPECT_NE(trnsim.out.find("\nno display; to look at it: (cd "), std::string::npos) << trnsim.out;
    EXPECT_NE(trnsim.out.find(" && gtkwave " + path + " waves/core.gtkw)\n"), std::string::npos)
        << trnsim.out;
}

TEST(WaveCommand, NeedsNoInputs) {
    test::Session trnsim;
    trnsim.sample_run();
    EXPECT_EQ(trnsim({"wave", trnsim.path("k.neff"), "-o", trnsim.path("w.fst")}), 0) << trnsim.err;
    EXPECT_NE(trnsim.out.find("random inputs      a (seed 0)\n"), std::string::npos) << trnsim.out;
}

TEST(WaveCommand, AFailedRunIsShownToo) {
    test::Session trnsim;
    trnsim.prepare = [](test::FakeMachine& machine) {
        machine.fail_core_at(1, 1, isa::Error::IllegalInstruction, 0);
    };
    EXPECT_EQ(trnsim(wave(trnsim, {"-o", trnsim.path("w.fst")})), 1);
    EXPECT_FALSE(trnsim.viewer.empty());
}

TEST(WaveCommand, UnknownViewsAreRefusedWithTheList) {
    test::Session trnsim;
    EXPECT_EQ(trnsim(wave(trnsim, {"--view", "psum"})), 2);
    EXPECT_EQ(trnsim.err,
              "trnsim: --view psum: no such view; there are core, rounding, scalar, tensor, vector\n");
    EXPECT_TRUE(trnsim.viewer.empty());
}

TEST(WaveOnError, RecordsTheRunAgainWhereItFailed) {
    test::Session trnsim;
    Arguments run = trnsim.sample_run();
    run.insert(run.end(), {"--wave-on-error", trnsim.path("e.fst"), "--seed", "3", "--perturb", "9",
                           "--random-memory", "4"});
    EXPECT_EQ(trnsim(run), 0) << trnsim.err;
    EXPECT_TRUE(trnsim.again.empty()) << "nothing failed";
    EXPECT_FALSE(std::filesystem::exists(trnsim.path("e.fst")));

    trnsim.prepare = [](test::FakeMachine& machine) {
        machine.fail_core_at(1, 1, isa::Error::IllegalInstruction, 0);
    };
    EXPECT_EQ(trnsim(run), 1);
    EXPECT_EQ(trnsim.err,
              "trnsim: chip 0 core 0, vector engine, instruction 1 (halt): illegal instruction\n");
    EXPECT_NE(trnsim.out.find(trnsim.path("e.fst")), std::string::npos) << trnsim.out;
    EXPECT_TRUE(std::filesystem::exists(trnsim.path("e.fst")));
    const auto value_of = [&](const std::string& option) {
        const auto place = std::ranges::find(trnsim.again, option);
        return place == trnsim.again.end() ? "" : *(place + 1);
    };
    EXPECT_EQ(value_of("--seed"), "3");
    EXPECT_EQ(value_of("--perturb"), "9");
    EXPECT_EQ(value_of("--random-memory"), "4");
    EXPECT_TRUE(value_of("--wave-window").ends_with(":")) << "to the end";
    EXPECT_EQ(value_of("--wave"), trnsim.path("e.fst"));
    EXPECT_EQ(value_of("--random-inputs"), "") << "all were given";
    EXPECT_EQ(value_of("--output"), "") << "outputs, trace and statistics are those of the first run";

    EXPECT_EQ(trnsim({"run", trnsim.path("k.neff"), "--random-inputs", "5", "--wave-on-error",
                      trnsim.path("e.fst")}),
              1);
    EXPECT_EQ(value_of("--random-inputs"), "5");

    trnsim.prepare = [](test::FakeMachine& machine) {
        machine.fail_core_at(1, 1, isa::Error::IllegalInstruction, 0);
        machine.fail_wave("no space");
    };
    EXPECT_EQ(trnsim(run), 1);
    EXPECT_EQ(trnsim.out.find(trnsim.path("e.fst")), std::string::npos) << "it is the older one";
    EXPECT_NE(trnsim.err.find("--wave-on-error " + trnsim.path("e.fst") + ": cannot be recorded\n"),
              std::string::npos);
}

}  // namespace
}  // namespace trnsim::cli
