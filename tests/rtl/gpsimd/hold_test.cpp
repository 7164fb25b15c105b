// Two cores under a debugger that stop in the same cycles, or in nearby cycles.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "tests/common/random.hpp"
#include "tests/common/riscv/encode.hpp"
#include "tests/rtl/gpsimd/model_bench.hpp"

namespace trnsim::test {
namespace {

using tlm::GpsimdReason;
using tlm::GpsimdResume;
using tlm::GpsimdStop;
using Resume = tlm::GpsimdDebugger::Resume;

constexpr unsigned Cores = 2, Rounds = 5;
constexpr std::uint32_t Data = TcmBase + 0x8000, Breakpoint = TcmBase + 12;

// Stores 1, 2, ... at Data, in each round after the breakpoint.
std::vector<std::uint32_t> program() {
    using namespace encode;
    return {
        lui(8, Data),   addi(5, 0, Rounds),   addi(6, 6, 1), addi(7, 6, 0), s_type(0x23, 2, 8, 7, 0),
        addi(5, 5, -1), branch(1, 5, 0, -16), Wfi,
    };
}

Resume every(GpsimdResume how) {
    Resume all;
    all.fill(how);
    return all;
}

struct Debugger : tlm::GpsimdDebugger {
    bool asks_to_stop() override { return false; }
    bool breaks(unsigned, std::uint32_t pc) const override { return breakpoint && pc == Breakpoint; }
    bool watches() const override { return watchpoint; }
    bool watches(const tlm::GpsimdCycle& cycle) const override {
        return watchpoint && cycle.access->store && cycle.access->address == Data;
    }
    Resume stopped(tlm::GpsimdDebugPort& port, const GpsimdStop& stop) override {
        ++stops[{stop.reason, stop.core}];
        if (stop.reason == GpsimdReason::Breakpoint) {
            EXPECT_EQ(port.pc(stop.core), Breakpoint);
            EXPECT_EQ(port.view(stop.core).scalar(6), stops.at({stop.reason, stop.core}));
        }
        return at_stop ? at_stop(stop) : every(GpsimdResume::Run);
    }

    bool breakpoint = false, watchpoint = false;
    std::function<Resume(const GpsimdStop&)> at_stop;
    std::map<std::pair<GpsimdReason, unsigned>, unsigned> stops;
};

struct NoMemory : tlm::CoreModel {
    void step() override {}
    void open_wave(const std::string&, std::span<const std::string>) override {}
    void dump_wave(std::uint64_t) override {}
    std::string close_wave() override { return {}; }
    bool debug_read(std::uint32_t, std::span<std::uint8_t>) override { return false; }
    bool debug_write(std::uint32_t, std::span<const std::uint8_t>) override { return false; }
};

// The second core starts this many cycles later.
class GpsimdHoldTest : public testing::TestWithParam<unsigned> {
  protected:
    void run(Debugger& debugger) {
        ModelBench bench(Cores, seed(), false);
        NoMemory neuron_core;
        bench.cores().debug(debugger, neuron_core);
        for (unsigned core = 0; core < Cores; ++core) bench.load(core, program());
        for (unsigned k = 0; k < GetParam(); ++k) bench.step(1);
        ASSERT_TRUE(bench.run(3, 10'000));
    }
};

TEST_P(GpsimdHoldTest, EachCoreStopsAtItsBreakpoint) {
    Debugger debugger;
    debugger.breakpoint = true;
    run(debugger);
    for (unsigned core = 0; core < Cores; ++core)
        EXPECT_EQ((debugger.stops[{GpsimdReason::Breakpoint, core}]), Rounds) << core;
}

TEST_P(GpsimdHoldTest, EachCoreStopsAtItsWatchpoint) {
    Debugger debugger;
    debugger.watchpoint = true;
    run(debugger);
    for (unsigned core = 0; core < Cores; ++core)
        EXPECT_EQ((debugger.stops[{GpsimdReason::Access, core}]), Rounds) << core;
}

// GDB continues like this: it steps the stopped core over its instruction without breakpoints, while the
// other stays, and then runs all cores.
TEST_P(GpsimdHoldTest, ACoreThatIsToStayTellsNothing) {
    Debugger debugger;
    debugger.breakpoint = true;
    std::optional<unsigned> over;
    debugger.at_stop = [&](const GpsimdStop& stop) {
        debugger.breakpoint = stop.reason != GpsimdReason::Breakpoint;
        if (over) {
            EXPECT_EQ(stop.reason, GpsimdReason::Step);
            EXPECT_EQ(stop.core, *over);
        }
        over.reset();
        if (debugger.breakpoint) return every(GpsimdResume::Run);
        over = stop.core;
        Resume one = every(GpsimdResume::Stay);
        one.at(stop.core) = GpsimdResume::Step;
        return one;
    };
    run(debugger);
    for (unsigned core = 0; core < Cores; ++core) {
        EXPECT_EQ((debugger.stops[{GpsimdReason::Breakpoint, core}]), Rounds) << core;
        EXPECT_EQ((debugger.stops[{GpsimdReason::Step, core}]), Rounds) << core;
    }
}

INSTANTIATE_TEST_SUITE_P(Cycles, GpsimdHoldTest, testing::Range(0U, 12U));

}  // namespace
}  // namespace trnsim::test
