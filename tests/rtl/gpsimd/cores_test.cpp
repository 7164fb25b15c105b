// Compares the cores as models beside a NeuronCore's (model/core/rtl/gpsimd_cores.sv) with those of the RTL,
// edge by edge: programs of all instructions, with ports that stall, windows in use, cores that halt, wait
// and start.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>

#include "Vgpsimd_cores.h"
#include "Vgpsimd_cores_tb.h"
#include "model/core/rtl/gpsimd_cores.hpp"
#include "model/core/rtl/verilated_coverage.hpp"
#include "tests/common/random.hpp"
#include "tests/common/riscv/encode.hpp"
#include "tests/common/riscv/random_program.hpp"

namespace trnsim::test {
namespace {

constexpr unsigned Cores = 2;
constexpr unsigned BeatBits = 10, SliceBeatBits = 16;
using Beat = std::array<std::uint32_t, 16>;

// The inputs of both.
struct Stimulus {
    unsigned run = 0, irq = 0;
    unsigned window_req = 0, window_write = 0;
    std::array<unsigned, Cores> window_beat{};
    std::array<Beat, Cores> window_data{}, read_data{};
    std::array<std::uint64_t, Cores> strobe{};
    unsigned read_ready = 0, read_rvalid = 0, write_ready = 0;
};

template <class Model>
void drive(Model& model, const Stimulus& in) {
    model.run_i = in.run;
    model.boot_i = TcmBase;
    model.irq_i = in.irq;
    model.window_req_i = in.window_req;
    model.window_write_i = in.window_write;
    model.window_beat_i = in.window_beat[1] << BeatBits | in.window_beat[0];
    std::memcpy(&model.window_wdata_i, in.window_data.data(), sizeof in.window_data);
    std::memcpy(&model.window_strobe_i, in.strobe.data(), sizeof in.strobe);
    model.read_ready_i = in.read_ready;
    model.read_rvalid_i = in.read_rvalid;
    std::memcpy(&model.read_rdata_i, in.read_data.data(), sizeof in.read_data);
    model.write_ready_i = in.write_ready;
}

template <class Model>
void clock(Model& model) {
    model.clk_i = 0;
    model.eval();
    model.clk_i = 1;
    model.eval();
}

template <class Model>
void reset(Model& model) {
    drive(model, {});
    model.rst_ni = 1;
    model.clk_i = 0;
    model.eval();
    model.rst_ni = 0;
    clock(model);
    model.rst_ni = 1;
    clock(model);
}

const std::uint32_t* words(const void* port, unsigned core, std::size_t count) {
    return static_cast<const std::uint32_t*>(port) + core * count;
}

class GpsimdCoresTest : public testing::TestWithParam<unsigned> {
  protected:
    GpsimdCoresTest() {
        reset(rtl_);
        const tlm::GpsimdCores::Use use(cores_);
        reset(simulated_);
    }
    ~GpsimdCoresTest() override {
        cores_.final();
        tlm::save_coverage(context_, "gpsimd_cores");
    }

    void compare() {
        const auto equal = [&](const char* what, auto rtl, auto simulated) {
            ASSERT_EQ(rtl, simulated) << what << ", cycle " << cycle_;
        };
        equal("halted", rtl_.halted_o, simulated_.halted_o);
        equal("waiting", rtl_.waiting_o, simulated_.waiting_o);
        equal("trapped", rtl_.trapped_o, simulated_.trapped_o);
        equal("pc", std::uint64_t{rtl_.pc_o}, std::uint64_t{simulated_.pc_o});
        equal("active", rtl_.active_o, simulated_.active_o);
        equal("window grant", rtl_.window_gnt_o, simulated_.window_gnt_o);
        equal("window data valid", rtl_.window_rvalid_o, simulated_.window_rvalid_o);
        equal("read", rtl_.read_valid_o, simulated_.read_valid_o);
        equal("write", rtl_.write_valid_o, simulated_.write_valid_o);
        for (unsigned k = 0; k < Cores; ++k) {
            const auto row = [&](const char* what, const void* rtl, const void* simulated,
                                 std::size_t count) {
                ASSERT_TRUE(std::equal(words(rtl, k, count), words(rtl, k, count) + count,
                                       words(simulated, k, count)))
                    << what << " of core " << k << ", cycle " << cycle_;
            };
            const unsigned shift = k * SliceBeatBits;
            if (rtl_.window_rvalid_o >> k & 1)
                row("window data", &rtl_.window_rdata_o, &simulated_.window_rdata_o, 16);
            if (rtl_.read_valid_o >> k & 1)
                equal("read beat", rtl_.read_beat_o >> shift & 0xffff,
                      simulated_.read_beat_o >> shift & 0xffff);
            if (rtl_.write_valid_o >> k & 1) {
                equal("write beat", rtl_.write_beat_o >> shift & 0xffff,
                      simulated_.write_beat_o >> shift & 0xffff);
                row("write data", &rtl_.write_wdata_o, &simulated_.write_wdata_o, 16);
                row("write strobe", &rtl_.write_strobe_o, &simulated_.write_strobe_o, 2);
            }
        }
    }

