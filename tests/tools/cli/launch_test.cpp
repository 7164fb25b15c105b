// Tests `trnsim launch`: kernels of several ranks from files to files.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "arch/target/target.hpp"
#include "base/files/files.hpp"
#include "base/npy/npy.hpp"
#include "compiler/builder/kernel_builder.hpp"
#include "compiler/neff/neff.hpp"
#include "runtime/waves/recording.hpp"
#include "session.hpp"
#include "tools/nccom/tracks.hpp"

namespace trnsim::cli {
namespace {

std::vector<float> floats_of(const npy::Array& array) {
    std::vector<float> values(array.data.size() / sizeof(float));
    std::memcpy(values.data(), array.data.data(), array.data.size());
    return values;
}

class LaunchCommand : public testing::Test {
  protected:
    // Sets up a step of adamw on three ranks with the same weights and different gradients.
    void SetUp() override {
        ASSERT_EQ(trnsim({"kernel", "build", "adamw", "--n", "5", "--dtype", "fp32", "--ranks", "3",
                          "--config", "small16", "-o", trnsim.path("step.neff")}),
                  0)
            << trnsim.err;
        write("w", {1, 2, 3, 4, 5});
        write("zero", {0, 0, 0, 0, 0});
        write("g0", {3, -3, 6, 0, 9});
        write("g1", {0, 3, 0, 0, 3});
        write("g2", {3, 6, -3, 0, 3});
    }
    void write(const std::string& name, const std::vector<float>& values) const {
        npy::Array array{
            npy::Type::F4, {values.size()}, std::vector<std::uint8_t>(values.size() * sizeof(float))};
        std::memcpy(array.data.data(), values.data(), array.data.size());
        npy::write(trnsim.path(name + ".npy"), array);
    }
    Arguments launch() const {
        return {"launch", trnsim.path("step.neff"), "--config", "trn1-4", "--chip", "small16"};
    }
    Arguments inputs() const {
        Arguments all;
        for (const auto& [name, file] :
             {std::pair{"w", "w"}, {"g", "g{rank}"}, {"m", "zero"}, {"v", "zero"}}) {
            all.emplace_back("--input");
            all.push_back(std::string(name) + "=" + trnsim.path(std::string(file) + ".npy"));
        }
        return all;
    }

    Arguments output() const { return {"--output", "w=" + trnsim.path("w{rank}.npy")}; }
    // Returns the outputs of all ranks and removes their files.
    std::vector<std::uint8_t> outputs() const {
        std::vector<std::uint8_t> all;
        for (const char* name : {"w0.npy", "w1.npy", "w2.npy"}) {
            const std::string path = trnsim.path(name);
            const std::vector<std::uint8_t> bytes = files::read(path);
            all.insert(all.end(), bytes.begin(), bytes.end());
            std::filesystem::remove(path);
        }
        return all;
    }

