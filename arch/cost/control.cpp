#include "arch/cost/control.hpp"

#include <bit>

#include "arch/cost/clock.hpp"
#include "base/time/time.hpp"
#include "isa/opcode_class.hpp"

namespace trnsim::cost {
namespace {

using isa::Opcode;

// Those that wait for all before them are fetched, checked and begun; those of the sequencer alone only checked and executed.
constexpr std::uint64_t Begin = 3, Scalar = 2;
// Beside the answer of memory: what a write takes on its way out and back, and the fetch behind a branch.
constexpr std::uint64_t WriteRest = 5, BranchRest = 6;
// Of a load or store through the core window, and by how much it is longer in other places of it.
constexpr std::uint64_t WindowAccess = 6, WindowBound = 4;

std::uint64_t writes_of(const isa::Instruction& instruction) {
    if (instruction.opcode() == Opcode::Write) return 1;
    return static_cast<std::uint64_t>(std::popcount(instruction.get(isa::field::EngineMask)));
}

}  // namespace

std::uint64_t memory_latency(const config::Config& config) {
    const config::Ratio& bus = config.core.clock_ratio.bus;
    const std::uint64_t time = 2 * config.fabric.latency + config::unloaded_read_latency(config.hbm);
    const double cycles = static_cast<double>(time) / static_cast<double>(FsPerSecond) *
                          static_cast<double>(config.core.clock) * static_cast<double>(bus.numerator) /
                          static_cast<double>(bus.denominator);
    return static_cast<std::uint64_t>(cycles) + 1;
}

Cycles control_cycles(const isa::Instruction& instruction, const config::Core& core,
                      const ControlContext& context) {
    const Opcode opcode = instruction.opcode();
    if (opcode == Opcode::EventSemaphore)
        return {.occupies = Begin + core.semaphore_latency, .completes = core.semaphore_latency};
    if (isa::uses_bus(opcode)) {
        const std::uint64_t all = WriteRest + writes_of(instruction) + context.memory_latency;
        return {.occupies = Begin + all,
                .completes = all,
                .occupies_within = context.memory_latency,
                .completes_within = context.memory_latency,
                .exception = Exception::Memory};
    }
    if (isa::uses_window(opcode))
        return {.occupies = Begin + WindowAccess,
                .completes = WindowAccess,
                .occupies_within = WindowBound,
                .completes_within = WindowBound,
                .exception = Exception::Window};
    const bool jumps = opcode == Opcode::Branch &&
                       (context.taken || instruction.get(isa::field::Condition) ==
                                             static_cast<std::uint64_t>(isa::BranchCond::Always));
    // Beats asked for before the jump come first.
    if (jumps)
        return {.occupies = BranchRest + context.memory_latency,
                .completes = 1,
                .occupies_within = core.fetch.prefetch,
                .completes_within = 0,
                .exception = Exception::Memory};
    if (isa::is_scalar(opcode)) return {.occupies = Scalar, .completes = 1};
    return {.occupies = Begin + 1, .completes = 1};
}

}  // namespace trnsim::cost
