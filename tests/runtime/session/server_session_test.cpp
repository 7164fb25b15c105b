// Compares kernels on several cores of a server at once with the interpreter. SystemC elaborates once, so
// each server is made in a child process.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <vector>

#include "common/random.hpp"
#include "model/system/load_server.hpp"
#include "runtime/session/in_a_child.hpp"
#include "runtime/session/session.hpp"
#include "runtime/session/trials_of_ranks.hpp"
#include "testbench/trial/trial.hpp"

namespace trnsim::runtime {
namespace {

using config::CoreKind;
using test::in_a_child;
using test::inputs_of;
using test::packages_of;

config::Server server_of(const config::SlotKinds& slots) {
    config::Server server = tlm::load_server("trn1-4");
    server.chip = config::load("small16");
    for (config::SlotKinds& chip : server.slots) chip = slots;
    return server;
}

// Makes trials with another kernel size and other inputs for each rank, so that no rank's outputs fit
// another.
std::vector<trial::Trial> trials_of(const config::Config& config, unsigned ranks) {
    std::vector<trial::Trial> trials;
    for (unsigned rank = 0; rank < ranks; ++rank) {
        const std::string size = std::to_string(17 + 3 * rank);
        trials.push_back(rank % 2 == 0
                             ? trial::make_trial(config, "matmul", {{"M", size}, {"K", "23"}, {"N", "50"}},
                                                 test::seed() + rank)
                             : trial::make_trial(config, "softmax", {{"rows", size}, {"cols", "21"}},
                                                 test::seed() + rank));
    }
    return trials;
}

// Returns what is wrong with an execution; empty if nothing is.
std::string wrong(const std::vector<trial::Trial>& trials, const Results& result) {
    if (result.status != Status::Success || !result.message.empty() || result.ranks.size() != trials.size())
        return fmt::format("status {}, {} ranks: {}", static_cast<int>(result.status), result.ranks.size(),
                           result.message);
    std::string text;
    for (std::size_t rank = 0; rank < trials.size(); ++rank) {
        const neff::Package& package = trials[rank].package;
        for (const trial::Difference& difference :
             trial::differences(package, trial::interpret(trials[rank]), result.ranks[rank].outputs))
            text += fmt::format("rank {}: {}\n", rank, trial::describe(package, difference));
        std::uint64_t completed = 0;
        for (const tlm::EngineStatistics& engine : result.ranks[rank].figures.engine)
            completed += engine.completed;
        if (completed == 0) text += fmt::format("rank {}: nothing completed\n", rank);
    }
    return text;
}

std::string error_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const Error& error) {
        return fmt::format("{} {}", static_cast<int>(error.status), error.what());
    }
    return "no error";
}

std::string expect(const std::string& what, const std::string& got, const std::string& expected) {
    return got == expected ? "" : fmt::format("{}: '{}', expected '{}'\n", what, got, expected);
}

TEST(ServerSession, KernelsOfAllRanksGiveTheBitsOfTheInterpreter) {
    in_a_child([] {
        const config::Server server = server_of({CoreKind::Fast, CoreKind::Fast});
        constexpr unsigned Ranks = 5;  // the last chip has none
        Session session(server, Ranks);
        std::vector<trial::Trial> trials = trials_of(server.chip, Ranks);
        const ModelId model = session.load(packages_of(trials));
        const Results first = session.execute_ranks(model, inputs_of(trials));
        std::string text = wrong(trials, first);
        const Results second = session.execute_ranks(model, inputs_of(trials));
        text += wrong(trials, second);
        if (first.time != second.time || first.time == 0)
            text += fmt::format("{} fs, then {} fs\n", first.time, second.time);
        // The counter-test: inputs that differ from those of the interpreter are noticed.
        std::vector<Arrays> other = inputs_of(trials);
        std::swap(other[0].begin()->second.data.front(), other[0].begin()->second.data.back());
        other[0].begin()->second.data[1] ^= 0x40;
        const std::string found = wrong(trials, session.execute_ranks(model, other));
        if (found.find("rank 0: output") != 0 || found.find("rank 1") != std::string::npos)
            text += "other inputs of rank 0 gave: " + found;
        return text;
    });
}

TEST(ServerSession, OnePackageForAllRanks) {
    in_a_child([] {
        const config::Server server = server_of({CoreKind::None, CoreKind::Fast});
        Session session(server, 4);
        std::vector<trial::Trial> trials;
        for (unsigned rank = 0; rank < 4; ++rank)
            trials.push_back(trial::make_trial(server.chip, "layernorm", {{"rows", "9"}, {"cols", "30"}},
                                               test::seed() + rank));
        const ModelId model = session.load(std::make_shared<const neff::Package>(trials[0].package));
        std::string text = wrong(trials, session.execute_ranks(model, inputs_of(trials)));
        for (unsigned rank = 0; rank < 4; ++rank)
            text += session.core(rank) == addresses::CoreId{rank, 1} ? "" : "a rank in an empty slot\n";
        return text;
    });
}

TEST(ServerSession, ARankOnAVerilatedCore) {
    in_a_child([] {
        config::Server server = server_of({CoreKind::Fast, CoreKind::Fast});
        server.slots[0][1] = CoreKind::Rtl;
        Session session(server, 3);
        const std::vector<trial::Trial> trials = trials_of(server.chip, 3);
        const ModelId model = session.load(packages_of(trials));
        const Results result = session.execute_ranks(model, inputs_of(trials));
        std::string text = wrong(trials, result);
        const auto hash = [&](unsigned rank) { return result.ranks[rank].core.rtl_hash; };
        if (hash(0) != hash(2) || hash(0) == hash(1)) text += "rank 1 alone is not on a verilated core\n";
        return text;
    });
}

