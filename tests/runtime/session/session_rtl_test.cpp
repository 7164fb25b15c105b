// Runs sessions on the verilated core of configs/small16.yaml, one after the other on the one chip of this
// process.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "arch/config/config.hpp"
#include "arch/target/target.hpp"
#include "base/jobs/process.hpp"
#include "common/loop_package.hpp"
#include "common/random.hpp"
#include "common/temporary_directory.hpp"
#include "compiler/kernels/registry.hpp"
#include "runtime/session/chip_machine.hpp"
#include "runtime/session/chip_of_process.hpp"
#include "runtime/session/runner.hpp"
#include "runtime/session/trace_writer.hpp"

namespace trnsim::runtime {
namespace {

using Floats = std::vector<float>;

npy::Array to_array(const Floats& values, std::vector<std::uint64_t> shape) {
    npy::Array array{npy::Type::F4, std::move(shape),
                     std::vector<std::uint8_t>(values.size() * sizeof(float))};
    std::memcpy(array.data.data(), values.data(), array.data.size());
    return array;
}

Floats to_floats(const npy::Array& array) {
    Floats values(array.data.size() / sizeof(float));
    std::memcpy(values.data(), array.data.data(), array.data.size());
    return values;
}

// Returns multiples of a quarter: their products and sums are exact.
Floats random_quarters(std::size_t count) {
    static auto generator = test::generator();
    Floats values(count);
    for (float& value : values) value = static_cast<float>(static_cast<int>(generator() % 33) - 16) / 4;
    return values;
}

constexpr std::size_t M = 24, K = 32, N = 40;

neff::Package matmul(const config::Config& config) {
    return kernels::build_kernel(
        "matmul",
        {{"M", std::to_string(M)}, {"K", std::to_string(K)}, {"N", std::to_string(N)}, {"dtype", "bf16"}},
        target::of(config));
}

Floats product(const Floats& a, const Floats& b) {
    Floats c(M * N);
    for (std::size_t m = 0; m < M; ++m) {
        for (std::size_t n = 0; n < N; ++n) {
            for (std::size_t k = 0; k < K; ++k) c[m * N + n] += a[k * M + m] * b[k * N + n];
        }
    }
    return c;
}

struct Operands {
    Floats a = random_quarters(K * M), b = random_quarters(K * N);
    Arrays arrays() const { return {{"a", to_array(a, {K, M})}, {"b", to_array(b, {K, N})}}; }
};

// Returns all counts of a run that must not depend on earlier runs. The stack of a tensor depends on what
// else is loaded, so the stacks are added.
std::string counted(const Figures& figures) {
    std::string text = fmt::format("{} fs, {} cycles, {} evaluated;", figures.time, figures.cycles,
                                   figures.evaluated_cycles);
    for (const tlm::EngineStatistics& engine : figures.engine) {
        text += fmt::format(" busy {} issued {} states", engine.busy_cycles, engine.issued);
        for (const std::uint64_t cycles : engine.cycles_in_state) text += fmt::format(" {}", cycles);
    }
    tlm::Traffic hbm;
    for (const tlm::Traffic& stack : figures.hbm) {
        hbm.bytes_read += stack.bytes_read;
        hbm.bytes_written += stack.bytes_written;
    }
    text += fmt::format("; hbm {} {}", hbm.bytes_read, hbm.bytes_written);
    for (const tlm::DmaStatistics& dma : figures.dma)
        text += fmt::format("; dma {} packets {} fs", dma.packets, dma.busy_time);
    const tlm::MemoryCounts& memories = figures.memories;
    return text + fmt::format("; waits {} {} {} {} {}; array {} {} {}", memories.moving_waits,
                              memories.vector_waits, memories.scalar_waits, memories.bus_waits,
                              memories.sequencer_waits, figures.matmul_cycles, figures.fast_load_cycles,
                              figures.normal_load_cycles);
}

std::string in_other_process(const std::function<std::string()>& work) {
    const jobs::Outcome outcome = jobs::run({.work = work, .capture = false});
    return outcome.returned() ? outcome.text : "failed: " + outcome.text;
}

// Executes the package alone in a process, as `trnsim run` does.
std::string alone(const neff::Package& package, const config::Config& config, const Arrays& inputs) {
    return in_other_process([&] {
        Observer observer(package, nullptr);
        ChipMachine machine(config, {.sink = &observer});
        return counted(execute(machine, package, prepare(package, config, inputs), observer).figures);
    });
}

// The children of this class must be made before the chip is: a chip does not survive a fork().
class SessionRtl : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        const config::Config config = config::load("small16");
        matmul_alone = alone(matmul(config), config, Operands().arrays());
        loop_alone = alone(loop(config), config, loop_input(random_quarters(LoopElements)));
    }

