#include "runtime/session/commit_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <span>
#include <string_view>
#include <utility>

#include "arch/firmware/disassembler.hpp"

namespace trnsim::runtime {
namespace {

using tlm::GpsimdAccess;
using tlm::GpsimdCycle;
using tlm::GpsimdResult;
using tlm::GpsimdSource;
using tlm::GpsimdVectorWork;
using tlm::GpsimdView;

// Kinds of the items of a line, stored below the number of the register.
enum : std::uint32_t { Integer = 0, Float = 1, Vector = 2, Csr = 4 };
constexpr std::uint32_t key(std::uint32_t number, std::uint32_t kind) {
    return number << 4 | kind;
}

// Instructions that affect a line.
constexpr std::uint32_t Opcode = 0x7f, System = 0x73, LoadFp = 0x07, StoreFp = 0x27, VectorOp = 0x57;
constexpr std::uint32_t Mret = 0x30200073;
constexpr std::uint32_t Configure = 7;         // funct3 of vsetvli and its like
constexpr std::uint32_t SetByRegister = 0x40;  // the upper bits of vsetvl
constexpr std::uint32_t SetByImmediate = 3;    // the upper bits of vsetivli
constexpr std::uint32_t IllegalType = 0x80000000;

constexpr std::uint32_t Fflags = 0x001, Frm = 0x002, Fcsr = 0x003, Vstart = 0x008, Vxsat = 0x009,
                        Vxrm = 0x00a, Vcsr = 0x00f, Mstatus = 0x300, Vl = 0xc20, Vtype = 0xc21;

std::uint32_t funct3(std::uint32_t insn) {
    return insn >> 12 & 7;
}

bool is_vector_access(std::uint32_t insn) {
    const std::uint32_t opcode = insn & Opcode, width = funct3(insn);
    return (opcode == LoadFp || opcode == StoreFp) && (width == 0 || width >= 5);
}

bool is_vector_operation(std::uint32_t insn) {
    return (insn & Opcode) == VectorOp && funct3(insn) != Configure;
}

// True for a vmv<n>r.v from a register to itself, which Spike does not count as a write.
bool moves_to_itself(std::uint32_t insn) {
    return (insn & 0xfe00707f) == 0x9e003057 && (insn >> 7 & 31) == (insn >> 20 & 31);
}

// Returns " e32 m1 l16".
std::string vector_type(const GpsimdView& view) {
    const std::uint32_t vtype = view.csr(Vtype).value_or(0);
    const unsigned lmul = vtype & 7;
    const std::string group =
        lmul < 4 ? fmt::format("m{}", 1u << lmul) : fmt::format("mf{}", 1u << (8 - lmul));
    return fmt::format(" e{} {} l{}", 8u << (vtype >> 3 & 7), group, view.csr(Vl).value_or(0));
}

std::string hexadecimal(std::span<const std::uint8_t> bytes) {  // the first byte is the lowest
    std::string text = "0x";
    for (std::size_t k = bytes.size(); k-- > 0;) text += fmt::format("{:02x}", bytes[k]);
    return text;
}

std::string text_of(const GpsimdAccess& access) {
    const std::uint32_t first = access.address % access.data.size(), line = access.address - first;
    if (!access.store && access.bytes == 0) return fmt::format(" mem {:#010x}", access.address);
    const unsigned step =
        access.bytes != 0 ? access.bytes : static_cast<unsigned>(std::popcount(access.strobe));
    std::string text;
    for (std::uint32_t byte = first; byte < access.data.size(); byte += step) {
        if ((access.strobe >> byte & 1) == 0) continue;
        text += fmt::format(" mem {:#010x}", line + byte);
        if (access.store) text += " " + hexadecimal(std::span(access.data).subspan(byte, step));
    }
    return text;
}

}  // namespace

CommitLog::CommitLog(std::ostream& out, std::optional<unsigned> core) : out_(out), only_(core) {}

void CommitLog::start(unsigned number, const GpsimdView& view) {
    Core& core = cores_[number];
    for (Entry& entry : core.entries) write(number, entry);
    core = {};
    core.flags = view.csr(Fflags).value_or(0);
    core.vtype = view.csr(Vtype).value_or(0);
}

void CommitLog::cycle(unsigned number, const GpsimdCycle& cycle, const GpsimdView& view) {
    if (only_ && *only_ != number) return;
    Core& core = cores_[number];
    for (const auto& access : {cycle.access, cycle.store_beside})
        if (access && access->bytes != 0) add_access(core, *access);
    const std::span works(cycle.vector_works.data(), cycle.vector_count);
    for (const GpsimdVectorWork& part : works) add_vector_work(core, part, view);
    if (cycle.retired || cycle.part) {
        Entry& entry = core.entries.emplace_back();
        entry.pc = cycle.pc;
        entry.insn = cycle.insn;
        entry.awaits = cycle.awaits;
        if (is_vector_access(cycle.insn) || is_vector_operation(cycle.insn))
            entry.vector_type = vector_type(view);
        add_csrs(core, entry, cycle, view);
        for (const auto& access : {cycle.access, cycle.store_beside})
            if (access && access->bytes == 0) entry.accesses = text_of(*access);
        if (is_vector_access(cycle.insn) && !cycle.awaits) add_work(entry, core.memory, view);
    }
    for (unsigned k = 0; k < cycle.result_count; ++k) deliver(core, cycle.results[k]);
    for (const GpsimdVectorWork& part : works)
        if (part.done) end_vector_work(core, part.source, view);
    write_complete(number);
}

void CommitLog::finish() {
    for (unsigned number = 0; number < cores_.size(); ++number) {
        for (Entry& entry : cores_[number].entries) write(number, entry);
        cores_[number].entries.clear();
    }
    out_.flush();
}

void CommitLog::add_scalar(Entry& entry, const GpsimdResult& result) {
    entry.flags |= result.flags;
    if (result.dest == 0) return;
    const bool is_float = result.dest >= 32;
    const std::uint32_t number = result.dest % 32;
    entry.items.push_back({key(number, is_float ? Float : Integer),
                           fmt::format(" {}{:<2} {:#010x}", is_float ? 'f' : 'x', number, result.value)});
}

void CommitLog::add_csr(Entry& entry, std::uint32_t number, const GpsimdView& view) {
    const std::optional<std::uint32_t> value = view.csr(number);
    if (!value) return;
    entry.items.push_back(
        {key(number, Csr), fmt::format(" c{}_{} {:#010x}", number, firmware::csr_name(number), *value)});
}

void CommitLog::add_csrs(Core& core, Entry& entry, const GpsimdCycle& cycle, const GpsimdView& view) {
    const std::uint32_t insn = cycle.insn, operation = funct3(insn);
    const bool configures = (insn & Opcode) == VectorOp && operation == Configure;
    if (!entry.vector_type.empty() || configures) add_csr(entry, Vstart, view);
    // vl is logged if it is set; an instruction with x0 for both registers keeps it.
    const std::uint32_t vtype = view.csr(Vtype).value_or(0);
    const bool keeps_vl = insn >> 30 != SetByImmediate && (insn >> 7 & 31) == 0 && (insn >> 15 & 31) == 0;
    if (cycle.cuts_vl || (configures && (!keeps_vl || vtype == IllegalType))) add_csr(entry, Vl, view);
    // vtype is logged if the new type differs from the old one.
    const bool by_register = insn >> 25 == SetByRegister;
    const bool asks_for_illegal = by_register && view.scalar(insn >> 20 & 31) == IllegalType;
    if (configures &&
        (std::exchange(core.vtype, vtype) != vtype || (vtype == IllegalType && !asks_for_illegal)))
        add_csr(entry, Vtype, view);
    if (insn == Mret) add_csr(entry, Mstatus, view);
    const bool writes = (operation & 3) == 1 || (insn >> 15 & 31) != 0;
    if ((insn & Opcode) != System || operation == 0 || !writes) return;
    const std::uint32_t number = insn >> 20;
    if (number == Fflags || number == Fcsr) entry.sets_flags = view.csr(Fflags);
    // CSRs that are made of others are logged as these.
    if (number == Fcsr || number == Vcsr) {
        add_csr(entry, number == Fcsr ? Fflags : Vxsat, view);
        add_csr(entry, number == Fcsr ? Frm : Vxrm, view);
    } else {
        add_csr(entry, number, view);
    }
}

// The entry of the oldest instruction that awaits this source and fulfils the condition; null: none.
template <class Condition>
CommitLog::Entry* CommitLog::find(Core& core, GpsimdSource source, Condition condition) {
    const auto entry = std::ranges::find_if(
        core.entries, [&](const Entry& entry) { return entry.awaits == source && condition(entry); });
    return entry == core.entries.end() ? nullptr : &*entry;
}

CommitLog::Entry* CommitLog::find(Core& core, GpsimdSource source) {
    return find(core, source, [](const Entry& /*entry*/) { return true; });
}

void CommitLog::add_access(Core& core, const GpsimdAccess& access) {
    Entry* entry = access.store ? find(core, GpsimdSource::VectorStore)
                                : find(core, GpsimdSource::VectorLoad, std::not_fn(&Entry::asked));
    (entry == nullptr ? core.memory.accesses : entry->accesses) += text_of(access);
    if (entry != nullptr) entry->asked = access.ends;
}

void CommitLog::add_vector_work(Core& core, const GpsimdVectorWork& part, const GpsimdView& view) {
    const bool operation = part.source == GpsimdSource::Vector;
    const bool beside = find(core, GpsimdSource::VectorLoad) != nullptr;
    Work& work = operation ? core.operation : beside ? core.load : core.memory;
    if (part.written) work.written[*part.written] = hexadecimal(view.vector(*part.written));
    work.flags |= part.flags;
    work.saturated |= part.saturated;
}

void CommitLog::end_vector_work(Core& core, GpsimdSource source, const GpsimdView& view) {
    Entry* entry = find(core, source);
    if (entry == nullptr) return;
    if (source == GpsimdSource::Vector) add_work(*entry, core.operation, view);
    if (source == GpsimdSource::VectorLoad) add_work(*entry, core.load, view);
    entry->awaits.reset();
}

void CommitLog::add_work(Entry& entry, Work& work, const GpsimdView& view) {
    for (const auto& [number, value] : work.written) {
        if (moves_to_itself(entry.insn)) continue;
        entry.items.push_back({key(number, Vector), fmt::format(" v{:<2} {}", number, value)});
    }
    entry.flags |= work.flags;
    if (work.saturated) add_csr(entry, Vxsat, view);
    entry.accesses += work.accesses;
    work = {};
}

void CommitLog::deliver(Core& core, const GpsimdResult& result) {
    if (result.source == GpsimdSource::Execute) return add_scalar(core.entries.back(), result);
    // The result of a vector instruction comes before its end.
    Entry* entry = find(core, result.source);
    if (entry == nullptr) return;
    add_scalar(*entry, result);
    if (result.source != GpsimdSource::Vector) entry->awaits.reset();
}

void CommitLog::write_complete(unsigned number) {
    std::deque<Entry>& entries = cores_[number].entries;
    while (!entries.empty() && !entries.front().awaits) {
        write(number, entries.front());
        entries.pop_front();
    }
}

void CommitLog::write(unsigned number, Entry& entry) {
    Core& core = cores_[number];
    if (entry.sets_flags) core.flags = *entry.sets_flags;
    if (entry.flags != 0) {
        core.flags |= entry.flags;
        entry.items.push_back({key(Fflags, Csr), fmt::format(" c{}_fflags {:#010x}", Fflags, core.flags)});
    }
    // The type comes before v0, if that is written, and so after f0.
    entry.items.insert(entry.items.begin(), {key(0, Vector), entry.vector_type});
    std::ranges::stable_sort(entry.items, {}, &Item::key);
    std::string text = fmt::format("core{:4}: 3 {:#010x} ({:#010x})", number, entry.pc, entry.insn);
    for (const Item& item : entry.items) text += item.text;
    out_ << text << entry.accesses << '\n';
}

}  // namespace trnsim::runtime
