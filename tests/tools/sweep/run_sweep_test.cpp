// Tests `trnsim sweep` as a program on a small core: results, failing points, resumption after being killed,
// Slurm.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <vector>

#include "base/files/files.hpp"
#include "common/random.hpp"
#include "common/temporary_directory.hpp"

namespace trnsim::test {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
    if (!fs::exists(path)) return "";
    const auto bytes = files::read(path);
    return {bytes.begin(), bytes.end()};
}

class RunSweep : public testing::Test {
  protected:
    RunSweep() {
        ::setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1);
        ::unsetenv("TRNSIM_CORE_PATH");
    }
    fs::path path(const std::string& name) const { return folder_ / name; }
    fs::path write_sweep(const std::string& text) const {
        files::write(path("s.yaml"), "base: small16\nseed: 3\n" + text);
        return path("s.yaml");
    }
    // Starts the program; its output goes to the files `out` and `err`.
    pid_t start(const std::vector<std::string>& arguments) const {
        std::vector<std::string> words{program_, "sweep"};
        words.insert(words.end(), arguments.begin(), arguments.end());
        std::vector<char*> pointers;
        pointers.reserve(words.size() + 1);
        for (std::string& word : words) pointers.push_back(word.data());
        pointers.push_back(nullptr);
        const std::string out = path("out").string(), err = path("err").string();
        const pid_t child = ::fork();
        if (child != 0) return child;
        ::dup2(::open(out.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0666), STDOUT_FILENO);
        ::dup2(::open(err.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0666), STDERR_FILENO);
        ::execv(pointers[0], pointers.data());
        ::_exit(127);
    }
    static int wait_for(pid_t child) {
        int status = 0;
        ::waitpid(child, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }
    int run(const std::vector<std::string>& arguments) const { return wait_for(start(arguments)); }
    std::string out() const { return text_of(path("out")); }
    std::string err() const { return text_of(path("err")); }
    // Returns the texts of the points stored so far, by file name.
    std::map<std::string, std::string> stored(const std::string& folder) const {
        std::map<std::string, std::string> texts;
        std::error_code none_yet;
        for (const fs::directory_entry& entry : fs::directory_iterator(path(folder) / "points", none_yet))
            if (entry.path().extension() == ".json") texts[entry.path().filename()] = text_of(entry.path());
        return texts;
    }

    TemporaryDirectory folder_;
    std::string program_ = TRNSIM_PROGRAM;
};

constexpr const char* Tiny = "kernels:\n  - matmul: { M: 8, K: 8, N: { from: 1, to: 12, step: 1 } }\n";

// Sweeps ranks of a server: both fidelities give the same figures, lanes and chips change them; each point
// has its recordings.
TEST_F(RunSweep, KernelsOnServers) {
    const fs::path file = write_sweep(
        "server: trn1-4\ntrace: true\nwave: true\nkernels:\n  - adamw: { n: 700, dtype: fp32, ranks: [2, 8] "
        "}\naxes:\n"
        "  - fidelity: [rtl, fast]\n  - links.lanes: [8, 16]\n");
    ASSERT_EQ(run({file.string(), "-o", path("o").string(), "--jobs", "2"}), 0) << err();
    std::map<std::string, std::string> figures;  // without the fidelity; by fidelity, lanes and ranks
    std::istringstream lines(text_of(path("o/results.csv")));
    std::string line;
    std::getline(lines, line);
    EXPECT_NE(line.find("link_bytes (B),link_busy"), std::string::npos) << line;
    while (std::getline(lines, line)) {
        EXPECT_NE(line.find(",ok,"), std::string::npos) << line;
        const std::size_t from = line.find(',') + 1, to = line.find(',', from);
        const std::string key = line.substr(from, line.find(",n=") - from);
        figures[key] = line.substr(line.find(",ok,"));
        EXPECT_EQ(line.substr(from, to - from) == "rtl", line.find(",3,,ok") == std::string::npos) << line;
    }
    ASSERT_EQ(figures.size(), 8u);
    for (const char* rest : {",8,adamw,2", ",16,adamw,2", ",8,adamw,8", ",16,adamw,8"})
        EXPECT_EQ(figures.at(std::string("rtl") + rest), figures.at(std::string("fast") + rest)) << rest;
    EXPECT_EQ(figures.at("fast,8,adamw,2"), figures.at("fast,16,adamw,2"));  // one chip has no use for links
    EXPECT_NE(figures.at("fast,8,adamw,8"), figures.at("fast,16,adamw,8"));
    std::size_t traces = 0, views = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(path("o/points"))) {
        traces += entry.path().string().ends_with(".trace.json");
        views += entry.path().string().ends_with(".link.gtkw");
    }
    EXPECT_EQ(traces, 8u);
    EXPECT_EQ(views, 8u);
    ASSERT_EQ(run({file.string(), "-o", path("o").string(), "--resume"}), 0) << err();
    EXPECT_NE(out().find("kept               8 of an earlier run"), std::string::npos) << out();
}

