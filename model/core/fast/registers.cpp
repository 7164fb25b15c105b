#include "model/core/fast/registers.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>

#include "model/core/fast/words.hpp"

namespace trnsim::tlm::core_fast {
namespace {

namespace csr = isa::csr;

constexpr std::uint32_t InstructionBytesLog2 = 6;
constexpr std::uint32_t WindowBits = 26;
constexpr std::uint32_t MostUnfounded = 0xffff;

std::uint32_t low(std::uint64_t value) {
    return static_cast<std::uint32_t>(value);
}
std::uint32_t high(std::uint64_t value) {
    return static_cast<std::uint32_t>(value >> WordBits);
}

// Returns the row of a register, or null.
template <typename Row, std::size_t Rows>
const Row* find(const std::array<Row, Rows>& rows, std::uint32_t address) {
    const auto row = std::ranges::find(rows, address, &Row::address);
    return row == rows.end() ? nullptr : &*row;
}

}  // namespace

// Registers of the engines, with the address of the first engine's. One without `write` is read only.
struct Registers::EngineRow {
    std::uint32_t address;
    std::uint32_t (*read)(const Registers&, const View&, unsigned engine);
    void (*write)(ProgramPlace&, std::uint32_t data) = nullptr;
};
// The other registers.
struct Registers::CoreRow {
    std::uint32_t address;
    std::uint32_t (*read)(const Registers&, const View&);
    void (*write)(Registers&, std::uint32_t data, Functional&) = nullptr;
};

struct Registers::Map {
    template <auto Member>
    static std::uint32_t memories(const Registers&, const View& view) {
        return view.memories->*Member;
    }
    template <auto Member>
    static std::uint32_t counter_low(const Registers&, const View& view) {
        return low(view.counters->*Member);
    }
    template <auto Member>
    static std::uint32_t counter_high(const Registers&, const View& view) {
        return high(view.counters->*Member);
    }
    static std::uint32_t zero(const Registers&, const View&) { return 0; }

    static constexpr unsigned LowBits = WordBits - InstructionBytesLog2;  // bits of a base in the lower word
    static void write_low(ProgramPlace& program, std::uint32_t data) {
        program.base = program.base >> LowBits << LowBits | data >> InstructionBytesLog2;
    }
    static void write_high(ProgramPlace& program, std::uint32_t data) {
        program.base =
            (std::uint64_t{data} << LowBits) | (program.base & ((std::uint64_t{1} << LowBits) - 1));
    }

    static constexpr std::array EngineRows{
        EngineRow{csr::EngineProgramLo,
                  [](const Registers& r, const View&, unsigned e) {
                      return low(r.program_[e].base << InstructionBytesLog2);
                  },
                  write_low},
        EngineRow{csr::EngineProgramHi,
                  [](const Registers& r, const View&, unsigned e) {
                      return high(r.program_[e].base << InstructionBytesLog2);
                  },
                  write_high},
        EngineRow{csr::EngineProgramLength,
                  [](const Registers& r, const View&, unsigned e) { return r.program_[e].length; },
                  [](ProgramPlace& program, std::uint32_t data) { program.length = data; }},
        // The write takes effect through Access::starts.
        EngineRow{csr::EngineStart, [](const Registers&, const View&, unsigned) { return 0U; },
                  [](ProgramPlace&, std::uint32_t) {}},
        EngineRow{csr::EngineState, [](const Registers&, const View& view,
                                       unsigned e) { return static_cast<std::uint32_t>(view.state[e]); }},
        EngineRow{csr::EnginePc, [](const Registers&, const View& view, unsigned e) { return view.pc[e]; }},
        EngineRow{csr::EngineCompleted,
                  [](const Registers&, const View& view, unsigned e) { return view.completed[e]; }},
        EngineRow{csr::EngineBusyLo,
                  [](const Registers&, const View& view, unsigned e) { return low(view.counters->busy[e]); }},
        EngineRow{csr::EngineBusyHi, [](const Registers&, const View& view,
                                        unsigned e) { return high(view.counters->busy[e]); }},
    };

