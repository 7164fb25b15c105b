#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/files/files.hpp"
#include "base/npy/npy.hpp"
#include "common/sample_package.hpp"
#include "compiler/neff/neff.hpp"
#include "session.hpp"
#include "small_recording.hpp"
#include "tools/cli/wave_on_error.hpp"

namespace trnsim::cli {
namespace {

Arguments wave(test::Session& trnsim, const Arguments& more) {
    Arguments arguments = trnsim.sample_run();
    arguments.front() = "wave";
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

std::string text_of(const std::string& path) {
    const auto bytes = files::read(path);
    return {bytes.begin(), bytes.end()};
}

// Returns lines of the save file with paths that do not exist or are not absolute.
Arguments broken_paths(const std::string& save_file) {
    Arguments broken;
    std::istringstream lines(text_of(save_file));
    for (std::string line; std::getline(lines, line);) {
        std::string path;
        if (line.starts_with('^')) path = line.substr(line.find(' ') + 1);
        if (line.starts_with("[dumpfile]")) path = line.substr(12, line.size() - 13);
        if (!path.empty() && (!path.starts_with('/') || !std::filesystem::exists(path)))
            broken.push_back(line);
    }
    return broken;
}

// Writes the description of a run on another clock, which is stored beside the recording.
void set_run(const test::Session& trnsim, const std::string& run) {
    files::write(trnsim.path("w.wave/run.json"), run);
}

TEST(WaveCommand, RecordsTheScopesOfTheViewAndOpensIt) {
    test::Session trnsim;
    const std::string path = trnsim.path("w.fst"), save_file = trnsim.path("w.tensor.gtkw");
    EXPECT_EQ(trnsim(wave(trnsim, {"--view", "tensor", "-o", path})), 0) << trnsim.err;
    EXPECT_EQ(trnsim.wave_request->scopes, Arguments{"tensor"});
    EXPECT_TRUE(std::filesystem::exists(path));
    EXPECT_EQ(trnsim.viewer, Arguments{save_file});
    EXPECT_EQ(broken_paths(save_file), Arguments{});
    EXPECT_NE(text_of(save_file).find("[dumpfile] \"" + path + "\"\n"), std::string::npos);
    EXPECT_EQ(trnsim.out.find("gtkwave"), std::string::npos);
}

TEST(WaveCommand, SaveFilesShowWhatHasBeenRecordedAndNothingElse) {
    test::Session trnsim;
    EXPECT_EQ(trnsim(wave(trnsim, {"--view", "tensor", "-o", trnsim.path("w.fst")})), 0) << trnsim.err;
    const std::string text = text_of(trnsim.path("w.tensor.gtkw"));
    EXPECT_NE(text.find("+{start load} core.neuron_core.tensor.start_load\n"), std::string::npos) << text;
    EXPECT_EQ(text.find("core.neuron_core.tensor.start_matmul0"), std::string::npos)
        << "not in the recording";
    EXPECT_EQ(text.find("-Moving operand"), std::string::npos) << "a group without a signal";
}

TEST(WaveCommand, SaveFilesNameTheInstructionsOfTheProgram) {
    test::Session trnsim;
    EXPECT_EQ(trnsim(wave(trnsim, {"-o", trnsim.path("w.fst")})), 0) << trnsim.err;
    const std::string table = trnsim.path("w.wave/program_sync.txt"), save_file = trnsim.path("w.core.gtkw");
    EXPECT_NE(text_of(save_file).find(" " + table + "\n+{executing} "), std::string::npos)
        << text_of(save_file);
    EXPECT_TRUE(text_of(table).starts_with("ffffffff -\n00000000 dma_trigger ")) << text_of(table);
    EXPECT_NE(text_of(table).find(" ('"), std::string::npos) << "name of the transfer";

    std::filesystem::remove_all(trnsim.path("w.wave"));
    EXPECT_EQ(trnsim({"wave", trnsim.path("w.fst")}), 0) << trnsim.err;
    EXPECT_EQ(broken_paths(save_file), Arguments{}) << "the table without a program";
}

TEST(WaveCommand, InstructionsOfGpSimdCoresHaveATableByTheirWords) {
    test::Session trnsim;
    const Arguments arguments = wave(trnsim, {"-o", trnsim.path("w.fst")});
    neff::Package package = test::sample_package();
    package.images = {{"relu", files::read(TRNSIM_FIRMWARE_IMAGES "/relu.gpsimd")}};
    neff::write(trnsim.path("k.neff"), package);
    EXPECT_EQ(trnsim(arguments), 0) << trnsim.err;
    const std::string table = text_of(trnsim.path("w.wave/program_cores.txt"));
    EXPECT_TRUE(table.starts_with("00000000 -\n")) << table;
    EXPECT_NE(table.find("\n10500073 wfi\n"), std::string::npos) << table;
    EXPECT_NE(table.find(" vle32.v v"), std::string::npos) << table;
    EXPECT_NE(table.find(" jal ra, ."), std::string::npos) << table;
    EXPECT_EQ(table.find(".word"), std::string::npos) << table;
}

TEST(WaveCommand, RunsWriteASaveFileBesideTheRecording) {
    test::Session trnsim;
    Arguments run = trnsim.sample_run();
    run.insert(run.end(), {"--wave", trnsim.path("w.fst")});
    EXPECT_EQ(trnsim(run), 0) << trnsim.err;
    EXPECT_NE(trnsim.out.find("view               " + trnsim.path("w.core.gtkw") + "\n"), std::string::npos);
    EXPECT_EQ(broken_paths(trnsim.path("w.core.gtkw")), Arguments{});
    run.insert(run.end(), {"--wave-scope", "sync,vector"});
    EXPECT_EQ(trnsim(run), 0) << trnsim.err;
    EXPECT_NE(trnsim.out.find(trnsim.path("w.vector.gtkw")), std::string::npos) << trnsim.out;
}

std::string line_with(const std::string& text, const std::string& beginning) {
    const std::size_t at = text.find("\n" + beginning) + 1;
    return text.substr(at, text.find('\n', at) - at);
}

TEST(WaveCommand, OpensOnTheRun) {
    test::Session trnsim;
    const std::string path = trnsim.path("w.fst"), save_file = trnsim.path("w.vector.gtkw");
    EXPECT_EQ(trnsim(wave(trnsim, {"-o", path})), 0) << trnsim.err;
    set_run(trnsim, R"({"clock": 1000000000, "start": 5000000, "end": 7000000})");
    EXPECT_EQ(trnsim({"wave", path, "--view", "vector"}), 0) << trnsim.err;
    EXPECT_EQ(line_with(text_of(save_file), "[timestart]"), "[timestart] 4960");  // a 50th of the run before
    // 2080 ps over 1100 pixels
    EXPECT_TRUE(line_with(text_of(save_file), "*").starts_with("*-8.562936 -1 ")) << text_of(save_file);

    set_run(trnsim, R"({"clock": 1000000000, "start": 0, "end": 4000000})");
    EXPECT_EQ(trnsim({"wave", path, "--view", "vector"}), 0) << trnsim.err;
    EXPECT_EQ(line_with(text_of(save_file), "[timestart]"), "[timestart] 940")
        << "from where it has been recorded";

    set_run(trnsim, R"({"clock": 1000000000, "start": 8000000, "end": 11000000})");
    EXPECT_EQ(trnsim({"wave", path, "--view", "vector"}), 0) << trnsim.err;
    EXPECT_EQ(line_with(text_of(save_file), "[timestart]"), "[timestart] 7597")
        << "from earlier on: GTKWave does not go where the window would reach beyond the end";

    std::filesystem::remove_all(trnsim.path("w.wave"));
    EXPECT_EQ(trnsim({"wave", path, "--view", "vector"}), 0) << trnsim.err;
    EXPECT_EQ(line_with(text_of(save_file), "[timestart]"), "[timestart] 1000") << "all of it";
}

TEST(WaveCommand, OpensARecordingAtACycle) {
    test::Session trnsim;
    const std::string path = trnsim.path("w.fst"), save_file = trnsim.path("w.tensor.gtkw");
    EXPECT_EQ(trnsim(wave(trnsim, {"-o", path})), 0) << trnsim.err;
    set_run(trnsim, R"({"clock": 20000000000, "start": 5000000, "end": 7000000})");
    trnsim.obstacle = "no display";
    EXPECT_EQ(trnsim({"wave", path, "--view", "tensor", "--at", "150"}), 0) << trnsim.err;
    EXPECT_EQ(trnsim.out, "no display; to look at it: gtkwave " + save_file + "\n") << "nothing runs";
    EXPECT_EQ(line_with(text_of(save_file), "[timestart]"), "[timestart] 5500");  // 40 cycles of 50 ps before
    EXPECT_EQ(line_with(text_of(save_file), "*").substr(0, 15), "*-9.506353 7500");  // the marker

    EXPECT_EQ(trnsim({"wave", path, "--at", "1000"}), 2);
    EXPECT_EQ(trnsim.err, "trnsim: --at 1000: " + path + " has the cycles 20 to 220\n");
    EXPECT_EQ(trnsim({"wave", path, "--at", "150", "--seed", "3"}), 2);
    EXPECT_EQ(trnsim.err, "trnsim: --seed: " + path + " has been recorded, expected a kernel to run\n");
    set_run(trnsim, "{}");
    EXPECT_EQ(trnsim({"wave", path}), 2);
    EXPECT_NE(trnsim.err.find("w.wave/run.json: "), std::string::npos) << trnsim.err;

    std::filesystem::remove_all(trnsim.path("w.wave"));
    EXPECT_EQ(trnsim({"wave", path, "--at", "10"}), 2);
    EXPECT_NE(trnsim.err.find("does not say how long a cycle is, expected --config\n"), std::string::npos);
    EXPECT_EQ(trnsim({"wave", path, "--at", "10", "--config", "small16"}), 0) << trnsim.err;  // 2.8 GHz
    EXPECT_NE(text_of(trnsim.path("w.core.gtkw")).find(" 3571 -1 "), std::string::npos);
}

TEST(WaveCommand, WhatIsNoRecordingIsRefused) {
    test::Session trnsim;
    EXPECT_EQ(trnsim({"wave", trnsim.path("w.fst")}), 2);
    EXPECT_EQ(trnsim.err,
              "trnsim: " + trnsim.path("w.fst") + ": no such file, expected a recording of a core, .fst\n");
    files::write(trnsim.path("w.fst"), "wave");
    EXPECT_EQ(trnsim({"wave", trnsim.path("w.fst")}), 2);
    EXPECT_NE(trnsim.err.find("no waveform in the FST format"), std::string::npos) << trnsim.err;
}

TEST(WaveCommand, OpensWhatAKilledRunHasRecorded) {
    test::Session trnsim;
    const std::string path = trnsim.path("w.fst"), folder = path + ".0123456789abcdef.partial";
    std::filesystem::create_directory(path + ".fedcba9876543210.partial");  // of a run that had begun nothing
    std::filesystem::create_directory(folder);
    test::begin_recording(std::filesystem::path(folder) / "w.fst");
    EXPECT_EQ(trnsim({"wave", path, "--view", "tensor"}), 0) << trnsim.err;
    EXPECT_EQ(
        trnsim.out.find(path + ": what a killed run recorded, up to 6 ns; " + folder + " may be removed"), 0u)
        << trnsim.out;
    EXPECT_TRUE(std::filesystem::exists(folder)) << "its run may be at work";
    EXPECT_FALSE(std::filesystem::exists(path + ".hier"));
    EXPECT_NE(
        text_of(trnsim.path("w.tensor.gtkw")).find("+{start load} core.neuron_core.tensor.start_load\n"),
        std::string::npos);
    std::filesystem::remove_all(folder);
    EXPECT_EQ(trnsim({"wave", path, "--view", "tensor"}), 0) << "it is whole: " << trnsim.err;
    EXPECT_EQ(trnsim({"wave", trnsim.path("other.fst")}), 2) << "of another name";
}

// What is beside a recording that a killed run left is of that run, not of an older one.
TEST(WaveCommand, AKilledRunHasItsOwnPrograms) {
    namespace fs = std::filesystem;
    test::Session trnsim;
    const std::string path = trnsim.path("w.fst"), folder = path + ".0123456789abcdef.partial/";
    fs::create_directories(trnsim.path("w.wave"));
    for (const char* name : {"program_sync.txt", "program_cores.txt", "run.json"})
        files::write(trnsim.path("w.wave/") + name, "of an older run");
    fs::create_directory(folder);
    test::begin_recording(fs::path(folder) / "w.fst");
    files::write(folder + "program_sync.txt", "ffffffff -\n");
    files::write(folder + "run.json", R"({"clock": 1000000000, "start": 0, "end": 0})");
    EXPECT_EQ(trnsim({"wave", path, "--view", "tensor", "--at", "4"}), 0) << trnsim.err;
    EXPECT_EQ(text_of(trnsim.path("w.wave/program_sync.txt")), "ffffffff -\n");
    EXPECT_FALSE(fs::exists(trnsim.path("w.wave/program_cores.txt")));
    const auto run = nlohmann::json::parse(files::read(trnsim.path("w.wave/run.json")));
    EXPECT_EQ(run.at("clock"), 1000000000);
    EXPECT_EQ(run.at("start"), 1'000'000) << "fs, the first recorded time";
    EXPECT_EQ(run.at("end"), 6'000'000);

    // A run after it was killed as well: the recording is older than what that left.
    fs::last_write_time(path, fs::last_write_time(path) - std::chrono::hours(1));
    EXPECT_EQ(trnsim({"wave", path, "--view", "tensor"}), 0) << trnsim.err;
    EXPECT_EQ(trnsim.out.find(path + ": " + path + ".0123456789abcdef.partial is newer, "), 0u) << trnsim.out;
}

TEST(WaveCommand, AKilledRunThatHasRecordedNothingIsNamed) {
    test::Session trnsim;
    const std::string path = trnsim.path("w.fst"), folder = path + ".0123456789abcdef.partial";
    std::filesystem::create_directory(folder);
    EXPECT_EQ(trnsim({"wave", path}), 2);
    EXPECT_EQ(trnsim.err.find("trnsim: " + path + ": no such file, and " + folder + " holds nothing"), 0u)
        << trnsim.err;
    EXPECT_EQ(std::ranges::count(trnsim.err, '\n'), 1) << trnsim.err;
}

// GTKWave looks for a file at its place relative to that of the save file, then at its old place.
TEST(WaveCommand, EverythingMovesTogether) {
    test::Session trnsim;
    std::filesystem::create_directory(trnsim.path("there"));
    const std::string there = trnsim.path("there/"), here = trnsim.path("here/");
    EXPECT_EQ(trnsim(wave(trnsim, {"--view", "core", "-o", there + "w.fst"})), 0) << trnsim.err;
    std::filesystem::rename(there, here);
    std::istringstream lines(text_of(here + "w.core.gtkw"));
    std::string save_file;
    std::size_t found = 0;
    for (std::string line; std::getline(lines, line);) {
        std::string path;
        if (line.starts_with("[savefile]")) save_file = line.substr(12, line.size() - 13);
        if (line.starts_with("[dumpfile]")) path = line.substr(12, line.size() - 13);
        if (line.starts_with('^')) path = line.substr(line.find(' ') + 1);
        if (path.empty()) continue;
        ++found;
        EXPECT_TRUE(path.starts_with(there)) << "another folder does not move with it: " << path;
        EXPECT_TRUE(std::filesystem::exists(here + path.substr(there.size()))) << path;
    }
    EXPECT_EQ(save_file, there + "w.core.gtkw");
    EXPECT_GT(found, 2u);
}

TEST(WaveCommand, SurferHasTheViewAsCommands) {
    test::Session trnsim;
    const std::string path = trnsim.path("w.fst"), settings = trnsim.path("w.wave/surfer");
    EXPECT_EQ(trnsim(wave(trnsim, {"-o", path, "--viewer", "surfer"})), 0) << trnsim.err;
    EXPECT_TRUE(trnsim.viewer.empty()) << "nothing is opened";
    EXPECT_NE(trnsim.out.find("to look at it: surfer --command-file " + trnsim.path("w.core.sucl") + " " +
                              path + "; its formats are in " + settings + ", for ~/.config/surfer\n"),
              std::string::npos)
        << trnsim.out;
    const std::string commands = text_of(trnsim.path("w.core.sucl"));
    // The index of an item counts dividers and signals, as hexadecimal digits a to p.
    std::size_t items = 0;
    std::istringstream lines(commands);
    bool found = false;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("divider_add ") || line.starts_with("variable_add ")) ++items;
        if (line == "variable_add core.neuron_core.sync.executing_pc" && !found) {
            found = true;
            std::getline(lines, line);
            ASSERT_LE(items, 16u);
            EXPECT_EQ(line, std::string("item_focus ") + static_cast<char>('a' + items - 1) + "_");
            std::getline(lines, line);
            EXPECT_EQ(line, "item_set_format trnsim_program_sync");
        }
    }
    EXPECT_TRUE(found) << commands;
    EXPECT_EQ(commands.find("[31:0]"), std::string::npos) << "Surfer names signals without their range";
    EXPECT_EQ(commands.find("core.neuron_core.tensor.start_matmul0"), std::string::npos)
        << "not in the recording";
    const std::string table = text_of(settings + "/mnemonic/trnsim_program_sync.txt");
    EXPECT_TRUE(
        table.starts_with("Name: trnsim_program_sync\nBits: 32\n0xffffffff \"-\"\n0x00000000 \"dma_trigger "))
        << table;

