#include "runtime/session/execution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <optional>
#include <utility>

#include "arch/config/units.hpp"
#include "base/time/time.hpp"
#include "runtime/session/diagnosis.hpp"
#include "runtime/session/gpsimd.hpp"
#include "runtime/session/set_up.hpp"

namespace trnsim::runtime {
namespace {

using tlm::Outcome;

// Returns the completed instructions of all engines.
std::uint64_t completed(const tlm::Statistics& statistics) {
    std::uint64_t sum = 0;
    for (const tlm::EngineStatistics& engine : statistics.core.engine) sum += engine.completed;
    return sum;
}

// Returns the bytes that DMA engines and the core moved: a loop without effect may be waiting for these.
std::uint64_t moved(const tlm::Statistics& statistics) {
    std::uint64_t sum = statistics.core.window.bytes_written + statistics.core.window.bytes_read;
    for (const tlm::DmaStatistics& engine : statistics.dma)
        sum += engine.data.bytes_written + engine.data.bytes_read;
    return sum;
}

// Returns whether a read of HBM met a word with more than one wrong bit.
bool hbm_uncorrected(const Figures& figures) {
    return std::ranges::any_of(figures.dram, [](const tlm::DramStatistics& d) { return d.uncorrected != 0; });
}

struct CoreErrorStatus {
    isa::Error code;
    Status status;
};
// All other errors are ExecCompletedWithError.
constexpr std::array CoreErrorStatuses{
    CoreErrorStatus{isa::Error::AddressRange, Status::ExecOutOfBounds},
    CoreErrorStatus{isa::Error::PartitionRange, Status::ExecOutOfBounds},
    CoreErrorStatus{isa::Error::Uncorrectable, Status::ExecUncorrectable},
    CoreErrorStatus{isa::Error::NotificationOverflow, Status::ExecQueueOverflow},
};

// Returns the status of a core that stopped for an error.
Status status_of_core_error(CoreAccess& access, unsigned core, bool uncorrected) {
    const auto code =
        static_cast<isa::Error>(access.read32(addresses::core_window(core) + isa::csr::ErrorCode));
    if (code == isa::Error::Fetch && uncorrected) return Status::ExecHbmUncorrectable;
    const auto row = std::ranges::find(CoreErrorStatuses, code, &CoreErrorStatus::code);
    return row == CoreErrorStatuses.end() ? Status::ExecCompletedWithError : row->status;
}

// Returns the rounding that a saved execution had on all of its cores.
Rounding rounding_of(const checkpoint::SystemState& state) {
    for (const checkpoint::ChipState& chip : state.chips) {
        for (const checkpoint::SlotState& slot : chip.slots) return {slot.core.stochastic, slot.core.seed};
    }
    return {};
}

}  // namespace

struct Execution::Rank {
    Rank(std::uint32_t number, CoreAccess& access, const LoadedPackage& loaded, const Observer& observer)
        : number(number),
          access(access),
          package(*loaded.package),
          image(*loaded.image),
          observer(observer),
          gpsimd(access, package, image.core) {}

    std::uint32_t number;
    CoreAccess& access;
    const neff::Package& package;
    const Image& image;
    const Observer& observer;
    GpsimdCores gpsimd;
    std::optional<NotificationReader> notifications{};
    tlm::Statistics before{};
    std::uint64_t effect = 0;  // last_effect() of the observer at the last look
    bool stopped = false;      // it has failed
};

Execution::Execution(Device& device, std::span<const LoadedPackage> ranks, const config::Config& config,
                     const Run& run, ObserverOf observer_of, bool names_ranks)
    : device_(device), config_(config), run_(run), names_ranks_(names_ranks) {
    for (std::uint32_t number = 0; number < ranks.size(); ++number) {
        auto& rank = ranks_.emplace_back();
        if (!device.here(number)) continue;
        rank = std::make_unique<Rank>(number, device.core(number), ranks[number], observer_of(number));
        if (rank->image.notifications.records == 0) continue;
        drains_ = true;
        rank->notifications.emplace(rank->access, rank->image.notifications, *run.notifications.at(number),
                                    rank->image.core);
    }
}

Execution::~Execution() = default;

// Makes all writes before the first rank starts. Writes to be settled have no order.
void Execution::set_up() {
    for (const auto& rank : ranks_) {
        if (!rank) continue;
        runtime::set_up(rank->access, rank->image, run_.rounding);
        if (rank->notifications) rank->notifications->set_up();
        rank->gpsimd.clear();
    }
    device_.settle();
    if (!drains_) return;
    for (const auto& rank : ranks_) {
        if (rank && rank->notifications) rank->notifications->start();
    }
    device_.settle();
}

Results Execution::run(const std::function<void()>& begin, const std::function<void(Results&)>& finished) {
    const checkpoint::SystemState* state = run_.checkpoints.resume;
    Results results;
    results.rounding = run_.rounding;
    if (state == nullptr) {
        set_up();
        device_.before_start();
    } else {
        results.rounding = rounding_of(*state);
        results.resumed = state->time;
        begin();
    }
    for (const auto& rank : ranks_) {
        if (!rank) continue;
        rank->before = rank->access.statistics();
        for (const loader::ProgramImage& program : rank->image.programs)
            now_.total += program.instructions.size();
    }
    begun_ = device_.time();
    wall_ = std::chrono::steady_clock::now();
    if (state == nullptr) begin();
    const tlm::RunResult run = simulate(results);
    results.outcome = spinning_ ? Outcome::Hang : run.outcome;
    results.spinning = spinning_;
    results.time = time_ = passed();
    results.perturb = device_.perturbed();
    results.random_memory = device_.random_memory();
    read_figures(results);
    finished(results);
    // Reading registers takes time, in several processes that of each: no figures are counted any more.
    device_.leave();
    for (const auto& rank : ranks_) {
        if (rank) rank->stopped = rank->access.stopped_by(results.outcome);
    }
    results.status = status_of(run, results);
    results.message = diagnose(run);
    for (const auto& rank : ranks_) {
        if (!rank) continue;
        RankResult& one = results.ranks[rank->number];
        one.printed = rank->gpsimd.printed();
        if (!rank->notifications) continue;
        rank->notifications->finish();
        one.notifications = rank->notifications->counts();
    }
    return results;
}

void Execution::read_figures(Results& results) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall_).count();
    for (const auto& rank : ranks_) {
        RankResult& one = results.ranks.emplace_back();
        one.here = rank != nullptr;
        if (!rank) continue;
        one.fidelity = rank->access.fidelity();
        one.core = rank->access.core_info();
        one.figures = difference(rank->before, rank->access.statistics());
        one.figures.wall_seconds = seconds;
        one.figures.matmul = rank->observer.matmul();
        one.figures.work = rank->observer.work();
    }
}

