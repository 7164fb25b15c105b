// Faults that a server's file names strike its links at their times.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "arch/addresses/pooled.hpp"
#include "base/jobs/isolated.hpp"
#include "common/random.hpp"
#include "model/common/host.hpp"
#include "model/common/programs.hpp"
#include "model/system/linked_server.hpp"
#include "model/system/load_server.hpp"

namespace trnsim::test {
namespace {

using tlm::Outcome;
using tlm::Time;
using tlm::neuronlink::End;

constexpr std::uint64_t Source = 0x2000000, Sink = 0x8000000;
constexpr std::uint32_t Length = 256 << 10;
constexpr Time Us = 1'000'000'000;

// Chips 0 and 1 of trn1-4 are connected by 0.N-1.N.
constexpr End There{0, 0}, Back{1, 0};

// A server with these faults, whose chip 0 pushes a tensor to chip 1.
struct Push {
    explicit Push(const std::vector<std::string>& settings, const std::vector<std::string>& cuts = {})
        : linked(tlm::load_server("trn1-4", settings, cuts), {.check_protocol = true}) {
        linked.server().write(0, Source, pattern(Length, 1));
        ChipAccess access{linked.server(), 0};
        start(access, {.core = 0,
                       .engine = 3,
                       .from = Source,
                       .to = addresses::pooled_address(1, Sink),
                       .length = Length});
        result = linked.run();
    }
    const tlm::neuronlink::Port& port(End end) { return linked.network().node(end.chip).port(end.port); }
    // Expects that it ended well: all bytes are there, and no request was answered with an error.
    void expect_done() {
        ASSERT_EQ(result.outcome, Outcome::Done) << result.message;
        std::vector<std::uint8_t> there(Length);
        linked.server().read(1, Sink, there);
        EXPECT_EQ(there, pattern(Length, 1));
        EXPECT_TRUE(linked.network().reports().empty());
    }
    Time time() const { return result.end - result.start; }

