#include "model/core/rtl/gpsimd_view.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "Vgpsimd_core__Dpi.h"
#include "Vgpsimd_core___024root.h"

namespace trnsim::tlm {
namespace {

using Root = Vgpsimd_core___024root;

thread_local GpsimdEvents events;

// Fields of registers, combined as in gpsimd_csr.sv.
std::uint32_t mstatus(const Root& root) {
    const std::uint32_t fs = root.gpsimd_core__DOT__u_csr__DOT__fs_q,
                        vs = root.gpsimd_core__DOT__u_csr__DOT__vs_q;
    const std::uint32_t mpie = root.gpsimd_core__DOT__u_csr__DOT__mpie_q,
                        mie = root.gpsimd_core__DOT__u_csr__DOT__mie_q;
    return (fs | vs) << 31 | fs * 3 << 13 | 3 << 11 | vs * 3 << 9 | mpie << 7 | mie << 3;
}

std::uint32_t vtype(const Root& root) {
    const std::uint32_t packed = root.gpsimd_core__DOT__u_csr__DOT__vtype_q;  // vill, vma, vta, vsew, vlmul
    return (packed >> 8 & 1) << 31 | (packed & 0xff);
}

template <typename Register>
void assign(Register& to, std::uint32_t value) {
    to = static_cast<Register>(value);
}

std::uint64_t low_of(std::uint64_t counter, std::uint32_t value) {
    return counter >> 32 << 32 | value;
}
std::uint64_t high_of(std::uint64_t counter, std::uint32_t value) {
    return std::uint64_t{value} << 32 | static_cast<std::uint32_t>(counter);
}

// The functions that read and set each CSR. A debugger writes those that instructions write, except for the
// counters.
struct Csr {
    std::uint32_t number;
    std::uint32_t (*value)(const Root&);
    void (*set)(Root&, std::uint32_t value);
    bool written;  // by debuggers
};
#define TRNSIM_CSR_REGISTER(name) root.gpsimd_core__DOT__u_csr__DOT__##name##_q
#define TRNSIM_ANY_CSR(number, expression, assignments, written)                                          \
    Csr {                                                                                                 \
        number, [](const Root& root) -> std::uint32_t { return static_cast<std::uint32_t>(expression); }, \
            [](Root& root, std::uint32_t value) { assignments; }, written                                 \
    }
#define TRNSIM_CSR(number, expression, assignments) TRNSIM_ANY_CSR(number, expression, assignments, true)
#define TRNSIM_STATE_CSR(number, expression, assignments) \
    TRNSIM_ANY_CSR(number, expression, assignments, false)
constexpr std::array Csrs {
    TRNSIM_CSR(0x001, TRNSIM_CSR_REGISTER(fflags), TRNSIM_CSR_REGISTER(fflags) = value & 0x1f),
        TRNSIM_CSR(0x002, TRNSIM_CSR_REGISTER(frm), TRNSIM_CSR_REGISTER(frm) = value & 7),
        TRNSIM_CSR(0x003, TRNSIM_CSR_REGISTER(frm) << 5 | TRNSIM_CSR_REGISTER(fflags),
                   TRNSIM_CSR_REGISTER(frm) = value >> 5 & 7;
                   TRNSIM_CSR_REGISTER(fflags) = value & 0x1f),
        TRNSIM_STATE_CSR(0x008, TRNSIM_CSR_REGISTER(vstart), assign(TRNSIM_CSR_REGISTER(vstart), value)),
        TRNSIM_CSR(0x009, TRNSIM_CSR_REGISTER(vxsat), TRNSIM_CSR_REGISTER(vxsat) = value & 1),
        TRNSIM_CSR(0x00a, TRNSIM_CSR_REGISTER(vxrm), TRNSIM_CSR_REGISTER(vxrm) = value & 3),
        TRNSIM_CSR(0x00f, TRNSIM_CSR_REGISTER(vxrm) << 1 | TRNSIM_CSR_REGISTER(vxsat),
                   TRNSIM_CSR_REGISTER(vxrm) = value >> 1 & 3;
                   TRNSIM_CSR_REGISTER(vxsat) = value & 1),
        TRNSIM_CSR(0x300, mstatus(root), TRNSIM_CSR_REGISTER(mpie) = value >> 7 & 1;
                   TRNSIM_CSR_REGISTER(mie) = value >> 3 & 1;
                   TRNSIM_CSR_REGISTER(fs) = (value >> 13 & 3) != 0;
                   TRNSIM_CSR_REGISTER(vs) = (value >> 9 & 3) != 0),
        TRNSIM_CSR(0x304, TRNSIM_CSR_REGISTER(meie) << 11, TRNSIM_CSR_REGISTER(meie) = value >> 11 & 1),
        TRNSIM_CSR(0x305, TRNSIM_CSR_REGISTER(mtvec), TRNSIM_CSR_REGISTER(mtvec) = value & ~2U),
        TRNSIM_CSR(0x340, TRNSIM_CSR_REGISTER(mscratch), TRNSIM_CSR_REGISTER(mscratch) = value),
        TRNSIM_CSR(0x341, TRNSIM_CSR_REGISTER(mepc), TRNSIM_CSR_REGISTER(mepc) = value & ~3U),
        TRNSIM_CSR(0x342, TRNSIM_CSR_REGISTER(mcause), TRNSIM_CSR_REGISTER(mcause) = value),
        TRNSIM_CSR(0x343, TRNSIM_CSR_REGISTER(mtval), TRNSIM_CSR_REGISTER(mtval) = value),
        TRNSIM_STATE_CSR(0xb00, TRNSIM_CSR_REGISTER(mcycle),
                         TRNSIM_CSR_REGISTER(mcycle) = low_of(TRNSIM_CSR_REGISTER(mcycle), value)),
        TRNSIM_STATE_CSR(0xb02, TRNSIM_CSR_REGISTER(minstret),
                         TRNSIM_CSR_REGISTER(minstret) = low_of(TRNSIM_CSR_REGISTER(minstret), value)),
        TRNSIM_STATE_CSR(0xb80, TRNSIM_CSR_REGISTER(mcycle) >> 32,
                         TRNSIM_CSR_REGISTER(mcycle) = high_of(TRNSIM_CSR_REGISTER(mcycle), value)),
        TRNSIM_STATE_CSR(0xb82, TRNSIM_CSR_REGISTER(minstret) >> 32,
                         TRNSIM_CSR_REGISTER(minstret) = high_of(TRNSIM_CSR_REGISTER(minstret), value)),
        TRNSIM_STATE_CSR(0xc20, TRNSIM_CSR_REGISTER(vl), assign(TRNSIM_CSR_REGISTER(vl), value)),
        TRNSIM_STATE_CSR(0xc21, vtype(root),
                         assign(TRNSIM_CSR_REGISTER(vtype), (value >> 31) << 8 | (value & 0xff))),
};
#undef TRNSIM_STATE_CSR
#undef TRNSIM_CSR
#undef TRNSIM_ANY_CSR
#undef TRNSIM_CSR_REGISTER

template <typename Words>
std::span<const std::uint8_t> bytes_of(const Words& words) {
    return {reinterpret_cast<const std::uint8_t*>(&words[0]), sizeof words};
}

}  // namespace

std::uint32_t GpsimdModelView::scalar(unsigned index) const {
    return index == 0 ? 0 : model_.rootp->gpsimd_core__DOT__u_registers__DOT__registers_q[index];
}

std::span<const std::uint8_t> GpsimdModelView::vector(unsigned index) const {
    return bytes_of(model_.rootp->gpsimd_core__DOT__u_vector__DOT__u_registers__DOT__registers_q[index]);
}

std::optional<std::uint32_t> GpsimdModelView::csr(std::uint32_t number) const {
    const auto row = std::ranges::find(Csrs, number, &Csr::number);
    if (row == Csrs.end()) return std::nullopt;
    return row->value(*model_.rootp);
}

std::span<const std::uint8_t> GpsimdModelView::memory() const {
    return bytes_of(model_.rootp->gpsimd_core__DOT__u_tcm__DOT__mem_q);
}

bool GpsimdModelView::executes() const {
    return model_.rootp->gpsimd_core__DOT__valid_q != 0;
}

std::optional<std::uint32_t> GpsimdModelView::fetched() const {
    if (model_.rootp->gpsimd_core__DOT__u_fetch__DOT__valid_q == 0) return std::nullopt;
    return model_.rootp->gpsimd_core__DOT__u_fetch__DOT__out_pc_q;
}

std::uint32_t GpsimdModelView::next_pc() const {
    return fetched().value_or(model_.rootp->gpsimd_core__DOT__u_fetch__DOT__pc_q);
}

bool GpsimdModelView::set_scalar(unsigned index, std::uint32_t value) {
    auto& registers = model_.rootp->gpsimd_core__DOT__u_registers__DOT__registers_q;
    if (index == 0 || index >= ScalarRegisters) return false;
    registers[index] = value;
    return true;
}

bool GpsimdModelView::set_vector(unsigned index, std::span<const std::uint8_t> bytes) {
    if (index >= VectorRegisters) return false;
    auto& words = model_.rootp->gpsimd_core__DOT__u_vector__DOT__u_registers__DOT__registers_q[index];
    if (bytes.size() != sizeof words) return false;
    std::memcpy(&words[0], bytes.data(), bytes.size());
    return true;
}

bool GpsimdModelView::set_csr(std::uint32_t number, std::uint32_t value) {
    const auto row = std::ranges::find(Csrs, number, &Csr::number);
    if (row == Csrs.end() || !row->written) return false;
    row->set(*model_.rootp, value);
    return true;
}

void GpsimdModelView::load_csr(std::uint32_t number, std::uint32_t value) {
    const auto row = std::ranges::find(Csrs, number, &Csr::number);
    if (row != Csrs.end()) row->set(*model_.rootp, value);
}

GpsimdEvents take_events() {
    return std::exchange(events, {});
}

}  // namespace trnsim::tlm