    set_run(trnsim, R"({"clock": 20000000000, "start": 5000000, "end": 7000000})");
    EXPECT_EQ(trnsim({"wave", path, "--viewer", "surfer", "--at", "150"}), 0) << trnsim.err;
    EXPECT_TRUE(text_of(trnsim.path("w.core.sucl")).ends_with("cursor_set 7500\ngoto_cursor\n"));
    const std::string spaced = trnsim.path("a w.fst");
    std::filesystem::copy(path, spaced);
    EXPECT_EQ(trnsim({"wave", spaced, "--viewer", "surfer"}), 0) << trnsim.err;
    EXPECT_NE(trnsim.out.find(".sucl' '" + spaced + "'; its formats"), std::string::npos)
        << "quoted for a shell: " << trnsim.out;
    EXPECT_EQ(trnsim({"wave", path, "--viewer", "surfer", "--lane", "9"}), 2);
    EXPECT_EQ(trnsim.err, "trnsim: --lane: Surfer shows no parts of a signal, expected --viewer gtkwave\n");
    EXPECT_EQ(trnsim({"wave", path, "--viewer", "surf"}), 2);
    EXPECT_EQ(trnsim.err, "trnsim: --viewer surf: expected gtkwave or surfer\n");
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
    EXPECT_NE(trnsim.out.find("\nno display; to look at it: gtkwave " + trnsim.path("w.core.gtkw") + "\n"),
              std::string::npos)
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
              "trnsim: --view psum: no such view; there are core, dma, gpsimd, hbm, link, rounding, scalar, "
              "tensor, vector\n");
    EXPECT_TRUE(trnsim.viewer.empty());
}

