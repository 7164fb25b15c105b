// Tests the tracks, slices, flows and counters that a timeline makes from the reports of the models.
#include "runtime/session/timeline.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "common/sample_package.hpp"

namespace trnsim::runtime {
namespace {

// Notes the calls.
struct Notes : Tracks {
    std::uint32_t add_track(std::string_view group, std::string_view name) override {
        tracks.push_back(fmt::format("{}/{}", group, name));
        return static_cast<std::uint32_t>(tracks.size() - 1);
    }
    void slice(std::uint32_t track, std::string_view name, std::uint64_t start, std::uint64_t end,
               std::span<const Argument>) override {
        slices.push_back(fmt::format("{}: {} {}-{}", tracks[track], name, start, end));
    }
    void instant(std::uint32_t, std::string_view, std::uint64_t) override {}
    void flow(std::uint32_t from_track, std::uint64_t from, std::uint32_t to_track,
              std::uint64_t to) override {
        flows.push_back(fmt::format("{} {} -> {} {}", tracks[from_track], from, tracks[to_track], to));
    }
    void change(std::string_view counter, std::uint64_t time, double by) override {
        if (!counter.ends_with("instructions"))
            changes.push_back(fmt::format("{} {} {:g}", counter, time, by));
    }

    std::vector<std::string> tracks, slices, flows, changes;
};

using Texts = std::vector<std::string>;

isa::Instruction waiting(std::uint8_t semaphore, std::uint32_t value) {
    return isa::Instruction(isa::Opcode::TensorCopy)
        .set(isa::field::WaitMode, isa::WaitMode::Ge)
        .set(isa::field::WaitSem, semaphore)
        .set(isa::field::WaitValue, value);
}

isa::Instruction updating(std::uint8_t semaphore) {
    return isa::Instruction(isa::Opcode::TensorCopy)
        .set(isa::field::UpdateMode, isa::UpdateMode::Add)
        .set(isa::field::UpdateSem, semaphore);
}

tlm::trace::Instruction event(isa::Engine engine, std::uint64_t issue, std::uint64_t end) {
    return {static_cast<std::uint32_t>(engine), 0, issue, end, issue, end, {}};
}

class TimelineTest : public testing::Test {
  protected:
    neff::Package package_ = test::sample_package();
    Notes notes_;
    Timeline timeline_{package_, notes_, {.chip = 1, .core = 0}};
};

TEST_F(TimelineTest, TheOldestInstructionExecutesAndOthersQueue) {
    const isa::Instruction copy(isa::Opcode::TensorCopy);
    for (const auto& [issue, end] : {std::pair{10, 50}, {20, 60}, {30, 90}, {100, 110}})
        timeline_.instruction(event(isa::Engine::Vector, issue, end), copy, 0, {});
    EXPECT_EQ(
        notes_.slices,
        (Texts{"chip 1 core 0/vector: tensor_copy 10-50", "chip 1 core 0/vector queue: tensor_copy 20-50",
               "chip 1 core 0/vector: tensor_copy 50-60", "chip 1 core 0/vector queue: tensor_copy 50-60",
               "chip 1 core 0/vector: tensor_copy 60-90", "chip 1 core 0/vector: tensor_copy 100-110"}));
}

TEST_F(TimelineTest, WaitsNameTheSemaphoreAndWhatChangedIt) {
    timeline_.instruction(event(isa::Engine::Tensor, 5, 40), updating(7), 0, {});
    timeline_.instruction(event(isa::Engine::Tensor, 45, 70), updating(7), 0, {});
    timeline_.instruction(event(isa::Engine::Vector, 42, 80), waiting(7, 1), 0, {});
    EXPECT_EQ(notes_.slices[2], "chip 1 core 0/vector waits: S[7] >= 1 5-42");
    EXPECT_EQ(notes_.flows, Texts{"chip 1 core 0/tensor 40 -> chip 1 core 0/vector 42"});
    timeline_.instruction(event(isa::Engine::Vector, 90, 95), waiting(7, 2), 0, {});
    EXPECT_EQ(notes_.slices[4], "chip 1 core 0/vector waits: S[7] >= 2 42-90");
    EXPECT_EQ(notes_.flows.back(), "chip 1 core 0/tensor 70 -> chip 1 core 0/vector 90");
}

TEST_F(TimelineTest, PacketsBearTheNameOfTheirTransferAndDoNotOverlap) {
    tlm::trace::Packet packet{
        .chip = 1, .engine = 3, .ring = 0, .start = 0, .end = 1000, .bytes = 1000, .descriptors = 2};
    timeline_.packet(packet);
    packet.start = 500;
    packet.end = 1500;
    timeline_.packet(packet);
    EXPECT_EQ(notes_.tracks.size(), 6U) << "one a ring in use";
    packet.ring = 12;
    timeline_.packet(packet);
    EXPECT_EQ(notes_.slices.size(), 2U) << "a ring of no queue";
    const std::string name = package_.transfers[0].name;
    EXPECT_EQ(notes_.slices[0],
              fmt::format("chip 1 dma 3/ring 0 {}: {} 0-1000", package_.queues[0].name, name));
    EXPECT_EQ(notes_.slices[1],
              fmt::format("chip 1 dma 3/ring 0 {}: {} 1000-1500", package_.queues[0].name, name));
    EXPECT_EQ(notes_.changes, (Texts{"chip 1 DMA GB/s 0 1e+06", "chip 1 DMA GB/s 1000 -1e+06",
                                     "chip 1 DMA GB/s 500 1e+06", "chip 1 DMA GB/s 1500 -1e+06"}));
    timeline_.instruction(event(isa::Engine::Sync, 0, 1), isa::Instruction(isa::Opcode::Nop), 0, {});
    timeline_.instruction(event(isa::Engine::Sync, 1200, 1210), waiting(package_.transfers[0].semaphore, 16),
                          0, {});
    EXPECT_EQ(notes_.flows, Texts{fmt::format("{} 1000 -> chip 1 core 0/sync 1200", notes_.tracks[5])});
}

TEST_F(TimelineTest, UtilisationIsThatOfTheTimeInWhichAMatmulExecutes) {
    const isa::Instruction matmul(isa::Opcode::MultiplyMoving);
    timeline_.instruction(event(isa::Engine::Tensor, 0, 100), matmul, 50, {});
    timeline_.instruction(event(isa::Engine::Tensor, 10, 150), matmul, 50, {});
    EXPECT_EQ(notes_.changes,
              (Texts{"chip 1 core 0 array utilisation 0 0.5", "chip 1 core 0 array utilisation 100 -0.5",
                     "chip 1 core 0 array utilisation 100 1", "chip 1 core 0 array utilisation 150 -1"}));
}

}  // namespace
}  // namespace trnsim::runtime