TEST(ServerSession, AnExecutionThatGoesWrongNamesTheRankAndLetsOthersFollow) {
    in_a_child([] {
        const config::Server server = server_of({CoreKind::Fast, CoreKind::Fast});
        Session session(server, 3);
        ModelId model{};
        const std::vector<trial::Trial> trials = trials_of(server.chip, 3);
        model = session.load(packages_of(trials));
        const Results late = session.execute_ranks(model, inputs_of(trials), {.max_time = 1'000'000'000});
        std::string text;
        if (late.status != Status::Timeout || late.outcome != tlm::Outcome::TimeLimit ||
            late.message.find("not done after 1 us of simulated time\nrank 0: ") != 0 ||
            !late.ranks[0].outputs.empty())
            text += "too short a time: " + late.message + "\n";

        std::vector<trial::Trial> broken = trials;
        for (auto& program : broken[2].package.programs) {
            if (program.empty()) continue;
            program.front().set(isa::field::Opcode, 0xff);
            break;
        }
        model = session.load(packages_of(broken));
        const Results failed = session.execute_ranks(model, inputs_of(broken));
        if (failed.status != Status::ExecCompletedWithError || failed.outcome != tlm::Outcome::CoreError ||
            failed.message.find("rank 2: chip 1 core 0, ") != 0 ||
            failed.message.find('\n') != std::string::npos)
            text += "an instruction that there is not: " + failed.message + "\n";

        model = session.load(packages_of(trials));
        return text + wrong(trials, session.execute_ranks(model, inputs_of(trials)));
    });
}

std::string slots_text(const config::Server& server) {
    std::string text;
    for (const config::SlotKinds& chip : server.slots) {
        for (const CoreKind kind : chip) text += std::string(config::name_of(kind)) + " ";
    }
    return text;
}

TEST(ServerForRanks, RanksAreTheSlotsThatTheFileDoesNotLeaveEmpty) {
    const config::Server second = server_of({CoreKind::None, CoreKind::Fast});
    EXPECT_EQ(slots_text(for_ranks(second, 2)), "none fast none fast none none none none ");
    EXPECT_EQ(slots_text(for_ranks(second, {})), "none fast none fast none fast none fast ");
    const std::vector<std::uint32_t> one{1};
    EXPECT_EQ(slots_text(for_ranks(second, 3, one)), "none fast none rtl none fast none none ");
    EXPECT_EQ(error_of([&] { for_ranks(second, 5); }),
              "2 trn1-4: 5 ranks, expected 1 to 4, the cores that its slots have");
    EXPECT_EQ(error_of([&] { for_ranks(second, 1, one); }), "2 RTL rank 1: expected ranks below 1");
    config::Server single = server_of({CoreKind::None, CoreKind::None});
    single.slots[0][0] = CoreKind::Rtl;
    EXPECT_EQ(slots_text(for_ranks(single, {})), "rtl none none none none none none none ");
}

TEST(ServerForRanks, AServerWithoutCoresHasFastOnesInAllSlots) {
    const config::Server empty = server_of({CoreKind::None, CoreKind::None});
    EXPECT_EQ(slots_text(for_ranks(empty, 3)), "fast fast fast none none none none none ");
    EXPECT_EQ(slots_text(for_ranks(empty, {})), "fast fast fast fast fast fast fast fast ");
    const std::vector<std::uint32_t> first{0};
    EXPECT_EQ(slots_text(for_ranks(empty, 2, first)), "rtl fast none none none none none none ");
}

TEST(ServerSession, CallsThatDoNotFitAreRefused) {
    in_a_child([] {
        const config::Server server = server_of({CoreKind::Fast, CoreKind::None});
        std::string text;
        for (const unsigned ranks : {0u, 5u})
            text += expect(
                "ranks", error_of([&] { Session(server, ranks); }),
                fmt::format("2 trn1-4: {} ranks, expected 1 to 4, the cores that its slots have", ranks));
        Session session(server, 2);
        ModelId model{};
        const std::vector<trial::Trial> trials = trials_of(server.chip, 2);
        std::vector<Arrays> inputs = inputs_of(trials);
        text += expect("nothing loaded", error_of([&] { session.execute_ranks(model, inputs); }),
                       "3 no such model is loaded");
        auto packages = packages_of(trials);
        packages.pop_back();
        text += expect("packages", error_of([&] { session.load(packages); }),
                       "2 1 packages, expected 2, one for each rank");
        model = session.load(packages_of(trials));
        auto wide = trials;
        wide[1].package.target.columns += 1;
        const std::string target = error_of([&] { session.load(packages_of(wide)); });
        if (target.find("2 rank 1: kernel 'softmax' is built for ") != 0) text += "target: " + target + "\n";
        text += expect("ranks of inputs",
                       error_of([&] { session.execute_ranks(model, std::span(inputs).first(1)); }),
                       "1002 inputs of 1 ranks, expected 2");
        inputs[1].clear();
        const std::string missing = error_of([&] { session.execute_ranks(model, inputs); });
        if (missing.find("1002 rank 1: kernel 'softmax' needs input ") != 0)
            text += "missing: " + missing + "\n";
        // The refused calls have changed nothing.
        return text + wrong(trials, session.execute_ranks(model, inputs_of(trials)));
    });
}

}  // namespace
}  // namespace trnsim::runtime
