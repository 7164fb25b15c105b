// Checkpoints in the whole system: whichever model a run begins on, at whatever time it goes on with the other or from a file, its
// outputs, memories and everything that the core keeps between instructions are those of the run that was left alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "common/random.hpp"
#include "common/temporary_directory.hpp"
#include "lib/base/time/time.hpp"
#include "lib/checkpoint/file.hpp"
#include "testbench/parity/comparison.hpp"
#include "testbench/parity/subjects.hpp"
#include "tlm/core/fast/fast_core.hpp"
#include "tlm/core/rtl/rtl_core.hpp"
#include "tools/cli/isolated.hpp"

namespace trnsim::test {
namespace {

using parity::Observation;
using parity::Subject;

// The bubble of a checkpoint: the drain, and then programs are fetched anew and engines find their queues empty.
constexpr std::uint64_t MostBubble = 4000;  // core cycles beside the drain

enum class Model { Rtl, Fast };
constexpr std::array Models{Model::Rtl, Model::Fast};
const char* name_of(Model model) {
    return model == Model::Fast ? "fast" : "rtl";
}
Model other(Model model) {
    return model == Model::Fast ? Model::Rtl : Model::Fast;
}

std::unique_ptr<tlm::CoreModel> make(const Subject& subject, Model model) {
    return model == Model::Fast ? tlm::core_fast::make_model(subject.config.core)
                                : tlm::load_core_model(config::rtl_parameters(subject.config), 1);
}

// Whoever hangs is soon told.
config::Config small_core() {
    config::Config config = config::load("small16");
    config.runtime.timeout = 200'000'000'000;
    return config;
}

// In a process of its own.
Observation run_on(const Subject& subject, Model first, const runtime::Checkpoints& checkpoints = {}) {
    return parity::from_text(cli::run_isolated([&] {
        const bool switches = checkpoints.request && checkpoints.request->switch_model;
        const tlm::CoreFactory core = tlm::core_rtl::core_of(
            make(subject, first), switches ? make(subject, other(first)) : nullptr);
        return parity::to_text(parity::observe(subject.package, subject.config, subject.inputs,
                                               subject.rounding, core, checkpoints));
    }));
}

std::uint64_t time_of(const Subject& subject, std::uint64_t cycle) {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(cycle) * FsPerSecond /
                                      subject.config.core.clock);
}

// Nothing where the bits are the same.
std::vector<std::string> differences(const Observation& want, const Observation& got) {
    const parity::Comparison found = parity::compare(want, got);
    std::vector<std::string> lines = found.bytes;
    if (got.message != want.message) lines.push_back("message '" + got.message + "'");
    if (got.hbm != want.hbm) lines.emplace_back("pages of HBM differ");
    if (got.state != want.state) {
        const auto at = std::ranges::mismatch(got.state, want.state).in1 - got.state.begin();
        lines.push_back("the state of the core differs at byte " + std::to_string(at));
    }
    return lines;
}

void expect_bits(const Observation& want, const Observation& got) {
    for (const std::string& line : differences(want, got)) ADD_FAILURE() << line;
}

// The end comes no later than the drain and the bubble.
void expect_bubble(const Observation& want, const Observation& got, std::uint64_t drain) {
    EXPECT_LE(got.end, want.end + drain + MostBubble);
    EXPECT_GE(got.end + MostBubble, want.end);
}

struct Longest {
    std::uint64_t drain = 0;
    std::int64_t bubble = 0;
    void take(const Observation& want, const Observation& got, std::uint64_t drained) {
        drain = std::max(drain, drained);
        bubble = std::max(bubble, static_cast<std::int64_t>(got.end) -
                                      static_cast<std::int64_t>(want.end + drained));
    }
};

// Each model to a time of its own, then the other; saved in the first case and resumed on both.
void check(const Subject& subject, std::mt19937_64& random, Longest& longest) {
    const Observation whole = run_on(subject, Model::Rtl);
    ASSERT_EQ(whole.message, "") << subject.name;
    {
        SCOPED_TRACE(subject.name + " on fast");
        expect_bits(whole, run_on(subject, Model::Fast));
    }
    std::uint64_t start = whole.end;
    for (const auto& instructions : whole.instructions)
        for (const parity::Instruction& instruction : instructions)
            start = std::min(start, instruction.issued);
    const TemporaryDirectory folder;
    for (const Model first : Models) {
        const std::uint64_t cycle = std::uniform_int_distribution(start, whole.end)(random);
        SCOPED_TRACE(subject.name + " from " + name_of(first) + " at cycle " + std::to_string(cycle));
        const std::string file = folder / "state";
        const Observation switched =
            run_on(subject, first,
                   {.request = runtime::CheckpointRequest{
                        time_of(subject, cycle), true,
                        [&file](checkpoint::SystemState& state) { checkpoint::write(file, state); }}});
        expect_bits(whole, switched);
        if (!switched.checkpoint) continue;
        expect_bubble(whole, switched, switched.drain);
        longest.take(whole, switched, switched.drain);
        const checkpoint::SystemState state = checkpoint::read(file);
        for (const Model model : Models) {
            SCOPED_TRACE(std::string("resumed on ") + name_of(model));
            const Observation resumed = run_on(subject, model, {.resume = &state});
            expect_bits(whole, resumed);
            expect_bubble(whole, resumed, switched.drain);
            longest.take(whole, resumed, switched.drain);
        }
    }
}

void print(const char* what, const Longest& longest) {
    std::printf("%s: longest drain %llu cycles, most beside it %lld\n", what,
                static_cast<unsigned long long>(longest.drain), static_cast<long long>(longest.bubble));
}

TEST(Checkpoint, OfKernels) {
    std::mt19937_64 random(seed());
    Longest longest;
    for (const char* text : parity::small_kernels())
        check(parity::kernel_of_text(small_core(), text, seed()), random, longest);
    print("kernels", longest);
}

TEST(Checkpoint, OfRandomPrograms) {
    std::mt19937_64 random(seed());
    Longest longest;
    constexpr std::uint64_t Batch = 5, Quick = 8;
    for (std::uint64_t i = 0; i < Quick * scale(); ++i)
        check(parity::programs_without_gpsimd(small_core(), seed(), i * Batch, i * Batch + Batch - 1), random,
              longest);
    print("programs", longest);
}

}  // namespace
}  // namespace trnsim::test
