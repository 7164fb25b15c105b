// Legality of the register groups and masks of vector arithmetic.
#include "model/rv32/vector.hpp"

namespace trnsim::rv32 {

bool are_disjoint(const Group& a, const Group& b) {
    return a.first >= b.first + b.registers() || b.first >= a.first + a.registers();
}

bool may_overlap(const Group& destination, const Group& source) {
    if (destination.width == source.width || are_disjoint(destination, source)) return true;
    if (destination.width < source.width) return destination.first == source.first;
    return source.lmul >= 0 && source.first > destination.first &&
           source.first + source.registers() >= destination.first + destination.registers();
}

bool registers_legal(const State& state, const Op& op, const VectorRow& row, bool vector_y) {
    const int lmul = state.vtype.lmul(), sew = static_cast<int>(state.vtype.sew()), width = sew + 1;
    const auto has = [&row](Shape shape) { return (row.shape & shape) != 0; };
    const int wide_d = has(WideD) ? 1 : 0;
    const int wide_x = has(WideX) ? 1 : has(Half) ? -1 : has(Quarter) ? -2 : 0;
    const std::uint32_t rd = op.insn >> 7 & 31;
    Group d{rd, lmul + wide_d, width + wide_d}, x{op.rs2, lmul + wide_x, width + wide_x},
        y{op.rs1, lmul, width};
    if (has(MaskD)) d = {rd, 0, 0};
    if ((has(Masked) && !op.masked()) || (has(Unmasked) && op.masked())) return false;
    const bool mask_free = !op.masked() || rd != 0;
    const bool both_aligned = d.is_aligned() && x.is_aligned();
    switch (row.kind) {
        case Kind::Elements:
            if (vector_y && !(y.is_aligned() && may_overlap(d, y))) return false;
            return both_aligned && may_overlap(d, x) && (mask_free || has(MaskD));
        case Kind::Reduce:
            return x.is_aligned();
        case Kind::MaskLogic:
        case Kind::Count:
            return true;
        case Kind::MaskSet:
            return mask_free && rd != op.rs2;
        case Kind::Iota:
            return mask_free && d.is_aligned() && are_disjoint(d, {op.rs2, 0, 0});
        case Kind::Id:
            return mask_free && d.is_aligned();
        case Kind::SlideUp:
            return mask_free && both_aligned && d.first != x.first;
        case Kind::SlideDown:
            return mask_free && both_aligned;
        case Kind::Gather:
        case Kind::Gather16:
            if (row.kind == Kind::Gather16) y.lmul = lmul + 1 - sew;
            return mask_free && both_aligned && y.is_aligned() && d.first != x.first && are_disjoint(d, y);
        case Kind::Compress:
            return both_aligned && d.first != x.first && are_disjoint(d, {op.rs1, 0, 0});
        case Kind::MoveRegisters: {
            const std::uint32_t registers = op.rs1 + 1U;
            return (registers == 1 || registers == 2 || registers == 4 || registers == 8) &&
                   rd % registers == 0 && op.rs2 % registers == 0;
        }
    }
    return false;
}

}  // namespace trnsim::rv32