TEST_F(RunSweep, WritesResultsThatDoNotDependOnTheJobs) {
    const std::string sweep = write_sweep(Tiny);
    ASSERT_EQ(run({sweep, "-o", path("one"), "--jobs", "1"}), 0) << err();
    EXPECT_EQ(err(), "") << "quiet in a pipe";
    EXPECT_NE(out().find("12 ok, 0 mismatch, 0 failed, 0 timeout"), std::string::npos) << out();
    ASSERT_EQ(run({sweep, "-o", path("three"), "--jobs", "3"}), 0) << err();
    const std::string csv = text_of(path("one/results.csv"));
    EXPECT_EQ(csv, text_of(path("three/results.csv")));
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 13);
    EXPECT_GT(text_of(path("one/report.html")).size(), 10'000u);
}

TEST_F(RunSweep, ResumeKeepsResultsAndAFreshSweepWantsAFreshFolder) {
    const std::string sweep = write_sweep(Tiny);
    ASSERT_EQ(run({sweep, "-o", path("r")}), 0) << err();
    const auto before = stored("r");
    EXPECT_EQ(run({sweep, "-o", path("r")}), 2);
    EXPECT_EQ(err(), "trnsim: " + path("r").string() +
                         ": holds results of a sweep, expected --resume or another folder\n");
    ASSERT_EQ(run({sweep, "-o", path("r"), "--resume"}), 0) << err();
    EXPECT_EQ(stored("r"), before) << "run again, wall times differ";
    EXPECT_NE(out().find("12 of an earlier run"), std::string::npos) << out();
    write_sweep("kernels:\n  - matmul: { M: 8, K: 8, N: { from: 12, to: 13, step: 1 } }\n");
    ASSERT_EQ(run({sweep, "-o", path("r"), "--resume"}), 0) << err();
    EXPECT_NE(out().find("1 of an earlier run"), std::string::npos) << "the sweep may change";
}

TEST_F(RunSweep, KernelsOfTheUserRunAndResume) {
    const std::string build = program_ + " kernel build cast --rows 4 --cols 5 --config small16 -o ";
    ASSERT_EQ(std::system((build + path("mine.neff").string() + " > /dev/null").c_str()), 0);
    files::write(path("gen"), "#!/bin/sh\nexec " + program_ + " kernel build cast --rows 6 \"$@\"\n");
    fs::permissions(path("gen"), fs::perms::owner_all);
    const std::string sweep = write_sweep(
        "kernels:\n  - neff: mine.neff\n  - program: [./gen, --cols, 7]\n  - program: [./gen, --cols, none]\n"
        "axes:\n  - hbm.bandwidth: [100 GB/s, 200 GB/s]\n");
    EXPECT_EQ(run({sweep, "-o", path("r")}), 1);
    EXPECT_NE(out().find("4 ok, 0 mismatch, 2 failed, 0 timeout"), std::string::npos) << out() << err();
    EXPECT_NE(
        err().find("(gen --cols none): failed: program './gen --cols none' ended with status 2: trnsim: "),
        std::string::npos)
        << err();
    const std::string csv = text_of(path("r/results.csv"));
    EXPECT_NE(csv.find(",mine,rows=4 cols=5 dtype=bf16,"), std::string::npos) << csv;
    EXPECT_NE(csv.find(",gen,--cols 7,"), std::string::npos) << csv;
    run({sweep, "-o", path("r"), "--resume"});
    EXPECT_NE(out().find("kept               4 of an earlier run"), std::string::npos) << out();
    std::ofstream(path("gen"), std::ios::app) << "# changed\n";
    run({sweep, "-o", path("r"), "--resume"});
    EXPECT_NE(out().find("ran again          2 of an earlier run: another kernel"), std::string::npos)
        << out();
}

