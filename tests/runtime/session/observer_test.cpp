#include "runtime/session/observer.hpp"

#include <gtest/gtest.h>

#include <map>

#include "common/sample_package.hpp"

namespace trnsim::runtime {
namespace {

// Keeps the calls.
struct Recorder : Tracks {
    std::uint32_t add_track(std::string_view group, std::string_view name) override {
        tracks.push_back(std::string(group) + "/" + std::string(name));
        return static_cast<std::uint32_t>(tracks.size() - 1);
    }
    void slice(std::uint32_t track, std::string_view name, std::uint64_t, std::uint64_t,
               std::span<const Argument> arguments) override {
        slices.push_back(tracks[track] + ": " + std::string(name));
        for (const auto& [key, value] : arguments) {
            if (const auto* number = std::get_if<std::uint64_t>(&value)) numbers[std::string(key)] = *number;
        }
    }
    void instant(std::uint32_t, std::string_view, std::uint64_t) override {}
    void flow(std::uint32_t, std::uint64_t, std::uint32_t, std::uint64_t) override {}
    void change(std::string_view, std::uint64_t, double) override {}

    std::vector<std::string> tracks, slices;
    std::map<std::string, std::uint64_t> numbers;
};

isa::Instruction matmul(std::uint64_t partitions, std::uint64_t columns, std::uint64_t moving,
                        isa::Dtype dtype) {
    using namespace isa::field;
    return isa::Instruction(isa::Opcode::MultiplyMoving)
        .set(Partitions, partitions)
        .set(Columns, columns)
        .set(Count0, moving)
        .set(Count1, 1)
        .set(Count2, 1)
        .set(Count3, 1)
        .set(ADtype, dtype)
        .set(DstDtype, isa::Dtype::Fp32);
}

neff::Package matmul_package() {
    neff::Package package = test::sample_package();
    package.programs[0] = {
        matmul(128, 128, 512, isa::Dtype::Bf16), matmul(100, 16, 10, isa::Dtype::Fp32),
        isa::Instruction(isa::Opcode::Halt),
        isa::Instruction(isa::Opcode::LoadStationary).set(isa::field::ADtype, isa::Dtype::Fp32)};
    return package;
}

TEST(Observer, CountsMacsAndIdealCycles) {
    const neff::Package package = matmul_package();
    Observer observer(package, nullptr);
    observer.instruction({0, 0, 1000, 1600, 0, 1});
    observer.instruction({0, 3, 1050, 1650, 0, 1});  // fp32 operands have two parts
    observer.instruction({0, 1, 1100, 1700, 0, 1});
    observer.instruction({0, 2, 1100, 1900, 0, 1});   // halt counts nothing
    observer.instruction({0, 77, 1100, 1900, 0, 1});  // nor does an instruction outside the program
    EXPECT_EQ(observer.matmul().instructions, 2u);
    EXPECT_EQ(observer.matmul().macs, 128u * 128u * 512u + 100u * 16u * 10u);
    EXPECT_EQ(observer.matmul().ideal_cycles, 512u + 4u * 16u);
    EXPECT_EQ(observer.matmul().first_cycle, 1000u);
    EXPECT_EQ(observer.matmul().last_cycle, 1700u);
}

TEST(Observer, TellsMultiplicationsByZerosAndOnes) {
    neff::Package package = matmul_package();
    package.programs[0][1].set(isa::field::Onezero, 1);
    Observer observer(package, nullptr);
    observer.instruction({0, 0, 1000, 1600, 0, 1});
    EXPECT_EQ(observer.matmul().onezero_macs, 0u);
    observer.instruction({0, 1, 1100, 1700, 0, 1});
    EXPECT_EQ(observer.matmul().onezero_macs, 100u * 16u * 10u);
}

TEST(Observer, GivesTheTraceTextAndBytes) {
    const neff::Package package = matmul_package();
    Recorder recorder;
    const addresses::CoreId core{.chip = 2, .core = 1};
    Observer observer(package, &recorder, core);
    EXPECT_EQ(recorder.tracks, (std::vector<std::string>{"chip 2 core 1/tensor", "chip 2 core 1/vector",
                                                         "chip 2 core 1/scalar", "chip 2 core 1/gpsimd",
                                                         "chip 2 core 1/sync"}));
    observer.instruction({0, 1, 1100, 1700, 0, 1, core});
    EXPECT_EQ(recorder.slices, std::vector<std::string>{"chip 2 core 1/tensor: multiply_moving"});
    EXPECT_EQ(recorder.numbers["cycles"], 600u);
    EXPECT_EQ(recorder.numbers["bytes a"], 100u * 10u * 4u);
    EXPECT_EQ(recorder.numbers["bytes written"], 16u * 10u * 4u);
    observer.packet({.chip = 2, .core = 1, .engine = 3, .ring = 0, .start = 0, .end = 1, .bytes = 77});
    EXPECT_EQ(recorder.slices.back(), "chip 2 dma 3/ring 0 " + package.queues[0].name + ": load a");
    EXPECT_EQ(recorder.numbers["bytes"], 77u);
}

TEST(Observer, LeavesOutOtherCores) {
    const neff::Package package = matmul_package();
    Recorder recorder;
    Observer observer(package, &recorder, {.chip = 2, .core = 1});
    observer.instruction({0, 1, 1100, 1700, 0, 1, {.chip = 2, .core = 0}});
    observer.instruction({0, 1, 1100, 1700, 0, 1, {.chip = 1, .core = 1}});
    observer.packet({.chip = 1, .core = 1, .engine = 3, .ring = 0, .start = 0, .end = 1, .bytes = 77});
    observer.packet({.chip = 2, .core = 0, .engine = 3, .ring = 0, .start = 0, .end = 1, .bytes = 77});
    EXPECT_EQ(observer.instructions(), 0u);
    EXPECT_EQ(observer.matmul().macs, 0u);
    EXPECT_TRUE(recorder.slices.empty());
}

// tensor_copy_predicated may have a constant instead of operand b.
TEST(Observer, OperandsThatAnInstructionDoesNotHaveAreNotShown) {
    using namespace isa::field;
    const auto predicated = isa::Instruction(isa::Opcode::TensorCopyPredicated)
                                .set(Partitions, 4)
                                .set(Count0, 10)
                                .set(Count1, 1)
                                .set(Count2, 1)
                                .set(Count3, 1)
                                .set(ADtype, isa::Dtype::U8)
                                .set(DstDtype, isa::Dtype::Fp32);
    neff::Package package = test::sample_package();
    package.programs[1] = {isa::Instruction(predicated).set(BImmediate, 1),
                           isa::Instruction(predicated).set(BDtype, isa::Dtype::Fp32),
                           isa::Instruction(isa::Opcode::Halt)};
    Recorder recorder;
    Observer observer(package, &recorder);
    observer.instruction({1, 0, 1100, 1700, 0, 1});
    EXPECT_EQ(recorder.numbers["bytes a"], 4u * 10u);
    EXPECT_FALSE(recorder.numbers.contains("bytes b"));
    EXPECT_EQ(describe(package, 1, 0).find(" b="), std::string::npos) << describe(package, 1, 0);
    observer.instruction({1, 1, 1100, 1700, 0, 1});
    EXPECT_EQ(recorder.numbers["bytes b"], 4u * 10u * 4u);
    EXPECT_NE(describe(package, 1, 1).find(" b="), std::string::npos);
}

TEST(Observer, CountsInstructionsWithoutEffect) {
    using Op = isa::Opcode;
    neff::Package package = test::sample_package();
    package.programs[4] = {isa::Instruction(Op::RegisterAlu),
                           isa::Instruction(Op::Branch),
                           isa::Instruction(Op::RegisterLoad),
                           isa::Instruction(Op::Nop),
                           isa::Instruction(Op::EventSemaphore),
                           isa::Instruction(Op::RegisterStore),
                           isa::Instruction(Op::Nop).set(isa::field::UpdateMode, isa::UpdateMode::Add),
                           isa::Instruction(Op::Write),
                           isa::Instruction(Op::Halt)};
    Observer observer(package, nullptr);
    const auto idle_after = [&](std::uint32_t pc) {
        observer.instruction({4, pc, 0, 1, 0, 1});
        return observer.instructions() - observer.last_effect();
    };
    for (std::uint32_t pc = 0; pc < 5; ++pc) EXPECT_EQ(idle_after(pc), pc + 1);
    for (std::uint32_t pc = 5; pc < 9; ++pc) EXPECT_EQ(idle_after(pc), 0u) << pc;
}

TEST(Observer, DescribesTriggersByTransfer) {
    const neff::Package package = test::sample_package();
    EXPECT_EQ(describe(package, 4, 0), "dma_trigger transfer=0 ('load a')");
    EXPECT_EQ(describe(package, 4, 1), "event_semaphore wait S[3]>=16");
    EXPECT_EQ(describe(package, 4, 99), "");
    EXPECT_EQ(describe(package, 9, 0), "");
}

}  // namespace
}  // namespace trnsim::runtime
