// Tests the profiles of runs with invented events.
#include "tools/profile/profile.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "arch/cost/cost.hpp"
#include "common/temporary_directory.hpp"
#include "isa/instruction.hpp"
#include "tools/profile/advice.hpp"
#include "tools/profile/comparison.hpp"
#include "tools/profile/lines.hpp"
#include "tools/profile/tables.hpp"
#include "tools/profile/text.hpp"

namespace trnsim::profile {
namespace {

constexpr std::uint64_t FsPerCycle = 1'000'000;

config::Config made_config() {
    config::Config config;
    config.core.clock = 1'000'000'000;  // a cycle is a nanosecond
    config.core.array = {4, 8};
    config.core.partitions = 32;
    config.core.psum_partition = 512;
    config.core.psum_banks = 8;
    config.core.clock_ratio.tensor = {1, 1};
    config.core.clock_ratio.bus = {1, 2};
    config.core.tensor.utilisation = 1000;  // no limit, as the next
    config.core.vector.reciprocal_rate = {1, 1};
    config.hbm.bandwidth = 1'000'000'000;
    return config;
}

isa::Instruction waiting(isa::Opcode opcode, std::uint8_t semaphore) {
    isa::Instruction instruction(opcode);
    instruction.set(isa::field::WaitMode, isa::WaitMode::Ge);
    instruction.set(isa::field::WaitSem, semaphore);
    return instruction;
}

neff::Package made_package() {
    neff::Package package;
    package.target = {4, 8, 32, 1024, 512, 8, 1, 2};
    package.queues = {{"qLoad", isa::Engine::Sync}, {"qStore", isa::Engine::Sync}};
    neff::Transfer load;
    load.queue = 0;
    load.semaphore = 3;
    load.name = "load x";
    load.to = {neff::Pattern::Space::Core, 0, 64, {4}, {10}};
    load.element_bytes = 4;
    package.transfers = {load};
    auto& tensor = package.programs[static_cast<std::size_t>(isa::Engine::Tensor)];
    tensor = {waiting(isa::Opcode::LoadStationary, 3), isa::Instruction(isa::Opcode::MultiplyMoving),
              waiting(isa::Opcode::MultiplyMoving, 5), isa::Instruction(isa::Opcode::Halt)};
    for (const std::size_t matmul : {1, 2}) {
        tensor[matmul]
            .set(isa::field::Columns, 1)
            .set(isa::field::ADtype, isa::Dtype::Bf16)
            .set(isa::field::DstDtype, isa::Dtype::Fp32)
            .set(isa::field::DstAddr, isa::window::PsumBase);
        for (const isa::Field* count :
             {&isa::field::Count0, &isa::field::Count1, &isa::field::Count2, &isa::field::Count3})
            tensor[matmul].set(*count, 1);
    }
    tensor[1].set(isa::field::UpdateMode, isa::UpdateMode::Add);
    tensor[1].set(isa::field::UpdateSem, 5);
    return package;
}

runtime::Result made_result(std::uint64_t start, std::uint64_t cycles) {
    runtime::Result result;
    result.figures.start = start * FsPerCycle;
    result.figures.time = cycles * FsPerCycle;
    result.figures.cycles = cycles;
    result.figures.engine[0].busy_cycles = 1;
    return result;
}

tlm::trace::Instruction event(std::uint32_t pc, std::uint64_t issue, std::uint64_t completion) {
    return {0, pc, issue, completion, issue * FsPerCycle, completion * FsPerCycle, {}};
}

TEST(Profile, EachCycleIsInOneClass) {
    Recorder recorder;
    for (const auto& e : {event(0, 120, 150), event(1, 130, 170), event(2, 200, 240), event(3, 245, 246)})
        recorder.instruction(e);
    const Profile profile = analyse(made_package(), made_config(), made_result(100, 200), recorder);
    ASSERT_EQ(profile.engines.size(), 1U);
    const EngineProfile& tensor = profile.engines[0];
    EXPECT_EQ(tensor.in(CycleClass::Executing), 50U + 40U + 1U);
    EXPECT_EQ(tensor.in(CycleClass::Semaphore), 20U + 30U);
    EXPECT_EQ(tensor.in(CycleClass::Issue), 5U);
    EXPECT_EQ(tensor.in(CycleClass::Before), 0U);
    EXPECT_EQ(tensor.in(CycleClass::After), 300U - 246U);
    EXPECT_EQ(std::accumulate(tensor.cycles.begin(), tensor.cycles.end(), std::uint64_t{0}), 200U);
    EXPECT_EQ(tensor.wait_cycles, (std::map<std::uint8_t, std::uint64_t>{{3, 20}, {5, 30}}));
    EXPECT_EQ(tensor.executions[1].active_cycles, 20U);  // the first one executed until 150
    EXPECT_EQ(tensor.executions[1].cycles, 40U);
}

nlohmann::ordered_json document(const config::Config& config, std::uint64_t longer) {
    Recorder recorder;
    // The second matmul executes, and is waited for, longer.
    for (const auto& e :
         {event(0, 120, 150), event(1, 150, 170 + longer), event(2, 200 + longer, 240 + longer)})
        recorder.instruction(e);
    const neff::Package package = made_package();
    const runtime::Result result = made_result(100, 200 + longer);
    nlohmann::ordered_json document;
    for (const auto& [name, rows] :
         tables(analyse(package, config, result, recorder), package, config, result, recorder))
        document[name] = rows;
    return document;
}

// Rows by hand from the events above: a heading, then what changed.
TEST(Comparison, SaysWhereTheCyclesWent) {
    const auto before = document(made_config(), 0), after = document(made_config(), 12);
    const std::string same = against(before, before), text = against(before, after);
    EXPECT_NE(same.find("no difference by class\n"), std::string::npos) << same;
    EXPECT_NE(same.find("no difference by opcode\n"), std::string::npos) << same;
    EXPECT_NE(text.find("cycles                200 -> 212  (+6.00 %)\n"), std::string::npos) << text;
    const auto row = [](const char* what, int b, int n) {
        return fmt::format("tensor    {:<24}{:>14}{:>14}{:>+14}\n", what, b, n, n - b);
    };
    EXPECT_NE(text.find("  cycles\n" + row("executing", 90, 102) + "\n"), std::string::npos) << text;
    EXPECT_NE(text.find(row("multiply_moving", 60, 72)), std::string::npos) << text;
    EXPECT_NE(text.find("no difference by opcode\n"), std::string::npos) << text;
}

TEST(Comparison, ComparesTimesOfDifferentClocks) {
    config::Config fast = made_config();
    fast.core.clock *= 2;
    const std::string text = against(document(made_config(), 0), document(fast, 0));
    EXPECT_NE(text.find("clock                 1 -> 2 GHz: times are compared, not cycles\n"),
              std::string::npos)
        << text;
    EXPECT_EQ(text.find("\ncycles "), std::string::npos) << text;
    EXPECT_NE(text.find("  ns\n"), std::string::npos) << text;
}

TEST(Comparison, RefusesOtherDocuments) {
    const auto sound = document(made_config(), 0);
    for (const char* table : {"Metadata", "Summary", "EngineCycles", "OpcodeSummary"}) {
        auto broken = sound;
        broken.erase(table);
        EXPECT_NE(test::message_of<std::runtime_error>([&] { against(broken, sound); }).find(table),
                  std::string::npos);
        broken = sound;
        broken[table] = {{{"other", 1}}};
        EXPECT_NE(test::message_of<std::runtime_error>([&] { against(broken, sound); }), "") << table;
    }
}

TEST(Profile, NothingExecuted) {
    const Profile profile = analyse(made_package(), made_config(), made_result(0, 70), Recorder());
    EXPECT_EQ(profile.engines[0].in(CycleClass::After), 70U);
    EXPECT_TRUE(profile.opcodes.empty());
}

TEST(Profile, OpcodesByTime) {
    Recorder recorder;
    for (const auto& e : {event(0, 0, 5), event(1, 5, 40), event(2, 41, 60)}) recorder.instruction(e);
    const Profile profile = analyse(made_package(), made_config(), made_result(0, 60), recorder);
    ASSERT_EQ(profile.opcodes.size(), 2U);
    EXPECT_EQ(profile.opcodes[0].opcode, "multiply_moving");
    EXPECT_EQ(profile.opcodes[0].instructions, 2U);
    EXPECT_EQ(profile.opcodes[0].active_cycles, 35U + 19U);
    // Both instructions have one column and one moving element, which takes less than the hand-over.
    EXPECT_EQ(profile.opcodes[0].ideal_cycles, 2 * cost::Costs(made_config()).hand_over());
}

// Lines 2 and 4 of a file: pc 0 and 2 come from one call, pc 1 from another, pc 3 from none.
neff::Package package_of(const std::string& file) {
    neff::Package package = made_package();
    const std::uint32_t second = package.sources.add(file, 2), fourth = package.sources.add(file, 4);
    package.sources.of[0] = {second, fourth, second, neff::Sources::None};
    return package;
}

Recorder four_executions() {
    Recorder recorder;
    for (const auto& e : {event(0, 120, 150), event(1, 130, 170), event(2, 200, 240), event(3, 245, 246)})
        recorder.instruction(e);
    return recorder;
}

TEST(Lines, CyclesByLine) {
    const neff::Package package = package_of("kernel.py");
    const Profile profile = analyse(package, made_config(), made_result(100, 200), four_executions());
    const std::vector<LineProfile> lines = lines_of(profile, package);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0].line, 2U);
    EXPECT_EQ(lines[0].instructions, 2U);
    EXPECT_EQ(lines[0].active_cycles, 30U + 40U);
    EXPECT_EQ(lines[0].wait_cycles, 20U + 30U);
    EXPECT_EQ(lines[1].active_cycles, 20U);
    EXPECT_EQ(lines[1].engines, std::set<isa::Engine>{isa::Engine::Tensor});
    const Table table = lines_table(lines);
    EXPECT_EQ(table.first, "SourceLine");
    EXPECT_EQ(table.second.at(1).at("line"), 4);
    EXPECT_EQ(table.second.at(1).at("executing_cycles"), 20);
}