// Returns every value of a column of results.csv. The points' texts have no commas.
std::vector<std::string> column(const std::string& csv, const std::string& name) {
    const auto cells = [](const std::string& line) {
        std::vector<std::string> found;
        std::istringstream stream(line + ",");
        for (std::string cell; std::getline(stream, cell, ',');) found.push_back(cell);
        return found;
    };
    std::istringstream lines(csv);
    std::string line;
    std::getline(lines, line);
    const std::vector<std::string> heading = cells(line);
    const auto at = static_cast<std::size_t>(std::ranges::find(heading, name) - heading.begin());
    std::vector<std::string> values;
    while (std::getline(lines, line)) values.push_back(cells(line).at(at));
    return values;
}

TEST_F(RunSweep, BothFidelitiesGiveTheSameMetrics) {
    const std::string sweep = write_sweep(
        "axes:\n  - fidelity: [rtl, fast]\n  - hbm.bandwidth: [12.5 GB/s, 100 GB/s]\n"
        "kernels:\n  - matmul: { M: 24, K: 40, N: 9 }\n  - softmax: { rows: 19, cols: 23 }\n"
        "metrics: [cycles, macs_per_cycle, tensor_busy, dma_busy, hbm_bytes]\n");
    ASSERT_EQ(run({sweep, "-o", path("r"), "--jobs", "2"}), 0) << err();
    const std::string csv = text_of(path("r/results.csv"));
    const std::vector<std::string> fidelity = column(csv, "fidelity"), rtl_hash = column(csv, "rtl_hash");
    ASSERT_EQ(fidelity,
              (std::vector<std::string>{"rtl", "rtl", "fast", "fast", "rtl", "rtl", "fast", "fast"}));
    for (std::size_t i = 0; i < fidelity.size(); ++i) EXPECT_EQ(rtl_hash[i].empty(), fidelity[i] == "fast");
    for (const char* metric : {"cycles", "macs_per_cycle", "tensor_busy", "dma_busy", "hbm_bytes (B)"}) {
        const std::vector<std::string> values = column(csv, metric);
        for (const std::size_t rtl : {0u, 1u, 4u, 5u}) EXPECT_EQ(values[rtl], values[rtl + 2]) << metric;
    }
    const std::vector<std::string> cycles = column(csv, "cycles");
    EXPECT_NE(cycles[0], cycles[1]) << "the axis takes effect";
}

TEST_F(RunSweep, FastPointsNeedNoCoreAndHaveResultsOfTheirOwn) {
    const std::string kernel = "kernels:\n  - cast: { rows: 8, cols: 8 }\n";
    // Every use of a verilated core is an error without a library and without sources to build one.
    ::setenv("TRNSIM_CORE_PATH", path("nothing").c_str(), 1);
    ::setenv("TRNSIM_SOURCE", path("nothing").c_str(), 1);
    EXPECT_EQ(run({write_sweep(kernel), "-o", path("r")}), 2);
    EXPECT_NE(err().find("no sources of trnsim there"), std::string::npos) << err();
    ASSERT_EQ(run({write_sweep(kernel + "fidelity: fast\n"), "-o", path("r")}), 0) << err();
    EXPECT_NE(out().find("cores              0, 0 of them built"), std::string::npos) << out();
    ::unsetenv("TRNSIM_CORE_PATH");
    ::unsetenv("TRNSIM_SOURCE");
    ASSERT_EQ(run({write_sweep(kernel), "-o", path("r"), "--resume"}), 0) << err();
    EXPECT_EQ(out().find("of an earlier run"), std::string::npos) << "a point of another fidelity: " << out();
    ASSERT_EQ(run({write_sweep(kernel + "fidelity: fast\n"), "-o", path("r"), "--resume"}), 0) << err();
    EXPECT_NE(out().find("kept               1 of an earlier run"), std::string::npos) << out();
}

