#include "model/rv32/csr.hpp"

#include <algorithm>
#include <cfenv>
#include <iterator>

namespace trnsim::rv32 {

namespace {

using u32 = std::uint32_t;

constexpr u32 MachineIsa = 0x40001120;  // RV32IMF; bit V would mean that of an application processor

u32 zero(const State&) {
    return 0;
}

u32 mstatus(const State& s) {
    return (s.fs || s.vs ? 1U << 31 : 0) | (s.fs ? 3U << 13 : 0) | 3U << 11 | (s.vs ? 3U << 9 : 0) |
           (s.mpie ? 1U << 7 : 0) | (s.mie ? 1U << 3 : 0);
}

void write_mstatus(State& s, u32 value) {
    s.mie = (value >> 3 & 1) != 0;
    s.mpie = (value >> 7 & 1) != 0;
    s.fs = (value >> 13 & 3) != 0;
    s.vs = (value >> 9 & 3) != 0;
}

// Returns the number of instructions before the one in execution.
std::uint64_t before(const State& s) {
    return s.retired() - (s.running ? 1 : 0);
}
std::uint64_t cycles(const State& s) {
    return before(s) + s.cycle_offset;
}
std::uint64_t instructions(const State& s) {
    return before(s) + s.instret_offset;
}
constexpr std::uint64_t Low = 0xffffffff;
// A write of minstret replaces the count of the instruction that writes.
constexpr std::uint64_t Own = 1;
// Return how much the offset of a counter grows when the counter's low or high bits are replaced.
std::uint64_t low_change(std::uint64_t now, u32 value) {
    return ((now & ~Low) | value) - now;
}
std::uint64_t high_change(std::uint64_t now, u32 value) {
    return ((now & Low) | std::uint64_t{value} << 32) - now;
}

// Event counters 3 to 31, their upper halves and their event selectors: they exist and are always zero.
constexpr u32 EventCounters[] = {0x320, 0xb00, 0xb80};
constexpr Csr EventCounter{0, Csr::Nothing, zero, nullptr};
bool is_event_counter(u32 number) {
    return std::ranges::find(EventCounters, number & ~31U) != std::end(EventCounters) && (number & 31) >= 3;
}

// The CSRs by number.
constexpr Csr Csrs[] = {
    {0x001, Csr::Floats, flags, [](State& s, u32 value) { set_flags(s, value & 31); }},
    {0x002, Csr::Floats, [](const State& s) { return s.frm; },
     [](State& s, u32 value) { s.frm = value & 7; }},
    {0x003, Csr::Floats, [](const State& s) { return s.frm << 5 | flags(s); },
     [](State& s, u32 value) {
         s.frm = value >> 5 & 7;
         set_flags(s, value & 31);
     }},
    {0x008, Csr::Vectors, [](const State& s) { return s.vstart; },
     [](State& s, u32 value) { s.vstart = value & (s.sizes.vlen - 1); }},
    {0x009, Csr::Vectors, [](const State& s) { return s.vxsat; },
     [](State& s, u32 value) { s.vxsat = value & 1; }},
    {0x00a, Csr::Vectors, [](const State& s) { return s.vxrm; },
     [](State& s, u32 value) { s.vxrm = value & 3; }},
    {0x00f, Csr::Vectors, [](const State& s) { return s.vxrm << 1 | s.vxsat; },
     [](State& s, u32 value) {
         s.vxrm = value >> 1 & 3;
         s.vxsat = value & 1;
     }},
    {0x300, Csr::Nothing, mstatus, write_mstatus},
    {0x301, Csr::Nothing, [](const State&) { return MachineIsa; }, nullptr},
    {0x304, Csr::Nothing, [](const State& s) { return s.meie ? 1U << 11 : 0; },
     [](State& s, u32 value) { s.meie = (value >> 11 & 1) != 0; }},
    {0x305, Csr::Nothing, [](const State& s) { return s.mtvec; },
     [](State& s, u32 value) { s.mtvec = value & ~2U; }},
    {0x310, Csr::Nothing, zero, nullptr},
    {0x340, Csr::Nothing, [](const State& s) { return s.mscratch; },
     [](State& s, u32 value) { s.mscratch = value; }},
    {0x341, Csr::Nothing, [](const State& s) { return s.mepc; },
     [](State& s, u32 value) { s.mepc = value & ~3U; }},
    {0x342, Csr::Nothing, [](const State& s) { return s.mcause; },
     [](State& s, u32 value) { s.mcause = value; }},
    {0x343, Csr::Nothing, [](const State& s) { return s.mtval; },
     [](State& s, u32 value) { s.mtval = value; }},
    {0x344, Csr::Nothing, [](const State& s) { return s.interrupt ? 1U << 11 : 0; }, nullptr},
    {0xb00, Csr::Nothing, [](const State& s) { return static_cast<u32>(cycles(s)); },
     [](State& s, u32 value) { s.cycle_offset += low_change(cycles(s), value); }},
    {0xb02, Csr::Nothing, [](const State& s) { return static_cast<u32>(instructions(s)); },
     [](State& s, u32 value) { s.instret_offset += low_change(instructions(s), value) - Own; }},
    {0xb80, Csr::Nothing, [](const State& s) { return static_cast<u32>(cycles(s) >> 32); },
     [](State& s, u32 value) { s.cycle_offset += high_change(cycles(s), value); }},
    {0xb82, Csr::Nothing, [](const State& s) { return static_cast<u32>(instructions(s) >> 32); },
     [](State& s, u32 value) { s.instret_offset += high_change(instructions(s), value) - Own; }},
    {0xc20, Csr::Vectors, [](const State& s) { return s.vl; }, nullptr},
    {0xc21, Csr::Vectors, [](const State& s) { return s.vtype.illegal ? 1U << 31 : u32{s.vtype.bits}; },
     nullptr},
    {0xc22, Csr::Vectors, [](const State& s) { return s.vlenb; }, nullptr},
    {0xf11, Csr::Nothing, zero, nullptr},
    {0xf12, Csr::Nothing, zero, nullptr},
    {0xf13, Csr::Nothing, zero, nullptr},
    {0xf14, Csr::Nothing, [](const State& s) { return s.sizes.hart_id; }, nullptr},
    {0xf15, Csr::Nothing, zero, nullptr},
};

// The flags and rounding modes of the host and of the core.
struct HostFlag {
    int host;
    u32 core;
};
constexpr HostFlag HostFlags[] = {{FE_INEXACT, Inexact},
                                  {FE_UNDERFLOW, Underflow},
                                  {FE_OVERFLOW, Overflow},
                                  {FE_DIVBYZERO, DivideByZero},
                                  {FE_INVALID, Invalid}};
constexpr int HostModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

}  // namespace

const Csr* csr_of(u32 number) {
    const auto found = std::ranges::lower_bound(Csrs, number, {}, &Csr::number);
    if (found != std::end(Csrs) && found->number == number) return &*found;
    return is_event_counter(number) ? &EventCounter : nullptr;
}

u32 flags(const State& state) {
    const int host = state.running ? std::fetestexcept(FE_ALL_EXCEPT) : 0;
    u32 all = state.fflags;
    for (const HostFlag& flag : HostFlags)
        if ((host & flag.host) != 0) all |= flag.core;
    return all;
}

void set_flags(State& state, u32 flags) {
    std::feclearexcept(FE_ALL_EXCEPT);
    state.fflags = flags;
}

void set_host_mode(State& state, u32 mode) {
    if (mode == state.host_mode) return;
    state.host_mode = mode;
    if (mode < std::size(HostModes)) std::fesetround(HostModes[mode]);
}

}  // namespace trnsim::rv32