    static constexpr std::size_t LoopElements = 16 * test::LoopTiles * test::LoopTileElements;
    static neff::Package loop(const config::Config& config) { return test::loop_package(target::of(config)); }
    static Arrays loop_input(const Floats& values) {
        return {{"a", to_array(values, {16, test::LoopTiles * test::LoopTileElements})}};
    }

    // Expects a product of new operands to have the bits and cycles of a run alone.
    void expect_product(Session& session, ModelId model) {
        const Operands operands;
        const Result result = session.execute(model, operands.arrays());
        ASSERT_EQ(result.status, Status::Success) << result.message;
        EXPECT_EQ(to_floats(result.outputs.at("c")), product(operands.a, operands.b));
        EXPECT_EQ(counted(result.figures), matmul_alone);
    }

    static inline std::string matmul_alone, loop_alone;
    config::Config config_ = config::load("small16");
};

TEST_F(SessionRtl, EveryExecutionIsLikeTheFirst) {
    Session session(config_, chip_of_process);
    const ModelId model = session.load(matmul(config_));
    for (int turn = 0; turn < 6; ++turn) expect_product(session, model);
}

TEST_F(SessionRtl, TwoPackagesInTurns) {
    Session session(config_, chip_of_process);
    const ModelId first = session.load(matmul(config_)), second = session.load(loop(config_));
    for (int turn = 0; turn < 3; ++turn) {
        expect_product(session, first);
        Floats values = random_quarters(LoopElements);
        const Result result = session.execute(second, loop_input(values));
        for (float& value : values) value = 2 * value + 1;
        EXPECT_EQ(to_floats(result.outputs.at("y")), values);
        EXPECT_EQ(counted(result.figures), loop_alone);
    }
    session.unload(first);
    const ModelId again = session.load(matmul(config_));
    expect_product(session, again);
}

TEST_F(SessionRtl, WeightsStayAndChangeInPlace) {
    Session session(config_, chip_of_process);
    const TensorId weights = session.allocate({"weights", {}, isa::Dtype::Bf16, {K, N}});
    const TensorId sum = session.allocate({"sum", {}, isa::Dtype::Fp32, {M, N}});
    const ModelId model = session.load(matmul(config_), {.bindings = {{{"b", weights}}}});
    for (int turn = 0; turn < 3; ++turn) {
        const Operands operands;
        const Arrays a{{"a", to_array(operands.a, {K, M})}};
        session.write(weights, to_array(operands.b, {K, N}));
        EXPECT_EQ(to_floats(session.execute(model, a).outputs.at("c")), product(operands.a, operands.b));
        EXPECT_TRUE(session.execute(model, a, {.bindings = {{{"c", sum}}}}).outputs.empty());
        EXPECT_EQ(to_floats(session.read(sum)), product(operands.a, operands.b));
        EXPECT_EQ(to_floats(session.execute(model, a).outputs.at("c")), product(operands.a, operands.b));
    }
}

TEST_F(SessionRtl, StochasticRoundingDependsOnItsSeedOnly) {
    Session session(config_, chip_of_process);
    const ModelId model = session.load(kernels::build_kernel(
        "cast", {{"rows", "16"}, {"cols", "64"}, {"dtype", "bf16"}}, target::of(config_)));
    Floats values(16 * 64);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.0F + static_cast<float>(i) / 65536.0F;
    const auto bits = [&](std::uint32_t seed) {
        return session
            .execute(model, {{"x", to_array(values, {16, 64})}},
                     {.rounding = {.stochastic = true, .seed = seed}})
            .outputs.at("y")
            .data;
    };
    const auto one = bits(1);
    EXPECT_NE(bits(2), one);
    EXPECT_EQ(bits(1), one);
}