std::string value_of(const test::Session& trnsim, const std::string& option) {
    const auto place = std::ranges::find(trnsim.again, option);
    return place == trnsim.again.end() ? "" : *(place + 1);
}

// A wrong output is an error like those of the core: the element that is wrong is recorded and marked.
TEST(WaveOnError, RecordsTheWriteOfAWrongElement) {
    test::Session trnsim;
    const Arguments run = trnsim.sample_run() + Arguments{"--wave-on-error", trnsim.path("e.fst")};
    trnsim.prepare = [](test::FakeMachine& machine) { machine.invert_bits(); };
    EXPECT_EQ(trnsim(run), 1);
    EXPECT_NE(trnsim.err.find("differ from the interpreter's"), std::string::npos) << trnsim.err;
    EXPECT_EQ(value_of(trnsim, "--wave-element"), "y[0,0]");
    EXPECT_NE(value_of(trnsim, "--wave-window"), "");
    EXPECT_NE(trnsim.out.find("  wave of the error  " + trnsim.path("e.fst") + "\n"), std::string::npos)
        << trnsim.out;
    EXPECT_NE(trnsim.out.find("  view of the error  " + trnsim.path("e.core.gtkw") + "\n"), std::string::npos)
        << trnsim.out;
    const std::string view = text_of(trnsim.path("e.core.gtkw"));
    for (const char* row :
         {"+{name} element.name\n", "+{expected} element.expected\n", "+{found} element.found\n"})
        EXPECT_NE(view.find(row), std::string::npos) << view;

    trnsim.prepare = {};
    npy::Array expected = npy::read(trnsim.path("a.npy"));
    expected.data[4 * 11 + 3] ^= 0x40;  // [1, 3]
    npy::write(trnsim.path("r.npy"), expected);
    std::filesystem::remove(trnsim.path("e.fst"));
    EXPECT_EQ(trnsim(run + Arguments{"--expect", "y=" + trnsim.path("r.npy")}), 1);
    EXPECT_EQ(value_of(trnsim, "--wave-element"), "y[1,3]");
    EXPECT_EQ(value_of(trnsim, "--expect"), "y=" + trnsim.path("r.npy"));
    EXPECT_TRUE(std::filesystem::exists(trnsim.path("e.fst")));
    EXPECT_NE(trnsim.out.find("wave of the error"), std::string::npos) << trnsim.out;
}

