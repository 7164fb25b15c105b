// Tests chips with two slots: each core is separate, the memory is shared.
#include "model/chip/chip.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <stdexcept>
#include <utility>

#include "common/random.hpp"
#include "model/common/host.hpp"
#include "model/common/programs.hpp"
#include "model/system/system.hpp"

namespace trnsim::test {
namespace {

using addresses::core_window;
using tlm::Outcome;

constexpr tlm::Time Ns = 1'000'000;
constexpr std::uint64_t Source = 0x800000, Sink = 0x2000000;
constexpr std::uint64_t Stack1 = addresses::HbmStackStride;

class Events : public tlm::trace::Sink {
  public:
    std::vector<tlm::trace::Packet> packets;
    std::vector<tlm::trace::Instruction> instructions;
    void instruction(const tlm::trace::Instruction& instruction) override {
        instructions.push_back(instruction);
    }
    void packet(const tlm::trace::Packet& packet) override { packets.push_back(packet); }
};

// A system with the wanted cores. Faults of the fakes and protocol violations fail the test.
struct Bench {
    explicit Bench(std::vector<bool> cores, tlm::chip::Options options = {.number = 3},
                   Script script = wait_then_halt, const std::string& name = "small8")
        : config(config::load(name)), all(config, static_cast<unsigned>(cores.size()), script) {
        options.check_protocol = true;
        options.sink = &events;
        tlm::chip::Slots slots;
        for (std::size_t i = 0; i < cores.size(); ++i)
            slots.push_back(cores[i] ? all.factories[i] : tlm::CoreFactory());
        there = std::move(cores);
        system = std::make_unique<tlm::System>(config, slots, options);
    }
    ~Bench() {
        EXPECT_EQ(system->chip().protocol_violations(), std::vector<std::string>{});
        for (std::size_t i = 0; i < there.size(); ++i) {
            if (!there[i]) continue;
            EXPECT_EQ(all.fakes[i]->faults, std::vector<std::string>{});
        }
    }
    std::vector<std::uint8_t> read(std::uint64_t address, std::size_t length) {
        std::vector<std::uint8_t> bytes(length);
        system->read(address, bytes);
        return bytes;
    }

    config::Config config;
    Events events;
    FakeSlots all;
    std::vector<bool> there;
    std::unique_ptr<tlm::System> system;
};

std::string message_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const std::exception& error) {
        return error.what();
    }
    return "none";
}