TEST_F(RunSweep, WhatAFastCoreDoesNotHaveFailsAtItsPoints) {
    const std::string kernel = "axes:\n  - fidelity: [rtl, fast]\nkernels:\n  - cast: { rows: 8, cols: 8 }\n";
    EXPECT_EQ(run({write_sweep(kernel + "perturb: 1\n"), "-o", path("perturbed")}), 1);
    EXPECT_NE(out().find("1 ok, 0 mismatch, 1 failed, 0 timeout"), std::string::npos) << out();
    EXPECT_NE(err().find("failed: perturb: found '1', expected none with fidelity fast"), std::string::npos)
        << err();
    EXPECT_EQ(run({write_sweep(kernel + "wave: true\n"), "-o", path("waves")}), 0) << err();
    EXPECT_NE(out().find("2 ok, 0 mismatch, 0 failed, 0 timeout"), std::string::npos) << out();
}

// Puts copies of the program and its files into the folder, where a test can change them; other files are
// links.
class ChangedProgram : public RunSweep {
  protected:
    ChangedProgram() {
        const fs::path source = fs::path(TRNSIM_SWEEPS).parent_path().parent_path(), program = TRNSIM_PROGRAM;
        for (const char* linked : {"CMakeLists.txt", "arch", "base", "cmake", "isa", "rtl"}) {
            fs::create_directories(path("source"));
            fs::create_symlink(source / linked, path("source") / linked);
        }
        fs::copy(source / "model", path("source/model"), fs::copy_options::recursive);
        fs::copy(source / "configs", path("configs"), fs::copy_options::recursive);
        fs::create_symlink(source / "waves", path("waves"));
        fs::copy(program, path("trnsim"));
        program_ = path("trnsim");
        ::setenv("TRNSIM_SOURCE", path("source").c_str(), 1);
        ::setenv("TRNSIM_CONFIG_PATH", path("configs").c_str(), 1);
        ::setenv("TRNSIM_CORE_PATH", (program.parent_path() / "../lib/cores").c_str(), 1);
    }
    ~ChangedProgram() override {
        for (const char* name : {"TRNSIM_SOURCE", "TRNSIM_CONFIG_PATH", "TRNSIM_CORE_PATH"}) ::unsetenv(name);
    }
    void append(const std::string& file) const { std::ofstream(path(file), std::ios::app) << "\n"; }
    std::ptrdiff_t files_of_points() const {
        const fs::directory_iterator files(path("r/points"));
        return std::distance(begin(files), end(files));
    }
};

TEST_F(ChangedProgram, ResumeRunsAgainWhatItMadeBefore) {
    const std::string sweep = write_sweep(Tiny);
    ASSERT_EQ(run({sweep, "-o", path("r")}), 0) << err();
    const std::string csv = text_of(path("r/results.csv"));
    const auto resume = [&](const std::string& expected) {
        const auto before = stored("r");
        ASSERT_EQ(run({sweep, "-o", path("r"), "--resume"}), 0) << err();
        EXPECT_NE(out().find("\n  " + expected + "\n"), std::string::npos) << out();
        const auto after = stored("r");
        const bool again = expected.starts_with("ran again");
        EXPECT_EQ(again, out().find("  kept") == std::string::npos) << out();
        for (const auto& [name, text] : before) EXPECT_EQ(after.at(name) != text, again) << "wall times tell";
        EXPECT_EQ(after.size(), before.size()) << "what was made before is gone";
        EXPECT_EQ(text_of(path("r/results.csv")), csv);
    };
    const std::string kept = "kept               12 of an earlier run";
    resume(kept);
    append("trnsim");
    resume("ran again          12 of an earlier run: another program");
    resume(kept);
    append("source/model/core/rtl/adapter.cpp");
    resume("ran again          12 of an earlier run: another core");
    append("configs/estimates/energy.yaml");
    append("trnsim");
    resume("ran again          12 of an earlier run: another estimates, another program");
    resume(kept);
    for (const auto& [name, text] : stored("r")) {
        const std::size_t begin = text.find("\"origin\":"), end = text.find("},", begin) + 2;
        files::write(path("r/points/" + name), text.substr(0, begin) + text.substr(end));
    }
    resume("ran again          12 of an earlier run: another core, another estimates, another program");
}