    tlm::LinkedServer linked;
    tlm::RunResult result;
};

TEST(FaultSchedule, WithoutFaultsNothingHappens) {
    Push push({});
    push.expect_done();
    for (const End end : {There, Back}) {
        EXPECT_EQ(push.port(end).outages(tlm::now()).count, 0u);
        EXPECT_EQ(push.port(end).sent().repeated, 0u);
        EXPECT_EQ(push.port(end).faults().damaged + push.port(end).faults().dropped, 0u);
        EXPECT_EQ(push.port(end).wire().lanes(), 16u);
    }
}

// The link is down from the cut until it has been repaired and has trained, and everything comes through
// afterwards.
TEST(FaultSchedule, ACableIsCutAndRepaired) {
    Push push({"faults=[{cut: 0.N, at: 3 us, until: 5 us}]"});
    push.expect_done();
    EXPECT_GT(push.time(), 12 * Us);
    EXPECT_GT(push.port(There).sent().repeated, 0u);
    for (const End end : {There, Back}) {
        const auto outages = push.port(end).outages(tlm::now());
        EXPECT_EQ(outages.count, 1u);
        EXPECT_EQ(outages.given_up, 0u);
        EXPECT_EQ(outages.time, (5 - 3) * Us + 10 * Us) << "10 us of training";
    }
    EXPECT_TRUE(push.linked.network().usable(0));
}

// A cut for good is a cut whose link is given up; packets then go by another chip.
TEST(FaultSchedule, ACutOfTheCommandLineIsForGood) {
    Push push({}, {"0.N@0us"});
    push.expect_done();
    EXPECT_GT(push.time(), 50 * Us);
    EXPECT_FALSE(push.linked.network().usable(0));
    EXPECT_EQ(push.port(There).outages(tlm::now()).given_up, 1u);
    EXPECT_EQ(push.port(There).outages(tlm::now()).time, tlm::now());
    EXPECT_EQ(push.port(There).sent().bytes, 0u);
}

// With half of the lanes a stream takes twice as long: bursts of 512 B are 17 flits of 32 B, at 24 GB/s.
TEST(FaultSchedule, LanesFailInOneDirection) {
    Push push({"faults=[{lanes: 0.N, working: 8}]"});
    push.expect_done();
    constexpr std::uint64_t Flits = Length / 512 * 17;
    const double expected = Flits * 32 / 24e9;
    EXPECT_GT(static_cast<double>(push.time()) * 1e-15, expected * 0.97);
    EXPECT_EQ(push.port(There).wire().lanes(), 8u);
    EXPECT_EQ(push.port(Back).wire().lanes(), 16u);
}

TEST(FaultSchedule, LanesWorkAgainAfterwards) {
    Push push({"faults=[{lanes: 0.N-1.N, working: 1, until: 2 us}]"});
    push.expect_done();
    EXPECT_EQ(push.port(There).wire().lanes(), 16u);
    EXPECT_EQ(push.port(Back).wire().lanes(), 16u);
}

// About as many bits are wrong as the rate says, and each frame with one is sent again.
TEST(FaultSchedule, BitErrorsOfAllLinks) {
    Push push({"links.error_rate=1e-5", "links.fault_seed=3"});
    push.expect_done();
    const double bits = 8 * 32 * static_cast<double>(push.port(There).sent().flits);
    const auto damaged = static_cast<double>(push.port(There).faults().damaged);
    EXPECT_NEAR(damaged, bits * 1e-5, 5 * std::sqrt(bits * 1e-5));
    EXPECT_GT(damaged, 0);
    EXPECT_GE(static_cast<double>(push.port(There).sent().repeated), damaged / 2);
    EXPECT_EQ(push.port({0, 1}).faults().damaged, 0u) << "nothing is sent to chip 2";
}

// A fault replaces the rate of all links for its direction and its time.
TEST(FaultSchedule, LostFramesOfOneDirectionForAWhile) {
    Push push({"links.loss_rate=0.5",
               "faults=[{lost_frames: all, rate: 0}, "
               "{lost_frames: 0.N, rate: 1, at: 3 us, until: 3500 ns}]"});
    push.expect_done();
    EXPECT_GT(push.port(There).faults().dropped, 0u);
    EXPECT_GT(push.port(There).sent().repeated, 0u);
    EXPECT_EQ(push.port(Back).faults().dropped, 0u);
}

TEST(FaultSchedule, SameSeedSameFaults) {
    const auto sent = [](const char* seed) {
        Push push({"links.error_rate=1e-5", std::string("links.fault_seed=") + seed});
        return std::to_string(push.time()) + " " + std::to_string(push.port(There).faults().damaged);
    };
    const std::string first = jobs::run_isolated([&] { return sent("3"); });
    EXPECT_EQ(jobs::run_isolated([&] { return sent("3"); }), first);
    EXPECT_NE(jobs::run_isolated([&] { return sent("4"); }), first);
}

TEST(LinkCuts, OneLineForWhatDoesNotFit) {
    const auto message = [](const std::string& cut) -> std::string {
        try {
            tlm::load_server("trn1-4", {}, std::vector{cut});
        } catch (const config::Error& error) {
            return error.what();
        }
        return "none";
    };
    const std::string form =
        ": found no link and time, expected LINK@TIME or LINK@TIME..TIME such as 0.E@10us..40us";
    for (const char* cut : {"0.N", "@10us", "0.N@10", "0.N@10us.."})
        EXPECT_EQ(message(cut), "--cut " + std::string(cut) + form);
    for (const char* end : {"10 us", "0 fs"})
        EXPECT_EQ(message(std::string("0.N@10us..") + end), std::string("--cut 0.N@10us..") + end +
                                                                ": found an end at " + end +
                                                                ", expected one after 10 us");
    EXPECT_EQ(message("0.W@10us"),
              "--cut 0.W@10us: found link '0.W', expected a direction such as 0.E, both directions of a "
              "cable such as 0.E-1.W, or all; chip 0 has 0.N, 0.S, 0.E");
    EXPECT_EQ(message("0.N-1.N@10us..1 ms"), "none");
}

}  // namespace
}  // namespace trnsim::test