TEST(Lines, SourceBesideThem) {
    const test::TemporaryDirectory folder;
    const std::filesystem::path file = folder / "kernel.py";
    std::ofstream(file) << "first\nsecond\nthird\nfourth\nfifth\nsixth\nseventh\n";
    const neff::Package package = package_of(file.string());
    const Profile profile = analyse(package, made_config(), made_result(100, 200), four_executions());
    const std::string text = lines_text(lines_of(profile, package));
    for (const char* shown : {" 1 first\n", " 2 second\n", " 3 third\n", " 4 fourth\n", " 6 sixth\n"})
        EXPECT_NE(text.find(shown), std::string::npos) << shown << text;
    EXPECT_EQ(text.find("seventh"), std::string::npos) << text;
    EXPECT_EQ(text.find("third"), text.rfind("third")) << text;
    EXPECT_NE(text.find("70          50       2  tensor"), std::string::npos) << text;
}

TEST(Lines, WithoutTheFile) {
    const neff::Package package = package_of("/nowhere/kernel.py");
    const Profile profile = analyse(package, made_config(), made_result(100, 200), four_executions());
    const std::string text = lines_text(lines_of(profile, package));
    EXPECT_NE(text.find("/nowhere/kernel.py\n"), std::string::npos) << text;
    EXPECT_EQ(std::ranges::count(text, '\n'), 4) << text;  // an empty line, the title, two lines
    EXPECT_EQ(lines_text(lines_of(profile, made_package())), "");
}

