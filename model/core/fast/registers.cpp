#include "model/core/fast/registers.hpp"

#include <algorithm>
#include <stdexcept>

namespace trnsim::tlm::core_fast {
namespace {

namespace csr = isa::csr;

constexpr unsigned WordBits = 32;
constexpr std::uint32_t InstructionBytesLog2 = 6;
constexpr std::uint32_t WindowBits = 26;

std::uint32_t low(std::uint64_t value) {
    return static_cast<std::uint32_t>(value);
}
std::uint32_t high(std::uint64_t value) {
    return static_cast<std::uint32_t>(value >> WordBits);
}

}  // namespace

Registers::Access Registers::access(bool write, std::uint32_t offset, std::uint32_t data,
                                    const View& view) const {
    const std::uint32_t address = isa::window::CsrBase + offset;
    Access access;
    bool mapped = true, read_only = true;
    if (offset < EngineCount * csr::EngineStride) {
        const std::uint32_t e = offset / csr::EngineStride;
        switch (address - e * csr::EngineStride) {
            case csr::EngineProgramLo:
                access.data = low(program_[e].base << InstructionBytesLog2);
                read_only = false;
                break;
            case csr::EngineProgramHi:
                access.data = high(program_[e].base << InstructionBytesLog2);
                read_only = false;
                break;
            case csr::EngineProgramLength:
                access.data = program_[e].length;
                read_only = false;
                break;
            case csr::EngineStart: {
                const isa::SeqState state = view.state[e];
                const bool startable = state == isa::SeqState::Idle || state == isa::SeqState::Halted;
                if (write && (data & 1) != 0 && startable && !stopped()) access.starts = 1U << e;
                read_only = false;
                break;
            }
            case csr::EngineState:
                access.data = static_cast<std::uint32_t>(view.state[e]);
                break;
            case csr::EnginePc:
                access.data = view.pc[e];
                break;
            case csr::EngineCompleted:
                access.data = view.completed[e];
                break;
            case csr::EngineBusyLo:
                access.data = low(view.counters->busy[e]);
                break;
            case csr::EngineBusyHi:
                access.data = high(view.counters->busy[e]);
                break;
            default:
                mapped = false;
        }
    } else {
        std::uint32_t halted = 0;
        for (unsigned e = 0; e < EngineCount; ++e)
            halted |= std::uint32_t{view.state[e] == isa::SeqState::Halted} << e;
        const bool all_halted = started_ != 0 && (started_ & ~halted) == 0;
        const EngineCounters& counters = *view.counters;
        const MemoryCounts& memories = *view.memories;
        switch (address) {
            case csr::Status:
                access.data = (all_halted ? 4U : 0U) | (stopped() ? 2U : 0U) | (view.quiet ? 1U : 0U);
                break;
            case csr::ErrorCode:
                access.data = static_cast<std::uint32_t>(fault_.code);
                break;
            case csr::ErrorEngine:
                access.data = fault_.engine;
                break;
            case csr::ErrorPc:
                access.data = fault_.origin.pc;
                break;
            case csr::ErrorAddress:
                access.data = fault_.address;
                break;
            case csr::ErrorOpcode:
                access.data = fault_.origin.opcode;
                break;
            case csr::SrControl:
                access.data = stochastic_ ? 1 : 0;
                read_only = false;
                break;
            case csr::SrSeed:
                access.data = seed_;
                read_only = false;
                break;
            case csr::SramEcc:
                access.data = memories.corrected << 16 | memories.uncorrected;
                break;
            case csr::UpsetAddress:
                access.data = upset_address_;
                read_only = false;
                break;
            case csr::MovingWaits:
                access.data = memories.moving_waits;
                break;
            case csr::VectorWaits:
                access.data = memories.vector_waits;
                break;
            case csr::ScalarWaits:
                access.data = memories.scalar_waits;
                break;
            case csr::BusWaits:
                access.data = memories.bus_waits;
                break;
            case csr::SequencerWaits:
                access.data = memories.sequencer_waits;
                break;
            case csr::PsumUnfounded:
                access.data = std::min(memories.unfounded, 0xffffU);
                break;
            case csr::GpsimdWaits:
                access.data = memories.gpsimd_waits;
                break;
            case csr::CountersClear:
                read_only = false;
                break;
            case csr::MatmulLo:
                access.data = low(counters.matmul);
                break;
            case csr::MatmulHi:
                access.data = high(counters.matmul);
                break;
            case csr::FastLoadLo:
                access.data = low(counters.fast_load);
                break;
            case csr::FastLoadHi:
                access.data = high(counters.fast_load);
                break;
            case csr::NormalLoadLo:
                access.data = low(counters.normal_load);
                break;
            case csr::NormalLoadHi:
                access.data = high(counters.normal_load);
                break;
            case csr::NumericError:
                access.data = numeric_.engines;
                break;
            case csr::NumericEngine:
                access.data = numeric_.engine;
                break;
            case csr::NumericPc:
                access.data = numeric_.pc;
                break;
            case csr::NumericOpcode:
                access.data = numeric_.opcode;
                break;
            case csr::UpsetBits:
                if (write)
                    throw std::runtime_error("the fast core has no upsets of memory; use --fidelity rtl");
                mapped = false;
                break;
            default: {
                const auto queue = view.notifications->read(address, data);
                mapped = queue.has_value();
                if (mapped) {
                    access.data = queue->data;
                    read_only = queue->refuses;
                }
            }
        }
        const std::uint32_t core = (address - csr::GpsimdPc) / csr::GpsimdStride,
                            place = (address - csr::GpsimdPc) % csr::GpsimdStride;
        if (address >= csr::GpsimdPc && core < view.gpsimd->cores) {
            const bool is_state = place == csr::GpsimdState - csr::GpsimdPc;
            mapped = place == 0 || is_state;
            if (mapped)
                access.data =
                    is_state ? static_cast<std::uint32_t>(view.gpsimd->state[core]) : view.gpsimd->pc[core];
        }
    }
    access.failed = !mapped || (write && read_only);
    return access;
}

void Registers::write(std::uint32_t offset, std::uint32_t data, const Access& access,
                      Functional& functional) {
    if (access.failed) return;
    started_ |= access.starts;
    const std::uint32_t address = isa::window::CsrBase + offset;
    if (offset < EngineCount * csr::EngineStride) {
        const std::uint32_t e = offset / csr::EngineStride;
        std::uint64_t& base = program_[e].base;
        constexpr unsigned LowBits = WordBits - InstructionBytesLog2;
        switch (address - e * csr::EngineStride) {
            case csr::EngineProgramLo:
                base = base >> LowBits << LowBits | data >> InstructionBytesLog2;
                break;
            case csr::EngineProgramHi:
                base = (std::uint64_t{data} << LowBits) | (base & ((std::uint64_t{1} << LowBits) - 1));
                break;
            case csr::EngineProgramLength:
                program_[e].length = data;
                break;
            default:
                break;
        }
        return;
    }
    switch (address) {
        case csr::SrControl:
            stochastic_ = (data & 1) != 0;
            functional.set_stochastic(stochastic_);
            break;
        case csr::SrSeed:
            seed_ = data;
            seeds_ = true;
            functional.seed_rounding(data);
            break;
        case csr::UpsetAddress:
            upset_address_ = data & ((1U << WindowBits) - 1);
            break;
        case csr::CountersClear:
            clears_counters_ = (data & 1) != 0;
            break;
        default:
            break;
    }
}

void Registers::set_nan(unsigned engine, Origin origin) {
    if (numeric_.engines == 0) {
        numeric_.engine = static_cast<std::uint8_t>(engine);
        numeric_.pc = origin.pc;
        numeric_.opcode = origin.opcode;
    }
    numeric_.engines = static_cast<std::uint8_t>(numeric_.engines | 1U << engine);
}

}  // namespace trnsim::tlm::core_fast
