#include "arch/cost/cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "arch/cost/clock.hpp"
#include "arch/cost/control.hpp"
#include "arch/cost/elementwise.hpp"
#include "arch/cost/gpsimd.hpp"
#include "arch/cost/tensor.hpp"
#include "isa/core_window.hpp"
#include "isa/disassembler.hpp"
#include "isa/matmul_passes.hpp"
#include "isa/opcode_class.hpp"

namespace trnsim::cost {
namespace {

using isa::Engine;
using isa::Opcode;

Geometry geometry_of(const config::Core& core) {
    const auto lanes = static_cast<std::uint32_t>(core.partitions);
    return {lanes, isa::sbuf_partition_stride(lanes)};
}

// When everything before it has completed, memory answers, then the beats of the tables come, one a bus
// cycle.
Cycles table_load(const isa::Instruction& instruction, const config::Core& core,
                  const ControlContext& context) {
    constexpr std::uint64_t Rest = 6;  // bus cycles of the request and of its end
    const Clock bus(core.clock_ratio.bus), scalar(core.clock_ratio.scalar);
    const auto cycles = [&](std::uint64_t bus_cycles) {
        return scalar.whole_cycles(bus.core_cycles(bus_cycles));
    };
    const std::uint64_t all = cycles(Rest + context.memory_latency + instruction.get(isa::field::TableBeats));
    const std::uint64_t bound = context.known ? 0 : cycles(context.memory_latency);
    return {.occupies = all,
            .completes = all,
            .occupies_within = bound,
            .completes_within = bound,
            .exception = context.known ? Exception::None : Exception::Memory};
}

}  // namespace

const config::Ratio& Costs::clock(Engine engine) const {
    const config::ClockRatio& ratio = config_.core.clock_ratio;
    switch (engine) {
        case Engine::Tensor:
            return ratio.tensor;
        case Engine::Vector:
            return ratio.vector;
        case Engine::Scalar:
            return ratio.scalar;
        case Engine::Gpsimd:
            return ratio.gpsimd;
        case Engine::Sync:
            break;
    }
    return ratio.bus;
}

Cycles Costs::in_own_clock(Engine engine, const isa::Instruction& instruction, const Context& context) const {
    const isa::InstructionInfo* info = instruction.info();
    if (info == nullptr || (info->engines >> static_cast<unsigned>(engine) & 1) == 0)
        throw std::invalid_argument(fmt::format("cost: opcode 0x{:02x} on {}, expected one that it has",
                                                static_cast<unsigned>(instruction.opcode()),
                                                isa::name_of(engine)));
    const config::Core& core = config_.core;
    const ControlContext control{.memory_latency = context.memory_latency.value_or(memory_latency(config_)),
                                 .known = context.memory_latency.has_value(),
                                 .taken = context.taken};
    if (isa::is_control(instruction.opcode())) return control_cycles(instruction, core, control);
    const Geometry geometry = geometry_of(core);
    switch (engine) {
        case Engine::Tensor: {
            isa::MatmulPasses passes(context.stationary_parts);
            return tensor_cycles(decode_tensor(instruction.bytes(), core, geometry), core,
                                 passes.next(instruction));
        }
        case Engine::Vector:
            return vector_cycles(decode_vector(instruction.bytes(), geometry, context.stochastic),
                                 core.vector, geometry.quadrant());
        case Engine::Scalar:
            if (instruction.opcode() == Opcode::ActTableLoad) return table_load(instruction, core, control);
            return scalar_cycles(decode_scalar(instruction.bytes(), geometry), core.scalar);
        default:
            return gpsimd_cycles(instruction, core, context.arguments);
    }
}

Cycles Costs::of(Engine engine, const isa::Instruction& instruction, const Context& context) const {
    const Cycles own = in_own_clock(engine, instruction, context);
    const bool control = isa::is_control(instruction.opcode());
    const Clock bus(config_.core.clock_ratio.bus), clock = control ? bus : Clock(this->clock(engine));
    Cycles cycles = own;
    cycles.occupies = clock.core_cycles(own.occupies);
    cycles.completes = clock.core_cycles(own.completes);
    // A completion that is a cycle earlier or later may fall on another edge of the bus.
    const auto bound = [&](std::uint64_t within) {
        return within == 0 ? 0 : clock.core_cycles(within) + (control ? 0 : bus.core_cycles(1));
    };
    cycles.occupies_within = bound(own.occupies_within);
    cycles.completes_within = bound(own.completes_within);
    if (control) return cycles;
    cycles.occupies = std::max(cycles.occupies, hand_over());
    // The engine takes the instruction at least a core cycle before the issue.
    cycles.completes += bus.core_cycles(1 + Retire) - 1;
    return cycles;
}

std::uint64_t Costs::completion(Engine engine, std::uint64_t issue, std::uint64_t cycles) const {
    const Clock bus(config_.core.clock_ratio.bus), own(clock(engine));
    // The engine takes the instruction at its first edge after the last bus edge before the issue if that
    // edge is before the issue, else at that bus edge.
    const std::uint64_t offered = bus.before(issue), behind = own.after(offered);
    const std::uint64_t taken = behind < issue ? behind : offered;
    return bus.after(own.after(taken, cycles), 1 + Retire);
}

std::uint64_t Costs::hand_over() const {
    return Clock(config_.core.clock_ratio.bus).core_cycles(HandOver);
}

std::uint64_t Costs::dependent(Engine engine) const {
    if (engine != Engine::Vector && engine != Engine::Scalar) return 0;
    const config::Core& core = config_.core;
    const config::ElementwiseEngine& own = engine == Engine::Vector ? core.vector : core.scalar;
    return Clock(clock(engine)).core_cycles(own.dependent_latency);
}

}  // namespace trnsim::cost