TEST_F(ChangedProgram, RecordingsOfBeforeAreNotKept) {
    const std::string kernels = "kernels:\n  - cast: { rows: 8, cols: 8 }\n";
    ASSERT_EQ(run({write_sweep(kernels + "trace: true\nwave: true\n"), "-o", path("r")}), 0) << err();
    EXPECT_EQ(files_of_points(), 5) << "result, trace, waveform, its folder and its view";
    append("trnsim");
    ASSERT_EQ(run({write_sweep(kernels), "-o", path("r"), "--resume"}), 0) << err();
    EXPECT_EQ(files_of_points(), 1);
    EXPECT_EQ(text_of(path("r/results.json")).find(".trace.json"), std::string::npos);
}

// A process with threads must not fork. BLAS would start threads as soon as it is loaded.
TEST_F(RunSweep, TheProgramHasOneThread) {
    ::setenv("OPENBLAS_NUM_THREADS", "4", 1);
    const pid_t child = start({write_sweep(Tiny), "-o", path("r"), "--jobs", "1"});
    ::unsetenv("OPENBLAS_NUM_THREADS");
    std::size_t looks = 0;
    while (stored("r").size() < 12 && ::waitpid(child, nullptr, WNOHANG) == 0) {
        std::error_code ended;
        const fs::directory_iterator threads("/proc/" + std::to_string(child) + "/task", ended);
        if (stored("r").empty() || ended) continue;
        EXPECT_EQ(std::distance(begin(threads), end(threads)), 1);
        ++looks;
    }
    EXPECT_GT(looks, 0u);
    ::waitpid(child, nullptr, 0);
}

TEST_F(RunSweep, RecordingsAreKeptAndMadeWhereTheyAreMissing) {
    const std::string kernels = "rounding: stochastic\nkernels:\n  - cast: { rows: [8, 16], cols: 8 }\n";
    ASSERT_EQ(run({write_sweep(kernels), "-o", path("r")}), 0) << err();
    const auto plain = stored("r");
    ASSERT_EQ(plain.size(), 2u) << "one file a point, nothing recorded";
    const std::string sweep = write_sweep(kernels + "trace: true\nwave: true\n");
    ASSERT_EQ(run({sweep, "-o", path("r"), "--resume"}), 0) << err();
    EXPECT_EQ(out().find("of an earlier run"), std::string::npos) << "both have to be recorded";
    const auto recorded = [&](const std::string& point, const char* extension) {
        return path("r/points") / (point.substr(0, point.find('.')) + extension);
    };
    for (const auto& [name, text] : plain) {
        EXPECT_NE(text_of(recorded(name, ".trace.json")).find("traceEvents"), std::string::npos);
        EXPECT_GT(fs::file_size(recorded(name, ".fst")), 1000u);
        const std::string wave = recorded(name, ".fst").string(),
                          view = text_of(recorded(name, ".core.gtkw"));
        EXPECT_NE(view.find("[dumpfile] \"" + wave + "\""), std::string::npos) << view;
        EXPECT_NE(view.find("/program_vector.txt\n"), std::string::npos) << view;
        EXPECT_NE(text_of(recorded(name, ".wave") / "program_vector.txt").find("tensor_copy"),
                  std::string::npos);
        // A view contains the signals of the recording.
        const std::string show = "DISPLAY= WAYLAND_DISPLAY= " + program_ + " wave --view dma " + wave;
        ASSERT_EQ(std::system((show + " > " + path("shown").string()).c_str()), 0);
        EXPECT_NE(text_of(recorded(name, ".dma.gtkw")).find("dma.queue[0].transfer"), std::string::npos);
        EXPECT_NE(text_of(path("r/results.json")).find("points/" + name.substr(0, 64) + ".fst"),
                  std::string::npos);
    }
    fs::remove(recorded(plain.begin()->first, ".fst"));
    ASSERT_EQ(run({sweep, "-o", path("r"), "--resume"}), 0) << err();
    EXPECT_NE(out().find("1 of an earlier run"), std::string::npos) << out();
    EXPECT_TRUE(fs::exists(recorded(plain.begin()->first, ".fst")));
}