TEST(WaveOnError, RecordsTheEndOfARunThatTakesTooLong) {
    test::Session trnsim;
    const Arguments run = trnsim.sample_run() + Arguments{"--wave-on-error", trnsim.path("e.fst")};
    trnsim.prepare = [](test::FakeMachine& machine) { machine.set_instructions_per_slice(1); };
    EXPECT_EQ(trnsim(run + Arguments{"--max-time", "2ns"}), 1);
    EXPECT_EQ(value_of(trnsim, "--max-time"), "2ns");
    EXPECT_TRUE(value_of(trnsim, "--wave-window").ends_with(':')) << "to the end";
    EXPECT_NE(trnsim.out.find("wave of the error"), std::string::npos) << trnsim.out;
}

TEST(WaveOnError, RecordsTheInstructionThatWritesANan) {
    test::Session trnsim;
    const Arguments run = trnsim.sample_run() + Arguments{"--wave-on-error", trnsim.path("e.fst")};
    trnsim.prepare = [](test::FakeMachine& machine) {
        machine.set_numeric_error({.engines = 2, .engine = 1, .pc = 0});
    };
    EXPECT_EQ(trnsim(run), 0) << trnsim.err;
    EXPECT_TRUE(trnsim.again.empty());
    EXPECT_EQ(trnsim(run + Arguments{"--fail-on-nan"}), 1);
    EXPECT_FALSE(value_of(trnsim, "--wave-window").ends_with(':')) << "around the instruction";
    EXPECT_NE(trnsim.out.find("wave of the error"), std::string::npos) << trnsim.out;
}

