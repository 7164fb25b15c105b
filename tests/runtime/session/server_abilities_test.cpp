// Tests that sessions with cores of a server can do what sessions with one core can: several packages,
// tensors that stay, waves, traces, notifications, perturbation.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <sstream>

#include "common/random.hpp"
#include "common/temporary_directory.hpp"
#include "model/core/fast/wave_changes.hpp"
#include "model/system/load_server.hpp"
#include "runtime/session/in_a_child.hpp"
#include "runtime/session/session.hpp"
#include "runtime/session/trace_writer.hpp"
#include "runtime/session/trials_of_ranks.hpp"
#include "testbench/trial/trial.hpp"

namespace trnsim::runtime {
namespace {

using config::CoreKind;
using test::in_a_child;
using test::inputs_of;
using test::packages_of;
using Trials = std::vector<trial::Trial>;

// Returns a server with one core, in slot 1 of each chip, so that no rank waits for another's memory.
config::Server server_of(CoreKind kind) {
    config::Server server = tlm::load_server("trn1-4");
    server.chip = config::load("small16");
    for (config::SlotKinds& chip : server.slots) chip = {CoreKind::None, kind};
    return server;
}

// Makes trials with another size and other inputs for each rank.
Trials trials_of(const config::Config& config, const std::string& kernel, unsigned ranks,
                 std::uint64_t salt) {
    Trials trials;
    for (unsigned rank = 0; rank < ranks; ++rank) {
        const std::string size = std::to_string(17 + 3 * rank);
        const std::map<std::string, std::string> arguments =
            kernel == "matmul" ? std::map<std::string, std::string>{{"M", size}, {"K", "23"}, {"N", "50"}}
                               : std::map<std::string, std::string>{{"rows", size}, {"cols", "21"}};
        trials.push_back(trial::make_trial(config, kernel, arguments, test::seed() + salt + rank));
    }
    return trials;
}

// Returns what is wrong with the outputs; empty if nothing is.
std::string wrong(const Trials& trials, const Results& results) {
    if (results.status != Status::Success)
        return fmt::format("status {}: {}\n", static_cast<int>(results.status), results.message);
    std::string text;
    for (std::size_t rank = 0; rank < trials.size(); ++rank) {
        for (const trial::Difference& difference : trial::differences(
                 trials[rank].package, trial::interpret(trials[rank]), results.ranks[rank].outputs))
            text += fmt::format("rank {}: {}\n", rank, trial::describe(trials[rank].package, difference));
    }
    return text;
}

const neff::Tensor& tensor_of(const neff::Package& package, const std::string& name) {
    return *std::ranges::find(package.tensors, name, &neff::Tensor::name);
}

std::string error_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const Error& error) {
        return fmt::format("{} {}", static_cast<int>(error.status), error.what());
    }
    return "no error";
}

TEST(ServerAbilities, SeveralPackagesAndTensorsThatStay) {
    in_a_child([] {
        constexpr unsigned Ranks = 3;
        Session session(server_of(CoreKind::Fast), Ranks);
        Trials products = trials_of(session.config(), "matmul", Ranks, 0);
        const Trials rows = trials_of(session.config(), "softmax", Ranks, 50);
        std::vector<TensorId> weights;
        std::vector<Bindings> bindings;
        for (unsigned rank = 0; rank < Ranks; ++rank) {
            weights.push_back(session.allocate(tensor_of(products[rank].package, "b"), {}, rank));
            session.write(weights.back(), 0, products[rank].inputs.at("b"));
            bindings.push_back({{"b", weights.back()}});
        }
        const ModelId product = session.load(packages_of(products), {.bindings = bindings});
        const ModelId softmax = session.load(packages_of(rows));
        std::vector<Arrays> inputs = inputs_of(products);
        for (Arrays& one : inputs) one.erase("b");
        std::string text;
        std::vector<std::uint64_t> times;
        for (int turn = 0; turn < 3; ++turn) {
            const Results results = session.execute_ranks(product, inputs);
            text += wrong(products, results);
            text += wrong(rows, session.execute_ranks(softmax, inputs_of(rows)));
            times.push_back(results.time);
            // Changes the weights of one rank in place: the others keep theirs.
            for (std::uint8_t& byte : products[1].inputs.at("b")) byte ^= 1;
            session.write(weights[1], 0, products[1].inputs.at("b"));
        }
        if (times[0] != times[1] || times[0] != times[2]) text += "executions take other times\n";
        const std::string elsewhere = error_of([&] {
            session.execute_ranks(
                softmax, inputs_of(rows),
                {.bindings = {{{"y", session.allocate(tensor_of(rows[0].package, "y"), {}, 2)}}, {}, {}}});
        });
        if (elsewhere.find("1002 rank 0: kernel 'softmax', 'y' bound to tensor 'y': in the memory of chip 2, "
                           "expected that of chip 0") != 0)
            text += elsewhere + "\n";
        return text;
    });
}

