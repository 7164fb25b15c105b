// Tests verilated cores in the slots of one chip: the second one alone, one beside the traffic of another
// core's engines, and two at the same time.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <memory>

#include "base/jobs/process.hpp"
#include "common/random.hpp"
#include "model/core/rtl/load_core_model.hpp"
#include "runtime/session/chip_machine.hpp"
#include "runtime/session/loaded_kernel.hpp"

namespace trnsim::runtime {
namespace {

// Runs the work in another process, as SystemC elaborates once in a process.
std::string in_other_process(const std::function<std::string()>& work) {
    const jobs::Outcome outcome = jobs::run({.work = work, .capture = false});
    return outcome.returned() ? outcome.text : "failed: " + outcome.text;
}

// Records the time of each core's instructions, and the packets of its DMA engines.
class Spans : public tlm::trace::Sink {
  public:
    struct Span {
        std::uint64_t first = std::numeric_limits<std::uint64_t>::max(), last = 0;  // fs
        std::uint64_t instructions = 0;
        std::uint64_t length() const { return last - first; }
    };
    std::array<Span, addresses::CoresPerChip> cores;
    std::array<std::uint64_t, addresses::CoresPerChip> packets{};

    void instruction(const tlm::trace::Instruction& instruction) override {
        Span& span = cores.at(instruction.core.core);
        span.first = std::min(span.first, instruction.start);
        span.last = std::max(span.last, instruction.end);
        ++span.instructions;
    }
    void packet(const tlm::trace::Packet& packet) override { ++packets.at(packet.core); }
};

// A core of a system; the test chooses the system's cores.
class CoreOf : public Machine {
  public:
    CoreOf(tlm::System& system, unsigned core) : system_(system), core_(core) {}

    std::function<void()> on_start = [] {};

    void write32(std::uint64_t address, std::uint32_t value) override { system_.write32(address, value); }
    std::uint32_t read32(std::uint64_t address) override { return system_.read32(address); }
    void write(std::uint64_t address, std::span<const std::uint8_t> data) override {
        system_.write(address, data);
    }
    void read(std::uint64_t address, std::span<std::uint8_t> data) override { system_.read(address, data); }
    void before_start() override { on_start(); }
    tlm::RunResult run(std::uint64_t limit) override { return system_.run(limit); }
    tlm::Statistics statistics() const override { return system_.chip().statistics(core_); }

