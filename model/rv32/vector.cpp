// Vector instructions: configuration, and the choice of the kernel for arithmetic.
#include "model/rv32/vector.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "model/rv32/decode.hpp"

namespace trnsim::rv32 {

namespace {

using u32 = std::uint32_t;

// funct3 of OP-V.
enum Category : u32 { Ivv, Fvv, Mvv, Ivi, Ivx, Fvf, Mvx, Configuration };

constexpr char Letters[] = "IFMIIFM";

bool is_vv(u32 category) {
    return category <= Mvv;
}

const VectorRow* row_of(const Op& op, u32 category) {
    const auto fits = [&](const VectorRow& row) {
        if (row.category != Letters[category] || row.funct6 != op.insn >> 26) return false;
        if (row.vs2 >= 0 && row.vs2 != op.rs2) return false;
        if (category == Ivi && row.immediate == VectorRow::None) return false;
        const bool any =
            std::ranges::any_of(is_vv(category) ? row.v : row.x, [](Kernel k) { return k != nullptr; });
        if (!any || (row.vs1 >= 0 && row.vs1 != op.rs1)) return false;
        return ((row.shape & Masked) == 0 || op.masked()) && ((row.shape & Unmasked) == 0 || !op.masked());
    };
    for (const auto rows : {vector_integer_rows(), vector_wide_rows(), vector_fixed_rows(),
                            vector_float_rows(), vector_mask_rows(), vector_move_rows()}) {
        const auto found = std::ranges::find_if(rows, fits);
        if (found != rows.end()) return &*found;
    }
    return nullptr;
}

// Finds the kernel for the current vtype, or none if the instruction is illegal.
bool bind(State& s, Op* op, u32 category) {
    if (s.vector_tag == 0) return false;
    const bool floats = category == Fvv || category == Fvf;
    if (floats && !s.floats_legal()) return false;
    const VectorRow* const row = row_of(*op, category);
    if (!row) return false;
    const Kernel kernel = (is_vv(category) ? row->v : row->x)[s.vtype.sew()];
    if (!kernel || !registers_legal(s, *op, *row, is_vv(category) && row->vs1 < 0)) return false;
    if (category == Ivi) {
        op->imm = op->rs1;
        if (row->immediate == VectorRow::Signed && op->rs1 >= 16) op->imm -= 32;
    }
    op->kernel = kernel;
    op->tag = s.vector_tag;
    return true;
}

template <u32 C>
Op* arithmetic(State& s, Op* op) {
    if (op->tag != s.vector_tag && !bind(s, op, C)) return illegal(s, op);
    if constexpr (C == Ivi) s.scalar = op->imm;
    if constexpr (C == Ivx || C == Mvx) s.scalar = s.x[op->rs1];
    if constexpr (C == Fvf) s.scalar = s.f[op->rs1];
    if constexpr (C == Fvv || C == Fvf) set_host_mode(s, s.frm);
    op->kernel(s, *op);
    return op + 1;
}

// Returns the vtype of these bits, which may be illegal. Elements have at most 32 bits, and in a fraction of
// a register proportionally less.
Vtype type_of(u32 bits) {
    const Vtype type{false, static_cast<std::uint8_t>(bits & 0xff)};
    const int most = 2 + std::min(type.lmul(), 0);
    return bits >> 8 == 0 && static_cast<int>(type.sew()) <= most ? type : Vtype{};
}

// `length`: none if vl stays as it is.
Op* configure(State& s, Op* op, u32 bits, std::optional<u32> length) {
    if (!s.vs) return illegal(s, op);
    Vtype type = type_of(bits);
    u32 vl = 0;
    if (!type.illegal) {
        if (!length && (s.vtype.illegal || s.vlmax(type) != s.vlmax(s.vtype))) {
            type = {};
        } else {
            vl = length ? std::min(*length, s.vlmax(type)) : s.vl;
        }
    }
    s.vtype = type;
    s.vl = vl;
    s.vstart = 0;
    s.update_tag();
    s.x[op->rd] = vl;
    return op + 1;
}

std::optional<u32> length_of(const State& s, const Op* op) {
    if (op->rs1 != 0) return s.x[op->rs1];
    if (op->rd != NoRegister) return ~u32{0};
    return std::nullopt;
}

Op* vsetvli(State& s, Op* op) {
    return configure(s, op, op->insn >> 20 & 0x7ff, length_of(s, op));
}
Op* vsetivli(State& s, Op* op) {
    return configure(s, op, op->insn >> 20 & 0x3ff, u32{op->rs1});
}
Op* vsetvl(State& s, Op* op) {
    return configure(s, op, s.x[op->rs2], length_of(s, op));
}

constexpr Row Rows[] = {
    {Funct3, 0x0057, arithmetic<Ivv>, Format::R, true},
    {Funct3, 0x1057, arithmetic<Fvv>, Format::R, true},
    {Funct3, 0x2057, arithmetic<Mvv>, Format::R, true},
    {Funct3, 0x3057, arithmetic<Ivi>, Format::R, true},
    {Funct3, 0x4057, arithmetic<Ivx>, Format::R, true},
    {Funct3, 0x5057, arithmetic<Fvf>, Format::R, true},
    {Funct3, 0x6057, arithmetic<Mvx>, Format::R, true},
    {0x8000707f, 0x00007057, vsetvli},
    {0xc000707f, 0xc0007057, vsetivli},
    {Funct7, 0x80007057, vsetvl},
    {Funct3, 0x0007, vector_load, Format::R, true},
    {Funct3, 0x5007, vector_load, Format::R, true},
    {Funct3, 0x6007, vector_load, Format::R, true},
    {Funct3, 0x0027, vector_store, Format::R, true},
    {Funct3, 0x5027, vector_store, Format::R, true},
    {Funct3, 0x6027, vector_store, Format::R, true},
};

}  // namespace

std::span<const Row> vector_handler_rows() {
    return Rows;
}

}  // namespace trnsim::rv32