// Runs to the checkpoint, if there is one, and on from there.
tlm::RunResult Execution::simulate(Results& results) {
    constexpr std::uint64_t Never = std::numeric_limits<std::uint64_t>::max();
    // A queue gets at most one record a core cycle; it is drained before half of it can be full.
    std::uint64_t longest = Never;
    for (const auto& rank : ranks_) {
        if (rank && rank->notifications)
            longest = std::min(
                longest, static_cast<std::uint64_t>(rank->image.notifications.records / 2.0 *
                                                    (FsPerSecond / static_cast<double>(config_.core.clock))));
    }
    const Watch watch = [this] { return this->watch(); };
    const auto& request = run_.checkpoints.request;
    // The start of the engines may have taken time.
    const auto left = [&] { return run_.max_time - std::min(run_.max_time, passed()); };
    const auto limited = [&](std::uint64_t until) -> tlm::RunResult {
        if (run_.max_time != 0 && left() == 0) return {Outcome::TimeLimit, "", begun_, device_.time()};
        const std::uint64_t limit = run_.max_time == 0 ? until : std::min(until, left());
        return device_.simulate(limit == Never ? 0 : limit, longest, watch);
    };
    if (!request) return limited(Never);
    if (const std::uint64_t start = device_.time(); request->at > start) {
        tlm::RunResult run = limited(request->at - start);
        if (run.outcome != Outcome::TimeLimit || device_.time() < request->at || spinning_) return run;
        if (run_.max_time != 0 && left() == 0) return run;
    }
    if (auto failure = take_checkpoint(results.checkpoint)) return *std::move(failure);
    return limited(Never);
}

// Waits until everything in flight has ended, then does the requested actions. nullopt: the run can continue.
std::optional<tlm::RunResult> Execution::take_checkpoint(std::optional<CheckpointTimes>& times) {
    const CheckpointRequest& request = *run_.checkpoints.request;
    const std::uint64_t begun = device_.time();
    if (auto failure = device_.quiesce([this] { return watch(); })) return failure;
    times = {begun, device_.time()};
    if (request.save) {
        checkpoint::SystemState state;
        state.begun = begun;
        device_.save(state);
        request.save(state);
    }
    if (request.switch_model) device_.switch_model();
    device_.resume();
    return std::nullopt;
}

bool Execution::watch() {
    for (const auto& rank : ranks_) {
        if (rank && rank->notifications) rank->notifications->drain();
    }
    look();
    if (spinning_) return false;
    if (!run_.progress || (drains_ && now_.wall_seconds - shown_ < ProgressSeconds)) return true;
    shown_ = now_.wall_seconds;
    return run_.progress(now_);
}

// Ranks of this process may wait for ranks of other processes, so only a single process can say that all of
// them are busy without effect.
void Execution::look() {
    std::uint64_t done = 0, bytes = 0, cycles = 0, instructions = 0;
    std::optional<std::uint64_t> idle;  // instructions of a rank since its last effect, if that is new
    for (const auto& rank : ranks_) {
        if (!rank) continue;
        const tlm::Statistics statistics = rank->access.statistics();
        done += completed(statistics) - completed(rank->before);
        bytes += moved(statistics);
        cycles = std::max(cycles, statistics.core.cycles - rank->before.core.cycles);
        instructions += rank->observer.instructions();
        const std::uint64_t effect = rank->observer.last_effect();
        if (effect != std::exchange(rank->effect, effect))
            idle = std::min(idle.value_or(rank->observer.instructions()),
                            rank->observer.instructions() - effect);
    }
    now_.completed = done;
    now_.cycles = cycles;
    now_.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall_).count();
    if (idle) alive_ = std::max(alive_, instructions - *idle);
    if (bytes != std::exchange(moved_, bytes)) alive_ = instructions;
    const std::uint64_t most = config_.runtime.idle_instructions;
    spinning_ = most != 0 && device_.whole() && instructions - alive_ >= most;
}