// Returns the recording of a kernel on the core of chip 2, beside kernels of other ranks or alone.
test::WaveChanges changes_of(CoreKind kind, bool alone, const std::string& path) {
    constexpr unsigned Chips = 4, Chosen = 2;
    config::Server server = server_of(kind);
    for (unsigned chip = 0; alone && chip < Chips; ++chip) {
        if (chip != Chosen) server.slots[chip] = {CoreKind::None, CoreKind::None};
    }
    Session session(server);
    Trials trials = trials_of(session.config(), "softmax", Chips, 7);
    if (alone) trials = {trials[Chosen]};
    const ModelId model = session.load(packages_of(trials));
    WaveRequest request{.path = path, .scopes = {}, .last_cycle = 4000, .from_start = true};
    request.rank = alone ? 0 : Chosen;
    const Results results = session.execute_ranks(model, inputs_of(trials), {.wave = request});
    const std::string text = wrong(trials, results);
    if (!text.empty()) throw std::runtime_error(text);
    return test::read_changes(path);
}

TEST(ServerAbilities, TheWaveOfACoreIsThatOfTheSameKernelAlone) {
    const test::TemporaryDirectory directory;
    for (const CoreKind kind : {CoreKind::Fast, CoreKind::Rtl}) {
        const std::string beside = directory / fmt::format("beside{}.fst", static_cast<int>(kind));
        const std::string alone = directory / fmt::format("alone{}.fst", static_cast<int>(kind));
        in_a_child([&] { return changes_of(kind, false, beside).empty() ? "no changes" : ""; });
        in_a_child([&] { return changes_of(kind, true, alone).empty() ? "no changes" : ""; });
        const test::WaveChanges changes = test::read_changes(alone);
        EXPECT_EQ(test::difference(changes, test::read_changes(beside)), "");
        EXPECT_EQ(test::difference(test::read_changes(beside), changes), "");
        const auto pcs = changes.find("core.neuron_core.sync.pc [31:0]");
        ASSERT_NE(pcs, changes.end());
        EXPECT_GT(pcs->second.size(), 2u) << "the kernel is in it";
    }
}

TEST(ServerAbilities, TracesAndNotificationsOfAllCoresChangeNothing) {
    in_a_child([] {
        constexpr unsigned Ranks = 3;
        Session session(server_of(CoreKind::Fast), Ranks);
        const Trials trials = trials_of(session.config(), "matmul", Ranks, 100);
        const ModelId plain = session.load(packages_of(trials));
        const ModelId queued = session.load(packages_of(trials), {.notifications = 256});
        const Results before = session.execute_ranks(plain, inputs_of(trials));
        std::ostringstream json;
        TraceWriter trace(json);
        std::vector<std::ostringstream> csv(Ranks);
        std::vector<std::unique_ptr<NotificationLog>> logs;
        runtime::Run run{.trace = &trace};
        for (std::ostringstream& one : csv)
            run.notifications.push_back(logs.emplace_back(std::make_unique<NotificationLog>(one)).get());
        const Results results = session.execute_ranks(queued, inputs_of(trials), run);
        trace.finish();
        std::string text = wrong(trials, before) + wrong(trials, results);
        for (unsigned rank = 0; rank < Ranks; ++rank) {
            std::uint64_t completed = 0;
            for (const tlm::EngineStatistics& engine : results.ranks[rank].figures.engine)
                completed += engine.completed;
            const std::string lines = csv[rank].str();
            const auto count = static_cast<std::uint64_t>(std::ranges::count(lines, '\n')) - 1;
            if (count != completed || completed == 0)
                text += fmt::format("rank {}: {} lines of notifications, {} instructions\n", rank, count,
                                    completed);
            if (json.str().find(fmt::format("chip {} core 1", rank)) == std::string::npos)
                text += fmt::format("rank {}: not in the trace\n", rank);
        }
        return text;
    });
}

// Delays and stalls everywhere, and upsets of the RTL's memories, change the time but no bit.
TEST(ServerAbilities, PerturbationChangesNoBit) {
    std::vector<std::string> times;
    for (const std::optional<std::uint32_t> seed :
         {std::optional<std::uint32_t>{}, {static_cast<std::uint32_t>(test::seed())}}) {
        const jobs::Outcome outcome = jobs::run({.work = [&] {
            config::Server server = server_of(CoreKind::Fast);
            server.slots[1] = {CoreKind::None, CoreKind::Rtl};
            Session session(server, 3, {.perturb = seed, .random_memory = 5});
            const Trials trials = trials_of(session.config(), "softmax", 3, 200);
            const ModelId model = session.load(packages_of(trials));
            const Results results = session.execute_ranks(model, inputs_of(trials));
            const std::string text = wrong(trials, results);
            return text.empty() ? std::to_string(results.time) : text;
        }});
        ASSERT_TRUE(outcome.returned()) << outcome.explanation() << "\n" << outcome.log;
        EXPECT_EQ(outcome.text.find_first_not_of("0123456789"), std::string::npos) << outcome.text;
        times.push_back(outcome.text);
    }
    EXPECT_NE(times[0], times[1]);
}

}  // namespace
}  // namespace trnsim::runtime