// Returns a recorder with packets of rings 0 and 1 on two engines.
Recorder with_packets() {
    Recorder recorder;
    const auto add = [&](std::uint32_t engine, std::uint32_t ring, std::uint64_t start, std::uint64_t end,
                         std::uint64_t bytes, std::uint32_t descriptors) {
        recorder.packet({.engine = engine,
                         .ring = ring,
                         .start = start * FsPerCycle,
                         .end = end * FsPerCycle,
                         .bytes = bytes,
                         .descriptors = descriptors});
    };
    add(0, 0, 10, 30, 64, 32);
    add(1, 0, 20, 50, 64, 32);
    add(0, 1, 70, 80, 1024, 2);
    return recorder;
}

TEST(Profile, QueuesJoinTheirRings) {
    const Profile profile = analyse(made_package(), made_config(), made_result(0, 100), with_packets());
    ASSERT_EQ(profile.queues.size(), 2U);
    EXPECT_EQ(profile.queues[0].bytes, 128U);
    EXPECT_EQ(profile.queues[0].mean_descriptor(), 2);
    EXPECT_EQ(profile.queues[0].active_time, 40 * FsPerCycle);
    EXPECT_EQ(profile.queues[0].variables, "load x");
    EXPECT_EQ(profile.queues[1].mean_descriptor(), 512);
    EXPECT_EQ(profile.dma_active_time, 50 * FsPerCycle);
}

TEST(Profile, RooflineFollowsTheConfiguration) {
    runtime::Result result = made_result(0, 1000);
    result.figures.matmul.macs = 4000;
    result.figures.matmul.onezero_macs = 1000;
    result.figures.hbm = {{0, 0, 100, 300}, {0, 0, 50, 50}};
    const Roofline roofline = analyse(made_package(), made_config(), result, Recorder()).roofline;
    EXPECT_DOUBLE_EQ(roofline.peak_flops, 2.0 * 4 * 8 * 1e9);
    EXPECT_DOUBLE_EQ(roofline.intensity(), 8000.0 / 500);
    EXPECT_DOUBLE_EQ(roofline.attainable(), 16e9);
    EXPECT_DOUBLE_EQ(roofline.mfu(), 6000.0 / 1e-6 / 64e9);
    EXPECT_DOUBLE_EQ(roofline.hfu(), 8000.0 / 1e-6 / 64e9);
    EXPECT_DOUBLE_EQ(roofline.mbu(), 0.5);
}

