// Tests GpSimd cores of the RTL under a debugger: they stop at the right places and with the right state,
// which is that of a core that never stopped; the results of a kernel do not depend on the stops.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <map>
#include <sstream>

#include "arch/firmware/image.hpp"
#include "base/jobs/isolated.hpp"
#include "common/random.hpp"
#include "isa/core_window.hpp"
#include "runtime/session/chip_machine.hpp"
#include "runtime/session/commit_log.hpp"
#include "runtime/session/runner.hpp"
#include "tools/gdb/kernel.hpp"

namespace trnsim {
namespace {

using tlm::GpsimdDebugPort;
using tlm::GpsimdReason;
using tlm::GpsimdResume;
using tlm::GpsimdState;
using tlm::GpsimdStop;
using Resume = tlm::GpsimdDebugger::Resume;

Resume every(GpsimdResume how) {
    Resume all;
    all.fill(how);
    return all;
}

// Does the actions of a test at a stop.
struct Debugger : tlm::GpsimdDebugger {
    bool asks_to_stop() override { return asks && asks(); }
    bool breaks(unsigned, std::uint32_t pc) const override {
        return std::ranges::count(breakpoints, pc) != 0;
    }
    bool watches() const override { return watch.has_value(); }
    bool watches(const tlm::GpsimdCycle& cycle) const override {
        return watch && cycle.access->store && cycle.access->address / 64 == *watch / 64 &&
               (cycle.access->strobe >> *watch % 64 & 1) != 0;
    }
    Resume stopped(GpsimdDebugPort& port, const GpsimdStop& stop) override {
        stops.push_back(stop.reason);
        return at_stop ? at_stop(port, stop) : every(GpsimdResume::Run);
    }

    std::vector<std::uint32_t> breakpoints;
    std::optional<std::uint32_t> watch;
    std::function<bool()> asks;
    std::function<Resume(GpsimdDebugPort&, const GpsimdStop&)> at_stop;
    std::vector<GpsimdReason> stops;
};

// The state of a core before an instruction.
struct Step {
    std::uint32_t pc = 0;
    std::array<std::uint32_t, 32> registers{};
};

class GdbRtl : public testing::Test {
  protected:
    GdbRtl()
        : config_(config::load("small16")),
          package_(squares(config_)),
          image_(firmware::parse(package_.images.at(0).bytes, "microcode")) {}

    runtime::Result run(tlm::GpsimdDebugger* debugger, std::ostream* log = nullptr, unsigned threads = 1) {
        runtime::Observer observer(package_, nullptr);
        std::ostringstream nowhere;
        runtime::CommitLog commits(log == nullptr ? nowhere : *log);
        const auto machine = runtime::make_chip(config_, {.sink = &observer,
                                                          .threads = threads,
                                                          .gpsimd = log == nullptr ? nullptr : &commits,
                                                          .debugger = debugger});
        const runtime::Result result =
            runtime::execute(*machine, package_, runtime::prepare(package_, config_, {}), observer);
        commits.finish();
        return result;
    }

    void expect_right(const runtime::Result& result) const {
        ASSERT_TRUE(result.done()) << result.message;
        const npy::Array& y = result.outputs.at("y");
        for (std::uint32_t i = 0; i < Rows * Columns; ++i) {
            const float x = 3.0f * static_cast<float>(i % Columns);
            float value = 0;
            std::memcpy(&value, y.data.data() + 4 * std::size_t{i}, sizeof value);
            ASSERT_EQ(value, x * x + 0.5f) << i;
        }
    }

    // Does work with a chip in a child, as a process can have a chip only once. Returns the work's text.
    static std::string in_child(const std::function<std::string()>& work) {
        try {
            return jobs::run_isolated([&work] {
                const std::string text = work();
                if (HasFailure()) throw std::runtime_error("what the child has printed");
                return text;
            });
        } catch (const std::runtime_error& error) {
            ADD_FAILURE() << error.what();
            return {};
        }
    }
    // Runs the kernel in a child with a debugger; the kernel must end correctly.
    void debug(const std::function<void(Debugger&)>& prepare,
               const std::function<void(const Debugger&)>& check = {}) {
        in_child([&] {
            Debugger debugger;
            prepare(debugger);
            expect_right(run(&debugger));
            if (check) check(debugger);
            return std::string();
        });
    }
    // Returns the log of the cores' instructions in a run without a debugger.
    std::string plain_log() {
        return in_child([this] {
            std::ostringstream log;
            expect_right(run(nullptr, &log));
            return log.str();
        });
    }

