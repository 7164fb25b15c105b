// Tests a system around a fake core: its engine 0 waits for semaphore 7 and halts.
#include "model/system/system.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <map>

#include "isa/core_window.hpp"
#include "isa/isa_tables.hpp"
#include "model/chip/address_map.hpp"
#include "model/common/host.hpp"
#include "model/common/programs.hpp"

namespace trnsim::test {
namespace {

using dma::RingRegister;
using tlm::Outcome;
using tlm::chip::CoreBase;

constexpr tlm::Time Ns = 1'000'000;
constexpr std::uint64_t Source = 0x800000;

struct Fixture {
    explicit Fixture(const std::string& name, void (*script)(FakeCore&) = wait_then_halt, bool check = true)
        : Fixture(config::load(name), script, check) {}
    Fixture(const config::Config& configuration, void (*script)(FakeCore&), bool check = true,
            tlm::contents::Seed random_memory = {})
        : config(configuration) {
        auto made = fake_core(config, script);
        fake = made.get();
        system = std::make_unique<tlm::System>(
            config, tlm::core_of(std::move(made)),
            tlm::chip::Options{.check_protocol = check, .random_memory = random_memory});
        constexpr std::uint8_t Word[] = {1, 0, 0, 0};
        system->write(One, Word);
    }
    ~Fixture() {
        EXPECT_EQ(system->chip().protocol_violations(), std::vector<std::string>{});
        EXPECT_EQ(fake->faults, std::vector<std::string>{});
    }

    // Engine `engine` copies `length` bytes to `to`, then increments the semaphore if `signal`.
    void copy(unsigned engine, std::uint64_t from, std::uint64_t to, std::uint32_t length,
              bool signal = true) {
        start(*system, {.engine = engine,
                        .from = from,
                        .to = to,
                        .length = length,
                        .semaphore = signal ? CoreBase + Semaphore : 0});
    }