TEST_F(RunSweep, APointThatFailsInSimulationIsRecorded) {
    const std::string sweep = write_sweep(
        "axes:\n  - dma.start_latency: [50 us]\n  - runtime.timeout: [1 us]\n"
        "kernels:\n  - matmul: { M: 8, K: 8, N: 8 }\ntrace: true\n");
    EXPECT_EQ(run({sweep, "-o", path("h")}), 1);
    EXPECT_NE(err().find("hang: no progress"), std::string::npos) << err();
    EXPECT_NE(text_of(path("h/results.json")).find(".trace.json"), std::string::npos);
}

TEST_F(RunSweep, OnlyResultsOfSweepsAreReplaced) {
    const std::string sweep = write_sweep("kernels:\n  - matmul: { M: 8, K: 8, N: 8 }\nfidelity: fast\n");
    for (const char* mine : {"results.csv", "results.json", "report.html"}) {
        const std::string folder = std::string("of ") + mine;
        fs::create_directories(path(folder));
        std::ofstream(path(folder) / mine) << "mine";
        for (const bool resume : {false, true}) {
            std::vector<std::string> arguments{sweep, "-o", path(folder)};
            if (resume) arguments.push_back("--resume");
            EXPECT_EQ(run(arguments), 2) << mine;
            EXPECT_NE(err().find("was not written by a sweep"), std::string::npos) << err();
            EXPECT_EQ(text_of(path(folder) / mine), "mine");
        }
    }
    EXPECT_EQ(run({sweep, "-o", path("f")}), 0) << err();
    EXPECT_EQ(run({sweep, "-o", path("f"), "--resume"}), 0) << err();
}

TEST_F(RunSweep, PointsThatCannotBeAreNamedBeforeAnythingRuns) {
    const std::string sweep = write_sweep(
        "axes:\n  - core.clock: [2.8 GHz, 0.5 GHz]\nkernels:\n  - matmul: { M: 8, K: 8, N: [8, 16] }\n");
    EXPECT_EQ(run({sweep, "--plan"}), 2);
    const std::string named = ": 2 points (1, 3) cannot be: core.bus.ports: found '2', expected ";
    EXPECT_NE(err().find(named), std::string::npos) << err();
    EXPECT_TRUE(err().ends_with("\ntrnsim: 2 of 4 points cannot be\n")) << err();
    std::istringstream lines(out());
    std::string line;
    std::getline(lines, line);
    EXPECT_TRUE(line.ends_with(",arguments,reason")) << line;
    std::getline(lines, line);
    EXPECT_TRUE(line.ends_with(',')) << "point 0 can be: " << line;
    std::getline(lines, line);
    EXPECT_NE(line.find(",\"core.bus.ports: found '2'"), std::string::npos) << line;
    EXPECT_EQ(run({sweep, "-o", path("c"), "--jobs", "1"}), 1);
    EXPECT_NE(err().find(named), std::string::npos) << err();
    EXPECT_EQ(
        run({write_sweep("axes:\n  - core.clock: [2.8 GHz]\nkernels:\n  - matmul: { M: 8, K: 8, N: 8 }\n"),
             "--plan"}),
        0);
    EXPECT_EQ(err(), "");
}