TEST_F(SessionRtl, ExecutionsAfterErrorsHangsAndStopsAreLikeTheFirst) {
    Session session(config_, chip_of_process);
    const ModelId model = session.load(matmul(config_));
    expect_product(session, model);

    neff::Package illegal = loop(config_);
    auto& program = illegal.programs[static_cast<std::size_t>(isa::Engine::Vector)];
    program.insert(program.begin(), isa::Instruction(static_cast<isa::Opcode>(0xee)));
    const Arrays input = loop_input(random_quarters(LoopElements));
    const ModelId bad = session.load(illegal);
    for (int turn = 0; turn < 2; ++turn) {
        const Result result = session.execute(bad, input);
        EXPECT_EQ(result.outcome, tlm::Outcome::CoreError);
        EXPECT_EQ(result.status, Status::ExecCompletedWithError) << result.message;
        expect_product(session, model);
    }

    neff::Package hanging = loop(config_);
    hanging.programs[static_cast<std::size_t>(isa::Engine::Vector)][2].set(isa::field::WaitValue, 1000);
    const Result hung = session.execute(session.load(hanging), input);
    EXPECT_EQ(hung.status, Status::Timeout) << hung.message;
    expect_product(session, model);

    // The limits are in the middle of fetches, transfers and matmuls.
    for (std::uint64_t nanoseconds = 30; nanoseconds < 3000; nanoseconds += 90) {
        const Result stopped =
            session.execute(model, Operands().arrays(), {.max_time = nanoseconds * 1'000'000});
        EXPECT_TRUE(stopped.status == Status::Timeout || stopped.done());
        expect_product(session, model);
    }
}

TEST_F(SessionRtl, AProcessHasOneDevice) {
    std::optional<Session> session(std::in_place, config_, chip_of_process);
    expect_product(*session, session->load(matmul(config_)));
    const auto use = [](const config::Config& config, const MachineOptions& options = {}) {
        return test::message_of<Error>([&] {
            Session other(config, chip_of_process, options);
            other.write(other.allocate(4, "t"), 0, std::vector<std::uint8_t>(4));
        });
    };
    EXPECT_EQ(
        use(config_),
        "this process has an open session, expected it to be closed first: a process simulates one device");
    session->close();
    EXPECT_EQ(use(config_), "");
    EXPECT_EQ(
        use(config::load("small8")),
        "this process simulates a device of configuration 'small16', which cannot be replaced by one of "
        "'small8': start another process");
    EXPECT_EQ(
        use(config_, {.perturb = 1}),
        "this process simulates a device with other perturbation, random memory or threads, which cannot be "
        "changed: start another process");
    EXPECT_EQ(use(config_, {.core = 1}),
              "this process simulates core 0 of a device, which cannot be replaced by core 1: start another "
              "process");
    session.emplace(config_, chip_of_process);
    expect_product(*session, session->load(matmul(config_)));
}

TEST_F(SessionRtl, EachExecutionHasItsOwnWaveAndTrace) {
    Session session(config_, chip_of_process);
    const ModelId model = session.load(matmul(config_));
    expect_product(session, model);
    const test::TemporaryDirectory directory;
    std::vector<std::uintmax_t> sizes;
    std::vector<std::string> traces;
    for (int turn = 0; turn < 2; ++turn) {
        const std::filesystem::path wave = directory / fmt::format("{}.fst", turn);
        std::ostringstream text;
        TraceWriter trace(text);
        const Operands operands;
        const Result result = session.execute(
            model, operands.arrays(),
            {.trace = &trace,
             .wave = WaveRequest{
                 .path = wave, .scopes = {}, .first_cycle = 0, .last_cycle = 2000, .from_start = true}});
        trace.finish();
        EXPECT_EQ(to_floats(result.outputs.at("c")), product(operands.a, operands.b));
        EXPECT_EQ(result.figures.cycles, session.execute(model, operands.arrays()).figures.cycles);
        sizes.push_back(std::filesystem::file_size(wave));
        traces.push_back(text.str());
    }
    EXPECT_GT(sizes[0], 1000u);
    EXPECT_GT(sizes[1], sizes[0] / 2);
    const auto slices = [](const std::string& text) {
        std::size_t count = 0;
        for (std::size_t at = 0; (at = text.find("\"ph\":\"X\"", at)) != std::string::npos; ++at) ++count;
        return count;
    };
    EXPECT_GT(slices(traces[0]), 20u);
    EXPECT_EQ(slices(traces[0]), slices(traces[1]));
    EXPECT_NE(traces[1].find("ring 0"), std::string::npos) << "tracks of the DMA engines are there again";
}

}  // namespace
}  // namespace trnsim::runtime