TEST(Profile, FootprintOfTransfersAndResults) {
    neff::Package package = made_package();
    EXPECT_EQ(footprint(package).sbuf, 40U);
    EXPECT_EQ(footprint(package).psum, 4U);
    isa::Instruction copy(isa::Opcode::TensorCopy);
    copy.set(isa::field::DstDtype, isa::Dtype::Bf16)
        .set(isa::field::DstAddr, isa::window::PsumBase + 3 * isa::window::PsumPartitionStride + 16)
        .set_signed(isa::field::DstStep0, -4)
        .set(isa::field::Count0, 2)
        .set_signed(isa::field::DstStep1, 10)
        .set(isa::field::Count1, 3)
        .set(isa::field::Count2, 1)
        .set(isa::field::Count3, 1);
    package.programs[1] = {copy};
    EXPECT_EQ(footprint(package).psum, 4U + 50U);  // its bytes 8 to 57
    package.transfers.push_back(package.transfers[0]);
    package.transfers[1].to.offset += 20;  // overlaps the other one by half
    EXPECT_EQ(footprint(package).sbuf, 60U);
    package.transfers[1].to.iteration_step[0] = 40;
    package.transfers[1].to.iteration_count[0] = 3;
    EXPECT_EQ(footprint(package).sbuf, 140U);
    package.transfers.push_back(package.transfers[0]);
    package.transfers[2].to.offset = isa::window::GpsimdTcmBase;  // an image of the cores
    EXPECT_EQ(footprint(package).psum, 54U);
}

bool says(const Profile& profile, const std::string& words) {
    for (const std::string& sentence : advice(profile)) {
        if (sentence.find(words) != std::string::npos) return true;
    }
    return false;
}

TEST(Advice, SaysWhatBoundsTheRun) {
    Recorder recorder;
    recorder.instruction(event(1, 5, 95));
    const neff::Package package = made_package();
    runtime::Result result = made_result(0, 100);
    EXPECT_TRUE(
        says(analyse(package, made_config(), result, recorder), "tensor-bound: tensor executes 90 %"));
    result.figures.hbm = {{0, 0, 95, 0}};
    EXPECT_TRUE(says(analyse(package, made_config(), result, recorder), "HBM-bound"));
    EXPECT_TRUE(says(analyse(package, made_config(), made_result(0, 100), Recorder()), "latency-bound"));
}

TEST(Advice, NamesTheSemaphoreAndWhoChangesIt) {
    Recorder recorder;
    recorder.instruction(event(0, 60, 70));
    const Profile profile = analyse(made_package(), made_config(), made_result(0, 100), recorder);
    EXPECT_TRUE(
        says(profile, "tensor is at rest 60 % of the time for S[3], which DMA 'load x' changes: trigger"));
    Recorder other;
    other.instruction(event(2, 60, 70));
    EXPECT_TRUE(says(analyse(made_package(), made_config(), made_result(0, 100), other),
                     "S[5], which tensor changes"));
}

TEST(Advice, SmallDescriptors) {
    EXPECT_TRUE(says(analyse(made_package(), made_config(), made_result(0, 100), with_packets()),
                     "2-byte descriptors on qLoad (load x)"));
    EXPECT_FALSE(
        says(analyse(made_package(), made_config(), made_result(0, 400), with_packets()), "descriptors"));
}

TEST(Tables, CsvQuotesWhatItMust) {
    EXPECT_EQ(to_csv({{{"a", 1}, {"b", "x,\"y\""}}, {{"a", 2.5}, {"b", nullptr}}}),
              "a,b\n1,\"x,\"\"y\"\"\"\n2.5,\n");
    EXPECT_EQ(to_csv(nlohmann::ordered_json::array()), "");
}

TEST(Text, ShowsEachPart) {
    const std::string text =
        to_text(analyse(made_package(), made_config(), made_result(0, 100), with_packets()));
    for (const char* part : {"semaphore", "qLoad", "MFU", "SBUF", "* "})
        EXPECT_NE(text.find(part), std::string::npos) << part;
}

}  // namespace
}  // namespace trnsim::profile
