#include "lib/runtime/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>
#include <utility>

#include "lib/config/units.hpp"
#include "lib/neff/check.hpp"
#include "lib/runtime/diagnosis.hpp"
#include "lib/runtime/segments.hpp"

namespace trnsim::runtime {
namespace {

namespace dma = tlm::dma;
using tlm::chip::Outcome;

constexpr double FsPerSecond = 1e15;
constexpr double SliceSeconds = 0.25;                // wall time between two calls of the progress function
constexpr std::uint64_t FirstSlice = 1'000'000'000;  // fs of simulated time
constexpr std::uint64_t MinSlice = 10'000'000;
constexpr std::uint64_t MaxSlice = 100'000'000'000'000;
constexpr double MaxSliceGrowth = 8;

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string input_names(const neff::Package& package) {
    std::string names;
    for (const neff::Tensor& tensor : package.tensors) {
        if (neff::is_input(tensor.kind)) names += (names.empty() ? "" : " ") + tensor.name;
    }
    return names.empty() ? "none" : names;
}

std::vector<std::uint8_t> encode(const std::vector<dma::Descriptor>& descriptors) {
    std::vector<std::uint8_t> bytes;
    bytes.reserve(descriptors.size() * dma::DescriptorBytes);
    for (const dma::Descriptor& descriptor : descriptors) {
        const auto encoded = dma::encode(descriptor);
        bytes.insert(bytes.end(), encoded.begin(), encoded.end());
    }
    return bytes;
}

void load_rings(Machine& machine, const Image& image) {
    using enum dma::RingRegister;
    for (std::size_t queue = 0; queue < image.rings.size(); ++queue) {
        for (std::size_t e = 0; e < image.rings[queue].size(); ++e) {
            const Ring& ring = image.rings[queue][e];
            if (ring.m2s.empty()) continue;
            machine.write(ring.m2s_base, encode(ring.m2s));
            machine.write(ring.s2m_base, encode(ring.s2m));
            const auto set = [&](dma::RingRegister reg, std::uint64_t value) {
                machine.write32(dma::ring_address(e, queue, reg), static_cast<std::uint32_t>(value));
            };
            set(M2sBaseLow, ring.m2s_base);
            set(M2sBaseHigh, ring.m2s_base >> 32);
            set(M2sSize, ring.size);
            set(S2mBaseLow, ring.s2m_base);
            set(S2mBaseHigh, ring.s2m_base >> 32);
            set(S2mSize, ring.size);
        }
    }
}

void load(Machine& machine, const neff::Package& package, const Prepared& prepared) {
    const Image& image = prepared.image;
    for (std::size_t i = 0; i < package.tensors.size(); ++i) {
        if (!prepared.contents[i].empty()) machine.write(image.tensor_address[i], prepared.contents[i]);
    }
    const std::array<std::uint8_t, 4> one{1, 0, 0, 0};
    machine.write(image.one_address, one);
    for (const auto& [set, tables] : image.tables) machine.write(tables.address, tables.bytes);
    for (std::uint32_t e = 0; e < image.programs.size(); ++e) {
        const Program& program = image.programs[e];
        if (program.instructions.empty()) continue;
        std::vector<std::uint8_t> bytes;
        for (const isa::Instruction& instruction : program.instructions) {
            bytes.insert(bytes.end(), instruction.bytes().begin(), instruction.bytes().end());
        }
        machine.write(program.address, bytes);
        const std::uint64_t block = CoreWindowBase + std::uint64_t{e} * isa::csr::EngineStride;
        machine.write32(block + isa::csr::EngineProgramLo, static_cast<std::uint32_t>(program.address));
        machine.write32(block + isa::csr::EngineProgramHi, static_cast<std::uint32_t>(program.address >> 32));
        machine.write32(block + isa::csr::EngineProgramLength,
                        static_cast<std::uint32_t>(program.instructions.size()));
    }
    machine.write32(CoreWindowBase + isa::csr::SrControl, prepared.rounding.stochastic ? 1 : 0);
    machine.write32(CoreWindowBase + isa::csr::SrSeed, prepared.rounding.seed);
    load_rings(machine, image);
}

void start(Machine& machine, const Image& image) {
    for (std::uint32_t e = 0; e < image.programs.size(); ++e) {
        if (image.programs[e].instructions.empty()) continue;
        machine.write32(CoreWindowBase + isa::csr::EngineStart + std::uint64_t{e} * isa::csr::EngineStride,
                        1);
    }
}

std::uint64_t completed(const tlm::Statistics& statistics) {
    std::uint64_t sum = 0;
    for (const tlm::EngineStatistics& engine : statistics.core.engine) sum += engine.completed;
    return sum;
}

// Bytes that DMA engines and the core moved: what a loop without effect may be waiting for.
std::uint64_t moved(const tlm::Statistics& statistics) {
    std::uint64_t sum = statistics.core.window.bytes_written + statistics.core.window.bytes_read;
    for (const tlm::DmaStatistics& engine : statistics.dma)
        sum += engine.data.bytes_written + engine.data.bytes_read;
    return sum;
}

// A run in slices of simulated time that take about SliceSeconds each.
class SlicedRun {
  public:
    // `notifications` may be null.
    SlicedRun(Machine& machine, const Prepared& prepared, const Observer& observer,
              const tlm::Statistics& before, NotificationReader* notifications)
        : machine_(machine),
          prepared_(prepared),
          observer_(observer),
          before_(before),
          notifications_(notifications) {
        for (const Program& program : prepared.image.programs) now_.total += program.instructions.size();
    }

