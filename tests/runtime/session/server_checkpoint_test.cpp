// Checkpoints of servers: a run of kernels with collectives may be saved at any time and go on with any cores
// and in any number of processes; outputs, memories and all state of the chips are those of an uninterrupted
// run.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "arch/checkpoint/file.hpp"
#include "base/files/files.hpp"
#include "common/random.hpp"
#include "common/temporary_directory.hpp"
#include "model/system/load_server.hpp"
#include "runtime/session/meeting_kernel.hpp"
#include "runtime/session/script_case.hpp"
#include "runtime/session/server_run.hpp"
#include "runtime/session/trials_of_ranks.hpp"

namespace trnsim::test {
namespace {

using collectives::Operation;
using config::CoreKind;

// Returns a server with a short timeout, so that a hang is reported soon.
config::Server server_of(unsigned chips) {
    const std::vector<std::string> settings{fmt::format("chips={}", chips),
                                            fmt::format("topology=ring {}", chips)};
    config::Server server = tlm::load_server("trn1-4", settings);
    server.chip = config::load("small16");
    server.chip.runtime.timeout = 200'000'000'000;
    for (config::SlotKinds& chip : server.slots) chip = {CoreKind::Fast, CoreKind::Fast};
    return server;
}

std::vector<config::SlotKinds> all(const config::Server& server, CoreKind kind) {
    return std::vector<config::SlotKinds>(server.chips(), {kind, kind});
}

// Returns a random kind of core for each slot.
std::vector<config::SlotKinds> mixed(const config::Server& server, std::mt19937_64& random) {
    std::vector<config::SlotKinds> slots = server.slots;
    for (config::SlotKinds& chip : slots)
        for (CoreKind& kind : chip) kind = random() % 2 == 0 ? CoreKind::Rtl : CoreKind::Fast;
    return slots;
}

ServerSubject subject_of(std::string name, const config::Server& server,
                         const std::vector<trial::Trial>& trials, runtime::Rounding rounding = {}) {
    return {std::move(name), server, packages_of(trials), inputs_of(trials), rounding};
}

// Makes calls, transfers and computation in loops and around them, on ranks that come at different times.
ServerSubject script(unsigned chips, std::uint32_t ranks, std::uint64_t seed) {
    const config::Server server = server_of(chips);
    return subject_of(fmt::format("script {} of {} ranks", seed, ranks), server,
                      ScriptCase(server, seed, ranks).trials);
}

// Rank `late` has `delay` instructions more than the others.
ServerSubject meeting(std::string name, unsigned chips, std::uint32_t ranks, const Meeting& meeting,
                      std::uint32_t late, unsigned delay, runtime::Rounding rounding = {}) {
    const config::Server server = server_of(chips);
    std::vector<trial::Trial> trials;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        Meeting own = meeting;
        own.delay = rank == late ? delay : 0;
        trials.push_back(trial::make_trial(server.chip, meeting_kernel(server.chip, own), seed() + rank));
    }
    return subject_of(std::move(name), server, trials, rounding);
}

// Returns every algorithm of the operation, one after the other.
Meeting every_algorithm(Operation operation, std::uint32_t ranks, std::uint64_t count, bool stochastic) {
    Meeting meeting;
    for (const collectives::Algorithm algorithm : collectives::algorithms(operation)) {
        collectives::Request request{.operation = operation,
                                     .dtype = stochastic ? isa::Dtype::Bf16 : isa::Dtype::Fp32,
                                     .count = count,
                                     .ranks = ranks};
        request.stochastic = stochastic && collectives::reduces(operation);
        const bool hierarchical = algorithm == collectives::Algorithm::Hierarchical;
        meeting.collectives.push_back({request, algorithm, hierarchical ? ranks : 0});
    }
    return meeting;
}

std::uint64_t moment(const ServerRun& run, std::mt19937_64& random) {
    return std::uniform_int_distribution(run.begin, run.end)(random);
}

// Returns whether a collective has begun and waits.
bool waits(const checkpoint::SystemState& state) {
    return std::ranges::any_of(state.chips, [](const checkpoint::ChipState& chip) {
        return std::ranges::any_of(chip.collective_cores, [](const checkpoint::CollectiveCoreState& core) {
            return core.running && std::ranges::any_of(core.flags, [](auto flag) { return flag != 0; });
        });
    });
}

struct Counted {
    unsigned runs = 0, checkpoints = 0, waiting = 0;
};

// Saves on each kind of core at a random time and resumes on all kinds; also switches to RTL.
void check(const ServerSubject& subject, std::mt19937_64& random, Counted& counted) {
    SCOPED_TRACE(subject.name);
    const ServerRun whole = run_on(subject, {.interpret = true});
    ASSERT_EQ(whole.message, "");
    const TemporaryDirectory folder;
    const std::string file = folder / "state";
    const auto expect_same = [&](const std::string& what, const HowToRun& how) {
        const ServerRun got = run_on(subject, how);
        EXPECT_EQ(differences(whole, got), "") << what;
        ++counted.runs;
        return got.checkpoint;
    };
    const auto write = [&file](checkpoint::SystemState& state) { checkpoint::write(file, state); };
    for (const CoreKind saved : {CoreKind::Fast, CoreKind::Rtl}) {
        const std::uint64_t at = moment(whole, random);
        SCOPED_TRACE(fmt::format("saved on {} at {} fs", config::name_of(saved), at));
        if (!expect_same("left alone after it", {.slots = all(subject.server, saved),
                                                 .checkpoints = {.request = {{at, false, write}}}}))
            continue;
        const checkpoint::SystemState state = checkpoint::read(file);
        ++counted.checkpoints;
        counted.waiting += waits(state) ? 1 : 0;
        expect_same("resumed on fast", {.checkpoints = {.resume = &state}});
        expect_same("resumed on RTL",
                    {.slots = all(subject.server, CoreKind::Rtl), .checkpoints = {.resume = &state}});
        expect_same("resumed on both",
                    {.slots = mixed(subject.server, random), .checkpoints = {.resume = &state}});
        const std::uint64_t later =
            std::uniform_int_distribution(std::min(state.time, whole.end), whole.end)(random);
        if (!expect_same("saved again",
                         {.checkpoints = {.request = {{later, false, write}}, .resume = &state}}))
            continue;
        const checkpoint::SystemState again = checkpoint::read(file);
        expect_same("resumed again, and switched",
                    {.slots = all(subject.server, CoreKind::Rtl),
                     .checkpoints = {.request = {{later, true, {}}}, .resume = &again},
                     .switches = true});
    }
    const std::uint64_t at = moment(whole, random);
    SCOPED_TRACE(fmt::format("switched at {} fs", at));
    expect_same("all", {.slots = all(subject.server, CoreKind::Rtl),
                        .checkpoints = {.request = {{at, true, {}}}},
                        .switches = true});
    expect_same("some", {.slots = mixed(subject.server, random),
                         .checkpoints = {.request = {{at, true, {}}}},
                         .switches = true});
}

void print(const char* what, const Counted& counted) {
    std::printf("%s: %u checkpoints, %u with a collective that waits, %u runs\n", what, counted.checkpoints,
                counted.waiting, counted.runs);
}

TEST(ServerCheckpoint, OfEveryAlgorithm) {
    constexpr std::array Operations{Operation::AllReduce, Operation::AllGather, Operation::ReduceScatter,
                                    Operation::AllToAll, Operation::Broadcast};
    std::mt19937_64 random(seed());
    Counted counted;
    for (std::uint64_t i = 0; i < Operations.size() * heavy_scale(); ++i) {
        const Operation operation = Operations[i % Operations.size()];
        const unsigned chips = i % 2 == 0 ? 4 : 2;
        const std::uint32_t ranks = 2 * chips - static_cast<std::uint32_t>(random() % 2);
        const bool stochastic = random() % 2 == 0;
        check(meeting(fmt::format("{} of {}", collectives::name(operation), ranks), chips, ranks,
                      every_algorithm(operation, ranks, 20 + random() % 40, stochastic), ranks, 0,
                      {stochastic, 77}),
              random, counted);
    }
    print("algorithms", counted);
}

// The other ranks wait for the late one.
TEST(ServerCheckpoint, WhereARankIsLate) {
    std::mt19937_64 random(seed());
    Counted counted;
    for (std::uint64_t i = 0; i < 2 * heavy_scale(); ++i) {
        const unsigned chips = i % 2 == 0 ? 2 : 4;
        const std::uint32_t ranks = chips + 1 + static_cast<std::uint32_t>(random() % chips);
        check(meeting(fmt::format("late, {} ranks", ranks), chips, ranks,
                      every_algorithm(Operation::AllReduce, ranks, 100, false),
                      static_cast<std::uint32_t>(random() % ranks), 400),
              random, counted);
    }
    EXPECT_NE(counted.waiting, 0U);
    print("late ranks", counted);
}

TEST(ServerCheckpoint, OfLoops) {
    std::mt19937_64 random(seed());
    Counted counted;
    for (std::uint64_t i = 0; i < 2 * heavy_scale(); ++i) {
        check(script(2, 4, seed() + i), random, counted);
        check(script(4, 5 + static_cast<std::uint32_t>(i % 3), seed() + 1000 + i), random, counted);
    }
    print("loops", counted);
}

// The file is the same for any number of processes, and so are the times of a run that resumes from it.
TEST(ServerCheckpoint, InSeveralProcesses) {
    std::mt19937_64 random(seed());
    const TemporaryDirectory folder;
    for (std::uint64_t i = 0; i < 2 * heavy_scale(); ++i) {
        const ServerSubject subject = script(4, 7, seed() + 2000 + i);
        SCOPED_TRACE(subject.name);
        const ServerRun whole = run_on(subject);
        ASSERT_EQ(whole.message, "");
        const std::uint64_t at = moment(whole, random);
        std::vector<std::uint8_t> first;
        std::uint64_t saved_end = 0, resumed_end = 0;
        for (const unsigned processes : {1U, 2U, 4U}) {
            SCOPED_TRACE(fmt::format("{} processes, at {} fs", processes, at));
            const std::string file = folder / fmt::format("state{}", processes);
            const auto write = [&](checkpoint::SystemState& state) {
                if (state.chips.size() != subject.server.chips())
                    throw std::logic_error(fmt::format("{} chips are saved", state.chips.size()));
                checkpoint::write(file, state);
            };
            const ServerRun saved =
                run_on(subject, {.checkpoints = {.request = {{at, false, write}}}, .processes = processes});
            EXPECT_EQ(differences(whole, saved), "");
            if (!saved.checkpoint) break;
            const std::vector<std::uint8_t> bytes = files::read(file);
            if (first.empty()) first = bytes;
            EXPECT_TRUE(bytes == first) << "another file";
            if (saved_end == 0) saved_end = saved.end;
            EXPECT_EQ(saved.end, saved_end);
        }
        if (first.empty()) continue;
        const checkpoint::SystemState state = checkpoint::read(folder / "state2");
        for (const unsigned processes : {1U, 2U, 3U}) {
            const ServerRun resumed =
                run_on(subject, {.checkpoints = {.resume = &state}, .processes = processes});
            EXPECT_EQ(differences(whole, resumed), "") << processes << " processes";
            if (resumed_end == 0) resumed_end = resumed.end - resumed.begin;
            EXPECT_EQ(resumed.end - resumed.begin, resumed_end) << processes << " processes";
        }
    }
}

// A single fault in a saved state.
struct Mistake {
    const char* what;
    bool (*make)(checkpoint::SystemState& state);  // false: the state has nothing to spoil
};

// Returns the last core of the last chip that has cores.
checkpoint::SlotState& last_core(checkpoint::SystemState& state) {
    const auto chip = std::ranges::find_if(state.chips.rbegin(), state.chips.rend(),
                                           [](const auto& one) { return !one.slots.empty(); });
    return chip->slots.back();
}

// Changes the first value that is not zero.
template <typename Values, typename Change>
bool change_one(Values& values, Change change) {
    const auto found = std::ranges::find_if(values, [](auto value) { return value != 0; });
    if (found == values.end()) return false;
    change(*found);
    return true;
}
constexpr auto Drop = [](auto& value) { value = 0; };
constexpr auto Flip = [](auto& value) { value ^= 1; };

// Changes a collective core that waits, beginning with the last chip.
template <typename Change>
bool change_collective_core(checkpoint::SystemState& state, Change change) {
    for (auto chip = state.chips.rbegin(); chip != state.chips.rend(); ++chip) {
        for (checkpoint::CollectiveCoreState& core : chip->collective_cores)
            if (core.running && change(core)) return true;
    }
    return false;
}

template <typename Change>
bool change_sequencer(checkpoint::SystemState& state, Change change) {
    for (checkpoint::SequencerState& sequencer : last_core(state).core.sequencers)
        if (sequencer.run == checkpoint::Run::Running && change(sequencer)) return true;
    return false;
}

// Changes the first ring from `first` on that is set up and has moved.
template <typename Change>
bool change_ring(checkpoint::SystemState& state, std::size_t first, Change change) {
    for (checkpoint::DmaEngineState& engine : last_core(state).dma) {
        for (std::size_t ring = first; ring < engine.s2m.size(); ++ring)
            if (engine.s2m[ring].place != 0) return change(engine, ring);
    }
    return false;
}

constexpr std::size_t CollectiveRings = 8;  // the first ring of collectives

constexpr Mistake Mistakes[] = {
    {"a flag of a collective core is dropped",
     [](checkpoint::SystemState& state) {
         // Changes a flag of a collective that has begun and not ended: the last one that has counted.
         return change_collective_core(state, [](checkpoint::CollectiveCoreState& core) {
             std::ranges::reverse(core.flags);
             const bool changed = change_one(core.flags, Drop);
             std::ranges::reverse(core.flags);
             return changed;
         });
     }},
    {"a collective core leaves an entry out",
     [](checkpoint::SystemState& state) {
         return change_collective_core(state, [](checkpoint::CollectiveCoreState& core) {
             if (core.next.empty() || core.next.front() == 0) return false;
             ++core.next.front();
             return true;
         });
     }},
    {"a collective core does an entry again",
     [](checkpoint::SystemState& state) {
         return change_collective_core(state, [](checkpoint::CollectiveCoreState& core) {
             return change_one(core.next, [](auto& next) { --next; });
         });
     }},
    {"a collective core does not run",
     [](checkpoint::SystemState& state) {
         return change_collective_core(
             state, [](checkpoint::CollectiveCoreState& core) { return !(core.running = false); });
     }},
    {"the place in a DMA ring of the kernel",
     [](checkpoint::SystemState& state) {
         return change_ring(state, 0, [](checkpoint::DmaEngineState& engine, std::size_t ring) {
             engine.s2m[ring].place = engine.m2s[ring].place = 0;
             return true;
         });
     }},
    {"the place in a DMA ring of collectives",
     [](checkpoint::SystemState& state) {
         return change_ring(state, CollectiveRings, [](checkpoint::DmaEngineState& engine, std::size_t ring) {
             engine.s2m[ring].place = engine.m2s[ring].place = 0;
             return true;
         });
     }},
    {"the base of a DMA ring of collectives",
     [](checkpoint::SystemState& state) {
         return change_ring(state, CollectiveRings, [](checkpoint::DmaEngineState& engine, std::size_t ring) {
             std::swap(engine.s2m[ring].base, engine.m2s[ring].base);
             return true;
         });
     }},
    {"the rounding of DMA engines",
     [](checkpoint::SystemState& state) {
         for (checkpoint::ChipState& chip : state.chips) {
             for (checkpoint::SlotState& slot : chip.slots)
                 for (checkpoint::DmaEngineState& engine : slot.dma) engine.rounding_seed ^= 1;
         }
         return true;
     }},
    {"a semaphore of the last chip",
     [](checkpoint::SystemState& state) { return change_one(last_core(state).core.semaphores, Drop); }},
    {"an instruction of the last chip is left out",
     [](checkpoint::SystemState& state) {
         return change_sequencer(state,
                                 [](checkpoint::SequencerState& sequencer) { return ++sequencer.pc != 0; });
     }},
    {"a loop register of the last chip",
     [](checkpoint::SystemState& state) {
         return change_sequencer(state, [](checkpoint::SequencerState& sequencer) {
             return change_one(sequencer.registers, Drop);
         });
     }},
    {"a bit of SBUF of the last chip",
     [](checkpoint::SystemState& state) { return change_one(last_core(state).core.sbuf, Flip); }},
    {"a page of HBM of the last chip",
     [](checkpoint::SystemState& state) {
         for (auto chip = state.chips.rbegin(); chip != state.chips.rend(); ++chip) {
             for (auto& stack : chip->hbm)
                 if (!stack.empty()) return change_one(stack.back().bytes, Flip);
         }
         return false;
     }},
    {"two chips have each other's cores",
     [](checkpoint::SystemState& state) {
         std::swap(state.chips[0].slots, state.chips[1].slots);
         return true;
     }},
    {"two chips have each other's collective cores",
     [](checkpoint::SystemState& state) {
         auto &first = state.chips[0].collective_cores, &second = state.chips[1].collective_cores;
         for (std::size_t i = 0; i < first.size(); ++i) std::swap(first[i].flags, second[i].flags);
         return true;
     }},
};

// Expects that a run that resumes from the wrong state fails or differs, for at least one subject and time.
// Each mistake must have been possible at least once.
void expect_told(const Mistake& mistake, const std::vector<std::pair<ServerSubject, ServerRun>>& subjects,
                 std::mt19937_64& random) {
    SCOPED_TRACE(mistake.what);
    constexpr unsigned Tries = 24;
    const TemporaryDirectory folder;
    const std::string file = folder / "state";
    unsigned made = 0;
    for (unsigned i = 0; i < Tries; ++i) {
        const auto& [subject, whole] = subjects[i % subjects.size()];
        const auto write = [&file](checkpoint::SystemState& state) { checkpoint::write(file, state); };
        if (!run_on(subject, {.checkpoints = {.request = {{moment(whole, random), false, write}}}})
                 .checkpoint)
            continue;
        checkpoint::SystemState state = checkpoint::read(file);
        if (!mistake.make(state)) continue;
        ++made;
        try {
            if (!differences(whole, run_on(subject, {.checkpoints = {.resume = &state}})).empty()) return;
        } catch (const std::runtime_error&) {
            return;
        }
    }
    EXPECT_NE(made, 0U) << "nothing to be wrong was found";
    ADD_FAILURE() << "nobody noticed, made " << made << " times";
}

TEST(ServerCheckpoint, TellsWhatIsWrong) {
    std::mt19937_64 random(seed());
    std::vector<std::pair<ServerSubject, ServerRun>> subjects;
    for (ServerSubject& subject : std::vector{
             script(2, 4, seed()), script(4, 7, seed() + 1),
             meeting("late", 2, 4, every_algorithm(Operation::AllReduce, 4, 60, true), 1, 300, {true, 5})}) {
        // A hang is reported at once.
        subject.server.chip.runtime.timeout = 20'000'000'000;
        ServerRun whole = run_on(subject);
        ASSERT_EQ(whole.message, "") << subject.name;
        subjects.emplace_back(std::move(subject), std::move(whole));
    }
    for (const Mistake& mistake : Mistakes) expect_told(mistake, subjects, random);
}

}  // namespace
}  // namespace trnsim::test
