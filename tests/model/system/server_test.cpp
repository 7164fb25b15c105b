// Tests several chips in one simulation, driven by programs of their DMA engines.
#include "model/system/server.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>

#include "common/random.hpp"
#include "model/common/host.hpp"
#include "model/common/programs.hpp"

namespace trnsim::test {
namespace {

using tlm::Outcome;

constexpr tlm::Time Ns = 1'000'000;
constexpr std::uint64_t Source = 0x2000000, Sink = 0x8000000;
constexpr std::uint64_t Stack1 = addresses::HbmStackStride;

std::vector<tlm::ChipSetup> setups(unsigned chips, const tlm::chip::Slots& slots,
                                   const tlm::chip::Options& options = {.check_protocol = true}) {
    std::vector<tlm::ChipSetup> result;
    for (unsigned i = 0; i < chips; ++i) {
        result.push_back({slots, options});
        result.back().options.number = i;
    }
    return result;
}

std::string message_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const std::exception& error) {
        return error.what();
    }
    return "none";
}

void expect_no_violations(const tlm::Server& server) {
    for (unsigned i = 0; i < server.chips(); ++i)
        EXPECT_EQ(server.chip(i).protocol_violations(), std::vector<std::string>{});
}

// A copy by every engine of every core of every chip from `first` on; all copy different bytes, in lengths
// that are no powers of two.
class Copies {
  public:
    Copies(tlm::Server& server, const config::Config& config, unsigned first = 0) : server_(server) {
        auto random = generator();
        for (unsigned chip = 0; chip < server.chips(); ++chip) {
            for (unsigned core = 0; core < server.chip(chip).slots(); ++core) {
                for (unsigned e = first; e < config.dma.engines; ++e) {
                    const std::uint64_t place = (core * 16ULL + e) * 0x40000 + random() % 0x1000;
                    const auto to = Sink + (random() % 2 == 0 ? 0 : Stack1);
                    copies_.push_back({chip,
                                       {.core = core,
                                        .engine = e,
                                        .from = Source + place,
                                        .to = to + place + random() % 0x1000,
                                        .length = static_cast<std::uint32_t>(1 + random() % 20'000)},
                                       random()});
                }
            }
        }
    }

    // Rings the doorbells of all chips one after the other: that takes longer than some of the copies.
    void start() {
        for (const One& one : copies_) {
            ChipAccess chip{server_, one.chip};
            chip.write(one.copy.from, pattern(one.copy.length, one.seed));
            test::start(chip, one.copy);
        }
    }

    std::size_t wrong() {
        std::size_t wrong = 0;
        for (const One& one : copies_) {
            std::vector<std::uint8_t> got(one.copy.length);
            server_.read(one.chip, one.copy.to, got);
            wrong += got != pattern(one.copy.length, one.seed);
        }
        return wrong;
    }

    std::size_t count() const { return copies_.size(); }

  private:
    struct One {
        unsigned chip;
        Copy copy;
        std::uint64_t seed;
    };
    tlm::Server& server_;
    std::vector<One> copies_;
};

TEST(Server, FourChipsCopyAtOnce) {
    const config::Config config = config::load("small8");
    tlm::Server server(config, setups(4, empty_slots(2)));
    Copies copies(server, config);
    EXPECT_EQ(copies.count(), 4u * 2 * 4);
    copies.start();
    const auto result = server.run();
    EXPECT_EQ(result.outcome, Outcome::Done) << result.message;
    EXPECT_EQ(copies.wrong(), 0u);
    for (unsigned chip = 0; chip < 4; ++chip) {
        for (const unsigned core : {0u, 1u}) {
            for (const auto& engine : server.chip(chip).statistics(core).dma) EXPECT_EQ(engine.packets, 1u);
        }
    }
    expect_no_violations(server);
}

double resident_mib() {
    std::ifstream file("/proc/self/statm");
    double size = 0, resident = 0;
    file >> size >> resident;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

void start_sixteen_chips(const std::string& model) {
    config::Config config = config::load("trn1");
    config.hbm.model = model;
    const double before = resident_mib();
    tlm::Server server(config, setups(16, empty_slots(2), {}));
    server.advance(0);
    const double mib = resident_mib() - before;
    std::printf("16 chips, HBM %s: %.0f MiB until the simulation can begin\n", model.c_str(), mib);
    EXPECT_LT(mib, 500);
    Copies copies(server, config);
    EXPECT_EQ(copies.count(), 16u * 32);
    copies.start();
    EXPECT_EQ(server.run().outcome, Outcome::Done);
    EXPECT_EQ(copies.wrong(), 0u);
    EXPECT_LT(resident_mib() - before, 1000) << "HBM takes room where it is touched";
}

TEST(Server, SixteenChips) {
    start_sixteen_chips("simple");
}

TEST(Server, SixteenChipsWithBanks) {
    start_sixteen_chips("banked");
}

TEST(Server, SixteenChipsStartInWallTime) {
    const auto begin = std::chrono::steady_clock::now();
    tlm::Server server(config::load("trn1"), setups(16, empty_slots(2), {}));
    server.advance(0);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::printf("16 chips: %.3f s until the simulation can begin\n", seconds);
    EXPECT_LT(seconds, 2);
}

TEST(Server, ErrorsNameTheChip) {
    const config::Config config = config::load("small8");
    tlm::Server server(config, setups(3, empty_slots(2)));
    ChipAccess chip{server, 2};
    EXPECT_EQ(message_of([&] { server.read32(2, 0x500000000); }),
              "chip 2, access to 0x500000000: TLM_ADDRESS_ERROR_RESPONSE");
    std::uint8_t byte[1] = {};
    EXPECT_EQ(message_of([&] { server.read(1, 0x500000000, byte); }),
              "chip 1, back door to 0x500000000: 1 bytes are not within one memory");
    EXPECT_EQ(message_of([&] { server.read32(3, 0); }), "there is no chip 3");
    start(chip, {.core = 1, .engine = 3, .from = Source, .to = 0x500000000, .length = 64});
    const auto result = server.run();
    EXPECT_EQ(result.outcome, Outcome::DmaError);
    EXPECT_EQ(result.message,
              "chip 2, core 1, DMA engine 7 ring 0 descriptor 0, address 0x500000000: write refused "
              "(TLM_ADDRESS_ERROR_RESPONSE)");
    server.reset();
    EXPECT_EQ(server.run().outcome, Outcome::Done);
    expect_no_violations(server);
}

TEST(Server, RefusesTwoChipsOfOneNumber) {
    auto same = setups(2, empty_slots(1));
    same[1].options.number = 0;
    EXPECT_EQ(message_of([&] { tlm::Server server(config::load("small8"), same); }),
              "two chips 0, expected different numbers");
}

// A reset ends the work of all chips, and their next work takes as long as at first.
TEST(Server, ResetsAllChips) {
    const config::Config config = config::load("small8");
    tlm::Server server(config, setups(4, empty_slots(2)));
    Copies copies(server, config);
    std::vector<tlm::Time> times;
    for (int turn = 0; turn < 3; ++turn) {
        copies.start();
        const tlm::Time begin = tlm::now();
        if (turn == 1) {
            EXPECT_EQ(server.run(1'000 * Ns).outcome, Outcome::TimeLimit);
        } else {
            EXPECT_EQ(server.run().outcome, Outcome::Done);
            EXPECT_EQ(copies.wrong(), 0u);
            times.push_back(tlm::now() - begin);
        }
        server.reset();
        EXPECT_EQ(tlm::now() % 2'500'000, 0u);
        for (unsigned chip = 0; chip < 4; ++chip) EXPECT_TRUE(server.chip(chip).dma_idle());
    }
    EXPECT_EQ(times[0], times[1]);
    expect_no_violations(server);
}

// Some chips have cores, others have none: the run ends with the last core.
TEST(Server, WaitsForTheCoresOfAllChips) {
    const config::Config config = config::load("small8");
    FakeSlots one(config, 2), other(config, 1);
    tlm::Server server(config, {{one.factories, {.number = 0, .check_protocol = true}},
                                {empty_slots(2), {.number = 1, .check_protocol = true}},
                                {other.factories, {.number = 2, .check_protocol = true}}});
    server.write32(0, start_of(1), 1);
    server.write32(2, start_of(0), 1);
    const auto release = [&](unsigned chip, unsigned core, std::uint32_t length) {
        ChipAccess access{server, chip};
        start(access, {.engine = 1,
                       .from = Source,
                       .to = addresses::core_window(core) + 0x1000,
                       .length = length,
                       .semaphore = semaphore_of(core)});
    };
    release(0, 1, 64);
    auto result = server.run();
    EXPECT_EQ(result.outcome, Outcome::Hang);
    EXPECT_EQ(result.message,
              "nothing can happen any more: "
              "chip 0, core 0: tensor idle vector idle scalar idle gpsimd idle sync idle; "
              "core 1: tensor halted vector idle scalar idle gpsimd idle sync idle; "
              "chip 2, core: tensor wait_sem vector idle scalar idle gpsimd idle sync idle");
    release(2, 0, 40'000);
    result = server.run();
    EXPECT_EQ(result.outcome, Outcome::Done) << result.message;
    EXPECT_EQ(server.chip(2).statistics().core.window.bytes_written, 40'000u + 4 + 4);
    expect_no_violations(server);
}

// Both cores of eight chips run, each chip with its own seed: all data arrives before its semaphore counts.
TEST(Server, PerturbedChips) {
    const config::Config config = config::load("small8");
    std::vector<FakeSlots> fakes;
    std::vector<tlm::ChipSetup> chips;
    const unsigned count = 8;
    const std::uint64_t first = seed();
    for (unsigned i = 0; i < count; ++i) {
        fakes.emplace_back(config, 2);
        chips.push_back({fakes.back().factories,
                         {.number = i,
                          .check_protocol = true,
                          .perturb = static_cast<std::uint32_t>(first + i),
                          .random_memory = static_cast<std::uint32_t>(first)}});
    }
    tlm::Server server(config, chips);
    Copies copies(server, config, 1);
    for (int turn = 0; turn < 2; ++turn) {
        copies.start();
        for (unsigned i = 0; i < count; ++i) {
            for (const unsigned core : {0u, 1u}) {
                ChipAccess chip{server, i};
                server.write32(i, start_of(core), 1);
                const auto data = pattern(5'000 + 77 * i, first + i);
                server.write(i, Source + 0x1000000, data);
                server.write32(i, semaphore_of(core), 0);
                start(chip, {.core = 1 - core,
                             .engine = 0,
                             .from = Source + 0x1000000,
                             .to = addresses::core_window(core) + 0x2000,
                             .length = static_cast<std::uint32_t>(data.size()),
                             .semaphore = semaphore_of(core)});
            }
        }
        const auto result = server.run();
        ASSERT_EQ(result.outcome, Outcome::Done) << result.message;
        EXPECT_EQ(copies.wrong(), 0u);
        for (unsigned i = 0; i < count; ++i) {
            for (const unsigned core : {0u, 1u}) {
                std::vector<std::uint8_t> got(5'000 + 77 * i);
                server.read(i, addresses::core_window(core) + 0x2000, got);
                EXPECT_EQ(got, pattern(got.size(), first + i)) << "chip " << i << " core " << core;
            }
        }
        server.reset();
    }
    expect_no_violations(server);
}

TEST(Server, RandomMemoryDiffersBetweenChipsAndCores) {
    const config::Config config = config::load("small8");
    FakeSlots a(config, 2), b(config, 2);
    tlm::Server server(config, {{a.factories, {.number = 0, .random_memory = 5}},
                                {b.factories, {.number = 1, .random_memory = 5}}});
    std::vector<std::vector<std::uint8_t>> contents;
    for (const unsigned chip : {0u, 1u}) {
        for (const std::uint64_t address :
             {std::uint64_t{0}, addresses::core_window(0), addresses::core_window(1)}) {
            contents.emplace_back(64);
            server.read(chip, address, contents.back());
        }
    }
    contents.emplace_back(64);  // zeros
    for (std::size_t i = 0; i < contents.size(); ++i) {
        for (std::size_t k = 0; k < i; ++k) EXPECT_NE(contents[i], contents[k]) << i << " " << k;
    }
}

}  // namespace
}  // namespace trnsim::test