TEST_F(RunSweep, FailingPointsAreRecordedWithTheirReason) {
    const std::string sweep = write_sweep(
        "time_limit: 5 s\naxes:\n  - core.array.rows: [16, 32]\n"
        "kernels:\n  - matmul: { M: [8, 8000], K: [8, 8000], N: 8 }\n  - transformer_block: { seq: 8, width: "
        "10, heads: 3 }\n"
        "filter: kernel.M == kernel.K\nmetrics: [cycles]\n");
    EXPECT_EQ(run({sweep, "-o", path("f"), "--jobs", "2"}), 1);
    std::istringstream lines(text_of(path("f/results.csv")));
    std::map<int, std::string> by_point;
    std::string line;
    for (std::getline(lines, line); std::getline(lines, line);) by_point[std::stoi(line)] = line;
    ASSERT_EQ(by_point.size(), 6u);
    EXPECT_NE(by_point[0].find(",ok,,"), std::string::npos) << by_point[0];
    const std::string impossible =
        ",failed,\"core.array.rows: found '32', expected at most core.partitions, 16\",";
    for (const int point : {1, 3, 5})
        EXPECT_NE(by_point[point].find(impossible), std::string::npos) << by_point[point];
    EXPECT_NE(by_point[2].find(",timeout,took longer than 5 s,"), std::string::npos) << by_point[2];
    EXPECT_NE(by_point[4].find(",failed,"), std::string::npos) << by_point[4];
    EXPECT_NE(by_point[4].find("heads"), std::string::npos) << by_point[4];
    EXPECT_NE(err().find("timeout: took longer than 5 s"), std::string::npos) << err();
}

TEST_F(RunSweep, MistakesOfTheCommandLine) {
    const std::string sweep = write_sweep(Tiny);
    EXPECT_EQ(run({sweep}), 2);
    EXPECT_EQ(err(), "trnsim: -o: expected a folder for the results\n");
    EXPECT_EQ(run({sweep, "-o", path("x"), "--executor", "cloud"}), 2);
    EXPECT_EQ(err(), "trnsim: --executor cloud: expected local or slurm\n");
    EXPECT_EQ(run({sweep, "-o", path("x"), "--jobs", "0"}), 2);
    EXPECT_EQ(err(), "trnsim: --jobs 0: expected at least 1\n");
}

