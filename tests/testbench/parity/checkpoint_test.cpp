// Tests checkpoints in the whole system: a run may begin on either model and go on with the other or from a
// file at any time; its outputs, memories and all state that the core keeps between instructions are those of
// an uninterrupted run.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "arch/checkpoint/file.hpp"
#include "arch/target/target.hpp"
#include "base/jobs/isolated.hpp"
#include "base/time/cycles.hpp"
#include "base/time/time.hpp"
#include "checkpoint_bubble.hpp"
#include "common/loop_kernels.hpp"
#include "common/loop_package.hpp"
#include "common/random.hpp"
#include "common/stream_package.hpp"
#include "common/temporary_directory.hpp"
#include "model/core/fast/fast_core.hpp"
#include "model/core/pin_core.hpp"
#include "model/core/rtl/load_core_model.hpp"
#include "testbench/parity/comparison.hpp"
#include "testbench/parity/subjects.hpp"

namespace trnsim::test {
namespace {

using parity::Observation;
using parity::Subject;

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

// Returns a configuration with a short timeout, so that a hang is reported soon.
config::Config small_core() {
    config::Config config = config::load("small16");
    config.runtime.timeout = 200'000'000'000;
    return config;
}

// Runs the subject in its own process.
Observation run_on(const Subject& subject, Model first, const runtime::Checkpoints& checkpoints = {}) {
    return parity::from_text(jobs::run_isolated([&] {
        const bool switches = checkpoints.request && checkpoints.request->switch_model;
        const tlm::CoreFactory core =
            tlm::core_of(make(subject, first), switches ? make(subject, other(first)) : nullptr);
        return parity::to_text(parity::observe(subject.package, subject.config, subject.inputs,
                                               subject.rounding, core, checkpoints));
    }));
}

std::uint64_t time_of(const Subject& subject, std::uint64_t cycle) {
    return cycles_to_time(cycle, subject.config.core.clock);
}

// Returns the differences of the bits; empty if there are none.
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

// The costs of a checkpoint in core cycles.
struct Cost {
    std::uint64_t drain = 0;
    std::array<std::uint64_t, 3> restart{};  // [Goes]: from the checkpoint to the first instruction
    std::int64_t bubble = 0;                 // delay of the end in addition to the drain
    std::uint64_t allowed = 0;               // bound of the bubble that comes nearest to it
    std::int64_t spare = std::numeric_limits<std::int64_t>::max();
};

// Returns the time from the checkpoint to the first instruction that was not complete then; 0 if there is
// none.
std::uint64_t restart_of(const Observation& got, const checkpoint::CoreState& state, std::uint64_t moment,
                         Goes goes) {
    std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
    for (std::size_t e = 0; e < got.instructions.size(); ++e) {
        const std::size_t done = goes == Goes::OnFromFile ? 0 : state.sequencers[e].completed;
        if (done < got.instructions[e].size()) first = std::min(first, got.instructions[e][done].issued);
    }
    return first == std::numeric_limits<std::uint64_t>::max() ? 0 : first - std::min(first, moment);
}

// Expects that the run goes on in time, and that its end comes no later than necessary
// (checkpoint_bubble.hpp).
void expect_time(const Subject& subject, const Observation& want, const Observation& got, std::uint64_t drain,
                 const checkpoint::SystemState& state, Goes goes, Cost& most) {
    const std::uint64_t moment = cycles_of(subject.config, state.time);
    const std::uint64_t restart = restart_of(got, state.chips.front().slots.front().core, moment, goes);
    const std::uint64_t longest = longest_restart(subject.config, goes);
    EXPECT_LE(restart, longest);
    const std::uint64_t later = longest + largest_shift(subject.config, got, moment);
    const std::uint64_t sooner = largest_shift(subject.config, want, cycles_of(subject.config, state.begun));
    EXPECT_LE(got.end, want.end + drain + later);
    EXPECT_GE(got.end + sooner, want.end);
    const std::int64_t bubble =
        static_cast<std::int64_t>(got.end) - static_cast<std::int64_t>(want.end + drain);
    most.drain = std::max(most.drain, drain);
    most.restart[static_cast<std::size_t>(goes)] =
        std::max(most.restart[static_cast<std::size_t>(goes)], restart);
    most.bubble = std::max(most.bubble, bubble);
    if (const auto spare = static_cast<std::int64_t>(later) - bubble; spare < most.spare) {
        most.spare = spare;
        most.allowed = later;
    }
}

// Runs each model to a random time and then the other; also saves at that time, goes on with the same model,
// and resumes on both.
void check(const Subject& subject, std::mt19937_64& random, Cost& most) {
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
        const checkpoint::SystemState state = checkpoint::read(file);
        expect_time(subject, whole, switched, switched.drain, state, Goes::OnWithOther, most);
        {
            SCOPED_TRACE("gone on with the same model");
            const Observation held = run_on(
                subject, first, {.request = runtime::CheckpointRequest{time_of(subject, cycle), false, {}}});
            expect_bits(whole, held);
            EXPECT_EQ(held.drain, switched.drain);
            expect_time(subject, whole, held, held.drain, state, Goes::On, most);
        }
        for (const Model model : Models) {
            SCOPED_TRACE(std::string("resumed on ") + name_of(model));
            const Observation resumed = run_on(subject, model, {.resume = &state});
            expect_bits(whole, resumed);
            expect_time(subject, whole, resumed, switched.drain, state, Goes::OnFromFile, most);
        }
    }
}

void print(const char* what, const Cost& most) {
    std::printf(
        "%s: longest drain %llu cycles, first instruction after at most %llu, %llu with the other model, "
        "%llu from a file, end beside the drain at most %lld later; %lld before the bound where it comes "
        "nearest, %llu there\n",
        what, static_cast<unsigned long long>(most.drain), static_cast<unsigned long long>(most.restart[0]),
        static_cast<unsigned long long>(most.restart[1]), static_cast<unsigned long long>(most.restart[2]),
        static_cast<long long>(most.bubble), static_cast<long long>(most.spare),
        static_cast<unsigned long long>(most.allowed));
}

TEST(Checkpoint, OfKernels) {
    std::mt19937_64 random(seed());
    Cost most;
    for (const char* text : parity::small_kernels())
        check(parity::kernel_of_text(small_core(), text, seed()), random, most);
    print("kernels", most);
}

// This subject has registers that count and step, semaphores that are decremented, and rings that wrap.
Subject stream() {
    const config::Config config = small_core();
    return parity::subject_of("stream", config, stream_package(target::of(config)), seed());
}

TEST(Checkpoint, OfLoops) {
    std::mt19937_64 random(seed());
    Cost most;
    const config::Config config = small_core();
    const target::Core target = target::of(config);
    for (std::uint64_t i = 0; i < 2 * scale(); ++i) {
        check(stream(), random, most);
        check(parity::subject_of("loop", config, loop_package(target), seed()), random, most);
        for (const auto& [name, make] : {std::pair{"elementwise", &elementwise_loop},
                                         {"matmul", &matmul_loop},
                                         {"softmax", &softmax_loop}})
            check(parity::subject_of(name, config, make(target, {}), seed()), random, most);
    }
    print("loops", most);
}

TEST(Checkpoint, OfRandomPrograms) {
    std::mt19937_64 random(seed());
    Cost most;
    constexpr std::uint64_t Batch = 5;
    const std::uint64_t batches = std::max<std::uint64_t>(8, 4 * scale());
    for (std::uint64_t i = 0; i < batches; ++i)
        check(parity::programs(small_core(), seed(), i * Batch, i * Batch + Batch - 1), random, most);
    print("programs", most);
}

// The array is full, and the address stride of partitions is one that other cores do not have.
TEST(Checkpoint, OnTrn1) {
    std::mt19937_64 random(seed());
    Cost most;
    check(parity::kernel_of_text(config::load("trn1"), "matmul M=200 K=300 N=600 dtype=fp32", seed()), random,
          most);
    check(parity::programs(config::load("trn1"), seed(), 0, 2), random, most);
    print("trn1", most);
}

// The time before the checkpoint does not count as time without progress of the resumed run.
TEST(Checkpoint, BehindTheTimeout) {
    Subject subject = stream();
    subject.config.runtime.timeout = 6'000'000'000;
    const Observation whole = run_on(subject, Model::Fast);
    ASSERT_EQ(whole.message, "");
    const std::uint64_t at = time_of(subject, whole.end * 3 / 4);
    ASSERT_GT(at, subject.config.runtime.timeout);
    const TemporaryDirectory folder;
    const std::string file = folder / "state";
    run_on(subject, Model::Fast,
           {.request = runtime::CheckpointRequest{
                at, false, [&file](checkpoint::SystemState& state) { checkpoint::write(file, state); }}});
    const checkpoint::SystemState state = checkpoint::read(file);
    expect_bits(whole, run_on(subject, Model::Fast, {.resume = &state}));
}

// A single fault in a saved state.
struct Mistake {
    const char* what;
    bool (*make)(checkpoint::SystemState& state);  // false: the state has nothing to spoil
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
    return state.chips.front().slots.front().core;
}
// Changes a sequencer that is still running.
template <typename Change>
bool change_sequencer(checkpoint::SystemState& state, Change change) {
    for (checkpoint::SequencerState& sequencer : core_of(state).sequencers) {
        if (sequencer.run == checkpoint::Run::Running && change(sequencer)) return true;
    }
    return false;
}

// Changes all GpSimd cores that run, because a single one may be started again before its state is used.
template <typename Change>
bool change_gpsimd(checkpoint::SystemState& state, Change change) {
    bool changed = false;
    for (checkpoint::GpsimdCoreState& core : core_of(state).gpsimd.cores)
        if (core.runs) changed |= change(core);
    return changed;
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
         for (checkpoint::RingState& ring : state.chips.front().slots.front().dma.front().m2s) {
             if (ring.size > 1) return (ring.place = (ring.place + 1) % ring.size, true);
         }
         return false;
     }},
    {"a byte of GpSimd cores' memories",
     [](checkpoint::SystemState& state) {
         return change_gpsimd(state, [](checkpoint::GpsimdCoreState& core) { return spoil(core.memory); });
     }},
    // Commands do not set these again.
    {"the stack pointers of GpSimd cores",
     [](checkpoint::SystemState& state) {
         return change_gpsimd(
             state, [](checkpoint::GpsimdCoreState& core) { return (core.scalars[2] ^= 16U) != 0; });
     }},
    {"the vector registers of GpSimd cores",
     [](checkpoint::SystemState& state) {
         return change_gpsimd(state, [](checkpoint::GpsimdCoreState& core) {
             return std::exchange(core.vectors, std::vector<std::uint8_t>(core.vectors.size())) !=
                    core.vectors;
         });
     }},
    {"where GpSimd cores go when they trap",
     [](checkpoint::SystemState& state) {
         return change_gpsimd(state, [](checkpoint::GpsimdCoreState& core) {
             constexpr std::uint32_t Mtvec = 0x305;
             const auto place = std::ranges::find(checkpoint::GpsimdCsrs, Mtvec);
             return (core.csrs[place - checkpoint::GpsimdCsrs.begin()] ^= 64U) != 0;
         });
     }},
    {"no GpSimd core runs",
     [](checkpoint::SystemState& state) {
         return change_gpsimd(state, [](checkpoint::GpsimdCoreState& core) { return !(core.runs = false); });
     }},
    {"the number of GpSimd's last command",
     [](checkpoint::SystemState& state) {
         std::uint32_t& request = core_of(state).gpsimd.request;
         if (request == 0) return false;
         ++request;
         return true;
     }},
    {"a page of HBM",
     [](checkpoint::SystemState& state) { return spoil(state.chips.front().hbm.back().back().bytes); }},
};

// Expects that a run that resumes from the wrong state differs, for at least one subject and time. A mistake
// that is possible at few times only, and has an effect at fewer, gets more times.
void expect_told(const Mistake& mistake, const std::vector<std::pair<Subject, Observation>>& subjects,
                 std::mt19937_64& random) {
    SCOPED_TRACE(mistake.what);
    constexpr unsigned Enough = 18, Most = 10 * Enough;
    const TemporaryDirectory folder;
    const std::string file = folder / "state";
    unsigned made = 0;
    for (unsigned i = 0; i < Most && made < Enough; ++i) {
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
    std::vector<Subject> chosen{stream(), parity::programs(small_core(), seed(), 0, 3)};
    // Each program is alone, so that later ones do not start the GpSimd cores again.
    for (std::uint64_t number = 4; number < 8; ++number)
        chosen.push_back(parity::programs(small_core(), seed(), number, number));
    for (Subject& subject : chosen) {
        Observation whole = run_on(subject, Model::Fast);
        ASSERT_EQ(whole.message, "") << subject.name;
        subjects.emplace_back(std::move(subject), std::move(whole));
    }
    for (const Mistake& mistake : Mistakes) expect_told(mistake, subjects, random);
}

}  // namespace
}  // namespace trnsim::test
