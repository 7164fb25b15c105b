// Runs kernels on the verilated core of configs/small16.yaml, each in its own process.
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>

#include "arch/activation/table_image.hpp"
#include "arch/target/target.hpp"
#include "base/jobs/isolated.hpp"
#include "common/loop_package.hpp"
#include "common/random.hpp"
#include "common/sample_package.hpp"
#include "common/stream_package.hpp"
#include "common/temporary_directory.hpp"
#include "compiler/kernels/registry.hpp"
#include "runtime/session/chip_machine.hpp"
#include "runtime/session/runner.hpp"
#include "testbench/functional/interpreter.hpp"

namespace trnsim::runtime {
namespace {

using Floats = std::vector<float>;

npy::Array to_array(const Floats& values, std::vector<std::uint64_t> shape) {
    npy::Array array{npy::Type::F4, std::move(shape),
                     std::vector<std::uint8_t>(values.size() * sizeof(float))};
    std::memcpy(array.data.data(), values.data(), array.data.size());
    return array;
}

// Runs `package` on a chip. Returns the message of the result, or the bytes of output `name`.
std::string run_on_chip(const neff::Package& package, const config::Config& config, const Arrays& inputs,
                        const std::string& name, tlm::perturb::Seed perturb = {}) {
    return jobs::run_isolated([&] {
        Observer observer(package, nullptr);
        const Prepared prepared = prepare(package, config, inputs);
        ChipMachine machine(config, {.sink = &observer, .perturb = perturb});
        const Result result = execute(machine, package, prepared, observer);
        if (!result.done()) return result.message;
        const auto& data = result.outputs.at(name).data;
        return std::string(data.begin(), data.end());
    });
}

// Returns the sample kernel for the small core.
neff::Package small_sample(const config::Config& config) {
    neff::Package package = test::sample_package();
    package.target = target::of(config);
    const auto engines = static_cast<std::uint32_t>(package.target.dma_engines);
    package.programs[4] = {test::trigger(0), test::wait_for(3, engines), test::trigger(1),
                           test::wait_for(4, engines), isa::Instruction(isa::Opcode::Halt)};
    package.programs[1][0] = test::wait_for(3, engines);
    return package;
}

Floats random_quarters(std::size_t count) {
    static auto generator = test::generator();
    Floats values(count);
    for (float& value : values) value = static_cast<float>(static_cast<int>(generator() % 33) - 16) / 4;
    return values;
}

TEST(Rtl, CopiesThroughSbuf) {
    const config::Config config = config::load("small16");
    const npy::Array a = to_array(random_quarters(32), {4, 8});
    const std::string y = run_on_chip(small_sample(config), config, {{"a", a}}, "y");
    EXPECT_EQ(std::vector<std::uint8_t>(y.begin(), y.end()), a.data);
}

TEST(Rtl, MultipliesMatrices) {
    constexpr std::size_t M = 40, K = 24, N = 56;
    const config::Config config = config::load("small16");
    const auto package =
        kernels::build_kernel("matmul", {{"M", "40"}, {"K", "24"}, {"N", "56"}}, target::of(config));
    const Floats a = random_quarters(K * M), b = random_quarters(K * N);  // products and sums are exact
    const std::string text =
        run_on_chip(package, config, {{"a", to_array(a, {K, M})}, {"b", to_array(b, {K, N})}}, "c");
    Floats c(M * N);
    ASSERT_EQ(text.size(), c.size() * sizeof(float)) << text;
    std::memcpy(c.data(), text.data(), text.size());
    for (std::size_t m = 0; m < M; ++m) {
        for (std::size_t n = 0; n < N; ++n) {
            float sum = 0;
            for (std::size_t k = 0; k < K; ++k) sum += a[k * M + m] * b[k * N + n];
            ASSERT_EQ(c[m * N + n], sum) << m << "," << n;
        }
    }
}

// Tests branches, scalar registers and addresses with registers: the host only starts the engines.
TEST(Rtl, LoopsOverTilesByItself) {
    const config::Config config = config::load("small16");
    const neff::Package package = test::loop_package(target::of(config));
    const std::vector<std::uint64_t> shape{16, test::LoopTiles * test::LoopTileElements};
    Floats a = random_quarters(shape[0] * shape[1]);
    const std::string y = run_on_chip(package, config, {{"a", to_array(a, shape)}}, "y");
    for (float& value : a) value = 2 * value + 1;
    const npy::Array expected = to_array(a, shape);
    ASSERT_EQ(y.size(), expected.data.size()) << y;
    EXPECT_EQ(std::vector<std::uint8_t>(y.begin(), y.end()), expected.data);
}

// The loop triggers loads and stores: rings of every length wrap, with any delays.
TEST(Rtl, MovesTilesInTheLoop) {
    const config::Config config = config::load("small16");
    for (const test::Stream& stream : {test::Stream{},
                                       {.tiles = 6, .elements = 1, .passes = 5},
                                       {.tiles = 2, .elements = 101, .passes = 7}}) {
        const neff::Package package = test::stream_package(target::of(config), stream);
        const std::vector<std::uint64_t> shape{16, std::uint64_t{stream.tiles} * stream.elements};
        Floats a = random_quarters(shape[0] * shape[1]);
        const npy::Array input = to_array(a, shape);
        functional::Interpreter machine(package);
        machine.set("a", input.data);
        machine.run();
        for (float& value : a) value = 2 * value + 1;
        const npy::Array expected = to_array(a, shape);
        EXPECT_EQ(machine.get("y"), expected.data);
        for (const tlm::perturb::Seed seed :
             {tlm::perturb::Seed{}, tlm::perturb::Seed{1}, tlm::perturb::Seed{2}}) {
            const std::string y = run_on_chip(package, config, {{"a", input}}, "y", seed);
            ASSERT_EQ(y.size(), expected.data.size()) << y;
            EXPECT_EQ(std::vector<std::uint8_t>(y.begin(), y.end()), expected.data) << stream.tiles;
        }
    }
}

// In the interpreter's words, the ring may be full; here it is, as the first load takes longer than the
// triggers.
TEST(Rtl, ARingIsNotOverrun) {
    const config::Config config = config::load("small16");
    neff::Package package =
        test::stream_package(target::of(config), {.tiles = 1, .elements = 250, .passes = 100});
    package.programs[static_cast<std::size_t>(isa::Engine::Sync)][test::stream::LoadTrigger] =
        test::trigger(test::stream::Load);
    const std::string message =
        run_on_chip(package, config, {{"a", to_array(random_quarters(16 * 250), {16, 250})}}, "y");
    EXPECT_NE(message.find("queue 'qLoad', transfer 'load a' in iteration 0, descriptor "), std::string::npos)
        << message;
    EXPECT_NE(message.find("doorbell on a ring that is not set up for this many descriptors"),
              std::string::npos)
        << message;
}

// A branch must lead to an instruction of the program; the container checks that, and so does the core.
TEST(Rtl, BranchesBeyondTheProgramAreRefused) {
    const config::Config config = config::load("small16");
    neff::Package package = test::loop_package(target::of(config));
    package.programs[1][6].set(isa::field::Target, package.programs[1].size());
    EXPECT_EQ(test::message_of<std::runtime_error>([&] { run_on_chip(package, config, {}, "y"); }),
              "vector program, instruction 6: branch to 8 of 8");
}

TEST(Rtl, ErrorsAreToldInTermsOfTheKernel) {
    const config::Config config = config::load("small16");
    const npy::Array a = to_array(random_quarters(32), {4, 8});
    neff::Package package = small_sample(config);
    package.programs[1].insert(package.programs[1].begin() + 1,
                               isa::Instruction(static_cast<isa::Opcode>(0xee)));
    EXPECT_EQ(run_on_chip(package, config, {{"a", a}}, "y"),
              "chip 0 core 0, vector engine, instruction 1 (illegal 0xee): illegal instruction");

    using namespace isa::field;
    const std::uint32_t beyond = static_cast<std::uint32_t>(config.core.sbuf_partition);
    package.programs[1][1] = isa::Instruction(isa::Opcode::TensorCopy)
                                 .set(Partitions, 1)
                                 .set(Count0, 1)
                                 .set(Count1, 1)
                                 .set(Count2, 1)
                                 .set(Count3, 1)
                                 .set(ADtype, isa::Dtype::Fp32)
                                 .set(DstDtype, isa::Dtype::Fp32)
                                 .set(DstAddr, beyond);
    const std::string message = run_on_chip(package, config, {{"a", a}}, "y");
    EXPECT_NE(message.find("chip 0 core 0, vector engine, instruction 1 (tensor_copy dst=sbuf[0+"),
              std::string::npos)
        << message;
    EXPECT_NE(message.find("): address out of range: sbuf[0+0x"), std::string::npos) << message;
}

// Inverts a byte of the tables of activation functions on their way into memory.
class DamagingMachine : public ChipMachine {
  public:
    DamagingMachine(const config::Config& config, const tlm::chip::Options& options, std::size_t byte)
        : ChipMachine(config, options), byte_(byte) {}
    void write(std::uint64_t address, std::span<const std::uint8_t> data) override {
        std::vector<std::uint8_t> bytes(data.begin(), data.end());
        if (bytes == tables_ && byte_ < bytes.size()) bytes[byte_] ^= 0xff;
        ChipMachine::write(address, bytes);
    }