    test::Session trnsim;
};

// The mean of the gradients, computed by hand, is in every rank's m.
TEST_F(LaunchCommand, RanksTakeTheMeanOfTheirGradients) {
    for (const char* processes : {"1", "2"}) {
        ASSERT_EQ(trnsim(launch() + inputs() +
                         Arguments{"--output", "m=" + trnsim.path("m{rank}.npy"), "--check", "--stats",
                                   trnsim.path("s.json"), "--processes", processes}),
                  0)
            << trnsim.err;
        EXPECT_NE(trnsim.out.find("kernel 'adamw' on 3 ranks of trn1-4"), std::string::npos) << trnsim.out;
        EXPECT_NE(trnsim.out.find("outputs of all ranks equal to the interpreter's"), std::string::npos);
        constexpr float Mean[] = {2, 2, 1, 0, 5};
        for (const char* name : {"m0", "m1", "m2"}) {
            const std::vector<float> m = floats_of(npy::read(trnsim.path(std::string(name) + ".npy")));
            ASSERT_EQ(m.size(), 5u);
            for (std::size_t i = 0; i < m.size(); ++i) EXPECT_NEAR(m[i], 0.1F * Mean[i], 1e-6F) << name;
        }
        const auto bytes = files::read(trnsim.path("s.json"));
        const auto json = nlohmann::json::parse(bytes.begin(), bytes.end());
        EXPECT_EQ(json["ranks"].size(), 3u);
        EXPECT_EQ(json["collectives"][0]["input_bytes"], 20);
        EXPECT_GT(json["time_seconds"], 0);
        // The wall time has that of the check, and the energy that of every rank.
        EXPECT_GT(json["check_seconds"], 0);
        EXPECT_GE(json["wall_seconds"], json["check_seconds"]);
        EXPECT_NE(trnsim.out.find(" s of it the check\n"), std::string::npos) << trnsim.out;
        EXPECT_NE(trnsim.out.find("(estimate) of all ranks, without links\n"), std::string::npos)
            << trnsim.out;
        double least = 0;
        for (const auto& rank : json["ranks"])
            least = std::max(least, rank["estimates"]["energy_joules"]["total"].get<double>());
        EXPECT_GT(json["energy_joules"].get<double>(), 2 * least);
    }
}

// A collective in a loop is reported once, with the number of its executions; random delays change only the
// time.
TEST_F(LaunchCommand, CollectivesInLoops) {
    constexpr std::uint32_t Ranks = 3;
    builder::KernelBuilder k("sums", "", target::of(config::load("small16")));
    const auto x = k.tensor("x", neff::TensorKind::Input, isa::Dtype::Fp32, {8, 16});
    const auto y = k.tensor("y", neff::TensorKind::Output, isa::Dtype::Fp32, {8, 16});
    const auto meets = k.queue("meets", isa::Engine::Gpsimd);
    k.loop(8, [&](builder::LoopIndex i) {
        k.collective(meets, y.slice(0, i, 1), x.slice(0, 7 - i, 1), {{.count = 16, .ranks = Ranks}});
    });
    neff::write(trnsim.path("sums.neff"), k.finish());
    const Arguments launch{"launch",
                           trnsim.path("sums.neff"),
                           "--config",
                           "trn1-4",
                           "--chip",
                           "small16",
                           "--random-inputs",
                           "1",
                           "--check",
                           "--stats",
                           trnsim.path("s.json")};
    ASSERT_EQ(trnsim({"info", trnsim.path("sums.neff")}), 0) << trnsim.err;
    EXPECT_NE(trnsim.out.find("meets of gpsimd: 8 transfers, 24 descriptors each way, 512 bytes"),
              std::string::npos)
        << trnsim.out;
    std::vector<double> times;
    for (const Arguments& more :
         {Arguments{}, Arguments{"--perturb", "5"}, Arguments{"--perturb", "5", "--processes", "2"}}) {
        ASSERT_EQ(trnsim(launch + more), 0) << trnsim.err;
        EXPECT_NE(trnsim.out.find("all-reduce y[1, 16]: mesh, 64 bytes, 8 times\n"), std::string::npos)
            << trnsim.out;
        const auto bytes = files::read(trnsim.path("s.json"));
        const auto json = nlohmann::json::parse(bytes.begin(), bytes.end());
        ASSERT_EQ(json["collectives"].size(), 1u);
        EXPECT_EQ(json["collectives"][0]["times"], 8);
        times.push_back(json["time_seconds"]);
    }
    EXPECT_NE(times[1], times[0]);
    EXPECT_EQ(times[2], times[1]);
}

// Engines have a slice for every instruction, and DMA engines have one for every packet that the statistics
// count, on every rank; the collectives are on the links. With two processes the trace is the same, and so
// are the waves except for the date.
TEST_F(LaunchCommand, TraceAndWavesShowAllRanks) {
    const auto text_of = [](const std::string& path) {
        const auto bytes = files::read(path);
        return std::string(bytes.begin(), bytes.end());
    };
    constexpr std::size_t FstHeader = 330;
    ASSERT_EQ(trnsim(launch() + inputs()), 0) << trnsim.err;
    const auto simulated = [&] {
        const std::size_t at = trnsim.out.find("simulated time");
        return trnsim.out.substr(at, trnsim.out.find('\n', at) - at);
    };
    const std::string untraced = simulated();
    std::string first_trace, first_wave;
    for (const char* processes : {"1", "2"}) {
        ASSERT_EQ(trnsim(launch() + inputs() +
                         Arguments{"--trace", trnsim.path("t.json"), "--wave", trnsim.path("w.fst"),
                                   "--stats", trnsim.path("s.json"), "--processes", processes}),
                  0)
            << trnsim.err;
        EXPECT_EQ(simulated(), untraced);
        const std::string trace = text_of(trnsim.path("t.json")), wave = text_of(trnsim.path("w.fst"));
        if (first_trace.empty()) {
            first_trace = trace;
            first_wave = wave;
        }
        EXPECT_TRUE(trace == first_trace);
        EXPECT_TRUE(wave.substr(FstHeader) == first_wave.substr(FstHeader));
    }
    const auto tracks = nccom::tracks_of(nlohmann::json::parse(first_trace));
    const auto statistics = nlohmann::json::parse(text_of(trnsim.path("s.json")));
    for (const auto& rank : statistics["ranks"]) {
        const std::string chip = fmt::format("chip {}", rank["chip"].get<unsigned>());
        const auto& core = tracks.at(fmt::format("{} core {}", chip, rank["core"].get<unsigned>()));
        for (const auto& [engine, figures] : rank["engines"].items())
            EXPECT_EQ(core.at(engine).slices.size(), figures["completed"]) << chip << engine;
        const unsigned first = rank["core"].get<unsigned>() * rank["dma"].size();
        for (std::size_t e = 0; e < rank["dma"].size(); ++e) {
            const std::string engine = fmt::format("dma {}", first + e);
            std::size_t packets = 0;
            if (const auto own = tracks.find(fmt::format("{} {}", chip, engine)); own != tracks.end())
                for (const auto& [name, track] : own->second) packets += track.slices.size();
            for (const auto& [name, track] : tracks.at(chip))
                if (name.starts_with(fmt::format("{} ring ", engine))) packets += track.slices.size();
            EXPECT_EQ(packets, rank["dma"][e]["packets"]) << chip << " " << engine;
        }
    }
    EXPECT_GT(nccom::sum(tracks.at("chip 0").at("link 0.N to 1.N"), "bytes"), 0u);
    const waves::Recording recording = waves::read_recording(trnsim.path("w.fst"));
    EXPECT_TRUE(recording.signals.contains("links.chip[0].N.frames[31:0]"));
    EXPECT_TRUE(std::filesystem::exists(trnsim.path("w.link.gtkw")));
}

// The recording is that of a core, in whichever process it is, and changes nothing.
TEST_F(LaunchCommand, TheWaveOfOneRank) {
    ASSERT_EQ(trnsim(launch() + inputs() + output()), 0) << trnsim.err;
    const std::vector<std::uint8_t> expected = outputs();
    std::set<std::string> signals;
    for (const char* processes : {"1", "2"}) {
        ASSERT_EQ(trnsim(launch() + inputs() + output() +
                         Arguments{"--wave", trnsim.path("w.fst"), "--wave-rank", "2", "--wave-window",
                                   "0:20us", "--processes", processes}),
                  0)
            << trnsim.err;
        EXPECT_EQ(outputs(), expected);
        const waves::Recording recording = waves::read_recording(trnsim.path("w.fst"));
        EXPECT_TRUE(recording.signals.contains("core.neuron_core.sync.pc[31:0]"));
        EXPECT_TRUE(recording.signals.contains("dma.bytes[31:0]"));
        EXPECT_FALSE(recording.signals.contains("links.chip[0].N.frames[31:0]"));
        if (!signals.empty()) {
            EXPECT_EQ(recording.signals, signals);
        }
        signals = recording.signals;
        EXPECT_TRUE(std::filesystem::exists(trnsim.path("w.core.gtkw")));
        std::filesystem::remove(trnsim.path("w.core.gtkw"));
    }
}

// The file does not depend on the number of processes, and a run that resumes from it equals the
// uninterrupted run.
TEST_F(LaunchCommand, GoesOnFromACheckpoint) {
    ASSERT_EQ(trnsim(launch() + inputs() + output()), 0) << trnsim.err;
    const std::vector<std::uint8_t> whole = outputs();
    std::vector<std::vector<std::uint8_t>> files;
    for (const char* processes : {"1", "2"}) {
        const Arguments more{"--processes", processes};
        const std::string file = trnsim.path("state.ck");
        ASSERT_EQ(trnsim(launch() + inputs() + output() + more +
                         Arguments{"--checkpoint-at", "5 us", "--save-checkpoint", file}),
                  0)
            << trnsim.err;
        EXPECT_NE(trnsim.out.find(", after a drain of "), std::string::npos) << trnsim.out;
        EXPECT_NE(trnsim.out.find("checkpoint         " + file), std::string::npos) << trnsim.out;
        EXPECT_EQ(outputs(), whole);
        files.push_back(files::read(file));
        ASSERT_EQ(trnsim(launch() + output() + more +
                         Arguments{"--resume", file, "--stats", trnsim.path("s.json"), "--trace",
                                   trnsim.path("t.json"), "--wave", trnsim.path("w.fst")}),
                  0)
            << trnsim.err;
        EXPECT_NE(trnsim.out.find("resumed            at "), std::string::npos) << trnsim.out;
        EXPECT_EQ(outputs(), whole);
        const auto statistics = nlohmann::json::parse(files::read(trnsim.path("s.json")));
        for (const auto& rank : statistics["ranks"]) EXPECT_EQ(rank["resumed"], true);
    }
    EXPECT_TRUE(files[0] == files[1]);
}

// Ranks begin on the fast core and go on on the RTL, or resume there from a file.
TEST_F(LaunchCommand, GoesOnOnTheRtl) {
    ASSERT_EQ(trnsim(launch() + inputs() + output()), 0) << trnsim.err;
    const std::vector<std::uint8_t> whole = outputs();
    const std::string file = trnsim.path("state.ck"), statistics = trnsim.path("s.json");
    const Arguments stats{"--stats", statistics}, switches{"--switch-to-rtl-at", "5 us"};
    const struct {
        Arguments arguments;
        std::vector<std::string> fidelities;
    } runs[] = {
        {inputs() + switches, {"rtl", "rtl", "rtl"}},
        {inputs() + switches + Arguments{"--rtl-ranks", "2", "--save-checkpoint", file},
         {"fast", "fast", "rtl"}},
        {{"--resume", file}, {"fast", "fast", "fast"}},
        {{"--resume", file, "--rtl-ranks", "0,1"}, {"rtl", "rtl", "fast"}},
    };
    for (const auto& run : runs) {
        ASSERT_EQ(trnsim(launch() + output() + stats + run.arguments), 0) << trnsim.err;
        EXPECT_EQ(outputs(), whole);
        const auto json = nlohmann::json::parse(files::read(statistics));
        std::vector<std::string> fidelities;
        for (const auto& rank : json["ranks"]) fidelities.push_back(rank["fidelity"]);
        EXPECT_EQ(fidelities, run.fidelities);
    }
}

TEST_F(LaunchCommand, CheckpointsThatCannotBeAreOneLine) {
    const std::string file = trnsim.path("state.ck"), other = trnsim.path("other.ck");
    ASSERT_EQ(trnsim(launch() + inputs() + Arguments{"--checkpoint-at", "5 us", "--save-checkpoint", file}),
              0)
        << trnsim.err;
    ASSERT_EQ(trnsim({"kernel", "build", "adamw", "--n", "6", "--dtype", "fp32", "--ranks", "3", "--config",
                      "small16", "-o", trnsim.path("other.neff")}),
              0)
        << trnsim.err;
    std::vector<std::uint8_t> bytes = files::read(file);
    bytes[bytes.size() / 2] ^= 1;
    files::write(trnsim.path("damaged.ck"), bytes);
    const Arguments saves{"--checkpoint-at", "5 us", "--save-checkpoint", other};
    const Arguments resumes{"--resume", file};
    const struct {
        Arguments arguments;
        int status;
        const char* expected;
    } cases[] = {
        {launch() + inputs() + Arguments{"--checkpoint-at", "5 us"}, 2, "expected --save-checkpoint with it"},
        {launch() + inputs() + Arguments{"--save-checkpoint", other}, 2,
         "expected --checkpoint-at or --switch-to-rtl-at with it"},
        {launch() + inputs() + Arguments{"--checkpoint-at", "soon", "--save-checkpoint", other}, 2,
         "--checkpoint-at soon: expected a time such as '12 us', or a core cycle"},
        {launch() + inputs() + saves + Arguments{"--perturb", "1"}, 2,
         "--perturb: no checkpoint has it, expected no --save-checkpoint with it"},
        {launch() + inputs() +
             Arguments{"--checkpoint-at", "5 us", "--save-checkpoint", trnsim.path("none/c")},
         2, "cannot write"},
        {launch() + inputs() +
             Arguments{"--checkpoint-at", "5 us", "--save-checkpoint", trnsim.path("w.npy")},
         2, "the same file as --input w"},
        {launch() + inputs() + Arguments{"--checkpoint-at", "1 ms", "--save-checkpoint", other}, 1,
         "the run ended before --checkpoint-at, expected a moment in it"},
        {launch() + inputs() + saves + Arguments{"--max-time", "3 us"}, 1, "not done after 3 us"},
        {launch() + resumes + inputs(), 2,
         "--input: expected no --resume with it, as the run has begun already"},
        {launch() + resumes + Arguments{"--check"}, 2, "--check: expected no --resume with it"},
        {launch() + Arguments{"--resume", trnsim.path("damaged.ck")}, 2, "a damaged checkpoint"},
        {launch() + Arguments{"--resume", trnsim.path("step.neff")}, 2, "no checkpoint, expected a file of"},
        {launch() + Arguments{"--resume", trnsim.path("none.ck")}, 2, "none.ck"},
        {{"launch", trnsim.path("step.neff"), "--config", "trn1-8", "--chip", "small16", "--resume", file},
         2,
         "the checkpoint is of configuration trn1-4 ("},
        {{"launch", trnsim.path("other.neff"), "--config", "trn1-4", "--chip", "small16", "--resume", file},
         2,
         "the checkpoint is of kernel adamw ("},
        {launch() + inputs() + Arguments{"--switch-to-rtl-at", "5 us", "--processes", "2"}, 2,
         "chip 0 has a slot of kind rtl, expected none or fast in several processes"},
        {launch() + inputs() +
             Arguments{"--switch-to-rtl-at", "5 us", "--rtl-ranks", "2", "--processes", "2"},
         2, "chip 1 has a slot of kind rtl, expected none or fast in several processes"},
    };
    for (const auto& [arguments, status, expected] : cases) {
        EXPECT_EQ(trnsim(arguments), status) << expected;
        EXPECT_NE(trnsim.err.find(expected), std::string::npos) << expected << "\nfound: " << trnsim.err;
        EXPECT_EQ(status == 2 ? trnsim.err.find('\n') : trnsim.err.size() - 1, trnsim.err.size() - 1)
            << trnsim.err;
    }
    EXPECT_FALSE(std::filesystem::exists(other));
}

// Each rank multiplies the rows of all ranks by its own columns.
TEST_F(LaunchCommand, StatisticsCountTheWorkOfARank) {
    ASSERT_EQ(trnsim({"kernel", "build", "all_gather_matmul", "--M", "6", "--K", "20", "--N", "10", "--ranks",
                      "3", "--config", "small16", "-o", trnsim.path("agmm.neff")}),
              0)
        << trnsim.err;
    ASSERT_EQ(trnsim({"launch", trnsim.path("agmm.neff"), "--config", "trn1-4", "--chip", "small16",
                      "--random-inputs", "1", "--stats", trnsim.path("s.json")}),
              0)
        << trnsim.err;
    const nlohmann::json statistics = nlohmann::json::parse(files::read(trnsim.path("s.json")));
    ASSERT_EQ(statistics["ranks"].size(), 3u);
    constexpr unsigned Spread = 16;  // one value to all partitions, for the matrix that transposes
    for (const auto& rank : statistics["ranks"]) {
        const std::uint64_t transposed = rank["matmul"]["onezero_macs"];
        EXPECT_EQ(rank["matmul"]["macs"].get<std::uint64_t>() - transposed, 3u * 6 * 20 * 10 + Spread);
        EXPECT_GT(rank["estimates"]["energy_joules"]["total"], 0);
    }
}

TEST_F(LaunchCommand, RanksHaveTheCoresOfTheServersFile) {
    files::write(trnsim.path("second.yaml"), "extends: trn1-4\nname: second\nslots: [none, fast]\n");
    const Arguments second{"launch",   trnsim.path("step.neff"),  "--chip", "small16",
                           "--config", trnsim.path("second.yaml")};
    ASSERT_EQ(trnsim(second + inputs()), 0) << trnsim.err;
    for (const char* rank :
         {"rank 0             chip 0 core 1, fast: ", "rank 1             chip 1 core 1, fast: ",
          "rank 2             chip 2 core 1, fast: "})
        EXPECT_NE(trnsim.out.find(rank), std::string::npos) << trnsim.out;
    files::write(trnsim.path("second.yaml"),
                 "extends: trn1-4\nname: second\nchip_slots: { 1: [fast, none], 3: [none, fast] }\n");
    EXPECT_EQ(trnsim(second + inputs()), 2);
    EXPECT_EQ(trnsim.err, "trnsim: second: 3 ranks, expected 1 to 2, the cores that its slots have\n");
}

// Cores count until the last rank ends: the time of reading from GpSimd cores afterwards belongs to no rank.
TEST_F(LaunchCommand, FiguresOfRanksDoNotDependOnTheProcesses) {
    neff::Package package = neff::read(trnsim.path("step.neff"));
    package.images = {{"relu", files::read(TRNSIM_FIRMWARE_IMAGES "/relu.gpsimd")}};
    neff::write(trnsim.path("step.neff"), package);
    std::vector<nlohmann::json> cycles;
    for (const char* processes : {"1", "2", "4"}) {
        ASSERT_EQ(trnsim(launch() + inputs() +
                         Arguments{"--processes", processes, "--stats", trnsim.path("s.json")}),
                  0)
            << trnsim.err;
        const nlohmann::json statistics = nlohmann::json::parse(files::read(trnsim.path("s.json")));
        for (const auto& rank : statistics["ranks"]) cycles.push_back(rank["cycles"]);
    }
    ASSERT_EQ(cycles.size(), 9u);
    for (const nlohmann::json& one : cycles) EXPECT_EQ(one, cycles.front());
}

// The process of the first rank that stopped reports the reason, and ranks of all processes are counted.
TEST_F(LaunchCommand, OneLineTellsWhatIsWrongWithRanks) {
    neff::Package package = neff::read(trnsim.path("step.neff"));
    package.programs[static_cast<std::size_t>(isa::Engine::Vector)].front().set(isa::field::Opcode, 0xff);
    neff::write(trnsim.path("step.neff"), package);
    for (const char* processes : {"1", "2", "4"}) {
        EXPECT_EQ(trnsim(launch() + inputs() + Arguments{"--processes", processes}), 1);
        EXPECT_EQ(trnsim.err,
                  "trnsim: rank 0: chip 0 core 0, vector engine, instruction 0 (illegal 0xff): illegal "
                  "instruction; 2 other ranks stopped as well\n")
            << processes;
    }
}

TEST_F(LaunchCommand, EveryProcessTellsWhatItsRanksWaitFor) {
    for (const char* processes : {"1", "2", "4"}) {
        EXPECT_EQ(trnsim(launch() + inputs() + Arguments{"--max-time", "1 us", "--processes", processes}), 1);
        for (const char* rank : {"not done after 1 us of simulated time\nrank 0: chip 0 core 0, ",
                                 "\nrank 1: chip 0 core 1, ", "\nrank 2: chip 1 core 0, "})
            EXPECT_NE(trnsim.err.find(rank), std::string::npos) << processes << " processes: " << trnsim.err;
    }
}

TEST_F(LaunchCommand, NonsenseIsRefused) {
    ASSERT_EQ(trnsim({"kernel", "build", "gelu", "--rows", "4", "--cols", "4", "--config", "small16", "-o",
                      trnsim.path("gelu.neff")}),
              0);
    const std::string gelu = trnsim.path("gelu.neff");
    const std::pair<Arguments, const char*> cases[] = {
        {{"launch", gelu}, "it has no collectives that tell how many ranks, expected --ranks"},
        {{"launch", gelu, gelu, "--ranks", "3"}, "2 kernels of 3 ranks, expected 1 or 3"},
        {launch() + Arguments{"--ranks", "2", "--random-inputs", "1"}, "is one of 3 ranks, expected 2"},
        {launch(), "kernel 'adamw' needs input 'w'"},
        {launch() + Arguments{"--output", "m=" + trnsim.path("m.npy")},
         "expected {rank} in the name, for the files of 3 ranks"},
        {launch() + Arguments{"--output", "x=" + trnsim.path("x{rank}.npy")},
         "rank 0: kernel 'adamw' has no such output"},
        {launch() + Arguments{"--output", "m=" + trnsim.path("g{rank}.npy")} + inputs(), "g0.npy"},
        {launch() + Arguments{"--trace", trnsim.path("step.neff")} + inputs(), "step.neff"},
        {launch() + Arguments{"--wave", trnsim.path("none/w.fst")} + inputs(), "w.fst"},
        {launch() + Arguments{"--ranks", "0", "--random-inputs", "1"}, "--ranks"},
        {launch() + Arguments{"--rtl-ranks", "1,3"}, "RTL rank 3: expected ranks below 3"},
        {launch() + Arguments{"--rtl-ranks", "0,,1"},
         "--rtl-ranks: found '0,,1', expected a value on each side of ','"},
        {launch() + Arguments{"--rtl-ranks=0,"}, "--rtl-ranks: found '0,', expected a value"},
        {launch() + Arguments{"--rtl-ranks", "0,4294967298"},
         "--rtl-ranks: found '0,4294967298', expected whole numbers from 0 to 4294967295"},
        {launch() + Arguments{"--processes", "0"}, "--processes"},
        {launch() + Arguments{"--perturb", "x"}, "--perturb x: expected a whole number"},
        {launch() + Arguments{"--wave", trnsim.path("w.bin")} + inputs(),
         "w.bin: expected a name that ends in .fst"},
        {launch() + Arguments{"--wave", trnsim.path("w.fst"), "--stats", trnsim.path("w.link.gtkw")} +
             inputs(),
         "w.link.gtkw: the same file as --stats"},
        {launch() + Arguments{"--wave", trnsim.path("w.fst"), "--wave-rank", "3"} + inputs(),
         "--wave-rank 3: expected one below 3"},
        {launch() + Arguments{"--wave-rank", "1"} + inputs(), "--wave-rank: expected --wave with it"},
        {launch() + Arguments{"--wave", trnsim.path("w.fst"), "--wave-scope", "tensor"} + inputs(),
         "--wave-scope: expected --wave-rank with it"},
        {launch() + Arguments{"--max-time", "soon"}, "--max-time soon: expected a time above 0"},
        {{"launch", trnsim.path("none.neff")}, "none.neff: no such file"},
        {{"launch", trnsim.path("step.neff"), "--config", "nowhere"}, "nowhere"},
        {{"run", trnsim.path("step.neff"), "--config", "small16", "--random-inputs", "1", "--no-check"},
         "kernel 'adamw' has collectives of 3 ranks, expected as many cores of a server: trnsim launch"},
    };
    for (const auto& [arguments, expected] : cases) {
        EXPECT_EQ(trnsim(arguments), 2) << expected;
        EXPECT_NE(trnsim.err.find(expected), std::string::npos) << expected << "\nfound: " << trnsim.err;
        EXPECT_EQ(trnsim.err.find('\n'), trnsim.err.size() - 1) << trnsim.err;
    }
}

TEST_F(LaunchCommand, ANaNFailsARunThatIsToFail) {
    write("w", {1, 2, std::numeric_limits<float>::quiet_NaN(), 4, 5});
    EXPECT_EQ(trnsim(launch() + inputs() + Arguments{"--check"}), 0) << trnsim.err;
    const std::string stats = trnsim.path("failed.json");
    EXPECT_EQ(trnsim(launch() + inputs() + Arguments{"--check", "--fail-on-nan", "--stats", stats}), 1);
    EXPECT_EQ(trnsim.out, "  statistics         " + stats + "\n") << "a run that fails has figures as well";
    EXPECT_EQ(nlohmann::json::parse(files::read(stats)).at("ranks").size(), 3u);
    EXPECT_EQ(trnsim.err.find("trnsim: completed with numeric error (NaN), first by rank "), 0u)
        << trnsim.err;
    EXPECT_NE(trnsim.err.find(" instruction "), std::string::npos) << trnsim.err;
    EXPECT_EQ(std::ranges::count(trnsim.err, '\n'), 1) << trnsim.err;
}

TEST_F(LaunchCommand, TheCheckEndsWithItsWork) {
    EXPECT_EQ(trnsim(launch() + inputs() + Arguments{"--check", "--max-work", "1"}), 1);
    EXPECT_TRUE(trnsim.err.starts_with("trnsim: rank 0: ")) << trnsim.err;
    EXPECT_TRUE(trnsim.err.ends_with(": no end within the work of 1 elements (max_work)\n")) << trnsim.err;
}

TEST_F(LaunchCommand, TooShortATimeIsAnErrorOfTheSimulation) {
    EXPECT_EQ(trnsim(launch() + inputs() +
                     Arguments{"--max-time", "1 us", "--output", "m=" + trnsim.path("m{rank}.npy"), "--trace",
                               trnsim.path("t.json")}),
              1);
    EXPECT_NE(trnsim.err.find("not done after 1 us of simulated time"), std::string::npos) << trnsim.err;
    EXPECT_FALSE(std::filesystem::exists(trnsim.path("m0.npy")));
    EXPECT_TRUE(std::filesystem::exists(trnsim.path("t.json")));  // the events until then
}

TEST_F(LaunchCommand, AChipThatCannotBeReachedIsOneLineWithItsStatus) {
    const std::string server = trnsim.path("apart.yaml");
    std::ofstream(server) << "extends: trn1-4\nname: apart\ntopology: [[1, 2], [2, 3]]\n";
    for (const char* processes : {"1", "2"}) {
        EXPECT_EQ(trnsim(Arguments{"launch", trnsim.path("step.neff"), "--config", server, "--chip",
                                   "small16", "--trace", trnsim.path("t.json"), "--processes", processes} +
                         inputs()),
                  1);
        EXPECT_TRUE(trnsim.err.starts_with("trnsim: status 1200: ")) << trnsim.err;
        EXPECT_NE(trnsim.err.find("cannot be reached: no way of cables leads there"), std::string::npos)
            << trnsim.err;
        EXPECT_EQ(trnsim.err.find('\n'), trnsim.err.size() - 1) << trnsim.err;
        EXPECT_TRUE(std::filesystem::remove(trnsim.path("t.json"))) << "what it did until then";
    }
}

// Faults of links change the time, the statistics, the summary and the timeline, and no bit.
TEST_F(LaunchCommand, FaultsOfLinks) {
    const auto json_of = [&](const char* name) {
        const auto bytes = files::read(trnsim.path(name));
        return nlohmann::json::parse(bytes.begin(), bytes.end());
    };
    const Arguments whole =
        launch() + inputs() + output() +
        Arguments{"--check", "--stats", trnsim.path("s.json"), "--trace", trnsim.path("t.json")};
    ASSERT_EQ(trnsim(whole), 0) << trnsim.err;
    EXPECT_EQ(trnsim.out.find("  links "), std::string::npos) << trnsim.out;
    const std::vector<std::uint8_t> expected = outputs();
    const double time = json_of("s.json")["time_seconds"];
    for (const auto& link : json_of("s.json")["links"]) EXPECT_EQ(link["sent"]["outages"], 0);

    ASSERT_EQ(trnsim(whole + Arguments{"--cut", "0.N@0us..20us"}), 0) << trnsim.err;
    EXPECT_EQ(outputs(), expected);
    EXPECT_NE(trnsim.out.find("outages 1"), std::string::npos) << trnsim.out;
    EXPECT_GT(json_of("s.json")["time_seconds"], time + 10e-6);
    EXPECT_EQ(json_of("s.json")["links"][0]["sent"]["outages"], 1);
    // The cut was there before the trace began.
    const std::string trace = json_of("t.json").dump();
    EXPECT_NE(trace.find("link 0.N to 1.N faults"), std::string::npos);
    EXPECT_NE(trace.find("\"down\""), std::string::npos);

    std::string first;
    for (const char* processes : {"1", "2"}) {
        ASSERT_EQ(trnsim(whole + Arguments{"--set", "links.loss_rate=0.2", "--processes", processes}), 0)
            << trnsim.err;
        EXPECT_EQ(outputs(), expected);
        EXPECT_NE(trnsim.out.find("lost frames "), std::string::npos) << trnsim.out;
        const std::string links = json_of("s.json")["links"].dump();
        EXPECT_EQ(links, first.empty() ? links : first) << "as many processes, other faults";
        first = links;
    }
    EXPECT_EQ(trnsim(whole + Arguments{"--cut", "0.N@1us", "--processes", "2"}), 2);
    EXPECT_NE(trnsim.err.find("trn1-4: link 0.N-1.N is cut, expected one process"), std::string::npos)
        << trnsim.err;
    EXPECT_EQ(trnsim(whole + Arguments{"--cut", "9.N@1us"}), 2);
    EXPECT_NE(trnsim.err.find("--cut 9.N@1us: found link '9.N'"), std::string::npos) << trnsim.err;
    EXPECT_EQ(trnsim(whole + Arguments{"--set", "hbm.model=banked"}), 2);
    EXPECT_NE(trnsim.err.find("--set hbm.model=banked: a key of the chips"), std::string::npos) << trnsim.err;
    EXPECT_EQ(trnsim(whole + Arguments{"--cut", "0.N@1us", "--save-checkpoint", trnsim.path("c.ckpt"),
                                       "--checkpoint-at", "1 us"}),
              2);
    EXPECT_NE(trnsim.err.find("a checkpoint of a server whose links have faults"), std::string::npos)
        << trnsim.err;
}

}  // namespace
}  // namespace trnsim::cli