    std::uint32_t address_of(const std::string& name) const {
        for (const firmware::Symbol& symbol : image_.functions) {
            if (symbol.name.find(name) != std::string::npos) return symbol.address;
        }
        ADD_FAILURE() << name;
        return 0;
    }

    config::Config config_;
    neff::Package package_;
    firmware::Image image_;
};

// Returns the address of each line, and the text from there on.
std::vector<std::pair<std::uint32_t, std::string>> lines_of(const std::string& log) {
    std::vector<std::pair<std::uint32_t, std::string>> lines;
    std::istringstream text(log);
    for (std::string line; std::getline(text, line);)
        lines.emplace_back(static_cast<std::uint32_t>(std::stoul(line.substr(12), nullptr, 16)),
                           line.substr(11));
    return lines;
}

TEST_F(GdbRtl, DebuggerThatDoesNothingChangesNothing) {
    const auto cycles_and_log = [this](tlm::GpsimdDebugger* debugger) {
        return in_child([&] {
            std::ostringstream log;
            const runtime::Result result = run(debugger, &log);
            expect_right(result);
            return std::to_string(result.figures.cycles) + "\n" + log.str();
        });
    };
    Debugger debugger;
    EXPECT_EQ(cycles_and_log(&debugger), cycles_and_log(nullptr));
    debug(
        [](Debugger&) {},
        [](const Debugger& d) { EXPECT_EQ(d.stops, std::vector{GpsimdReason::Asked}); });  // before anything
}

// Executes every instruction of an operation in a single step: addresses are those of a run without stops,
// and every register holds the last value that the log says was written to it.
TEST_F(GdbRtl, StepsThroughAnOperation) {
    const auto lines = lines_of(plain_log());
    const std::uint32_t begin = address_of("tensor_scalar");
    const auto first = std::ranges::find(lines, begin, &std::pair<std::uint32_t, std::string>::first);
    ASSERT_NE(first, lines.end());

    constexpr std::size_t Steps = 1000;
    std::vector<Step> steps;
    debug(
        [&](Debugger& debugger) {
            debugger.breakpoints = {begin};
            debugger.at_stop = [&](GpsimdDebugPort& port, const GpsimdStop& stop) {
                if (stop.reason == GpsimdReason::Asked || steps.size() > Steps)
                    return every(GpsimdResume::Run);
                if (port.state(0) == GpsimdState::Sleeping) return every(GpsimdResume::Run);
                debugger.breakpoints.clear();
                Step& step = steps.emplace_back();
                step.pc = port.pc(0);
                for (unsigned x = 0; x < step.registers.size(); ++x)
                    step.registers.at(x) = port.view(0).scalar(x);
                return every(steps.size() > Steps ? GpsimdResume::Run : GpsimdResume::Step);
            };
        },
        [&](const Debugger& debugger) {
            EXPECT_EQ(std::ranges::count(debugger.stops, GpsimdReason::Breakpoint), 1);
            ASSERT_GT(steps.size(), 300u);
            std::map<unsigned, std::uint32_t> written;
            for (std::size_t i = 0; i < steps.size(); ++i) {
                // The core is in a wfi at the end, which is not in the log.
                if (static_cast<std::size_t>(lines.end() - first) == i) {
                    EXPECT_EQ(i + 1, steps.size());
                    break;
                }
                const auto& [pc, text] = *(first + static_cast<std::ptrdiff_t>(i));
                ASSERT_EQ(steps[i].pc, pc) << i;
                for (const auto& [x, value] : written)
                    ASSERT_EQ(steps[i].registers.at(x), value) << "x" << x << " before " << text;
                const std::size_t at = text.find(") x");
                if (at == std::string::npos) continue;
                const auto x = static_cast<unsigned>(std::stoul(text.substr(at + 3)));
                const std::size_t value = text.find("0x", at);
                written[x] = static_cast<std::uint32_t>(std::stoul(text.substr(value), nullptr, 16));
            }
        });
}

// Stops at random times and writes registers with their own values: the run must not change. A core that was
// never started steps to its first instruction, and a sleeping one to its next instruction: together they are
// the whole log.
TEST_F(GdbRtl, StepsFromBeforeItsStartThroughItsSleep) {
    const auto lines = lines_of(plain_log());
    constexpr std::size_t Steps = 1000;
    std::vector<std::uint32_t> places;
    std::size_t sleeps = 0;
    debug(
        [&](Debugger& debugger) {
            debugger.at_stop = [&](GpsimdDebugPort& port, const GpsimdStop& stop) {
                EXPECT_EQ(stop.reason, places.empty() && sleeps == 0 && port.state(0) == GpsimdState::Halted
                                           ? GpsimdReason::Asked
                                           : GpsimdReason::Step);
                if (port.state(0) == GpsimdState::Stopped) places.push_back(port.pc(0));
                if (port.state(0) == GpsimdState::Sleeping) ++sleeps;
                return every(places.size() < Steps ? GpsimdResume::Step : GpsimdResume::Run);
            };
        },
        [&](const Debugger& debugger) {
            EXPECT_EQ(debugger.stops.size(), 1 + sleeps + Steps);
            EXPECT_GE(sleeps, 1u);
            ASSERT_EQ(places.size(), Steps);
            ASSERT_GE(lines.size(), Steps);
            for (std::size_t i = 0; i < Steps; ++i) ASSERT_EQ(places[i], lines[i].first) << i;
        });
}

TEST_F(GdbRtl, RandomStopsDoNotChangeResults) {
    auto random = test::generator();
    const auto stop_at_random = [&random](Debugger& debugger) {
        debugger.asks = [&random] { return random() % 2 == 0; };
        debugger.at_stop = [&random](GpsimdDebugPort& port, const GpsimdStop&) {
            Resume resume{};
            for (unsigned core = 0; core < port.cores(); ++core) {
                for (unsigned x = 1; x < 64; ++x)
                    EXPECT_TRUE(port.set_scalar(core, x, port.view(core).scalar(x)));
                for (unsigned v = 0; v < 32; ++v) {
                    const auto bytes = port.view(core).vector(v);
                    EXPECT_TRUE(
                        port.set_vector(core, v, std::vector<std::uint8_t>(bytes.begin(), bytes.end())));
                }
                for (const std::uint32_t csr : {0x001u, 0x002u, 0x003u, 0x009u, 0x00au, 0x00fu, 0x300u,
                                                0x304u, 0x305u, 0x340u, 0x341u, 0x342u, 0x343u})
                    EXPECT_TRUE(port.set_csr(core, csr, *port.view(core).csr(csr))) << csr;
                if (port.state(core) == GpsimdState::Stopped) {
                    EXPECT_TRUE(port.set_pc(core, port.pc(core)));
                }
                if (random() % 2 == 0) resume.at(core) = GpsimdResume::Step;
            }
            return resume;
        };
    };
    // A wfi that was under way may be executed again.
    const auto without_wfi = [](const std::string& text) {
        std::vector<std::string> kept;
        for (const auto& [pc, line] : lines_of(text)) {
            if (line.find("(0x10500073)") == std::string::npos) kept.push_back(line);
        }
        return kept;
    };
    const std::string debugged = in_child([&] {
        Debugger debugger;
        stop_at_random(debugger);
        std::ostringstream log;
        expect_right(run(&debugger, &log));
        EXPECT_GT(debugger.stops.size(), 5u);
        return log.str();
    });
    EXPECT_EQ(without_wfi(debugged), without_wfi(plain_log()));
    in_child([&] {
        Debugger debugger;
        stop_at_random(debugger);
        expect_right(run(&debugger, nullptr, 2));
        return std::string();
    });
}

// The instructions of loops are fetched in advance of taken branches.
TEST_F(GdbRtl, BreakpointsAreMetEachTimeAndOnlyThen) {
    std::map<std::uint32_t, std::size_t> executed;
    for (const auto& [pc, text] : lines_of(plain_log())) ++executed[pc];
    std::erase_if(executed, [](const auto& row) { return row.second < 3 || row.second > 60; });
    const std::vector<std::pair<std::uint32_t, std::size_t>> often(executed.begin(), executed.end());
    ASSERT_GT(often.size(), 10u);
    auto random = test::generator();
    for (int round = 0; round < 6; ++round) {
        const std::uint32_t pc = often[random() % often.size()].first;
        debug(
            [pc](Debugger& debugger) {
                debugger.breakpoints = {pc};
                debugger.at_stop = [pc](GpsimdDebugPort& port, const GpsimdStop& stop) {
                    if (stop.reason == GpsimdReason::Breakpoint) {
                        EXPECT_EQ(port.pc(stop.core), pc);
                    }
                    return every(GpsimdResume::Run);
                };
            },
            [&](const Debugger& debugger) {
                EXPECT_EQ(
                    static_cast<std::size_t>(std::ranges::count(debugger.stops, GpsimdReason::Breakpoint)),
                    executed.at(pc))
                    << std::hex << pc;
            });
    }
}

TEST_F(GdbRtl, WrittenMemoryCounts) {
    // Column 1 of the first operand of the last command holds 9 and column 2 holds 36: (3 i)^2.
    const auto is = [](GpsimdDebugPort& port, std::uint32_t byte, float value) {
        std::array<std::uint8_t, 4> word{};
        EXPECT_TRUE(port.read(byte, word));
        return word == std::bit_cast<std::array<std::uint8_t, 4>>(value);
    };
    in_child([&] {
        Debugger debugger;
        debugger.breakpoints = {address_of("tensor_scalar")};
        debugger.at_stop = [&](GpsimdDebugPort& port, const GpsimdStop& stop) {
            if (stop.reason == GpsimdReason::Asked) return every(GpsimdResume::Run);
            for (std::uint32_t byte = 0; byte < 4096; byte += 4) {
                if (!is(port, byte, 9.0f) || !is(port, byte + 4, 36.0f)) continue;
                const float other = 100.0f;
                std::array<std::uint8_t, 4> word{};
                std::memcpy(word.data(), &other, sizeof other);
                EXPECT_TRUE(port.write(byte, word));
            }
            EXPECT_FALSE(port.set_pc(0, 0x80003002));
            EXPECT_FALSE(port.set_scalar(0, 0, 1));
            EXPECT_FALSE(port.set_csr(0, 0xc20, 1));
            EXPECT_FALSE(port.set_csr(0, 0x7c0, 1));
            return every(GpsimdResume::Run);
        };
        const runtime::Result result = run(&debugger);
        EXPECT_TRUE(result.done()) << result.message;
        if (!result.done()) return std::string();
        float value = 0;
        std::memcpy(&value, result.outputs.at("y").data.data() + 4, sizeof value);
        EXPECT_EQ(value, 100.5f);
        return std::string();
    });
}

TEST_F(GdbRtl, WatchpointStopsBehindTheStore) {
    // Finds words that scalar stores write a few times.
    std::map<std::uint32_t, std::size_t> stores;
    for (const auto& [pc, text] : lines_of(plain_log())) {
        const std::size_t at = text.find("mem 0x");
        if (at == std::string::npos || text.find(" 0x", at + 6) == std::string::npos) continue;
        if (text.find(" e32") != std::string::npos) continue;
        ++stores[static_cast<std::uint32_t>(std::stoul(text.substr(at + 4), nullptr, 16))];
    }
    std::erase_if(stores, [](const auto& row) { return row.second < 2 || row.second > 20; });
    ASSERT_FALSE(stores.empty());
    const std::uint32_t address = stores.begin()->first;
    debug(
        [address](Debugger& debugger) {
            debugger.watch = address;
            debugger.at_stop = [address](GpsimdDebugPort&, const GpsimdStop& stop) {
                if (stop.reason == GpsimdReason::Access) {
                    EXPECT_EQ(stop.cycle.access->address, address);
                }
                return every(GpsimdResume::Run);
            };
        },
        [&](const Debugger& debugger) {
            EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(debugger.stops, GpsimdReason::Access)),
                      stores.at(address));
        });
}