// Each core waits for the DMA engines of the other one, which write into its window and increment its
// semaphore.
TEST(TwoCores, EitherCoresEnginesReachEitherWindow) {
    Bench b({true, true});
    const auto data = pattern(50'000, 1);
    b.system->write(Source, data);
    for (const unsigned core : {0u, 1u}) {
        b.system->write32(start_of(core), 1);
        const unsigned other = 1 - core;
        start(*b.system, {.core = other,
                          .engine = 1 + other,
                          .from = Source + 10'000 * core,
                          .to = core_window(core) + 0x40000,
                          .length = 12'345,
                          .semaphore = semaphore_of(core)});
    }
    const auto result = b.system->run();
    EXPECT_EQ(result.outcome, Outcome::Done) << result.message;
    for (const unsigned core : {0u, 1u}) {
        const auto begin = data.begin() + 10'000 * core;
        EXPECT_EQ(b.read(core_window(core) + 0x40000, 12'345), std::vector(begin, begin + 12'345));
        const auto statistics = b.system->chip().statistics(core);
        EXPECT_EQ(statistics.core.id, (addresses::CoreId{3, core}));
        EXPECT_EQ(statistics.core.window.bytes_written, 12'345u + 4 + 4) << "data, semaphore, start";
        ASSERT_EQ(statistics.dma.size(), 4u);
        for (unsigned e = 0; e < 4; ++e)
            EXPECT_EQ(statistics.dma[e].packets, e == 1 + core ? 2u : 0u) << core << " " << e;
        EXPECT_EQ(statistics.hbm[0].bytes_read, 2 * (12'345u + 4 + 10 * 16)) << "shared";
    }
    ASSERT_EQ(b.events.packets.size(), 4u);
    for (const auto& packet : b.events.packets) {
        EXPECT_EQ(packet.chip, 3u);
        EXPECT_EQ(packet.engine, packet.core == 0 ? 1u : 4 + 2u) << "numbered through the chip";
        EXPECT_EQ(packet.source == One || packet.source == Source + 10'000 * (1 - packet.core), true);
    }
}

TEST(TwoCores, RegistersOfEachStandAtTheirPlaces) {
    Bench b({true, true});
    using dma::RingRegister;
    for (const unsigned core : {0u, 1u}) {
        b.system->write32(core_window(core) + 0x100, 0xcafe0000 + core);
        for (unsigned e = 0; e < 4; ++e)
            b.system->write32(ring_address(e, 5, RingRegister::M2sSize, core), 100 + 10 * core + e);
    }
    for (const unsigned core : {0u, 1u}) {
        EXPECT_EQ(b.system->read32(0xfffc0000000 + core * 0x4000000 + 0x100), 0xcafe0000 + core);
        for (unsigned e = 0; e < 4; ++e) {
            const std::uint64_t address = 0xffff0000000 + core * 0x700000 + e * 0x40000 + 5 * 0x1000 + 0x08;
            EXPECT_EQ(b.system->read32(address), 100 + 10 * core + e);
        }
        // Each core has four engines.
        EXPECT_NE(message_of([&] { b.system->read32(0xffff0000000 + core * 0x700000 + 4 * 0x40000 + 8); }),
                  "none");
    }
    std::uint8_t bytes[4] = {1, 2, 3, 4};
    b.system->write(core_window(1) + 0x2000, bytes);
    EXPECT_EQ(b.read(core_window(0) + 0x2000, 4), std::vector<std::uint8_t>(4));
}

TEST(TwoCores, OneThatIsNotStartedIsNotWaitedFor) {
    Bench b({true, true});
    b.system->write32(start_of(1), 1);
    start(*b.system, {.core = 1,
                      .from = Source,
                      .to = core_window(1) + 0x1000,
                      .length = 64,
                      .semaphore = semaphore_of(1)});
    EXPECT_EQ(b.system->run().outcome, Outcome::Done);
    EXPECT_TRUE(b.system->chip().core(0).unused());
    EXPECT_FALSE(b.system->chip().core(0).done());
    EXPECT_TRUE(b.system->chip().core(1).done());
    EXPECT_FALSE(b.system->chip().core(1).unused());
    // If both are started, the run waits for both.
    b.system->write32(start_of(0), 1);
    const auto result = b.system->run();
    EXPECT_EQ(result.outcome, Outcome::Hang);
    EXPECT_EQ(result.message,
              "nothing can happen any more: core 0: tensor wait_sem vector idle scalar idle gpsimd idle sync "
              "idle; core 1: tensor halted vector idle scalar idle gpsimd idle sync idle");
}

TEST(TwoCores, ErrorsNameTheCore) {
    Bench b({true, true});
    start(*b.system, {.core = 1, .engine = 1, .from = 0x500000000, .to = Sink, .length = 64});
    auto result = b.system->run();
    EXPECT_EQ(result.outcome, Outcome::DmaError);
    EXPECT_EQ(result.message,
              "core 1, DMA engine 5 ring 0 descriptor 0, address 0x500000000: read refused "
              "(TLM_ADDRESS_ERROR_RESPONSE)");
    EXPECT_EQ(b.system->read32(engine_address(1, dma::EngineRegister::Error, 1)), 7u);
    EXPECT_EQ(b.system->read32(engine_address(1, dma::EngineRegister::Error, 0)), 0u);
    b.system->reset();
    b.all.fakes[1]->script = [](FakeCore& core) { core.out.error = word(core, Start) != 0; };
    b.system->write32(start_of(1), 1);
    result = b.system->run();
    EXPECT_EQ(result.outcome, Outcome::CoreError);
    EXPECT_EQ(result.message, "core 1: tensor idle vector idle scalar idle gpsimd idle sync idle");
}

TEST(EmptySlot, HasNoWindow) {
    Bench b({false, true});
    EXPECT_FALSE(b.system->chip().has_core(0));
    EXPECT_EQ(b.system->chip().slots(), 2u);
    EXPECT_EQ(message_of([&] { b.system->chip().core(0); }), "chip 3 has no core 0");
    EXPECT_EQ(message_of([&] { b.system->chip().core(2); }), "chip 3 has no core 2");
    EXPECT_EQ(message_of([&] { b.system->write32(core_window(0) + 0x100, 1); }),
              "access to 0xfffc0000100: TLM_ADDRESS_ERROR_RESPONSE");
    std::uint8_t byte[1] = {};
    EXPECT_EQ(message_of([&] { b.system->read(core_window(0), byte); }),
              "back door to 0xfffc0000000: 1 bytes are not within one memory");
    start(*b.system, {.from = Source, .to = core_window(0), .length = 64});
    const auto result = b.system->run();
    EXPECT_EQ(result.outcome, Outcome::DmaError);
    EXPECT_EQ(result.message,
              "core 0, DMA engine 0 ring 0 descriptor 0, address 0xfffc0000000: write refused "
              "(TLM_ADDRESS_ERROR_RESPONSE)");
}

// The DMA engines of the empty slot work for the other core; the run waits for this core only.
TEST(EmptySlot, HasDmaEngines) {
    Bench b({true, false});
    const auto data = pattern(9'000, 2);
    b.system->write(Source, data);
    b.system->write32(start_of(0), 1);
    start(*b.system, {.core = 1,
                      .engine = 3,
                      .from = Source,
                      .to = core_window(0) + 0x8000,
                      .length = 9'000,
                      .semaphore = semaphore_of(0)});
    EXPECT_EQ(b.system->run().outcome, Outcome::Done);
    EXPECT_EQ(b.read(core_window(0) + 0x8000, 9'000), data);
    const auto statistics = b.system->chip().statistics(1);
    EXPECT_EQ(statistics.core.id, (addresses::CoreId{3, 1}));
    EXPECT_EQ(statistics.core.cycles, 0u);
    EXPECT_EQ(statistics.dma[3].packets, 2u);
}

TEST(EmptySlot, AChipWithoutCoresIsDoneWithItsEngines) {
    Bench b({false, false});
    EXPECT_EQ(b.system->run().outcome, Outcome::Done);
    const auto data = pattern(30'000, 3);
    b.system->write(Source, data);
    start(*b.system, {.core = 1, .from = Source, .to = Sink, .length = 30'000});
    const auto result = b.system->run();
    EXPECT_EQ(result.outcome, Outcome::Done) << result.message;
    EXPECT_EQ(b.read(Sink, 30'000), data);
    EXPECT_GT(result.end - result.start, 2000 * Ns);
}

TEST(Chip, RefusesWhatNoChipIs) {
    const config::Config config = config::load("small8");
    EXPECT_EQ(message_of([&] { tlm::chip::Chip chip("a", config, {}); }),
              "chip 0: 0 core slots, expected 1 to 2");
    EXPECT_EQ(message_of([&] { tlm::chip::Chip chip("b", config, empty_slots(3), {.number = 7}); }),
              "chip 7: 3 core slots, expected 1 to 2");
    EXPECT_EQ(message_of([&] { tlm::chip::Chip chip("c", config, empty_slots(1), {.number = 255}); }),
              "chip 255: expected a number below 255");
}

// The runtime relies on this for two cores: after a reset the same work takes as long as at first.
TEST(TwoCores, ResetWhileBothRun) {
    Bench b({true, true});
    b.system->write(Source, pattern(40'000, 1));
    tlm::Time usual = 0;
    for (int turn = 0; turn < 6; ++turn) {
        for (const unsigned core : {0u, 1u}) {
            b.system->write32(start_of(core), 1);
            start(*b.system, {.core = core,
                              .engine = 2,
                              .from = Source,
                              .to = core_window(core) + 0x40000,
                              .length = 20'000 + 5'000 * core,
                              .semaphore = semaphore_of(core)});
        }
        const bool interrupted = turn % 3 == 1;
        const auto result = b.system->run(interrupted ? 700 * Ns : 0);
        EXPECT_EQ(result.outcome, interrupted ? Outcome::TimeLimit : Outcome::Done) << result.message;
        if (interrupted) {
            EXPECT_FALSE(b.system->chip().dma(0).idle());
            EXPECT_FALSE(b.system->chip().dma(1).idle());
        }
        if (turn == 0) usual = result.end - result.start;
        if (turn == 2 || turn == 3) {
            EXPECT_EQ(result.end - result.start, usual);
        }
        b.system->reset();
        EXPECT_EQ(tlm::now() % 2'500'000, 0u) << "a whole number of cycles of 2.8 GHz";
        for (const unsigned core : {0u, 1u}) {
            EXPECT_EQ(b.all.fakes[core]->in.hold.issue, 0u) << "halted for good";
            EXPECT_EQ(b.system->read32(ring_address(2, 0, dma::RingRegister::M2sSize, core)), 0u);
            b.system->write32(start_of(core), 0);  // the fake cores' registers are memory
            b.system->write32(semaphore_of(core), 0);
        }
        b.system->reset();
    }
}

constexpr std::uint32_t Each = 1 << 20;  // bytes that an engine moves in a stream

// Starts all engines of a core, from one stack to the other.
void stream(Bench& b, unsigned core) {
    std::map<unsigned, std::uint32_t> doorbells;
    const auto copy = [&](unsigned e) {
        return Copy{.core = core,
                    .engine = e,
                    .from = Source + (core * 16 + e) * std::uint64_t{Each},
                    .to = Stack1 + (core * 16 + e) * std::uint64_t{Each},
                    .length = Each};
    };
    for (unsigned e = 0; e < b.config.dma.engines; ++e) doorbells[e] = prepare(*b.system, copy(e));
    for (const auto& [e, value] : doorbells) ring_doorbell(*b.system, copy(e), value);
}

std::uint64_t written(const Bench& b, unsigned core) {
    std::uint64_t bytes = 0;
    for (const auto& engine : b.system->chip().statistics(core).dma) bytes += engine.data.bytes_written;
    return bytes;
}

// Returns the bytes per second of each core within 20 us in the middle of its stream.
std::vector<double> rates(Bench& b) {
    b.system->run(6'000 * Ns);
    const std::vector<std::uint64_t> before{written(b, 0), written(b, 1)};
    const tlm::Time begin = tlm::now();
    b.system->run(20'000 * Ns);
    const double seconds = static_cast<double>(tlm::now() - begin) / 1e15;
    std::vector<double> rates;
    for (const unsigned core : {0u, 1u})
        rates.push_back(static_cast<double>(written(b, core) - before[core]) / seconds / 1e9);
    std::printf("core 0 %.1f GB/s, core 1 %.1f GB/s\n", rates[0], rates[1]);
    return rates;
}

// The published figures: 16 engines sustain 17 GB/s each, a stack gives 410 GB/s.
TEST(Contention, OneStreamHasWhatItsEnginesCarry) {
    Bench b({false, false}, {}, wait_then_halt, "trn1");
    stream(b, 1);
    const auto alone = rates(b);
    EXPECT_EQ(alone[0], 0);
    EXPECT_GE(alone[1], 272);
    EXPECT_LE(alone[1], 16 * 27.2);
}

TEST(Contention, TwoStreamsShareAStackFairly) {
    Bench b({false, false}, {}, wait_then_halt, "trn1");
    stream(b, 0);
    stream(b, 1);
    const auto both = rates(b);
    EXPECT_NEAR(both[0] + both[1], 410, 4) << "all that the stack has";
    EXPECT_NEAR(both[0] / both[1], 1, 0.02);
    EXPECT_EQ(b.system->run().outcome, Outcome::Done);
    EXPECT_EQ(written(b, 0), 16u * Each);
    EXPECT_EQ(written(b, 1), 16u * Each);
}

}  // namespace
}  // namespace trnsim::test