    tlm::chip::RunResult run(const ProgressFunction& progress) {
        std::uint64_t slice = std::min(FirstSlice, longest());
        auto shown = begin_;
        for (;;) {
            const auto slice_begin = std::chrono::steady_clock::now();
            const tlm::chip::RunResult result = machine_.run(std::min(slice, time_left()));
            if (result.outcome != Outcome::TimeLimit) return result;
            if (notifications_ != nullptr) notifications_->drain();
            look();
            spinning_ = prepared_.idle_instructions != 0 &&
                        observer_.instructions() - alive_ >= prepared_.idle_instructions;
            if (spinning_ || time_left() == 0) return result;
            if (progress && (notifications_ == nullptr || seconds_since(shown) >= SliceSeconds)) {
                shown = std::chrono::steady_clock::now();
                if (!progress(now_)) return result;
            }
            const double growth =
                std::min(MaxSliceGrowth, SliceSeconds / std::max(1e-6, seconds_since(slice_begin)));
            slice = std::clamp(static_cast<std::uint64_t>(static_cast<double>(slice) * growth), MinSlice,
                               MaxSlice);
            slice = std::min(slice, longest());
        }
    }

    bool spinning() const { return spinning_; }
    std::uint64_t time_left() const {
        if (prepared_.max_time == 0) return std::numeric_limits<std::uint64_t>::max();
        return prepared_.max_time - std::min(prepared_.max_time, time_);
    }