// A core that meets an illegal instruction stops.
TEST_F(GdbRtl, TrapsStop) {
    in_child([&] {
        Debugger debugger;
        const std::uint32_t place = address_of("tensor_scalar");
        debugger.breakpoints = {place};
        debugger.at_stop = [&](GpsimdDebugPort& port, const GpsimdStop& stop) {
            if (stop.reason == GpsimdReason::Breakpoint) {
                debugger.breakpoints.clear();
                const std::uint32_t offset =
                    isa::window::GpsimdTcmBase + port.pc(0) % isa::window::GpsimdTcmStride;
                EXPECT_TRUE(port.write(offset, std::array<std::uint8_t, 4>{}));
            }
            if (stop.reason == GpsimdReason::Trap) {
                EXPECT_EQ(port.view(0).csr(0x342), 2u);
                EXPECT_EQ(port.view(0).csr(0x341), place);
            }
            return every(GpsimdResume::Run);
        };
        const runtime::Result result = run(&debugger);
        EXPECT_FALSE(result.done());
        EXPECT_NE(result.message.find("illegal instruction"), std::string::npos) << result.message;
        EXPECT_EQ(std::ranges::count(debugger.stops, GpsimdReason::Trap), 1);
        return std::string();
    });
}

TEST_F(GdbRtl, DebuggerEndsTheRun) {
    in_child([&] {
        Debugger debugger;
        debugger.at_stop = [](GpsimdDebugPort&, const GpsimdStop&) -> Resume {
            throw std::runtime_error("ended");
        };
        try {
            run(&debugger);
            ADD_FAILURE() << "goes on";
        } catch (const std::runtime_error& error) {
            EXPECT_NE(std::string(error.what()).find("ended"), std::string::npos) << error.what();
        }
        return std::string();
    });
}

}  // namespace
}  // namespace trnsim
