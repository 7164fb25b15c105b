// Compares the reports of the GpSimd cores of a whole chip about a kernel: instruction trace, counters and
// hot spots agree with each other and with the image.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <sstream>

#include "arch/config/config.hpp"
#include "arch/firmware/image.hpp"
#include "arch/target/target.hpp"
#include "compiler/builder/kernel_builder.hpp"
#include "runtime/session/chip_machine.hpp"
#include "runtime/session/commit_log.hpp"
#include "runtime/session/runner.hpp"
#include "runtime/session/statistics.hpp"
#include "tools/profile/gpsimd_tables.hpp"

namespace trnsim::profile {
namespace {

constexpr std::uint32_t Rows = 16, Columns = 64;

// Passes each call to both.
struct Both : tlm::GpsimdObserver {
    void start(unsigned core, const tlm::GpsimdView& view) override {
        log.start(core, view);
        recorder.start(core, view);
    }
    void cycle(unsigned core, const tlm::GpsimdCycle& cycle, const tlm::GpsimdView& view) override {
        log.cycle(core, cycle, view);
        recorder.cycle(core, cycle, view);
    }
    std::ostringstream text;
    runtime::CommitLog log{text};
    GpsimdRecorder recorder;
};

neff::Package copies(const config::Config& config) {
    builder::KernelBuilder k("copies", "", target::of(config));
    const builder::Tile a = k.sbuf(Rows, isa::Dtype::Fp32, {Columns}),
                        b = k.sbuf(Rows, isa::Dtype::Fp32, {Columns});
    k.memset(a, 1.0f);
    k.tensor_copy(b, a, {.engine = isa::Engine::Gpsimd});
    k.store(k.queue("out"), k.tensor("y", neff::TensorKind::Output, isa::Dtype::Fp32, {Rows, Columns}), b);
    return k.finish();
}

TEST(GpsimdCores, TellWhatTheyExecute) {
    const config::Config config = config::load("small16");
    const neff::Package package = copies(config);
    Both both;
    runtime::Observer observer(package, nullptr);
    const auto machine = runtime::make_chip(config, {.sink = &observer, .gpsimd = &both});
    const runtime::Result result =
        runtime::execute(*machine, package, runtime::prepare(package, config, {}), observer);
    ASSERT_TRUE(result.done()) << result.message;
    both.log.finish();

    const tlm::GpsimdCoreCounters& core = result.figures.gpsimd.at(0);
    EXPECT_GT(core.instructions(), 200u);
    EXPECT_EQ(std::accumulate(core.in_class.begin(), core.in_class.end(), std::uint64_t{0}), core.cycles);

    // There are as many lines as instructions, all within the code; the first line is that of the entry.
    const firmware::Image image = firmware::parse(package.images.at(0).bytes, "microcode");
    std::istringstream lines(both.text.str());
    std::uint64_t count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
        ASSERT_TRUE(line.starts_with("core   0: 3 0x")) << line;
        const auto pc = static_cast<std::uint32_t>(std::stoul(line.substr(12), nullptr, 16));
        if (count == 0) {
            EXPECT_EQ(pc, image.entry);
        }
        EXPECT_TRUE(std::ranges::any_of(image.segments, [pc](const firmware::Segment& segment) {
            return segment.executable && pc >= segment.address && pc < segment.end();
        })) << line;
    }
    EXPECT_EQ(count, core.instructions());

    const GpsimdSpots spots = gpsimd_spots(both.recorder, package);
    std::uint64_t instructions = 0, cycles = 0;
    for (const GpsimdSpot& spot : spots.functions) {
        instructions += spot.count.instructions;
        cycles += spot.count.cycles;
        EXPECT_EQ(spot.place.find("0x"), std::string::npos) << spot.place;
    }
    EXPECT_EQ(instructions, core.instructions());
    EXPECT_EQ(cycles, core.cycles - core.in(tlm::GpsimdClass::Sleep));
    EXPECT_TRUE(std::ranges::any_of(
        spots.lines, [](const GpsimdSpot& spot) { return spot.place.find(".cpp:") != std::string::npos; }));
    const std::string text = gpsimd_text(result.figures.gpsimd, spots);
    EXPECT_NE(text.find("\ncore 0"), std::string::npos) << text;
    EXPECT_NE(text.find(spots.functions.front().place), std::string::npos) << text;

    const auto tables = estimates::load_tables();
    const auto json = nlohmann::json::parse(runtime::to_json(result, package, config, tables));
    const auto& row = json.at("gpsimd_cores").at(0);
    EXPECT_EQ(row.at("instructions"), core.instructions());
    EXPECT_EQ(row.at("cycles"), core.cycles);
    std::uint64_t sum = 0;
    for (const auto& [name, value] : row.at("cycles_in").items()) sum += value.get<std::uint64_t>();
    EXPECT_EQ(sum, core.cycles);
}

}  // namespace
}  // namespace trnsim::profile
