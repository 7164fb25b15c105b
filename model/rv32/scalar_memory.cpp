// Scalar loads and stores.
#include "model/rv32/decode.hpp"
#include "model/rv32/memory.hpp"

namespace trnsim::rv32 {

namespace {

using u32 = std::uint32_t;

// Returns false after a trap; `next` is then the trap's next instruction.
template <class T>
bool loaded(State& s, Op* op, T& value, Op*& next) {
    const u32 address = s.x[op->rs1] + op->imm;
    if (address % sizeof(T) != 0) {
        next = trap(s, op, LoadMisaligned, address);
        return false;
    }
    if (load(s, address, value)) return true;
    next = trap(s, op, LoadFault, address);
    return false;
}

template <class T>
Op* stored(State& s, Op* op, T value) {
    const u32 address = s.x[op->rs1] + op->imm;
    if (address % sizeof(T) != 0) return trap(s, op, StoreMisaligned, address);
    return store(s, address, value) ? op + 1 : trap(s, op, StoreFault, address);
}

template <class T>
Op* load_integer(State& s, Op* op) {
    T value = 0;
    Op* next = op + 1;
    if (loaded(s, op, value, next)) s.x[op->rd] = static_cast<u32>(static_cast<std::int32_t>(value));
    return next;
}
template <class T>
Op* store_integer(State& s, Op* op) {
    return stored(s, op, static_cast<T>(s.x[op->rs2]));
}

Op* load_float(State& s, Op* op) {
    if (!s.fs) return illegal(s, op);
    Op* next = op + 1;
    loaded(s, op, s.f[op->rd], next);
    return next;
}
Op* store_float(State& s, Op* op) {
    return s.fs ? stored(s, op, s.f[op->rs2]) : illegal(s, op);
}

constexpr Row Rows[] = {
    {Funct3, 0x03, load_integer<std::int8_t>, Format::I},
    {Funct3, 0x1003, load_integer<std::int16_t>, Format::I},
    {Funct3, 0x2003, load_integer<u32>, Format::I},
    {Funct3, 0x4003, load_integer<std::uint8_t>, Format::I},
    {Funct3, 0x5003, load_integer<std::uint16_t>, Format::I},
    {Funct3, 0x23, store_integer<std::uint8_t>, Format::S},
    {Funct3, 0x1023, store_integer<std::uint16_t>, Format::S},
    {Funct3, 0x2023, store_integer<u32>, Format::S},
    {Funct3, 0x2007, load_float, Format::I, true},
    {Funct3, 0x2027, store_float, Format::S},
};

}  // namespace

std::span<const Row> memory_rows() {
    return Rows;
}

}  // namespace trnsim::rv32