    void step() {
        for (unsigned k = 0; k < Cores; ++k) {
            auto& reads = reads_[k];
            in_.read_rvalid &= ~(1u << k);
            if (!reads.empty() && reads.front() <= cycle_) {
                reads.pop_front();
                in_.read_rvalid |= 1u << k;
                for (std::uint32_t& word : in_.read_data[k]) word = static_cast<std::uint32_t>(random_());
            }
            if (rtl_.read_valid_o & in_.read_ready & 1u << k) reads.push_back(cycle_ + 3 + random_() % 6);
        }
        drive(rtl_, in_);
        clock(rtl_);
        drive(simulated_, in_);
        {
            const tlm::GpsimdCores::Use use(cores_);
            clock(simulated_);
        }
        ++cycle_;
        compare();
    }

    // Loads through the window while the cores run on.
    void load(unsigned core, const Program& program) {
        for (std::size_t at = 0; at < program.words.size(); at += 16) {
            std::copy_n(program.words.begin() + static_cast<std::ptrdiff_t>(at), 16,
                        in_.window_data[core].begin());
            in_.strobe[core] = ~std::uint64_t{0};
            in_.window_beat[core] = static_cast<unsigned>(at / 16);
            in_.window_write |= 1u << core;
            in_.window_req |= 1u << core;
            bool granted = false;
            while (!granted && !HasFatalFailure()) {
                granted = (rtl_.window_gnt_o >> core & 1) != 0;
                step();
            }
        }
        in_.window_req = in_.window_write = 0;
    }
    unsigned bits() { return static_cast<unsigned>(random_()) % (1u << Cores); }

    VerilatedContext context_;
    Vgpsimd_cores rtl_{&context_};
    tlm::GpsimdCores cores_{context_, "cores", Cores, GetParam()};
    Vgpsimd_cores_tb simulated_{&context_};
    Stimulus in_;
    std::array<std::deque<std::uint64_t>, Cores> reads_;
    std::mt19937_64 random_{seed()};
    std::uint64_t cycle_ = 0;
};

TEST_P(GpsimdCoresTest, SameAsTheRtl) {
    for (int round = 0; round < 4 && !HasFatalFailure(); ++round) {
        in_.run = 0;
        for (int k = 0; k < 300; ++k) step();
        for (unsigned core = 0; core < Cores; ++core) load(core, random_program(random_, {}, 1500));
        unsigned run = 0;
        for (int k = 0; k < 20'000 && !HasFatalFailure(); ++k) {
            if (random_() % 4000 == 0) run = bits();
            if (k == 0) run = 1;
            if (k == 20) run = 3;
            in_.run = run;
            if (random_() % 50 == 0) in_.irq = bits();
            in_.read_ready = bits();
            in_.write_ready = bits();
            in_.window_req = random_() % 16 == 0 ? bits() : 0;
            in_.window_write = 0;
            for (unsigned& beat : in_.window_beat) beat = static_cast<unsigned>(random_() % 1024);
            step();
        }
        in_.window_req = in_.irq = 0;
        in_.read_ready = in_.write_ready = 3;
    }
    for (unsigned core = 0; core < Cores; ++core) {
        EXPECT_GT(cores_.counters(core).instructions(), 5000u);
        EXPECT_LT(cores_.counters(core).cycles, cycle_);
    }
}

// Cores wait for interrupts: the cycles that they count are the edges they were given.
TEST_P(GpsimdCoresTest, SleepsAndWakesAsInTheRtl) {
    using namespace encode;
    Program program;
    program.words = {
        lui(1, 0x800), addi(1, 1, 0x800),  csrrw(0, 0x304, 1),       lui(9, SliceBase),
        Wfi,           csrrs(6, 0xb00, 0), s_type(0x23, 2, 9, 6, 0), branch(0, 0, 0, -12),
    };
    program.words.resize(32, 0);
    in_.read_ready = in_.write_ready = 3;
    for (unsigned core = 0; core < Cores; ++core) load(core, program);
    in_.run = 3;
    unsigned stores = 0;
    for (int k = 0; k < 20'000 && !HasFatalFailure(); ++k) {
        if (random_() % 40 == 0) in_.irq = bits();
        in_.irq &= ~random_() | rtl_.waiting_o;
        in_.window_req = random_() % 100 == 0 ? bits() : 0;
        step();
        stores += rtl_.write_valid_o != 0;
    }
    EXPECT_GT(stores, 100u);
    for (unsigned core = 0; core < Cores; ++core) EXPECT_LT(cores_.counters(core).cycles, 10'000u);
}

// The test sends data that was not requested.
TEST_P(GpsimdCoresTest, AFailedAssertionEndsTheRun) {
    const std::array<tlm::GpsimdCores::Inputs, 2> inputs{
        {{.run = true, .boot = TcmBase}, {.run = true, .read_rvalid = true, .boot = TcmBase}}};
    for (const auto& input : inputs) {
        for (unsigned core = 0; core < Cores; ++core) cores_.enter(core, input);
        if (!input.read_rvalid) {
            EXPECT_EQ(cores_.edge(), 3u);
            continue;
        }
        try {
            cores_.edge();
            ADD_FAILURE() << "nothing was noticed";
        } catch (const std::runtime_error& error) {
            EXPECT_NE(std::string(error.what()).find("gpsimd_lsu.sv:"), std::string::npos) << error.what();
            EXPECT_NE(std::string(error.what()).find("RTL stopped"), std::string::npos) << error.what();
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Threads, GpsimdCoresTest, testing::Values(1, 2));

}  // namespace
}  // namespace trnsim::test
