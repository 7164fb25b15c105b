// Tests servers with fast cores in their slots: kernels on all cores at once, in one process and in several;
// prints the costs of 32 cores.
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <sys/resource.h>

#include <array>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <vector>

#include "base/jobs/process.hpp"
#include "common/random.hpp"
#include "model/core/fast/fast_core.hpp"
#include "model/processes/run.hpp"
#include "model/system/linked_server.hpp"
#include "model/system/load_server.hpp"
#include "runtime/session/loaded_kernel.hpp"

namespace trnsim::runtime {
namespace {

namespace processes = tlm::processes;
using tlm::LinkedServer;

constexpr unsigned CollectiveCore = 0;  // on each chip; it sets up the chip's cores and starts them

// A chip of a server in several processes, in which the host writes no registers: collects the writes for a
// collective core.
class Registers : public Machine {
  public:
    Registers(tlm::Server& server, unsigned chip) : server_(server), chip_(chip) {}

    void write32(std::uint64_t address, std::uint32_t value) override { writes_.push_back({address, value}); }
    std::uint32_t read32(std::uint64_t) override { throw std::logic_error("a timed read"); }
    void write(std::uint64_t address, std::span<const std::uint8_t> data) override {
        server_.write(chip_, address, data);
    }
    void read(std::uint64_t address, std::span<std::uint8_t> data) override {
        server_.read(chip_, address, data);
    }
    tlm::RunResult run(std::uint64_t) override { throw std::logic_error("a run of one chip"); }
    tlm::Statistics statistics() const override { return server_.chip(chip_).statistics(0); }

    // Makes the collective core do the writes since the last time.
    void flush() {
        collective_cores::Entry entry;
        std::swap(entry.writes, writes_);
        tlm::collectives::CollectiveCores& cores = server_.chip(chip_).collective_cores();
        cores.load(CollectiveCore, {{{entry}}});
        cores.start(CollectiveCore);
    }

