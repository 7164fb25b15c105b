// Checkpoints in the whole system: whichever model a run begins on, at whatever time it goes on with the other or from a file, its
// outputs, memories and everything that the core keeps between instructions are those of the run that was left alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "common/loop_kernels.hpp"
#include "common/loop_package.hpp"
#include "common/random.hpp"
#include "common/stream_package.hpp"
#include "common/temporary_directory.hpp"
#include "lib/base/time/time.hpp"
#include "lib/builder/target.hpp"
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
constexpr std::uint64_t MostBubble = 2000;  // core cycles beside the drain

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
        const tlm::CoreFactory core =
            tlm::core_rtl::core_of(make(subject, first), switches ? make(subject, other(first)) : nullptr);
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
        bubble = std::max(bubble,
                          static_cast<std::int64_t>(got.end) - static_cast<std::int64_t>(want.end + drained));
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

// Registers count and walk, semaphores are counted down, rings go round.
Subject stream() {
    const config::Config config = small_core();
    return parity::subject_of("stream", config, stream_package(builder::target_of(config)), seed());
}

TEST(Checkpoint, OfLoops) {
    std::mt19937_64 random(seed());
    Longest longest;
    const config::Config config = small_core();
    const neff::Target target = builder::target_of(config);
    for (std::uint64_t i = 0; i < 2 * scale(); ++i) {
        check(stream(), random, longest);
        check(parity::subject_of("loop", config, loop_package(target), seed()), random, longest);
        for (const auto& [name, make] : {std::pair{"elementwise", &elementwise_loop},
                                         {"matmul", &matmul_loop},
                                         {"softmax", &softmax_loop}})
            check(parity::subject_of(name, config, make(target, {}), seed()), random, longest);
    }
    print("loops", longest);
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

// A whole array, and an address stride of partitions that other cores do not have.
TEST(Checkpoint, OnTrn1) {
    std::mt19937_64 random(seed());
    Longest longest;
    check(parity::kernel_of_text(config::load("trn1"), "matmul M=200 K=300 N=600 dtype=fp32", seed()), random,
          longest);
    print("trn1", longest);
}

// One thing of a saved state that is wrong.
struct Mistake {
    const char* what;
    bool (*make)(checkpoint::SystemState& state);  // false: there is nothing in the state to be wrong
};

// Changes the first value that is not zero.
template <typename Values>
bool spoil(Values& values) {
    const auto found = std::ranges::find_if(values, [](auto value) { return value != 0; });
    if (found == values.end()) return false;
    *found ^= 1;
    return true;
}
checkpoint::CoreState& core_of(checkpoint::SystemState& state) {
    return state.slots.front().core;
}
// Of a sequencer that goes on.
template <typename Change>
bool change_sequencer(checkpoint::SystemState& state, Change change) {
    for (checkpoint::SequencerState& sequencer : core_of(state).sequencers) {
        if (sequencer.run == checkpoint::Run::Running && change(sequencer)) return true;
    }
    return false;
}

constexpr Mistake Mistakes[] = {
    {"a semaphore is dropped",
     [](checkpoint::SystemState& state) {
         auto& semaphores = core_of(state).semaphores;
         const auto found = std::ranges::find_if(semaphores, [](auto value) { return value != 0; });
         if (found == semaphores.end()) return false;
         *found = 0;
         return true;
     }},
    {"a loop register is dropped",
     [](checkpoint::SystemState& state) {
         return change_sequencer(state, [](checkpoint::SequencerState& sequencer) {
             const auto found =
                 std::ranges::find_if(sequencer.registers, [](auto value) { return value != 0; });
             if (found == sequencer.registers.end()) return false;
             *found = 0;
             return true;
         });
     }},
    {"an instruction is left out",
     [](checkpoint::SystemState& state) {
         return change_sequencer(state, [](checkpoint::SequencerState& sequencer) {
             ++sequencer.pc;
             return true;
         });
     }},
    {"a word of a generator", [](checkpoint::SystemState& state) { return spoil(core_of(state).random[2]); }},
    {"a word of Vector's rounding",
     [](checkpoint::SystemState& state) { return spoil(core_of(state).vector.rounding[4]); }},
    {"the counter of Scalar's rounding",
     [](checkpoint::SystemState& state) { return spoil(core_of(state).scalar.rounding[5]); }},
    {"an accumulator of Vector",
     [](checkpoint::SystemState& state) { return spoil(core_of(state).vector.accumulators); }},
    {"a bit of SBUF", [](checkpoint::SystemState& state) { return spoil(core_of(state).sbuf); }},
    {"a mark of PSUM", [](checkpoint::SystemState& state) { return spoil(core_of(state).sums); }},
    {"a stationary operand",
     [](checkpoint::SystemState& state) {
         for (checkpoint::StationaryState& tile : core_of(state).stationaries) {
             if (!tile.high.empty()) return (tile.high.front() ^= 1U << 30, true);
         }
         return false;
     }},
    {"a word of an activation table",
     [](checkpoint::SystemState& state) { return spoil(core_of(state).tables.rows); }},
    {"the place in a DMA ring",
     [](checkpoint::SystemState& state) {
         for (checkpoint::RingState& ring : state.slots.front().dma.front().m2s) {
             if (ring.size > 1) return (ring.place = (ring.place + 1) % ring.size, true);
         }
         return false;
     }},
    {"a page of HBM", [](checkpoint::SystemState& state) { return spoil(state.hbm.back().back().bytes); }},
};

// Whether one of two subjects, saved at one of some times, tells that the state is wrong; every mistake has to be told once it was made.
void expect_told(const Mistake& mistake, const std::vector<std::pair<Subject, Observation>>& subjects,
                 std::mt19937_64& random) {
    SCOPED_TRACE(mistake.what);
    constexpr unsigned Tries = 6;
    const TemporaryDirectory folder;
    const std::string file = folder / "state";
    unsigned made = 0;
    for (unsigned i = 0; i < Tries; ++i) {
        const auto& [subject, whole] = subjects[i % subjects.size()];
        const std::uint64_t cycle = std::uniform_int_distribution(whole.end / 2, whole.end)(random);
        const Observation saved =
            run_on(subject, Model::Fast,
                   {.request = runtime::CheckpointRequest{
                        time_of(subject, cycle), false,
                        [&file](checkpoint::SystemState& state) { checkpoint::write(file, state); }}});
        if (!saved.checkpoint) continue;
        checkpoint::SystemState state = checkpoint::read(file);
        if (!mistake.make(state)) continue;
        ++made;
        if (!differences(whole, run_on(subject, Models[i / subjects.size() % 2], {.resume = &state})).empty())
            return;
    }
    EXPECT_NE(made, 0u) << "nothing to be wrong was found";
    ADD_FAILURE() << "nobody noticed, made " << made << " times";
}

TEST(Checkpoint, TellsWhatIsWrong) {
    std::mt19937_64 random(seed());
    std::vector<std::pair<Subject, Observation>> subjects;
    for (Subject subject : {stream(), parity::programs_without_gpsimd(small_core(), seed(), 0, 3)}) {
        Observation whole = run_on(subject, Model::Fast);
        ASSERT_EQ(whole.message, "") << subject.name;
        subjects.emplace_back(std::move(subject), std::move(whole));
    }
    for (const Mistake& mistake : Mistakes) expect_told(mistake, subjects, random);
}

}  // namespace
}  // namespace trnsim::test