using trnsim::tlm::events;
using trnsim::tlm::GpsimdClass;
using trnsim::tlm::GpsimdSource;

extern "C" {

void trnsim_gpsimd_cycle(unsigned which, unsigned pc, unsigned insn, svBit executes, svBit retired,
                         svBit later, unsigned source, svBit trapped, svBit part, svBit cuts_vl,
                         svBit start) {
    events = {};
    events.start = start != 0;
    trnsim::tlm::GpsimdCycle& cycle = events.cycle;
    cycle.which = static_cast<GpsimdClass>(which);
    cycle.pc = pc;
    cycle.insn = insn;
    cycle.executes = executes != 0;
    cycle.retired = retired != 0;
    if (later != 0) cycle.awaits = static_cast<GpsimdSource>(source);
    cycle.trapped = trapped != 0;
    cycle.part = part != 0;
    cycle.cuts_vl = cuts_vl != 0;
}
void trnsim_gpsimd_result(unsigned source, unsigned dest, unsigned value, unsigned flags) {
    events.cycle.results.at(events.cycle.result_count++) = {static_cast<GpsimdSource>(source),
                                                            static_cast<std::uint8_t>(dest), value,
                                                            static_cast<std::uint8_t>(flags)};
}
void trnsim_gpsimd_access(unsigned address, svBit store, unsigned bytes, unsigned long long strobe,
                          const svBitVecVal* data, svBit ends) {
    trnsim::tlm::GpsimdCycle& cycle = events.cycle;
    auto& access = (cycle.access ? cycle.store_beside : cycle.access).emplace();
    access.address = address;
    access.store = store != 0;
    access.bytes = bytes;
    access.strobe = strobe;
    std::memcpy(access.data.data(), data, access.data.size());
    access.ends = ends != 0;
}
void trnsim_gpsimd_vector(unsigned source, svBit writes, unsigned number, unsigned flags, svBit saturated,
                          svBit done) {
    trnsim::tlm::GpsimdVectorWork& work = events.cycle.vector_works.at(events.cycle.vector_count++);
    work.source = static_cast<GpsimdSource>(source);
    if (writes != 0) work.written = static_cast<std::uint8_t>(number);
    work.flags = static_cast<std::uint8_t>(flags);
    work.saturated = saturated != 0;
    work.done = done != 0;
}

}  // extern "C"