// Returns whether the progress function ended the run.
bool Execution::is_stopped(const tlm::RunResult& run) const {
    return run.outcome == Outcome::TimeLimit && !spinning_ && (run_.max_time == 0 || time_ < run_.max_time);
}

std::uint64_t Execution::sum(std::uint64_t own) {
    std::uint64_t all = 0;
    for (const std::uint64_t one : device_.numbers(own)) all += one;
    return all;
}

// Returns the status of the first rank that has stopped, in any process.
Status Execution::status_of_stopped(bool uncorrected) {
    std::uint64_t own = 0;
    const auto first = std::ranges::find_if(ranks_, [](const auto& rank) { return rank && rank->stopped; });
    if (first != ranks_.end())
        own = static_cast<std::uint64_t>(
            status_of_core_error((*first)->access, (*first)->image.core, uncorrected));
    for (const std::uint64_t status : device_.numbers(own)) {
        if (status != 0) return static_cast<Status>(status);
    }
    return Status::ExecCompletedWithError;
}

Status Execution::status_of(const tlm::RunResult& run, const Results& results) {
    const auto any = [&](const auto& holds) {
        return sum(static_cast<std::uint64_t>(std::ranges::count_if(results.ranks, holds))) != 0;
    };
    const bool uncorrected = any([](const RankResult& rank) { return hbm_uncorrected(rank.figures); });
    const bool numeric = any([](const RankResult& rank) { return rank.figures.numeric.engines != 0; });
    const bool lost = sum(device_.lost_requests()) != 0;  // between chips
    switch (results.outcome) {
        case Outcome::Done:
            return numeric ? Status::ExecCompletedWithNumericError : Status::Success;
        case Outcome::CoreError:
            return status_of_stopped(uncorrected);
        case Outcome::DmaError:
            return uncorrected ? Status::ExecHbmUncorrectable
                   : lost      ? Status::ExecCollectives
                               : Status::ExecDmaAbort;
        case Outcome::Hang:
            return lost ? Status::ExecCollectives : Status::Timeout;
        case Outcome::TimeLimit:
            return is_stopped(run) ? Status::Failure : Status::Timeout;
    }
    return Status::Failure;
}

// Returns the failure of a rank of this process; empty: there is none.
std::string Execution::diagnose(Outcome outcome, const Rank& rank) {
    const addresses::CoreId id = rank.before.core.id;
    if (outcome != Outcome::CoreError && outcome != Outcome::DmaError)
        return diagnose_hang(rank.access, rank.package, rank.image, id);
    if (!rank.stopped) return "";
    return outcome == Outcome::CoreError ? diagnose_core_error(rank.access, rank.package, id)
                                         : diagnose_dma_error(rank.access, rank.package, rank.image, id);
}

// Returns the failure of the first rank that was stopped, or a line for each rank that waits: processes have
// ranks in the order of their numbers.
std::string Execution::diagnose(const tlm::RunResult& run) {
    const Outcome outcome = spinning_ ? Outcome::Hang : run.outcome;
    if (outcome == Outcome::Done) return "";
    if (is_stopped(run)) return "stopped before the end";
    std::string own;
    for (const auto& rank : ranks_) {
        const std::string one = rank ? diagnose(outcome, *rank) : "";
        if (one.empty()) continue;
        if (!own.empty()) own += '\n';
        own += names_ranks_ ? fmt::format("rank {}: {}", rank->number, one) : one;
    }
    std::string text;
    for (const std::string& part : device_.texts(own)) {
        if (!part.empty()) text += (text.empty() ? "" : "\n") + part;
    }
    if (outcome == Outcome::CoreError || outcome == Outcome::DmaError) return first_of(run, std::move(text));
    const std::string first =
        spinning_ ? fmt::format(
                        "hang: {} instructions (runtime.idle_instructions) had no effect outside the "
                        "registers of their engines",
                        config_.runtime.idle_instructions)
        : outcome == Outcome::Hang
            ? "hang: " + run.message
            : fmt::format("not done after {} of simulated time",
                          config::format_quantity(run_.max_time, config::Quantity::Time));
    return with_lines(first, text);
}

// `text` has a line for each rank that has stopped.
std::string Execution::first_of(const tlm::RunResult& run, std::string text) {
    if (!names_ranks_) return text;
    if (text.empty()) return run.message;  // a collective core or a DMA engine that belongs to no rank
    const auto others = std::ranges::count(text, '\n');
    text.resize(std::min(text.find('\n'), text.size()));
    if (others != 0) text += fmt::format("; {} other ranks stopped as well", others);
    return text + device_.first_report();
}

}  // namespace trnsim::runtime