// Kills the program repeatedly: one time in four soon after its start, otherwise after some results of its
// own.
void kill_and_resume(const std::function<pid_t()>& start,
                     const std::function<std::map<std::string, std::string>()>& stored, std::size_t points) {
    auto random = generator();
    std::map<std::string, std::string> before;
    std::size_t in_the_middle = 0;
    for (int kill = 0; kill < 20; ++kill) {
        const std::size_t results = kill % 4 == 0 ? 0 : 1 + random() % (points / 20);
        const pid_t child = start();
        int status = 0;
        bool ended = false;
        while (!ended && stored().size() < std::min(before.size() + results, points)) {
            ::usleep(2'000);
            ended = ::waitpid(child, &status, WNOHANG) == child;
        }
        ::usleep(static_cast<useconds_t>(random() % (results == 0 ? 300'000 : 20'000)));
        if (!ended) {
            ::kill(child, SIGKILL);
            ::waitpid(child, &status, 0);
        }
        const auto after = stored();
        for (const auto& [name, text] : before) EXPECT_EQ(after.at(name), text) << "a result was lost";
        in_the_middle += WIFSIGNALED(status) && after.size() > before.size() && after.size() < points;
        before = after;
    }
    EXPECT_GE(in_the_middle, 10u) << "of 20 kills: after some of the remaining points, before all of them";
}

TEST_F(RunSweep, KilledTwentyTimesAndResumedGivesTheSameTable) {
    const std::string sweep = write_sweep(
        "kernels:\n  - matmul: { M: { from: 1, to: 20, step: 1 }, K: 8, N: { from: 1, to: 20, step: 1 } }\n");
    ASSERT_EQ(run({sweep, "-o", path("whole"), "--jobs", "2"}), 0) << err();
    const auto resume = [&] { return start({sweep, "-o", path("cut"), "--jobs", "2", "--resume"}); };
    kill_and_resume(
        resume, [&] { return stored("cut"); }, 400);
    ASSERT_EQ(wait_for(resume()), 0) << err();
    EXPECT_EQ(text_of(path("cut/results.csv")), text_of(path("whole/results.csv")));
}

TEST_F(RunSweep, KilledTwentyTimesInTheShippedSweep) {
    if (scale() <= 1) GTEST_SKIP() << "minutes long, builds cores";
    const std::string sweep = std::string(TRNSIM_SWEEPS) + "/array-vs-bandwidth.yaml";
    ASSERT_EQ(run({sweep, "-o", path("whole"), "--jobs", "2"}), 0) << err();
    const std::size_t points = stored("whole").size();
    EXPECT_GE(points, 48u);
    const auto resume = [&] { return start({sweep, "-o", path("cut"), "--jobs", "2", "--resume"}); };
    kill_and_resume(
        resume, [&] { return stored("cut"); }, points);
    ASSERT_EQ(wait_for(resume()), 0) << err();
    EXPECT_EQ(text_of(path("cut/results.csv")), text_of(path("whole/results.csv")));
}

// Replaces Slurm's programs: the tasks of an array run one after the other, in the background.
class SlurmSweep : public RunSweep {
  protected:
    SlurmSweep() {
        fs::create_directories(path("bin"));
        script("sbatch",
               "for a; do case $a in --array=0-*) last=${a#--array=0-};; --wrap=*) wrap=${a#--wrap=};; esac; "
               "done\n"
               "printf '%s\\n' \"$@\" >" +
                   path("sbatch.arguments").string() +
                   "\n"
                   "(for i in $(seq 0 $last); do SLURM_ARRAY_TASK_ID=$i sh -c \"$wrap\"; done) >" +
                   path("tasks.log").string() +
                   " 2>&1 &\n"
                   "echo $! >" +
                   path("pid").string() + "\necho '17;cluster'\n");
        script("squeue", "kill -0 $(cat " + path("pid").string() + ") 2>/dev/null && echo RUNNING\nexit 0\n");
        script("scancel", "kill $(cat " + path("pid").string() + ")\n");
        ::setenv("PATH", (path("bin").string() + ":" + std::getenv("PATH")).c_str(), 1);
    }
    void script(const std::string& name, const std::string& text) const {
        files::write(path("bin/" + name), "#!/bin/sh\n" + text);
        fs::permissions(path("bin/" + name), fs::perms::owner_all);
    }
};

TEST_F(SlurmSweep, GathersTheResultsOfAnArray) {
    const std::string sweep = write_sweep(Tiny);
    ASSERT_EQ(run({sweep, "-o", path("local")}), 0) << err();
    ASSERT_EQ(run({sweep, "-o", path("far"), "--executor", "slurm", "--jobs", "5"}), 0)
        << err() << text_of(path("tasks.log"));
    EXPECT_EQ(text_of(path("far/results.csv")), text_of(path("local/results.csv")));
    EXPECT_NE(text_of(path("sbatch.arguments")).find("--array=0-4\n"), std::string::npos);
}

TEST_F(SlurmSweep, TasksThatComeToNothingAreFailures) {
    script("sbatch", "sleep 0 & echo $! >" + path("pid").string() + "\necho 17\n");
    const std::string sweep = write_sweep(Tiny);
    EXPECT_EQ(run({sweep, "-o", path("far"), "--executor", "slurm"}), 1);
    EXPECT_NE(out().find("12 failed"), std::string::npos) << out();
    EXPECT_NE(text_of(path("far/results.csv")).find("the Slurm job ended without a result"),
              std::string::npos);
}

TEST_F(SlurmSweep, ARefusedJobIsOneLine) {
    script("sbatch", "echo 'sbatch: error: Batch job submission failed: No partition' >&2; exit 1\n");
    EXPECT_EQ(run({write_sweep(Tiny), "-o", path("far"), "--executor", "slurm"}), 2);
    EXPECT_EQ(err(), "trnsim: sbatch: error: Batch job submission failed: No partition\n");
}

}  // namespace
}  // namespace trnsim::test
