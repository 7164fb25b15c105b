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
#include "compiler/neff/check.hpp"
#include "runtime/loader/image_writes.hpp"
#include "runtime/session/diagnosis.hpp"
#include "runtime/session/gpsimd.hpp"

namespace trnsim::runtime {
namespace {

using tlm::Outcome;

constexpr std::uint64_t FirstSlice = 1'000'000'000;  // fs of simulated time
constexpr std::uint64_t MinSlice = 10'000'000;
constexpr std::uint64_t MaxSlice = 100'000'000'000'000;
constexpr double MaxSliceGrowth = 8;

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void make(Machine& machine, const std::vector<loader::MemoryWrite>& writes) {
    for (const loader::MemoryWrite& write : writes) machine.write(write.address, write.bytes);
}

void make(Machine& machine, const std::vector<loader::RegisterWrite>& writes) {
    for (const loader::RegisterWrite& write : writes) machine.write32(write.address, write.value);
}

}  // namespace

void set_up(Machine& machine, const Image& image, const Rounding& rounding) {
    make(machine, set_up_writes(image, rounding));
}

void start(Machine& machine, const Image& image) {
    make(machine, start_writes(image));
}

Rounding rounding_of(const checkpoint::SystemState& state) {
    for (const checkpoint::ChipState& chip : state.chips) {
        for (const checkpoint::SlotState& slot : chip.slots) return {slot.core.stochastic, slot.core.seed};
    }
    return {};
}

std::uint64_t completed(const tlm::Statistics& statistics) {
    std::uint64_t sum = 0;
    for (const tlm::EngineStatistics& engine : statistics.core.engine) sum += engine.completed;
    return sum;
}

namespace {

// Bytes that DMA engines and the core moved: what a loop without effect may be waiting for.
std::uint64_t moved(const tlm::Statistics& statistics) {
    std::uint64_t sum = statistics.core.window.bytes_written + statistics.core.window.bytes_read;
    for (const tlm::DmaStatistics& engine : statistics.dma)
        sum += engine.data.bytes_written + engine.data.bytes_read;
    return sum;
}

// A run in slices of simulated time that take about ProgressSeconds each.
class SlicedRun {
  public:
    // `notifications` may be null. `pause_at`: fs of simulated time at which run() returns once.
    SlicedRun(Machine& machine, const Image& image, const ExecutionLimits& limits, const Observer& observer,
              const tlm::Statistics& before, NotificationReader* notifications,
              std::optional<std::uint64_t> pause_at)
        : machine_(machine),
          limits_(limits),
          observer_(observer),
          before_(before),
          notifications_(notifications),
          pause_at_(pause_at) {
        for (const loader::ProgramImage& program : image.programs) now_.total += program.instructions.size();
    }

    tlm::RunResult run(const ProgressFunction& progress) {
        if (paused_) look();  // a checkpoint has taken time
        if (time_left() == 0) return {Outcome::TimeLimit, "", before_.time, machine_.statistics().time};
        std::uint64_t slice = std::min(FirstSlice, longest());
        auto shown = begin_;
        for (;;) {
            const auto slice_begin = std::chrono::steady_clock::now();
            if (pause_at_ && machine_.statistics().time >= *pause_at_) {
                pause_at_.reset();
                paused_ = true;
                return {Outcome::TimeLimit, "", before_.time, machine_.statistics().time};
            }
            const tlm::RunResult result = machine_.run(std::min({slice, time_left(), time_to_pause()}));
            paused_ = false;
            if (result.outcome != Outcome::TimeLimit) return result;
            if (notifications_ != nullptr) notifications_->drain();
            look();
            spinning_ = limits_.idle_instructions != 0 &&
                        observer_.instructions() - alive_ >= limits_.idle_instructions;
            if (spinning_ || time_left() == 0) return result;
            if (progress && (notifications_ == nullptr || seconds_since(shown) >= ProgressSeconds)) {
                shown = std::chrono::steady_clock::now();
                if (!progress(now_)) return result;
            }
            const double growth =
                std::min(MaxSliceGrowth, ProgressSeconds / std::max(1e-6, seconds_since(slice_begin)));
            slice = std::clamp(static_cast<std::uint64_t>(static_cast<double>(slice) * growth), MinSlice,
                               MaxSlice);
            slice = std::min(slice, longest());
        }
    }