  private:
    // A slice ends before the notification queue can be full.
    std::uint64_t longest() const { return notifications_ == nullptr ? MaxSlice : prepared_.drain_interval; }

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
    const Prepared& prepared_;
    const Observer& observer_;
    const tlm::Statistics& before_;
    NotificationReader* notifications_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    Progress now_;
    std::uint64_t time_ = 0;   // simulated so far
    std::uint64_t moved_ = 0;  // bytes
    std::uint64_t alive_ = 0;  // instructions completed when something last happened outside the sequencers
    bool spinning_ = false;
};

std::string diagnose(Machine& machine, const neff::Package& package, const Prepared& prepared,
                     const tlm::chip::RunResult& run, const SlicedRun& sliced) {
    const Image& image = prepared.image;
    switch (run.outcome) {
        case Outcome::Done:
            return "";
        case Outcome::CoreError:
            return diagnose_core_error(machine, package);
        case Outcome::DmaError:
            return diagnose_dma_error(machine, package, image);
        case Outcome::TimeLimit:
            if (sliced.time_left() != 0) return "stopped before the end";
            return fmt::format("not done after {} of simulated time\n{}",
                               config::format_quantity(prepared.max_time, config::Quantity::Time),
                               diagnose_hang(machine, package, image));
        case Outcome::Hang: {
            const std::string what = sliced.spinning()
                                         ? fmt::format(
                                               "{} instructions (runtime.idle_instructions) had no "
                                               "effect outside the registers of their engines",
                                               prepared.idle_instructions)
                                         : run.message;
            return "hang: " + what + "\n" + diagnose_hang(machine, package, image);
        }
    }
    return run.message;
}

}  // namespace

Prepared prepare(const neff::Package& package, const config::Config& config, const Arrays& inputs,
                 std::uint32_t notifications) {
    Prepared prepared{plan(package, config, notifications),
                      std::vector<std::vector<std::uint8_t>>(package.tensors.size()),
                      {}};
    prepared.idle_instructions = config.runtime.idle_instructions;
    // One record a core cycle at most.
    prepared.drain_interval = static_cast<std::uint64_t>(
        notifications / 2.0 * (FsPerSecond / static_cast<double>(config.core.clock)));
    for (const auto& [name, array] : inputs) {
        const auto tensor = std::ranges::find(package.tensors, name, &neff::Tensor::name);
        if (tensor == package.tensors.end() || !neff::is_input(tensor->kind)) {
            throw Error(fmt::format("kernel '{}' has no input '{}'; its inputs: {}", package.name, name,
                                    input_names(package)));
        }
        prepared.contents[static_cast<std::size_t>(tensor - package.tensors.begin())] =
            to_device(*tensor, array);
    }
    for (const neff::Tensor& tensor : package.tensors) {
        if (neff::is_input(tensor.kind) && !inputs.contains(tensor.name)) {
            throw Error(fmt::format("kernel '{}' needs input '{}' of {} {}", package.name, tensor.name,
                                    npy::format_shape(tensor.shape), name_of(tensor.dtype)));
        }
    }
    return prepared;
}

Result execute(Machine& machine, const neff::Package& package, const Prepared& prepared,
               const Observer& observer, const ProgressFunction& progress, NotificationLog* log) {
    load(machine, package, prepared);
    std::optional<NotificationReader> notifications;
    if (prepared.image.notifications.records != 0) {
        notifications.emplace(machine, prepared.image.notifications, *log);
        notifications->start();
    }
    machine.before_start();
    const tlm::Statistics before = machine.statistics();
    const auto begin = std::chrono::steady_clock::now();
    start(machine, prepared.image);
    SlicedRun sliced(machine, prepared, observer, before, notifications ? &*notifications : nullptr);
    tlm::chip::RunResult run = sliced.run(progress);
    if (sliced.spinning()) run.outcome = Outcome::Hang;
    Result result;
    const double wall_seconds = seconds_since(begin);
    result.figures = difference(before, machine.statistics());
    result.figures.wall_seconds = wall_seconds;
    result.figures.matmul = observer.matmul();
    result.figures.work = observer.work();
    result.rounding = prepared.rounding;
    result.perturb = machine.perturbed();
    result.random_memory = machine.random_memory();
    result.core = machine.core_info();
    result.outcome = run.outcome;
    result.spinning = sliced.spinning();
    result.message = diagnose(machine, package, prepared, run, sliced);
    if (notifications) {
        notifications->finish();
        result.notifications = notifications->counts();
    }
    if (!result.done()) return result;
    for (std::size_t i = 0; i < package.tensors.size(); ++i) {
        const neff::Tensor& tensor = package.tensors[i];
        if (!neff::is_output(tensor.kind)) continue;
        std::vector<std::uint8_t> bytes(neff::tensor_bytes(tensor));
        machine.read(prepared.image.tensor_address[i], bytes);
        result.outputs.emplace(tensor.name, from_device(tensor, std::move(bytes)));
    }
    return result;
}

}  // namespace trnsim::runtime