    config::Config config;
    FakeCore* fake = nullptr;  // owned by the system
    std::unique_ptr<tlm::System> system;
};

TEST(System, RunsATransferToTheCore) {
    Fixture s("small8");
    const auto data = pattern(20'000, 1);
    s.system->write(Source, data);
    s.system->write32(CoreBase + Start, 1);
    s.copy(2, Source, CoreBase + 0x40000, 20'000);
    const auto result = s.system->run();
    EXPECT_EQ(result.outcome, Outcome::Done) << result.message;
    EXPECT_EQ(result.message, "");
    EXPECT_GT(result.end - result.start, 2000 * Ns);
    EXPECT_LT(result.end - result.start, 4000 * Ns);
    std::vector<std::uint8_t> back(20'000);
    s.system->read(CoreBase + 0x40000, back);
    EXPECT_EQ(back, data);
    const auto statistics = s.system->chip().statistics();
    EXPECT_EQ(statistics.time, result.end);
    EXPECT_EQ(statistics.dma[2].data.bytes_written, 20'004u);
    EXPECT_EQ(statistics.core.window.bytes_written, 20'008u);
    EXPECT_EQ(statistics.hbm[0].bytes_read, 20'004u + 12 * 16);
    EXPECT_LT(statistics.core.evaluated_cycles, statistics.core.cycles);
}

TEST(System, ReadsRegistersInTime) {
    Fixture s("small8");
    s.system->write32(CoreBase + 0x100, 0xcafe0123);
    const tlm::Time before = tlm::now();
    EXPECT_EQ(s.system->read32(CoreBase + 0x100), 0xcafe0123u);
    EXPECT_GE(tlm::now() - before, 2 * s.config.fabric.latency);
    EXPECT_EQ(s.system->read32(One), 1u);
    EXPECT_EQ(s.system->read32(ring_address(0, 0, RingRegister::Status)), 0u);
}

std::string message_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const tlm::SimulationError& error) {
        return error.what();
    }
    return "none";
}

TEST(System, RefusesAccessesOutsideTheMap) {
    Fixture s("small8");
    std::uint8_t bytes[4] = {};
    EXPECT_EQ(message_of([&] { s.system->read32(0x500000000); }),
              "access to 0x500000000: TLM_ADDRESS_ERROR_RESPONSE");
    EXPECT_EQ(message_of([&] { s.system->write32(CoreBase + FakeCore::Hole, 0); }),
              "access to 0xfffc3000000: TLM_ADDRESS_ERROR_RESPONSE");
    EXPECT_EQ(message_of([&] { s.system->read(0x500000000, bytes); }),
              "back door to 0x500000000: 4 bytes are not within one memory");
}

TEST(System, ReportsADmaError) {
    Fixture s("small8");
    s.copy(1, 0x500000000, CoreBase, 64);
    const auto result = s.system->run();
    EXPECT_EQ(result.outcome, Outcome::DmaError);
    EXPECT_EQ(
        result.message,
        "DMA engine 1 ring 0 descriptor 0, address 0x500000000: read refused (TLM_ADDRESS_ERROR_RESPONSE)");
}

// The runtime relies on this: after a reset the same work takes as long as at first, whatever was before.
TEST(System, ResetStartsFromTheBeginningAgain) {
    Fixture s("small8");
    s.system->write(Source, pattern(20'000, 1));
    tlm::Time usual = 0;
    for (int turn = 0; turn < 8; ++turn) {
        s.system->write32(CoreBase + Start, 1);
        s.copy(2, Source, CoreBase + 0x40000, 20'000);
        if (turn % 4 == 1) s.copy(1, 0x500000000, CoreBase, 64);  // ends in an error
        const auto result = turn % 4 == 2 ? s.system->run(700 * Ns) : s.system->run();
        EXPECT_EQ(result.outcome, turn % 4 == 1   ? Outcome::DmaError
                                  : turn % 4 == 2 ? Outcome::TimeLimit
                                                  : Outcome::Done);
        if (turn == 0) usual = result.end - result.start;
        if (turn == 4) {
            EXPECT_EQ(result.end - result.start, usual);
        }
        s.system->reset();
        // The time is a whole number of cycles of 2.8 GHz.
        EXPECT_EQ(tlm::now() % 2'500'000, 0u);
        EXPECT_EQ(s.system->read32(ring_address(2, 0, RingRegister::M2sSize)), 0u);
        s.system->write32(CoreBase + Start, 0);  // the fake core's registers are memory
        s.system->write32(CoreBase + Semaphore, 0);
        s.system->reset();
    }
}

TEST(System, ReportsACoreError) {
    Fixture s("small8", [](FakeCore& core) { core.out.error = word(core, Start) != 0; });
    s.system->write32(CoreBase + Start, 1);
    EXPECT_EQ(s.system->run().outcome, Outcome::CoreError);
}

TEST(System, SeesThatNothingCanHappenAnyMore) {
    Fixture s("small8");
    s.system->write32(CoreBase + Start, 1);
    const auto result = s.system->run();
    EXPECT_EQ(result.outcome, Outcome::Hang);
    EXPECT_EQ(
        result.message,
        "nothing can happen any more: core: tensor wait_sem vector idle scalar idle gpsimd idle sync idle");
}

void spin(FakeCore& core) {
    core.busy = word(core, Start) != 0;
}

TEST(System, StopsAtTheTimeLimit) {
    Fixture s("small8", spin);
    s.system->write32(CoreBase + Start, 1);
    const tlm::Time start = tlm::now();
    EXPECT_EQ(s.system->run(50'000 * Ns).outcome, Outcome::TimeLimit);
    EXPECT_NEAR(static_cast<double>(tlm::now() - start), 50e3 * Ns, 200.0 * Ns);
    const tlm::Time before = tlm::now();
    s.system->advance(1000 * Ns);
    EXPECT_EQ(tlm::now(), before + 1000 * Ns);
}

TEST(System, SeesACoreThatSpins) {
    config::Config config = config::load("small8");
    config.runtime.timeout = 100'000 * Ns;
    Fixture s(config, spin);
    s.system->write32(CoreBase + Start, 1);
    tlm::RunResult result{};
    do {
        result = s.system->run(30'000 * Ns);  // in slices shorter than the timeout
    } while (result.outcome == Outcome::TimeLimit);
    EXPECT_EQ(result.outcome, Outcome::Hang);
    EXPECT_EQ(result.message.substr(0, 34), "no progress for runtime.timeout: c");
    EXPECT_LT(tlm::now(), 140'000 * Ns);
}

TEST(System, WaitsForDmaAfterTheCoreHalts) {
    Fixture s("small8", [](FakeCore& core) {
        core.out.engine[0].state =
            static_cast<std::uint8_t>(word(core, Start) != 0 ? isa::SeqState::Halted : isa::SeqState::Idle);
    });
    s.copy(0, Source, 0x900000, 40'000, false);
    s.system->write32(CoreBase + Start, 1);
    EXPECT_EQ(s.system->run().outcome, Outcome::Done);
    EXPECT_EQ(s.system->chip().statistics().dma[0].packets, 1u);
}

// Checks the contents of HBM, SBUF and PSUM up to the last partition.
void expect_contents(const tlm::contents::Seed& seed) {
    Fixture s(
        config::load("small16"), [](FakeCore&) {}, true, seed);
    const config::Core& core = s.config.core;
    std::vector<std::uint8_t> got(core.psum_partition), expected(core.psum_partition);
    const auto same = [&](std::uint64_t address, std::string_view memory, std::uint64_t offset) {
        s.system->read(address + offset, got);
        tlm::contents::RandomContents(seed, memory).fill(offset, expected);
        return got == expected;
    };
    const std::uint64_t last = core.partitions - 1;
    const std::uint64_t sbuf = last * isa::sbuf_partition_stride(static_cast<std::uint32_t>(core.partitions));
    EXPECT_TRUE(same(0, "hbm 0", 0x40000));
    EXPECT_TRUE(same(CoreBase, "core", sbuf));
    EXPECT_TRUE(same(CoreBase, "core", sbuf + core.sbuf_partition - got.size()));
    EXPECT_TRUE(same(CoreBase, "core", isa::window::PsumBase + last * isa::window::PsumPartitionStride));
}

TEST(System, MemoriesStartWithZeros) {
    expect_contents({});
}

TEST(System, MemoriesStartWithRandomContents) {
    expect_contents(3);
}

// A core of another kind: a memory in its window, and an engine that halts as soon as it is started.
class PlainCore : public tlm::Core, private tlm::protocol::TargetModel {
  public:
    explicit PlainCore(const char* name)
        : Core(name),
          window_("window", *this),
          manager_("manager", [](tlm::protocol::Transaction&, tlm::Time) {}),
          tables_("tables", [](tlm::protocol::Transaction&, tlm::Time) {}) {}

    tlm::protocol::TargetPort& window_port() override { return window_; }
    tlm::protocol::InitiatorPort& manager_port() override { return manager_; }
    tlm::protocol::InitiatorPort& table_port() override { return tables_; }
    tlm::CoreInfo info() const override { return {"none", ""}; }
    bool error() const override { return false; }
    bool done() const override { return memory_.contains(Start); }
    bool unused() const override { return !done(); }
    std::uint64_t progress() const override { return memory_.size(); }
    std::string state() const override { return "plain"; }
    tlm::CoreStatistics statistics() const override {
        tlm::CoreStatistics statistics;
        statistics.cycles = 11;
        return statistics;
    }
    void halt() override {}
    bool quiet() const override { return true; }
    void restart() override { memory_.clear(); }
    bool waits_for_memory() const override { return false; }
    void record_wave(const std::string& path, std::span<const std::string>, std::uint64_t,
                     std::uint64_t) override {
        wave_ = path;
    }
    std::string close_wave() override { return wave_; }

  private:
    bool request(tlm::Payload& payload, tlm::Time at) override {
        std::uint32_t& word = memory_[payload.get_address()];
        auto* data = payload.get_data_ptr();
        if (payload.is_write()) {
            std::memcpy(&word, data, sizeof word);
        } else {
            std::memcpy(data, &word, sizeof word);
        }
        payload.set_response_status(::tlm::TLM_OK_RESPONSE);
        window_.respond(payload, at);
        return true;
    }
    unsigned debug(tlm::Payload&) override { return 0; }

    tlm::protocol::TargetPort window_;
    tlm::protocol::InitiatorPort manager_, tables_;
    std::map<std::uint64_t, std::uint32_t> memory_;
    std::string wave_;
};

TEST(System, TakesACoreOfAnyKind) {
    addresses::CoreId id;
    tlm::System system(config::load("small16"),
                       [&](const char* name, const tlm::CoreSetup& setup) {
                           id = setup.id;
                           return std::make_unique<PlainCore>(name);
                       },
                       {.number = 6});
    EXPECT_EQ(id, (addresses::CoreId{.chip = 6, .core = 0}));
    EXPECT_EQ(system.chip().core().info().rtl_hash, "none");
    system.write32(CoreBase + 0x100, 5);
    EXPECT_EQ(system.read32(CoreBase + 0x100), 5u);
    system.write32(CoreBase + Start, 1);
    EXPECT_EQ(system.run().outcome, Outcome::Done);
    EXPECT_EQ(system.chip().statistics().core.cycles, 11u);
    system.chip().core().record_wave("w", {}, 0, 1);
    EXPECT_EQ(system.chip().core().close_wave(), "w");
    system.reset();
    EXPECT_EQ(system.read32(CoreBase + 0x100), 0u);
}

TEST(System, StreamsThroughSixteenEnginesCheaply) {
    Fixture s(
        "trn1", [](FakeCore&) {}, false);
    constexpr std::uint32_t Each = 1 << 20;
    for (unsigned e = 0; e < 16; ++e) s.copy(e, Source + e * Each, CoreBase + e * Each, Each, false);
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(s.system->run().outcome, Outcome::Hang);  // the core never starts
    const double wall =
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
    const auto statistics = s.system->chip().statistics();
    double bytes = 0, busy = 0;
    for (const auto& engine : statistics.dma) {
        bytes += static_cast<double>(engine.data.bytes_written);
        busy += static_cast<double>(engine.busy_time) / 1e6;
    }
    EXPECT_EQ(bytes, 16.0 * Each);
    const double rate = bytes / busy * 16;
    const auto cycles = static_cast<double>(statistics.core.evaluated_cycles);
    std::printf("%.1f GB/s into the core, %.2f us of wall time per 512 B burst, %.2f us per cycle\n", rate,
                wall / (bytes / 512), wall / cycles);
    EXPECT_GE(rate, 272);  // published: 16 x 17
}

}  // namespace
}  // namespace trnsim::test