TEST(WaveOnError, SaysWhyThereIsNone) {
    test::Session trnsim;
    const Arguments run = trnsim.sample_run() + Arguments{"--wave-on-error", trnsim.path("e.fst"), "--check"};
    neff::Package package = test::sample_package();
    package.programs[static_cast<std::size_t>(isa::Engine::Sync)][1] = isa::Instruction(isa::Opcode::Nop);
    neff::write(trnsim.path("k.neff"), package);  // a race
    EXPECT_EQ(trnsim(run), 1);
    EXPECT_TRUE(trnsim.err.ends_with("trnsim: --wave-on-error " + trnsim.path("e.fst") +
                                     ": not recorded, as the kernel did not run\n"))
        << trnsim.err;
}

TEST(WaveElement, IsMarkedAndOpened) {
    test::Session trnsim;
    const std::string path = trnsim.path("w.fst"), save_file = trnsim.path("w.core.gtkw");
    const Arguments run = trnsim.sample_run() + Arguments{"--wave", path, "--wave-element"};
    EXPECT_EQ(trnsim(run + Arguments{"y[3,7]"}), 0) << trnsim.err;
    const auto made = nlohmann::json::parse(files::read(trnsim.path("w.wave/run.json")));
    const auto& element = made.at("element");
    EXPECT_EQ(element.at("name"), "y[3,7]");
    EXPECT_NE(element.at("expected"), "-");
    set_run(trnsim, R"({"clock": 20000000000, "start": 5000000, "end": 7000000, "element": {"name": "y[3,7]",
                        "cycle": 150, "expected": "1", "found": "2", "lane": 3}})");
    EXPECT_EQ(trnsim({"wave", path}), 0) << trnsim.err;
    EXPECT_EQ(line_with(text_of(save_file), "[timestart]"), "[timestart] 5500") << "40 cycles before it";
    EXPECT_NE(text_of(save_file).find(" 7500 -1 "), std::string::npos) << "the marker";
    EXPECT_EQ(trnsim({"wave", path, "--at", "100"}), 0) << trnsim.err;
    EXPECT_NE(text_of(save_file).find(" 5000 -1 "), std::string::npos) << "what was asked for comes first";
    EXPECT_EQ(trnsim(run + Arguments{"y[3,8]"}), 2);
    EXPECT_EQ(trnsim.err, "trnsim: --wave-element y[3,8]: found '8', expected 0 to 7\n");
    EXPECT_EQ(trnsim(run + Arguments{"scratch[0]"}), 2);
    EXPECT_NE(trnsim.err.find("nothing writes it, expected an element of an output"), std::string::npos);
    EXPECT_EQ(trnsim(trnsim.sample_run() + Arguments{"--wave-element", "y[0,0]"}), 2);
    EXPECT_EQ(trnsim.err, "trnsim: --wave-element: expected --wave with it\n");
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
    EXPECT_EQ(value_of(trnsim, "--seed"), "3");
    EXPECT_EQ(value_of(trnsim, "--perturb"), "9");
    EXPECT_EQ(value_of(trnsim, "--random-memory"), "4");
    EXPECT_TRUE(value_of(trnsim, "--wave-window").ends_with(':')) << "to the end";
    EXPECT_EQ(value_of(trnsim, "--wave"), trnsim.path("e.fst"));
    EXPECT_EQ(value_of(trnsim, "--random-inputs"), "") << "all were given";
    EXPECT_EQ(value_of(trnsim, "--output"), "") << "outputs, trace and statistics are those of the first run";

    EXPECT_EQ(trnsim({"run", trnsim.path("k.neff"), "--random-inputs", "5", "--wave-on-error",
                      trnsim.path("e.fst")}),
              1);
    EXPECT_EQ(value_of(trnsim, "--random-inputs"), "5");

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