  private:
    tlm::Server& server_;
    unsigned chip_;
    std::vector<collective_cores::RegisterWrite> writes_;
};

// Makes a different kernel for each core.
trial::Trial trial_of(const config::Config& config, unsigned chip, unsigned core) {
    const unsigned number = chip * addresses::CoresPerChip + core;
    const std::string size = std::to_string(17 + 3 * number);
    const std::uint64_t seed = test::seed() + number;
    switch (number % 3) {
        case 0:
            return trial::make_trial(config, "matmul", {{"M", size}, {"K", "23"}, {"N", "50"}}, seed);
        case 1:
            return trial::make_trial(config, "softmax", {{"rows", size}, {"cols", "21"}}, seed);
        default:
            return trial::make_trial(config, "layernorm", {{"rows", "9"}, {"cols", size}}, seed);
    }
}

struct Chip {
    Chip(tlm::Server& server, const config::Config& config, unsigned number)
        : registers(server, number), hbm(config.hbm) {
        for (unsigned core = 0; core < addresses::CoresPerChip; ++core)
            kernels.push_back(std::make_unique<Loaded>(trial_of(config, number, core), hbm, registers, core));
    }
    Registers registers;
    loader::Allocator hbm;
    std::vector<std::unique_ptr<Loaded>> kernels;
};

// Returns the end of the run, the counts of each core, and how many outputs differ from the interpreter's.
std::string run_everywhere(const config::Server& description, processes::Exchange& exchange) {
    LinkedServer linked(
        description,
        {.fast = tlm::core_fast::make_core(description.chip), .collectives = true, .exchange = &exchange});
    std::vector<std::unique_ptr<Chip>> chips(description.chips());
    for (unsigned c = 0; c < chips.size(); ++c)
        if (linked.here(c)) chips[c] = std::make_unique<Chip>(linked.server(), description.chip, c);
    // Accesses to a core may take any of its ports, so set-up must be complete before the start.
    for (const auto& chip : chips) {
        if (!chip) continue;
        for (const auto& kernel : chip->kernels) set_up(chip->registers, kernel->image, {});
        chip->registers.flush();
    }
    linked.run();
    for (const auto& chip : chips) {
        if (!chip) continue;
        for (const auto& kernel : chip->kernels) start(chip->registers, kernel->image);
        chip->registers.flush();
    }
    const tlm::RunResult result = linked.run();
    std::uint64_t wrong = 0;
    for (const auto& chip : chips) {
        if (!chip) continue;
        for (const auto& kernel : chip->kernels) wrong += kernel->wrong(chip->registers).empty() ? 0 : 1;
    }
    std::string text =
        fmt::format("{} wrong, outcome {}, {} to {} {};", linked.sum(wrong), static_cast<int>(result.outcome),
                    result.start, result.end, result.message);
    for (unsigned c = 0; c < chips.size(); ++c) {
        for (unsigned core = 0; core < addresses::CoresPerChip; ++core) {
            std::uint64_t busy = 0, completed = 0;
            if (linked.here(c)) {
                const tlm::CoreStatistics statistics = linked.server().chip(c).statistics(core).core;
                for (const tlm::EngineStatistics& engine : statistics.engine) {
                    busy += engine.busy_cycles;
                    completed += engine.completed;
                }
            }
            completed = linked.largest(completed);
            busy = linked.largest(busy);
            text += fmt::format(" {}/{}", completed, busy);
        }
    }
    return text;
}

TEST(FastServer, KernelsOnAllCoresTakeTheSameTimeInSeveralProcesses) {
    config::Server description = tlm::load_server("trn1-4");
    description.chip = config::load("small16");
    for (config::SlotKinds& slots : description.slots) slots.assign(2, config::CoreKind::Fast);
    std::string first;
    for (const unsigned count : {1u, 2u, 4u}) {
        const std::string text = processes::run(
            count, [&](processes::Exchange& exchange) { return run_everywhere(description, exchange); });
        if (first.empty()) first = text;
        EXPECT_EQ(text, first) << count << " processes";
    }
    std::printf("%s\n", first.c_str());
    EXPECT_EQ(first.find("0 wrong, outcome 0, "), 0u) << first;
    EXPECT_EQ(first.find(" 0/"), std::string::npos) << "a core did nothing: " << first;
}

// Prints the time and memory to make a server of 16 chips with 32 cores of trn1.
TEST(FastServer, ThirtyTwoCoresInWallTime) {
    using Clock = std::chrono::steady_clock;
    const jobs::Outcome outcome = jobs::run({.work = [] {
        const Clock::time_point begin = Clock::now();
        config::Server description = tlm::load_server("trn1.32xlarge");
        for (config::SlotKinds& slots : description.slots) slots.assign(2, config::CoreKind::Fast);
        LinkedServer linked(description, {.fast = tlm::core_fast::make_core(description.chip)});
        linked.server().write32(15, 0x1000, 7);  // the first access elaborates
        unsigned cores = 0;
        for (unsigned chip = 0; chip < description.chips(); ++chip)
            for (unsigned slot = 0; slot < 2; ++slot)
                cores += linked.server().chip(chip).has_core(slot) ? 1 : 0;
        rusage usage{};
        ::getrusage(RUSAGE_SELF, &usage);
        return fmt::format("{} cores, {:.2f} s, {} MiB", cores,
                           std::chrono::duration<double>(Clock::now() - begin).count(),
                           usage.ru_maxrss / 1024);
    }});
    ASSERT_TRUE(outcome.returned()) << outcome.text;
    std::printf("%s\n", outcome.text.c_str());
    EXPECT_EQ(outcome.text.find("32 cores, "), 0u);
    constexpr double MostSeconds = 30;
    EXPECT_LT(outcome.wall_seconds, MostSeconds);
}

}  // namespace
}  // namespace trnsim::runtime