  private:
    tlm::System& system_;
    unsigned core_;
};

using Arguments = std::map<std::string, std::string>;
struct Kernel {
    const char* name;
    Arguments arguments;
};

trial::Trial small16(const Kernel& kernel, std::uint64_t salt = 0) {
    return trial::make_trial(config::load("small16"), kernel.name, kernel.arguments, test::seed() + salt);
}

const Kernel Matmul{"matmul", {{"M", "37"}, {"K", "50"}, {"N", "130"}, {"dtype", "bf16"}}};
const Kernel Softmax{"softmax", {{"rows", "23"}, {"cols", "77"}, {"dtype", "fp32"}}};
const Kernel Attention{"attention", {{"seq", "20"}, {"dim", "9"}, {"causal", "1"}, {"dtype", "bf16"}}};
const Kernel Layernorm{"layernorm", {{"rows", "19"}, {"cols", "61"}, {"dtype", "bf16"}}};

// Runs a session on a core of a chip; returns the bits, the cycles, and the core that messages name.
std::string on_core(unsigned core, const std::string& message_of_error) {
    return in_other_process([&] {
        const trial::Trial trial = small16(Matmul);
        Session session(trial.config, make_chip, {.core = core});
        const ModelId model = session.load(trial.package);
        Contents contents;
        for (const neff::Tensor& tensor : trial.package.tensors) {
            const auto input = trial.inputs.find(tensor.name);
            contents.push_back(input == trial.inputs.end() ? loader::Content()
                                                           : loader::Content::borrowed(input->second));
        }
        const Result result = session.execute(model, contents);
        std::string text = result.message;
        if (!trial::differences(trial.package, trial::interpret(trial), result.outputs).empty())
            text += "other bits; ";
        if (result.core_id != addresses::CoreId{0, core}) text += "another core; ";
        neff::Package bad = trial.package;
        const auto tensor = static_cast<std::size_t>(isa::Engine::Tensor);
        bad.programs[tensor].front() = isa::Instruction(static_cast<isa::Opcode>(0xee));
        const Result failed = session.execute(session.load(bad), contents);
        if (failed.message.find(message_of_error) != 0) text += failed.message;
        return text + fmt::format("{} cycles, {} bytes by DMA, {} completed", result.figures.cycles,
                                  result.figures.dma_bytes(), result.figures.engine[0].completed);
    });
}

TEST(CoresRtl, ASessionOnTheSecondCoreIsLikeOneOnTheFirst) {
    const std::string first = on_core(0, "chip 0 core 0, tensor engine, instruction 0");
    EXPECT_EQ(first.find("failed"), std::string::npos) << first;
    EXPECT_EQ(first.find(';'), std::string::npos) << first;
    EXPECT_EQ(on_core(1, "chip 0 core 1, tensor engine, instruction 0"), first);
}

// Makes a kernel on a chip with memory that is too slow for the kernel and the traffic beside it.
trial::Trial in_narrow_memory(const Kernel& kernel) {
    config::Config config = config::load("small16");
    config.hbm.bandwidth = 120'000'000'000;
    return trial::make_trial(config, kernel.name, kernel.arguments, test::seed());
}

constexpr std::uint64_t TrafficFrom = 0x20000000, TrafficTo = 0x28000000;  // in both stacks
constexpr std::uint64_t TrafficRings = 0x30000000;
constexpr std::uint32_t Piece = 0x8000, Pieces = 30;  // bytes of a packet, packets of an engine

// Every DMA engine of core 1 copies, from and to the stacks in turn.
void start_traffic(tlm::System& system, std::uint64_t engines) {
    for (std::uint64_t e = 0; e < engines; ++e) {
        const std::uint64_t stack = e % 2 * addresses::HbmStackStride, ring = TrafficRings + e * 0x10000;
        for (std::uint64_t i = 0; i < Pieces; ++i) {
            const std::uint64_t place = stack + (e * Pieces + i) * Piece;
            dma::Descriptor read{TrafficFrom + place, Piece};
            read.first = read.last = true;
            system.write(ring + 16 * i, dma::encode(read));
            system.write(ring + 0x8000 + 16 * i, dma::encode({TrafficTo + place, Piece}));
        }
        const auto set = [&](dma::RingRegister reg, std::uint64_t value) {
            system.write32(dma::ring_address(e, 0, reg, 1), static_cast<std::uint32_t>(value));
        };
        set(dma::RingRegister::M2sBaseLow, ring);
        set(dma::RingRegister::M2sSize, Pieces);
        set(dma::RingRegister::S2mBaseLow, ring + 0x8000);
        set(dma::RingRegister::S2mSize, Pieces);
        set(dma::RingRegister::Doorbell, dma::doorbell(Pieces, Pieces));
    }
}

struct Ran {
    std::uint64_t length = 0;   // fs from the first instruction to the end of the last
    std::uint64_t packets = 0;  // packets of core 1's DMA engines
    std::string wrong;
};

Ran run_beside(unsigned slots, bool traffic) {
    const std::string text = in_other_process([&] {
        const trial::Trial trial = in_narrow_memory(Attention);
        Spans spans;
        tlm::chip::Slots cores(slots);
        cores[0] = tlm::core_rtl::load_core(trial.config);
        tlm::System system(trial.config, cores, {.sink = &spans, .check_protocol = true});
        CoreOf core(system, 0);
        loader::Allocator hbm(trial.config.hbm);
        const Loaded loaded(trial, hbm, core, 0);
        set_up(core, loaded.image, {});
        if (traffic) start_traffic(system, trial.config.dma.engines);
        start(core, loaded.image);
        const tlm::RunResult result = system.run();
        std::string wrong = result.message + loaded.wrong(core);
        for (const std::string& violation : system.chip().protocol_violations()) wrong += violation;
        return fmt::format("{} {} {}", spans.cores[0].length(), spans.packets[1], wrong);
    });
    Ran ran;
    std::size_t end = 0;
    ran.length = std::stoull(text, &end);
    const std::string rest = text.substr(end);
    ran.packets = std::stoull(rest, &end);
    ran.wrong = rest.substr(end + 1);
    return ran;
}

TEST(CoresRtl, AnEmptySlotCostsNothingAndTrafficOnlyTime) {
    const Ran alone = run_beside(1, false), beside_nothing = run_beside(2, false),
              contended = run_beside(2, true);
    for (const Ran& ran : {alone, beside_nothing, contended}) EXPECT_EQ(ran.wrong, "");
    EXPECT_EQ(beside_nothing.length, alone.length);
    EXPECT_EQ(contended.packets, 4u * Pieces);
    std::printf("alone %.3f us, beside traffic %.3f us\n", static_cast<double>(alone.length) / 1e9,
                static_cast<double>(contended.length) / 1e9);
    EXPECT_GT(contended.length, alone.length) << "the traffic was felt";
    EXPECT_LT(contended.length, 4 * alone.length);
}

// Runs two kernels at the same time, one on each core.
std::string run_both(const Kernel& first, const Kernel& second, tlm::perturb::Seed perturb) {
    return in_other_process([&] {
        const std::array trials{small16(first), small16(second, 1)};
        const config::Config& config = trials[0].config;
        Spans spans;
        tlm::System system(
            config, tlm::chip::Slots{tlm::core_rtl::load_core(config), tlm::core_rtl::load_core(config)},
            {.sink = &spans,
             .check_protocol = true,
             .perturb = perturb,
             .random_memory = static_cast<std::uint32_t>(test::seed())});
        std::array cores{CoreOf(system, 0), CoreOf(system, 1)};
        loader::Allocator hbm(config.hbm);
        std::array loaded{Loaded(trials[0], hbm, cores[0], 0), Loaded(trials[1], hbm, cores[1], 1)};
        for (const unsigned core : {0u, 1u}) set_up(cores[core], loaded[core].image, {});
        for (const unsigned core : {0u, 1u}) start(cores[core], loaded[core].image);
        const tlm::RunResult result = system.run();
        std::string wrong = result.message;
        for (const unsigned core : {0u, 1u}) {
            wrong += loaded[core].wrong(cores[core]);
            std::uint64_t instructions = 0;
            for (const auto& program : loaded[core].image.programs)
                instructions += program.instructions.size();
            if (spans.cores[core].instructions != instructions)
                wrong += fmt::format("core {}: {} of {} instructions\n", core, spans.cores[core].instructions,
                                     instructions);
            if (spans.packets[core] == 0) wrong += fmt::format("core {}: no packets\n", core);
        }
        if (spans.cores[0].first > spans.cores[1].last || spans.cores[1].first > spans.cores[0].last)
            wrong += "one after the other\n";
        for (const std::string& violation : system.chip().protocol_violations()) wrong += violation + "\n";
        return wrong;
    });
}

TEST(CoresRtl, TwoKernelsAtOnce) {
    EXPECT_EQ(run_both(Matmul, Attention, {}), "");
    EXPECT_EQ(run_both(Layernorm, Layernorm, {}), "");
}

TEST(CoresRtl, TwoPerturbedKernelsAtOnce) {
    for (std::uint64_t i = 0; i < 2 * test::heavy_scale(); ++i)
        EXPECT_EQ(run_both(Attention, Softmax, static_cast<std::uint32_t>(test::seed() + i)), "")
            << "seed " << test::seed() + i;
}

}  // namespace
}  // namespace trnsim::runtime