    bool spinning() const { return spinning_; }
    bool paused() const { return paused_; }  // run() returned for the pause
    std::uint64_t time_left() const {
        if (limits_.max_time == 0) return std::numeric_limits<std::uint64_t>::max();
        return limits_.max_time - std::min(limits_.max_time, time_);
    }

  private:
    // A slice ends before the notification queue can be full.
    std::uint64_t longest() const { return notifications_ == nullptr ? MaxSlice : limits_.drain_interval; }

    std::uint64_t time_to_pause() const {
        return pause_at_ ? *pause_at_ - machine_.statistics().time
                         : std::numeric_limits<std::uint64_t>::max();
    }

    void look() {
        const tlm::Statistics statistics = machine_.statistics();
        now_.completed = completed(statistics) - completed(before_);
        now_.cycles = statistics.core.cycles - before_.core.cycles;
        now_.wall_seconds = seconds_since(begin_);
        time_ = statistics.time - before_.time;
        alive_ = std::max(alive_, observer_.last_effect());
        const std::uint64_t moved_before = std::exchange(moved_, moved(statistics));
        if (moved_ != moved_before) alive_ = observer_.instructions();
    }

    Machine& machine_;
    const ExecutionLimits& limits_;
    const Observer& observer_;
    const tlm::Statistics& before_;
    NotificationReader* notifications_;
    std::optional<std::uint64_t> pause_at_;
    bool paused_ = false;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    Progress now_;
    std::uint64_t time_ = 0;   // simulated so far
    std::uint64_t moved_ = 0;  // bytes
    std::uint64_t alive_ = 0;  // instructions completed when something last happened outside the sequencers
    bool spinning_ = false;
};

std::string diagnose(Machine& machine, const neff::Package& package, const Image& image,
                     const ExecutionLimits& limits, const tlm::RunResult& run, const SlicedRun& sliced,
                     addresses::CoreId core) {
    switch (run.outcome) {
        case Outcome::Done:
            return "";
        case Outcome::CoreError:
            return diagnose_core_error(machine, package, core);
        case Outcome::DmaError:
            return diagnose_dma_error(machine, package, image, core);
        case Outcome::TimeLimit:
            if (sliced.time_left() != 0) return "stopped before the end";
            return with_lines(fmt::format("not done after {} of simulated time",
                                          config::format_quantity(limits.max_time, config::Quantity::Time)),
                              diagnose_hang(machine, package, image, core));
        case Outcome::Hang: {
            const std::string what = sliced.spinning()
                                         ? fmt::format(
                                               "{} instructions (runtime.idle_instructions) had no "
                                               "effect outside the registers of their engines",
                                               limits.idle_instructions)
                                         : run.message;
            return with_lines("hang: " + what, diagnose_hang(machine, package, image, core));
        }
    }
    return run.message;
}

struct CoreErrorStatus {
    isa::Error code;
    Status status;
};
// All others are ExecCompletedWithError.
constexpr std::array CoreErrorStatuses{
    CoreErrorStatus{isa::Error::AddressRange, Status::ExecOutOfBounds},
    CoreErrorStatus{isa::Error::PartitionRange, Status::ExecOutOfBounds},
    CoreErrorStatus{isa::Error::Uncorrectable, Status::ExecUncorrectable},
    CoreErrorStatus{isa::Error::NotificationOverflow, Status::ExecQueueOverflow},
};

}  // namespace

bool hbm_uncorrected(const Figures& figures) {
    return std::ranges::any_of(figures.dram, [](const tlm::DramStatistics& d) { return d.uncorrected != 0; });
}

Status status_of_core_error(Machine& machine, unsigned core, bool hbm_uncorrected) {
    const auto code =
        static_cast<isa::Error>(machine.read32(addresses::core_window(core) + isa::csr::ErrorCode));
    if (code == isa::Error::Fetch && hbm_uncorrected) return Status::ExecHbmUncorrectable;
    const auto row = std::ranges::find(CoreErrorStatuses, code, &CoreErrorStatus::code);
    return row == CoreErrorStatuses.end() ? Status::ExecCompletedWithError : row->status;
}

namespace {

Status status_of(Machine& machine, const Image& image, const Result& result, const SlicedRun& sliced) {
    switch (result.outcome) {
        case Outcome::Done:
            return result.figures.numeric.engines == 0 ? Status::Success
                                                       : Status::ExecCompletedWithNumericError;
        case Outcome::CoreError:
            return status_of_core_error(machine, image.core, hbm_uncorrected(result.figures));
        case Outcome::DmaError:
            return hbm_uncorrected(result.figures) ? Status::ExecHbmUncorrectable : Status::ExecDmaAbort;
        case Outcome::TimeLimit:
            return sliced.time_left() != 0 ? Status::Failure : Status::Timeout;
        case Outcome::Hang:
            return Status::Timeout;
    }
    return Status::Failure;
}

}  // namespace

void write_descriptors(Machine& machine, const Image& image) {
    make(machine, descriptor_writes(image));
}

void write_image(Machine& machine, const Image& image) {
    make(machine, memory_writes(image));
}

Result run_image(Machine& machine, const neff::Package& package, const Image& image, const Rounding& rounding,
                 const ExecutionLimits& limits, const Observer& observer, const ProgressFunction& progress,
                 NotificationLog* log, const Checkpoints& checkpoints) {
    if (checkpoints.request || checkpoints.resume != nullptr)
        check_possible(package, image, machine.perturbed().has_value());
    if (checkpoints.resume == nullptr) set_up(machine, image, rounding);
    std::optional<NotificationReader> notifications;
    if (image.notifications.records != 0) {
        notifications.emplace(machine, image.notifications, *log, image.core);
        notifications->start();
    }
    GpsimdCores gpsimd(machine, package, image.core);
    if (checkpoints.resume == nullptr) {
        gpsimd.clear();
        machine.before_start();
    } else {
        machine.load(*checkpoints.resume);
    }
    const tlm::Statistics before = machine.statistics();
    const auto begin = std::chrono::steady_clock::now();
    if (checkpoints.resume == nullptr) start(machine, image);
    const auto& request = checkpoints.request;
    SlicedRun sliced(machine, image, limits, observer, before, notifications ? &*notifications : nullptr,
                     request ? std::optional(request->at) : std::nullopt);
    tlm::RunResult run = sliced.run(progress);
    Result result;
    if (sliced.paused()) {
        if (const auto failure = take_checkpoint(machine, *request, result.checkpoint))
            run = *failure;
        else
            run = sliced.run(progress);
    }
    if (sliced.spinning()) run.outcome = Outcome::Hang;
    if (checkpoints.resume != nullptr) result.resumed = checkpoints.resume->time;
    const double wall_seconds = seconds_since(begin);
    result.figures = difference(before, machine.statistics());
    result.figures.wall_seconds = wall_seconds;
    result.figures.matmul = observer.matmul();
    result.figures.work = observer.work();
    result.rounding = rounding;
    if (checkpoints.resume != nullptr) result.rounding = rounding_of(*checkpoints.resume);
    result.perturb = machine.perturbed();
    result.random_memory = machine.random_memory();
    result.core_id = before.core.id;
    result.core = machine.core_info();
    result.fidelity = machine.fidelity();
    result.outcome = run.outcome;
    result.spinning = sliced.spinning();
    result.message = diagnose(machine, package, image, limits, run, sliced, before.core.id);
    result.status = status_of(machine, image, result, sliced);
    result.printed = gpsimd.printed();
    if (notifications) {
        notifications->finish();
        result.notifications = notifications->counts();
    }
    return result;
}

}  // namespace trnsim::runtime
