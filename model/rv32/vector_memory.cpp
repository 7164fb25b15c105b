// Vector loads and stores.
#include <algorithm>
#include <optional>

#include "model/rv32/memory.hpp"
#include "model/rv32/vector.hpp"

namespace trnsim::rv32 {

namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;

enum Mode : u32 { UnitStride, IndexedUnordered, Strided, IndexedOrdered };
// The codes in vs2 of unit-stride accesses.
constexpr u32 WholeRegisters = 8, MaskBits = 11, FaultFirst = 16;

// The access of an instruction under a vtype.
struct Access {
    bool indexed, strided, fault_first;
    u32 width;  // log2 of the bytes of an element
    u32 index_width;
    u32 fields;
    u32 registers;  // registers of a field
    u32 length;     // elements
};

bool sizes_fit(u32 first, u32 registers) {
    return registers <= 8 && first + registers <= 32;
}

std::optional<Access> whole_registers(const State& s, u32 insn, bool is_store, u32 width) {
    const u32 registers = (insn >> 29) + 1, rd = insn >> 7 & 31;
    const bool exists =
        (registers & (registers - 1)) == 0 && (insn >> 25 & 1) != 0 && (!is_store || width == 0);
    if (!exists || rd % registers != 0) return std::nullopt;
    return Access{false, false, false, width, 0, 1, registers, registers * s.vlenb >> width};
}

// Returns nothing if the instruction is illegal.
std::optional<Access> access_of(const State& s, const Op& op, bool is_store) {
    const u32 insn = op.insn, mode = insn >> 26 & 3, funct3 = insn >> 12 & 7, rd = insn >> 7 & 31;
    const u32 width = funct3 == 0 ? 0 : funct3 - 4;
    if (!s.vs || (insn >> 28 & 1) != 0) return std::nullopt;
    if (mode == UnitStride && op.rs2 == WholeRegisters) return whole_registers(s, insn, is_store, width);
    if (s.vtype.illegal || (!is_store && op.masked() && rd == 0)) return std::nullopt;
    const int sew = static_cast<int>(s.vtype.sew()), lmul = s.vtype.lmul();
    const int widened = lmul + static_cast<int>(width) - sew;
    if (mode == UnitStride && op.rs2 == MaskBits) {
        if (op.masked() || width != 0 || insn >> 29 != 0) return std::nullopt;
        return Access{false, false, false, 0, 0, 1, 1, (s.vl + 7) / 8};
    }
    const bool fault_first = mode == UnitStride && op.rs2 == FaultFirst;
    if (mode == UnitStride && op.rs2 != 0 && (!fault_first || is_store)) return std::nullopt;
    const bool indexed = (mode & 1) != 0;
    const u32 fields = (insn >> 29) + 1;
    const Group data{rd, indexed ? lmul : widened, (indexed ? sew : static_cast<int>(width)) + 1};
    const Group index{op.rs2, widened, static_cast<int>(width) + 1};
    if (!data.is_aligned() || !sizes_fit(rd, fields * data.registers())) return std::nullopt;
    if (indexed) {
        if (!index.is_aligned()) return std::nullopt;
        if (!is_store && fields == 1 && !may_overlap(data, index)) return std::nullopt;
        const u32 end = rd + fields * data.registers();
        if (!is_store && fields > 1 && index.first < end && rd < index.first + index.registers())
            return std::nullopt;
    }
    return Access{indexed, mode == Strided, fault_first,      indexed ? static_cast<u32>(sew) : width,
                  width,   fields,          data.registers(), s.vl};
}

// Moves all elements at once if all are contiguous in one memory. Otherwise it does nothing and returns
// false.
template <bool IsStore>
bool moved_at_once(State& s, u32 address, u8* registers, u32 bytes, u32 element_bytes) {
    if (address % element_bytes != 0) return false;
    if (bytes <= s.sizes.tcm_bytes && in_tcm(s, address, bytes)) {
        u8* const memory = &s.tcm[address - TRNSIM_TCM_BASE];
        std::memcpy(IsStore ? memory : registers, IsStore ? registers : memory, bytes);
        if (IsStore) s.written(address - TRNSIM_TCM_BASE, bytes);
        return true;
    }
    if (!in_slice(s, address) || !in_slice(s, address + bytes - 1)) return false;
    u32 offset = address - TRNSIM_SLICE_BASE;
    for (u32 part = 0; bytes != 0; offset += part, registers += part, bytes -= part) {
        if (offset % RowBytes == 0 && bytes >= RowBytes) {
            part = RowBytes;
            move_row<IsStore>(s, offset, registers);
            continue;
        }
        part = std::min(bytes, 4 - offset % 4);
        if (IsStore) {
            write_slice(s, offset, registers, part);
        } else {
            read_slice(s, offset, registers, part);
        }
    }
    return true;
}

u32 index_of(const State& s, const Op& op, const Access& access, u32 element) {
    u32 index = 0;
    std::memcpy(&index, &s.v[std::size_t{op.rs2} * s.vlenb + (std::size_t{element} << access.index_width)],
                std::size_t{1} << access.index_width);
    return index;
}

u32 address_of(const State& s, const Op& op, const Access& access, u32 element, u32 field) {
    const u32 base = s.x[op.rs1] + (field << access.width);
    if (access.indexed) return base + index_of(s, op, access, element);
    if (access.strided) return base + element * s.x[op.rs2];
    return base + (element * access.fields << access.width);
}

template <class T>
bool moved(State& s, u32 address, u8* at, bool is_store) {
    T value{};
    if (is_store) {
        std::memcpy(&value, at, sizeof value);
        return store(s, address, value);
    }
    if (!load(s, address, value)) return false;
    std::memcpy(at, &value, sizeof value);
    return true;
}
constexpr bool (*Moves[])(State&, u32, u8*, bool) = {moved<u8>, moved<std::uint16_t>, moved<u32>};

template <bool IsStore>
Op* access(State& s, Op* op) {
    const std::optional<Access> found = access_of(s, *op, IsStore);
    if (!found) return illegal(s, op);
    const Access& access = *found;
    const u32 rd = op->insn >> 7 & 31, first = s.vstart;
    u8* const data = s.group<u8>(rd);
    const bool side_by_side = !access.indexed && !access.strided && access.fields == 1 && !op->masked();
    const auto done = [&] {
        if (s.vstart != 0) {
            s.vstart = 0;
            s.update_tag();
        }
        return op + 1;
    };
    if (first >= access.length) return done();
    if (side_by_side && moved_at_once<IsStore>(s, address_of(s, *op, access, first, 0),
                                               data + (std::size_t{first} << access.width),
                                               (access.length - first) << access.width, 1U << access.width))
        return done();
    for (u32 element = first; element < access.length; ++element) {
        if (op->masked() && !s.active(element)) continue;
        for (u32 field = 0; field < access.fields; ++field) {
            const u32 address = address_of(s, *op, access, element, field);
            const bool aligned = address % (1U << access.width) == 0;
            u8* const at = data + std::size_t{field} * access.registers * s.vlenb +
                           (std::size_t{element} << access.width);
            if (aligned && Moves[access.width](s, address, at, IsStore)) continue;
            if (access.fault_first && element != 0) {
                s.vl = element;
                return done();
            }
            s.vstart = element;
            s.update_tag();
            const u32 cause =
                aligned ? (IsStore ? StoreFault : LoadFault) : (IsStore ? StoreMisaligned : LoadMisaligned);
            return trap(s, op, cause, address);
        }
    }
    return done();
}

}  // namespace

Op* vector_load(State& s, Op* op) {
    return access<false>(s, op);
}

Op* vector_store(State& s, Op* op) {
    return access<true>(s, op);
}

}  // namespace trnsim::rv32
