#include "arch/cost/control.hpp"

#include <bit>

#include "arch/cost/clock.hpp"
#include "base/time/time.hpp"
#include "isa/opcode_class.hpp"

namespace trnsim::cost {
namespace {

using isa::Opcode;

// An instruction that waits for all earlier ones is fetched, checked and begun; any other is only checked and
// executed. Cycles.
constexpr std::uint64_t Begin = 3, Scalar = 2;
// Cycles beside the answer of memory: the way of a write out and back, and the fetch after a branch.
constexpr std::uint64_t WriteRest = 5, BranchRest = 6;
// A load from SBUF or PSUM through the core window takes WindowAccess cycles; a store takes one more, and so
// does an access to registers, semaphores and events. Other traffic may add WindowBound cycles.
constexpr std::uint64_t WindowAccess = 5, WindowBound = 4;

std::uint64_t writes_of(const isa::Instruction& instruction) {
    if (instruction.opcode() == Opcode::Write) return 1;
    return static_cast<std::uint64_t>(std::popcount(instruction.get(isa::field::EngineMask)));
}

// The memories of the GpSimd cores are slower than the rest of the window. An address to which a register is
// added is not known.
Cycles window_cycles(const isa::Instruction& instruction) {
    const std::uint64_t address = instruction.get(isa::field::Address);
    const bool known = instruction.get(isa::field::RegA) == 0;
    const bool memory = address < isa::window::GpsimdTcmBase, system = address >= isa::window::EventBase;
    const bool load = instruction.opcode() == Opcode::RegisterLoad;
    const std::uint64_t access = WindowAccess + (load ? 0 : 1) + (memory ? 0 : 1);
    Cycles cycles{.occupies = Begin + access, .completes = access};
    if (known && (memory || system)) return cycles;
    cycles.occupies_within = cycles.completes_within = WindowBound;
    cycles.exception = Exception::Window;
    return cycles;
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
        const std::uint64_t bound = context.known ? 0 : context.memory_latency;
        return {.occupies = Begin + all,
                .completes = all,
                .occupies_within = bound,
                .completes_within = bound,
                .exception = context.known ? Exception::None : Exception::Memory};
    }
    if (isa::uses_window(opcode)) return window_cycles(instruction);
    const bool jumps = opcode == Opcode::Branch &&
                       (context.taken || instruction.get(isa::field::Condition) ==
                                             static_cast<std::uint64_t>(isa::BranchCond::Always));
    // Beats that were requested before the jump come first.
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