  private:
    std::size_t byte_;
    std::vector<std::uint8_t> tables_ = activation::table_image(isa::ActivationSet::ReciprocalSqrtAndSmall);
};

// The tables in memory are overwritten or missing.
TEST(Rtl, TablesThatAreNoneAreNoticed) {
    using namespace isa::field;
    const config::Config config = config::load("small16");
    const npy::Array a = to_array(random_quarters(32), {4, 8});
    neff::Package package = small_sample(config);
    auto& program = package.programs[static_cast<std::size_t>(isa::Engine::Scalar)];
    const isa::Instruction load =
        isa::Instruction(isa::Opcode::ActTableLoad).set(TableSet, isa::ActivationSet::ReciprocalSqrtAndSmall);
    program = {load, isa::Instruction(isa::Opcode::Halt)};
    const auto message = [&](std::size_t damaged) {
        return jobs::run_isolated([&] {
            Observer observer(package, nullptr);
            const Prepared prepared = prepare(package, config, {{"a", a}});
            DamagingMachine machine(config, {.sink = &observer}, damaged);
            return execute(machine, package, prepared, observer).message;
        });
    };
    EXPECT_EQ(message(~std::size_t{0}), "");
    const std::string expected =
        "chip 0 core 0, scalar engine, instruction 0 (act_table_load table_set=reciprocal_sqrt_and_small): ";
    EXPECT_EQ(message(3 * 512 + 3).substr(0, expected.size()), expected);
    program[0].set(TableSet, 7u);
    EXPECT_NE(run_on_chip(package, config, {{"a", a}}, "y").find("activation"), std::string::npos);
}

TEST(Rtl, HangsNameTheSemaphoreAndItsValue) {
    const config::Config config = config::load("small16");
    const npy::Array a = to_array(random_quarters(32), {4, 8});
    neff::Package package = small_sample(config);
    package.programs[4][3] = test::wait_for(4, 250);
    const std::string message = run_on_chip(package, config, {{"a", a}}, "y");
    EXPECT_EQ(message.substr(0, 6), "hang: ");
    EXPECT_NE(message.find(fmt::format("chip 0 core 0, sync engine: wait_sem at instruction 3 "
                                       "(event_semaphore wait S[4]>=250), S[4] is {}",
                                       package.target.dma_engines)),
              std::string::npos)
        << message;
}

// Sync jumps to itself for ever, which a core counts as progress.
neff::Package spinning_sample(const config::Config& config) {
    neff::Package package = small_sample(config);
    package.programs[4][3] = isa::Instruction(isa::Opcode::Branch).set(isa::field::Target, 3);
    return package;
}

TEST(Rtl, EnginesThatOnlySpinHang) {
    config::Config config = config::load("small16");
    config.runtime.idle_instructions = 2000;
    const npy::Array a = to_array(random_quarters(32), {4, 8});
    EXPECT_EQ(
        run_on_chip(spinning_sample(config), config, {{"a", a}}, "y").substr(0, 176),
        "hang: 2000 instructions (runtime.idle_instructions) had no effect outside the registers of their "
        "engines\nchip 0 core 0, sync engine: fetch at instruction 3 (branch target=3)");
}

TEST(Rtl, RunsEndAfterTheLongestTime) {
    const config::Config config = config::load("small16");
    const neff::Package package = spinning_sample(config);
    const npy::Array a = to_array(random_quarters(32), {4, 8});
    const std::string text = jobs::run_isolated([&] {
        Observer observer(package, nullptr);
        Prepared prepared = prepare(package, config, {{"a", a}});
        prepared.run.max_time = 20'000'000'000;
        ChipMachine machine(config, {.sink = &observer});
        const Result result = execute(machine, package, prepared, observer);
        return fmt::format("{} fs: {}", result.figures.time, result.message);
    });
    EXPECT_TRUE(text.starts_with(
        "20000000000 fs: not done after 20 us of simulated time\nchip 0 core 0, sync engine: "))
        << text;
    EXPECT_TRUE(text.ends_with(" at instruction 3 (branch target=3)")) << text;
}

TEST(Rtl, WaveWindowsCountFromTheStartOnRequest) {
    const config::Config config = config::load("small16");
    const test::TemporaryDirectory dir;
    const neff::Package package = small_sample(config);
    const std::string sizes = jobs::run_isolated([&] {
        Observer observer(package, nullptr);
        const Prepared prepared = prepare(package, config, {{"a", to_array(random_quarters(32), {4, 8})}});
        {
            ChipMachine machine(config, {.sink = &observer});
            machine.record_wave({.path = (dir / "w.fst").string(),
                                 .scopes = {},
                                 .first_cycle = 0,
                                 .last_cycle = 100,
                                 .from_start = true});
            execute(machine, package, prepared, observer);
        }
        return std::to_string(std::filesystem::file_size(dir / "w.fst"));
    });
    EXPECT_GT(std::stoul(sizes), 1000u);
}

// Without a recording, clock edges that change nothing are skipped. No count may depend on that.
TEST(Rtl, ARecordingChangesNothing) {
    struct Case {
        const char* kernel;
        std::map<std::string, std::string> arguments;
    };
    const config::Config config = config::load("small16");
    const test::TemporaryDirectory dir;
    for (const Case& test : {Case{"attention", {{"seq", "120"}, {"dim", "24"}, {"causal", "1"}}},
                             Case{"gelu_backward", {{"rows", "70"}, {"cols", "300"}}},
                             Case{"layernorm_backward", {{"rows", "320"}, {"cols", "50"}}}}) {
        SCOPED_TRACE(test.kernel);
        const neff::Package package = kernels::build_kernel(test.kernel, test.arguments, target::of(config));
        Arrays inputs;
        for (const neff::Tensor& tensor : package.tensors) {
            std::size_t count = 1;
            for (const std::uint64_t extent : tensor.shape) count *= extent;
            if (tensor.kind == neff::TensorKind::Input)
                inputs.emplace(tensor.name, to_array(random_quarters(count), tensor.shape));
        }
        const auto run = [&](bool record) {
            return jobs::run_isolated([&] {
                Observer observer(package, nullptr);
                const Prepared prepared = prepare(package, config, inputs);
                ChipMachine machine(config, {.sink = &observer});
                if (record) machine.record_wave({.path = (dir / "w.fst").string(), .scopes = {"core"}});
                const Result result = execute(machine, package, prepared, observer);
                if (!result.done()) return result.message;
                const tlm::Statistics statistics = machine.statistics();
                std::string text = fmt::format("{} fs, {} cycles", statistics.time, statistics.core.cycles);
                for (const tlm::EngineStatistics& engine : statistics.core.engine)
                    text += fmt::format(", {} busy, {}, issued {}", engine.busy_cycles,
                                        engine.cycles_in_state, engine.issued);
                for (const auto& [name, array] : result.outputs)
                    text.append(array.data.begin(), array.data.end());
                return text;
            });
        };
        const std::string plain = run(false);
        EXPECT_EQ(plain.find("error"), std::string::npos) << plain;
        EXPECT_EQ(plain, run(true));
    }
}

// A perturbed run has wrong bits in its memories; some are read, and all are corrected.
TEST(Rtl, UpsetsAreCorrected) {
    const config::Config config = config::load("small16");
    const auto package =
        kernels::build_kernel("matmul", {{"M", "160"}, {"K", "160"}, {"N", "160"}}, target::of(config));
    constexpr std::size_t Count = 160 * 160;
    const npy::Array a = to_array(random_quarters(Count), {160, 160}),
                     b = to_array(random_quarters(Count), {160, 160});
    const auto run = [&](tlm::perturb::Seed seed) {
        return jobs::run_isolated([&] {
            Observer observer(package, nullptr);
            const Prepared prepared = prepare(package, config, {{"a", a}, {"b", b}});
            ChipMachine machine(config, {.sink = &observer, .perturb = seed});
            const Result result = execute(machine, package, prepared, observer);
            const tlm::MemoryCounts& memories = result.figures.memories;
            std::string text = result.message;
            if (seed && memories.corrected < 5) text += fmt::format("{} corrected", memories.corrected);
            if (memories.uncorrected != 0) text += fmt::format("{} uncorrected", memories.uncorrected);
            const auto& data = result.outputs.at("c").data;
            return text + std::string(data.begin(), data.end());
        });
    };
    const std::string plain = run({});
    for (std::uint32_t seed = 1; seed <= 3; ++seed)
        EXPECT_TRUE(run(seed) == plain) << run(seed).substr(0, 200);
}

// Notes the instructions at the pins of the core, as lines of the notification log.
struct Instructions : Observer {
    using Observer::Observer;
    std::vector<std::string> lines;
    void instruction(const tlm::trace::Instruction& i) override {
        lines.push_back(fmt::format("instruction,{},{},*,{},{},,0",
                                    name_of(static_cast<isa::Engine>(i.engine)), i.pc, i.issue_cycle,
                                    i.completion_cycle));
        Observer::instruction(i);
    }
};

// The buffers are small, so the queue wraps many times.
TEST(Rtl, TheNotificationQueueTellsWhatTheTraceDoes) {
    struct Case {
        const char* kernel;
        std::map<std::string, std::string> arguments;
    };
    const config::Config config = config::load("small16");
    for (const Case& test : {Case{"attention", {{"seq", "120"}, {"dim", "24"}, {"causal", "1"}}},
                             Case{"layernorm_backward", {{"rows", "320"}, {"cols", "50"}}}}) {
        SCOPED_TRACE(test.kernel);
        const neff::Package package = kernels::build_kernel(test.kernel, test.arguments, target::of(config));
        Arrays inputs;
        for (const neff::Tensor& tensor : package.tensors) {
            std::size_t count = 1;
            for (const std::uint64_t extent : tensor.shape) count *= extent;
            if (tensor.kind == neff::TensorKind::Input)
                inputs.emplace(tensor.name, to_array(random_quarters(count), tensor.shape));
        }
        // Returns the text of the log if it is right, otherwise a message.
        const auto told = [&](Fidelity fidelity, tlm::perturb::Seed perturb) {
            return jobs::run_isolated([&] {
                Instructions observer(package, nullptr);
                Prepared prepared = prepare(package, config, inputs, 512);
                ChipMachine machine(config, {.sink = &observer, .perturb = perturb}, 1, 0, fidelity);
                std::ostringstream csv;
                NotificationLog log(csv);
                prepared.run.notifications = {&log};
                const Result result = execute(machine, package, prepared, observer);
                if (!result.done()) return result.message;
                std::vector<std::string> lines;
                std::istringstream read(csv.str());
                std::string line;
                std::getline(read, line);
                while (std::getline(read, line)) {
                    const std::size_t pc = line.find(',', line.find(',') + 1) + 1;
                    const std::size_t opcode = line.find(',', pc) + 1;
                    lines.push_back(line.substr(0, opcode) + "*" + line.substr(line.find(',', opcode)));
                }
                std::ranges::sort(lines);
                std::ranges::sort(observer.lines);
                if (result.notifications->records <= 512)
                    return fmt::format("{} records", result.notifications->records);
                // If memory answers late, the queue may drop some records and report that.
                if (result.notifications->dropped != 0) {
                    if (!perturb) return fmt::format("{} dropped", result.notifications->dropped);
                    for (const std::string& told : lines) {
                        if (told.ends_with(",1")) continue;
                        if (!std::ranges::binary_search(observer.lines, told)) return "told: " + told;
                    }
                    return csv.str();
                }
                const auto [a, b] = std::ranges::mismatch(lines, observer.lines);
                if (a != lines.end()) return "told: " + *a;
                if (b != observer.lines.end()) return "not told: " + *b;
                return csv.str();
            });
        };
        const auto is_log = [](const std::string& text) { return text.starts_with("kind,engine,pc,"); };
        const std::string rtl = told(Fidelity::Rtl, {}),
                          perturbed = told(Fidelity::Rtl, tlm::perturb::Seed{7});
        EXPECT_TRUE(is_log(rtl)) << rtl;
        EXPECT_TRUE(is_log(perturbed)) << perturbed;
        EXPECT_EQ(told(Fidelity::Fast, {}), rtl);
    }
}

// The RTL detects a NaN when the row is written, the fast core when the instruction is done.
TEST(Rtl, NaNsInTheNotificationQueue) {
    const config::Config config = config::load("small16");
    const neff::Package package = kernels::build_kernel(
        "softmax", {{"rows", "20"}, {"cols", "30"}, {"dtype", "fp32"}}, target::of(config));
    const npy::Array nans = to_array(std::vector<float>(600, std::nanf("")), {20, 30});
    struct Told {
        std::string others;
        std::vector<std::string> nans;  // without their time
        std::vector<std::uint64_t> times;
    };
    const auto told = [&](Fidelity fidelity) {
        std::istringstream log(jobs::run_isolated([&] {
            Observer observer(package, nullptr);
            Prepared prepared = prepare(package, config, {{"x", nans}}, 512);
            ChipMachine machine(config, {.sink = &observer}, 1, 0, fidelity);
            std::ostringstream csv;
            NotificationLog log(csv);
            prepared.run.notifications = {&log};
            execute(machine, package, prepared, observer);
            return csv.str();
        }));
        Told told;
        for (std::string line; std::getline(log, line);) {
            if (!line.starts_with("numeric,")) {
                told.others += line + "\n";
                continue;
            }
            const std::size_t time = line.find(",,,");
            const std::size_t before = line.rfind(',', time - 1);
            told.nans.push_back(line.substr(0, before) + line.substr(time));
            told.times.push_back(std::stoull(line.substr(before + 1, time - before - 1)));
        }
        return told;
    };
    const Told rtl = told(Fidelity::Rtl), fast = told(Fidelity::Fast);
    EXPECT_EQ(rtl.nans, (std::vector<std::string>{"numeric,vector,0,tensor_reduce,,,0",
                                                  "numeric,scalar,1,activation,,,0"}));
    EXPECT_EQ(fast.nans, rtl.nans);
    EXPECT_EQ(fast.others, rtl.others);
    for (std::size_t i = 0; i < rtl.times.size(); ++i) EXPECT_GE(fast.times.at(i), rtl.times[i]);
}

TEST(Rtl, AConfigurationWithoutACoreIsRefused) {
    config::Config config = config::load("small16");
    config.core.fetch.prefetch = config.core.fetch.prefetch == 8 ? 16 : 8;
    EXPECT_THROW(
        run_on_chip(small_sample(config), config, {{"a", to_array(random_quarters(32), {4, 8})}}, "y"),
        std::runtime_error);
}

}  // namespace
}  // namespace trnsim::runtime