    static constexpr std::array CoreRows{
        CoreRow{csr::Status, [](const Registers& r, const View& view) { return r.status(view); }},
        CoreRow{csr::ErrorCode,
                [](const Registers& r, const View&) { return static_cast<std::uint32_t>(r.fault_.code); }},
        CoreRow{csr::ErrorEngine,
                [](const Registers& r, const View&) { return std::uint32_t{r.fault_.engine}; }},
        CoreRow{csr::ErrorPc, [](const Registers& r, const View&) { return r.fault_.origin.pc; }},
        CoreRow{csr::ErrorAddress, [](const Registers& r, const View&) { return r.fault_.address; }},
        CoreRow{csr::ErrorOpcode,
                [](const Registers& r, const View&) { return std::uint32_t{r.fault_.origin.opcode}; }},
        CoreRow{csr::SrControl, [](const Registers& r, const View&) { return std::uint32_t{r.stochastic_}; },
                [](Registers& r, std::uint32_t data, Functional& functional) {
                    r.stochastic_ = (data & 1) != 0;
                    functional.set_stochastic(r.stochastic_);
                }},
        CoreRow{csr::SrSeed, [](const Registers& r, const View&) { return r.seed_; },
                [](Registers& r, std::uint32_t data, Functional& functional) {
                    r.seed_ = data;
                    r.seeds_ = true;
                    functional.seed_rounding(data);
                }},
        CoreRow{csr::SramEcc,
                [](const Registers&, const View& view) {
                    return view.memories->corrected << 16 | view.memories->uncorrected;
                }},
        CoreRow{csr::UpsetAddress, [](const Registers& r, const View&) { return r.upset_address_; },
                [](Registers& r, std::uint32_t data, Functional&) {
                    r.upset_address_ = data & ((1U << WindowBits) - 1);
                }},
        CoreRow{csr::MovingWaits, memories<&MemoryCounts::moving_waits>},
        CoreRow{csr::VectorWaits, memories<&MemoryCounts::vector_waits>},
        CoreRow{csr::ScalarWaits, memories<&MemoryCounts::scalar_waits>},
        CoreRow{csr::BusWaits, memories<&MemoryCounts::bus_waits>},
        CoreRow{csr::SequencerWaits, memories<&MemoryCounts::sequencer_waits>},
        CoreRow{csr::PsumUnfounded,
                [](const Registers&, const View& view) {
                    return std::min(view.memories->unfounded, MostUnfounded);
                }},
        CoreRow{csr::GpsimdWaits, memories<&MemoryCounts::gpsimd_waits>},
        CoreRow{csr::CountersClear, zero,
                [](Registers& r, std::uint32_t data, Functional&) { r.clears_counters_ = (data & 1) != 0; }},
        CoreRow{csr::MatmulLo, counter_low<&EngineCounters::matmul>},
        CoreRow{csr::MatmulHi, counter_high<&EngineCounters::matmul>},
        CoreRow{csr::FastLoadLo, counter_low<&EngineCounters::fast_load>},
        CoreRow{csr::FastLoadHi, counter_high<&EngineCounters::fast_load>},
        CoreRow{csr::NormalLoadLo, counter_low<&EngineCounters::normal_load>},
        CoreRow{csr::NormalLoadHi, counter_high<&EngineCounters::normal_load>},
        CoreRow{csr::NumericError,
                [](const Registers& r, const View&) { return std::uint32_t{r.numeric_.engines}; }},
        CoreRow{csr::NumericEngine,
                [](const Registers& r, const View&) { return std::uint32_t{r.numeric_.engine}; }},
        CoreRow{csr::NumericPc, [](const Registers& r, const View&) { return r.numeric_.pc; }},
        CoreRow{csr::NumericOpcode,
                [](const Registers& r, const View&) { return std::uint32_t{r.numeric_.opcode}; }},
    };
};

std::uint32_t Registers::status(const View& view) const {
    std::uint32_t halted = 0;
    for (unsigned e = 0; e < EngineCount; ++e)
        halted |= std::uint32_t{view.state[e] == isa::SeqState::Halted} << e;
    const bool all_halted = started_ != 0 && (started_ & ~halted) == 0;
    return (all_halted ? 4U : 0U) | (stopped() ? 2U : 0U) | (view.quiet ? 1U : 0U);
}

Registers::Access Registers::access(bool write, std::uint32_t offset, std::uint32_t data,
                                    const View& view) const {
    if (offset < EngineCount * csr::EngineStride) return access_engine(write, offset, data, view);
    const std::uint32_t address = isa::window::CsrBase + offset;
    if (const CoreRow* row = find(Map::CoreRows, address))
        return {.data = row->read(*this, view), .failed = write && row->write == nullptr};
    if (write && address == csr::UpsetBits)
        throw std::runtime_error("the fast core has no upsets of memory; use --fidelity rtl");
    if (const auto queue = view.notifications->read(address, data))
        return {.data = queue->data, .failed = write && queue->refuses};
    return access_gpsimd(write, address, *view.gpsimd);
}

Registers::Access Registers::access_engine(bool write, std::uint32_t offset, std::uint32_t data,
                                           const View& view) const {
    const std::uint32_t e = offset / csr::EngineStride;
    const std::uint32_t address = isa::window::CsrBase + offset % csr::EngineStride;
    const EngineRow* const row = find(Map::EngineRows, address);
    if (row == nullptr) return {.failed = true};
    Access access{.data = row->read(*this, view, e), .failed = write && row->write == nullptr};
    const isa::SeqState state = view.state[e];
    const bool startable = state == isa::SeqState::Idle || state == isa::SeqState::Halted;
    if (address == csr::EngineStart && write && (data & 1) != 0 && startable && !stopped())
        access.starts = 1U << e;
    return access;
}

Registers::Access Registers::access_gpsimd(bool write, std::uint32_t address, const GpsimdSeen& gpsimd) {
    const std::uint32_t core = (address - csr::GpsimdPc) / csr::GpsimdStride,
                        place = (address - csr::GpsimdPc) % csr::GpsimdStride;
    if (address < csr::GpsimdPc || core >= gpsimd.cores) return {.failed = true};
    if (place == 0) return {.data = gpsimd.pc[core], .failed = write};
    if (place == csr::GpsimdState - csr::GpsimdPc)
        return {.data = static_cast<std::uint32_t>(gpsimd.state[core]), .failed = write};
    return {.failed = true};
}

void Registers::write(std::uint32_t offset, std::uint32_t data, const Access& access,
                      Functional& functional) {
    if (access.failed) return;
    started_ |= access.starts;
    if (offset < EngineCount * csr::EngineStride) {
        const EngineRow* row = find(Map::EngineRows, isa::window::CsrBase + offset % csr::EngineStride);
        row->write(program_[offset / csr::EngineStride], data);
    } else if (const CoreRow* row = find(Map::CoreRows, isa::window::CsrBase + offset)) {
        row->write(*this, data, functional);
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
