#include "tests/rtl/gpsimd/random_program.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "tests/rtl/gpsimd/encode.hpp"

namespace trnsim::test {

namespace {

// The TCM: code, then data up to its end, so that accesses beyond fault. Data in the slice lies at its end,
// too.
constexpr std::uint32_t CodeBytes = 0x8000;
constexpr std::uint32_t TcmData = TcmBase + CodeBytes;
constexpr std::uint32_t SliceData = SliceBase + SliceBytes - 0x4000;
constexpr std::uint32_t ToHost = TcmBase + 0x7fc0;

// Registers with a purpose; x30 and x31 belong to the trap handler.
enum : std::uint32_t {
    TcmPointer = 8,
    SlicePointer = 9,
    Counter = 27,
    Address = 28,
    Stride = 29,
    Link = 30,
    Scratch = 31
};

constexpr std::array<std::uint32_t, 24> Corners = {
    0x00000000, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffbfffff, 0x00000001,
    0x80000001, 0x007fffff, 0x00800000, 0x80800000, 0x7f7fffff, 0xff7fffff, 0x3f800000, 0xbf800000,
    0x3f7fffff, 0x4b000001, 0x4f000000, 0xcf000000, 0x4effffff, 0x33800000, 0xffffffff, 0x7fffffff};

class Writer {
  public:
    Writer(std::mt19937_64& generator, const Mix& mix) : generator_(generator), mix_(mix) {}

    Program write(std::size_t instructions);

  private:
    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(generator_() % n); }
    bool chance(std::uint32_t percent) { return below(100) < percent; }
    std::uint32_t word() { return static_cast<std::uint32_t>(generator_()); }
    template <std::size_t N>
    std::uint32_t pick(const std::array<std::uint32_t, N>& values) {
        return values[below(N)];
    }
    std::uint32_t value() {
        switch (below(8)) {
            case 0:
                return pick(Corners);
            case 1:
                return below(64);
            case 2:
                return 0 - below(64);
            case 3:
                return (word() & 0x807fffff) | (120 + below(16)) << 23;  // floats near one
            case 4:  // floats whose products are about the smallest normal number, or the largest
                return (word() & 0x807fffff) | ((chance(50) ? 60 : 188) + below(6)) << 23;
            case 5:  // next to a power of two
                return ((word() & 0xff800000) - below(3)) & ~0x40000000U;
            default:
                return word();
        }
    }

    void emit(std::uint32_t insn) { code_.push_back(insn); }
    std::uint32_t here() const { return TcmBase + static_cast<std::uint32_t>(code_.size()) * 4; }
    void i_type(std::uint32_t opcode, std::uint32_t funct3, std::uint32_t rd, std::uint32_t rs1,
                std::uint32_t imm) {
        emit(encode::i_type(opcode, funct3, rd, rs1, imm));
    }
    void s_type(std::uint32_t opcode, std::uint32_t funct3, std::uint32_t rs1, std::uint32_t rs2,
                std::uint32_t imm) {
        emit(encode::s_type(opcode, funct3, rs1, rs2, imm));
    }
    void r_type(std::uint32_t opcode, std::uint32_t funct3, std::uint32_t funct7, std::uint32_t rd,
                std::uint32_t rs1, std::uint32_t rs2) {
        emit(encode::r_type(opcode, funct3, funct7, rd, rs1, rs2));
    }
    void branch(std::uint32_t funct3, std::uint32_t rs1, std::uint32_t rs2, std::int32_t offset) {
        emit(encode::branch(funct3, rs1, rs2, offset));
    }
    void load_immediate(std::uint32_t rd, std::uint32_t immediate) {
        emit(encode::lui(rd, immediate));
        emit(encode::addi(rd, rd, immediate));
    }
    void csr(std::uint32_t funct3, std::uint32_t rd, std::uint32_t number, std::uint32_t rs1) {
        i_type(0x73, funct3, rd, rs1, number);
    }

    std::uint32_t source() { return below(32); }
    std::uint32_t destination() {
        const std::uint32_t rd = below(27);
        return rd == TcmPointer || rd == SlicePointer ? 0 : rd;
    }

    void start();
    void finish();
    void instruction();
    void integer();
    void memory();
    void control();
    void floating();
    void configure();
    void vector_integer();
    void vector_float();
    void vector_memory();
    void set_type(std::uint32_t sew, std::uint32_t lmul);
    void arithmetic(std::uint32_t category, std::uint32_t funct6, std::uint32_t vs1_code);
    std::uint32_t vector_register(std::uint32_t size) {
        size = std::clamp<std::uint32_t>(size, 1, 8);
        return chance(97) ? below(32 / size) * size : below(32);
    }
    // Registers of a group whose LMUL is multiplied by 2^shift.
    std::uint32_t group(int shift) const {
        const int lmul = (lmul_ >= 4 ? static_cast<int>(lmul_) - 8 : static_cast<int>(lmul_)) + shift;
        return lmul <= 0 ? 1 : 1U << lmul;
    }

    std::mt19937_64& generator_;
    Mix mix_;
    std::vector<std::uint32_t> code_;
    std::uint32_t sew_ = 2, lmul_ = 0;
    std::uint32_t handler_ = 0;
};

void Writer::start() {
    // The handler follows a jump over it: it notes cause and value, and goes on behind the instruction;
    // behind a fetch from nowhere, at Link.
    emit(0);  // the jump, when the length is known
    handler_ = here();
    load_immediate(Scratch, 0x6600);
    csr(2, 0, 0x300, Scratch);  // FS and VS on
    csr(2, Scratch, 0x343, 0);  // mtval
    csr(2, Scratch, 0x008, 0);  // vstart
    csr(5, 0, 0x008, 0);
    csr(2, Scratch, 0x341, 0);  // mepc
    i_type(0x13, 0, Scratch, Scratch, 4);
    csr(1, 0, 0x341, Scratch);
    csr(2, Scratch, 0x342, 0);  // mcause
    i_type(0x13, 0, Scratch, Scratch, 0xfff);
    branch(1, Scratch, 0, 8);
    csr(1, 0, 0x341, Link);
    emit(encode::Mret);
    code_[0] = 0x0000006f | static_cast<std::uint32_t>(code_.size() * 4) << 20;  // jal x0

    load_immediate(1, handler_);
    csr(1, 0, 0x305, 1);
    load_immediate(1, 0x6600);
    csr(1, 0, 0x300, 1);
    for (std::uint32_t k = 0; k < 32; ++k) {
        load_immediate(1, value());
        r_type(0x53, 0, 0x78, k, 1, 0);  // fmv.w.x
    }
    for (std::uint32_t k = 1; k < 32; ++k) load_immediate(k, value());
    load_immediate(TcmPointer, TcmData + 0x6000);
    load_immediate(SlicePointer, SliceData + 0x2000);
    // The slice starts as a copy of data in the TCM.
    load_immediate(1, TcmData);
    load_immediate(2, SliceData);
    load_immediate(3, 0x4000 / Vlen);
    i_type(0x07, 0, 0, 1, 7U << 9 | 1 << 5 | 8);  // vl8r.v v0, (x1)
    i_type(0x27, 0, 0, 2, 7U << 9 | 1 << 5 | 8);  // vs8r.v v0, (x2)
    i_type(0x13, 0, 1, 1, Vlen);
    i_type(0x13, 0, 2, 2, Vlen);
    i_type(0x13, 0, 3, 3, 0xfff);
    branch(1, 3, 0, -20);
    for (std::uint32_t k = 0; k < 32; k += 8) {
        load_immediate(1, TcmData + below(0x1e0) * 64);
        i_type(0x07, 0, k, 1, 7U << 9 | 1 << 5 | 8);
    }
    set_type(2, 0);
}

// All memory is loaded, which the log shows; then the store that ends the program.
void Writer::finish() {
    csr(5, 0, 0x008, 0);
    for (const auto& [from, bytes] : {std::pair<std::uint32_t, std::uint32_t>{TcmData, TcmBytes - CodeBytes},
                                      std::pair<std::uint32_t, std::uint32_t>{SliceData, 0x4000U}}) {
        load_immediate(1, from);
        load_immediate(3, bytes / Vlen);
        i_type(0x07, 0, 8, 1, 7U << 9 | 1 << 5 | 8);
        i_type(0x13, 0, 1, 1, Vlen);
        i_type(0x13, 0, 3, 3, 0xfff);
        branch(1, 3, 0, -12);
    }
    csr(2, 1, 0x003, 0);
    csr(2, 1, 0x00f, 0);
    csr(2, 1, 0x300, 0);
    load_immediate(1, ToHost);
    load_immediate(2, 1);
    s_type(0x23, 2, 1, 2, 0);
    emit(encode::Wfi);
    emit(0xffdff06f);  // wfi again
}

void Writer::integer() {
    const std::uint32_t rd = destination();
    switch (below(5)) {
        case 0:
            i_type(0x13, below(8), rd, source(), chance(80) ? below(32) | below(2) << 10 : word() & 0xfff);
            break;
        case 1:
            r_type(0x33, below(8), pick(std::array<std::uint32_t, 8>{0, 0, 0, 0, 0x20, 1, 1, 1}), rd,
                   source(), source());
            break;
        case 2:
            emit((word() & 0xfffff000) | rd << 7 | (chance(50) ? 0x37 : 0x17));
            break;
        case 3:
            load_immediate(rd, value());
            break;
        default:
            if (chance(10))
                emit(word());  // most are illegal, none may change a pointer or the program
            else
                r_type(0x33, below(8), 1, rd, source(), source());
    }
    // A random word could be anything: keep those that are certainly illegal.
    const std::uint32_t last = code_.back();
    const std::uint32_t opcode = last & 0x7f;
    if (opcode != 0x13 && opcode != 0x33 && opcode != 0x37 && opcode != 0x17)
        code_.back() = (last & ~0x7fU) | 0x0b;
}

void Writer::memory() {
    const std::uint32_t base = chance(50) ? TcmPointer : SlicePointer;
    const std::uint32_t size = below(3);
    const std::uint32_t offset = chance(95) ? word() & 0xfff & ~((1U << size) - 1) : word() & 0xfff;
    std::uint32_t pointer = base;
    if (chance(4)) {
        load_immediate(Address, chance(50) ? TcmBase + TcmBytes - 8 + below(16)
                                           : (pick(Corners) & 0x1fffffff) | 0x40000000);
        pointer = Address;
    }
    switch (below(5)) {
        case 0:
            i_type(0x03, size, destination(), pointer, offset);
            break;
        case 1:
            i_type(0x03, size + (chance(50) ? 4 : 0), destination(), pointer, offset);
            break;
        case 2:
            s_type(0x23, size, pointer, source(), offset);
            break;
        case 3:
            i_type(0x07, 2, below(32), pointer, offset);
            break;
        default:
            s_type(0x27, 2, pointer, below(32), offset);
            break;
    }
}

void Writer::control() {
    switch (below(12)) {
        case 0:  // forward
        case 1:
            branch(pick(std::array<std::uint32_t, 6>{0, 1, 4, 5, 6, 7}), source(), source(), 8);
            integer();
            break;
        case 2: {  // a loop
            i_type(0x13, 0, Counter, 0, 1 + below(4));
            const std::size_t first = code_.size();
            for (std::uint32_t k = below(6); k > 0; --k) chance(50) ? integer() : memory();
            i_type(0x13, 0, Counter, Counter, 0xfff);
            branch(1, Counter, 0, -4 * static_cast<std::int32_t>(code_.size() - first));
            break;
        }
        case 3:  // jal, jalr
            if (chance(50)) {
                emit(0x0000006f | 8U << 20 | destination() << 7);
                emit(word() & ~0x7fU);
            } else {
                emit(Address << 7 | 0x17);
                i_type(0x67, 0, destination(), Address, 8 + below(2));
            }
            break;
        case 4:  // to a target that is misaligned
            emit(Address << 7 | 0x17);
            if (chance(50))
                i_type(0x67, 0, destination(), Address, 10);
            else
                branch(below(2), source(), source(), 6);
            break;
        case 5:  // to nowhere
            emit(Link << 7 | 0x17);
            i_type(0x13, 0, Link, Link, 16);
            emit((word() & 0x7ffff000) | 0x40000000U | (Address << 7) | 0x37);
            i_type(0x67, 0, destination(), Address, 0);
            break;
        case 6:
            emit(chance(50) ? 0x00000073 : 0x00100073);
            break;
        case 7:  // FS or VS off for an instruction
            load_immediate(Address, chance(50) ? 0x6000 : 0x0600);
            csr(1, 0, 0x300, Address);
            chance(50) ? floating() : vector_integer();
            load_immediate(Address, 0x6600);
            csr(2, destination(), 0x300, Address);
            break;
        case 8:
            emit(chance(50) ? 0x0000100f : 0x0ff0000f);
            break;
        case 9: {  // rounding modes; mostly those that exist
            const std::uint32_t mode = chance(95) ? below(5) : below(8);
            csr(5, destination(), 0x002, mode);
            csr(5, destination(), 0x00a, below(4));
            break;
        }
        case 10:
            if (chance(30)) {  // vstart for what comes next
                csr(5, 0, 0x008, below(chance(80) ? 8 : 32));
                vector_integer();
            }
            break;
        default: {
            const std::uint32_t number = pick(
                std::array<std::uint32_t, 18>{0x001, 0x003, 0x009, 0x00a, 0x00f, 0x340, 0x341, 0x342, 0x343,
                                              0xc20, 0xc21, 0xc22, 0xf14, 0x123, 0x5c0, 0x001, 0x003, 0x009});
            const std::uint32_t funct3 = 1 + below(3) + 4 * below(2);
            const bool machine = number >= 0x341 && number <= 0x343;
            csr(machine ? 2 : funct3, destination(), number, machine ? 0 : source());
            // fcsr may have got a rounding mode that does not exist.
            if (number == 0x003 && chance(90)) csr(5, 0, 0x002, below(5));
        }
    }
}

void Writer::floating() {
    const std::uint32_t rm = chance(95) ? pick(std::array<std::uint32_t, 6>{0, 1, 2, 3, 4, 7}) : below(8);
    const std::uint32_t rs1 = below(32), rs2 = below(32), rd = below(32);
    switch (below(12)) {
        case 0: {  // new operands
            load_immediate(Address, value());
            r_type(0x53, 0, 0x78, rd, Address, 0);
            break;
        }
        case 1:
        case 2:
            r_type(0x53, rm, pick(std::array<std::uint32_t, 4>{0, 4, 8, 0xc}), rd, rs1, rs2);
            break;
        case 3:
            r_type(0x53, rm, chance(50) ? 0x2c : 0x0c, rd, rs1, chance(95) ? 0 : rs2);
            break;
        case 4:
        case 5:
            emit(below(32) << 27 | rs2 << 20 | rs1 << 15 | rm << 12 | rd << 7 | 0x43 | below(4) << 2);
            break;
        case 6:
            r_type(0x53, below(4), 0x10, rd, rs1, rs2);
            break;
        case 7:
            r_type(0x53, below(3), 0x14, rd, rs1, rs2);
            break;
        case 8:
            r_type(0x53, below(4), 0x50, destination(), rs1, rs2);
            break;
        case 9:
            r_type(0x53, rm, 0x60, destination(), rs1, below(2));
            break;
        case 10:
            r_type(0x53, rm, 0x68, rd, source(), below(2));
            break;
        default:
            if (chance(50))
                r_type(0x53, below(2), 0x70, destination(), rs1, 0);
            else
                r_type(0x53, 0, 0x78, rd, source(), 0);
    }
}

void Writer::set_type(std::uint32_t sew, std::uint32_t lmul) {
    sew_ = sew;
    lmul_ = lmul;
    const std::uint32_t type = below(4) << 6 | sew << 3 | lmul;
    switch (below(6)) {
        case 0:  // as many as there are
            i_type(0x57, 7, 1 + below(6), 0, type);
            break;
        case 1:  // vsetivli
            i_type(0x57, 7, destination(), below(32), 0xc00 | type);
            break;
        case 2:  // vsetvl
            load_immediate(Address, below(600));
            load_immediate(Stride, type);
            r_type(0x57, 7, 0x40, destination(), Address, Stride);
            break;
        default:  // any length, also around VLMAX and its double
            load_immediate(Address, chance(50) ? below(600) : below(140));
            i_type(0x57, 7, destination(), Address, type);
    }
}

void Writer::configure() {
    if (chance(4)) {  // types that do not exist, lengths that stay
        i_type(0x57, 7, below(2), chance(50) ? 0 : source(), word() & 0x3ff);
        return;
    }
    const std::uint32_t sew = below(3);
    std::uint32_t lmul = below(4);
    if (chance(25)) lmul = sew == 0 ? 6 + below(2) : sew == 1 ? 7 : 0;
    set_type(sew, lmul);
}

void Writer::arithmetic(std::uint32_t category, std::uint32_t funct6, std::uint32_t vs1_code) {
    const bool integers = category == 0 || category == 3 || category == 4;
    const bool multiplies = category == 2 || category == 6;
    const bool wide = (multiplies && funct6 >= 0x30);
    const bool narrow = integers && funct6 >= 0x2c && funct6 <= 0x2f;
    const bool converts = category == 1 && funct6 == 0x12;
    const bool mask_result =
        (integers && (funct6 == 0x11 || funct6 == 0x13 || (funct6 >= 0x18 && funct6 <= 0x1f))) ||
        (multiplies && funct6 >= 0x18 && funct6 <= 0x1f) ||
        (!integers && !multiplies && funct6 >= 0x18 && funct6 <= 0x1f);
    bool wide_d = wide, wide_x = narrow || (multiplies && funct6 >= 0x34 && funct6 <= 0x37);
    if (converts) {
        wide_d = vs1_code >= 8 && vs1_code < 16;
        wide_x = vs1_code >= 16;
    }
    std::uint32_t vm = below(2);
    if (integers && (funct6 == 0x10 || funct6 == 0x12)) vm = 0;
    if (multiplies && ((funct6 >= 0x17 && funct6 <= 0x1f) || (funct6 == 0x10 && vs1_code < 16))) vm = 1;
    if (category == 3 && funct6 == 0x27) vm = 1;
    if (category == 6 && funct6 == 0x10) vm = 1;
    if (!integers && !multiplies && funct6 == 0x10) vm = 1;
    if (chance(2)) vm ^= 1;

    std::uint32_t vd = 0, vs2 = 0, vs1 = 0;
    for (int tries = 0; tries < 4; ++tries) {
        vd = vector_register(mask_result ? 1 : group(wide_d));
        vs2 = vector_register(group(wide_x));
        vs1 = vector_register(group(0));
        const bool apart = vd / 8 != vs2 / 8 && vd / 8 != vs1 / 8;
        if (apart && (vm || vd != 0)) break;
        if (chance(25)) break;
    }
    if (category >= 3) vs1 = below(32);
    if (category == 3 && funct6 == 0x27 && chance(90)) {
        const std::uint32_t size = 1U << below(4);
        vs1 = size - 1;
        vd = vector_register(size);
        vs2 = vector_register(size);
    }
    if (vs1_code != 32) vs1 = vs1_code;
    if (integers && funct6 == 0x17 && vm && chance(90)) vs2 = 0;
    if (category == 5 && funct6 == 0x17 && vm && chance(90)) vs2 = 0;
    if ((category == 6 || category == 5) && funct6 == 0x10 && chance(95)) vs2 = 0;
    if (category == 2 && funct6 == 0x14 && vs1 == 17 && chance(90)) vs2 = 0;
    // Slides and gathers by a scalar: mostly by a distance within the group.
    if (category == 4 && (funct6 == 0x0c || funct6 == 0x0e || funct6 == 0x0f) && chance(80)) {
        load_immediate(Address, below(140));
        vs1 = Address;
    }
    // Results in integer registers that have a purpose.
    if (category == 2 && funct6 == 0x10 && (vd >= Counter || vd == TcmPointer || vd == SlicePointer)) vd = 1;
    emit(encode::vector_op(funct6, category, vd, vs2, vs1, vm));
}

void Writer::vector_integer() {
    if (chance(6)) {  // indices and masks that are worth something
        load_immediate(Address,
                       pick(std::array<std::uint32_t, 4>{0x3f3f3f3f, 0x003f003f, 0x0f0f0f0f, 0x55aa0ff0}));
        arithmetic(4, chance(50) ? 0x09 : 0x17, 32);
        code_.back() = (code_.back() & ~(31U << 15)) | Address << 15;
        return;
    }
    const std::uint32_t form = below(5);
    std::uint32_t code = 32;
    if (form < 3) {
        static constexpr std::array<std::uint32_t, 47> Functs = {
            0x00, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x09, 0x0a, 0x0b, 0x0c, 0x0c, 0x0e, 0x0e, 0x0f, 0x0f,
            0x10, 0x11, 0x12, 0x13, 0x17, 0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x1f, 0x20, 0x21, 0x22,
            0x23, 0x25, 0x27, 0x28, 0x29, 0x2a, 0x2b, 0x2c, 0x2d, 0x2e, 0x2f, 0x30, 0x31, 0x17, 0x27};
        arithmetic(pick(std::array<std::uint32_t, 3>{0, 3, 4}), chance(98) ? pick(Functs) : below(64), code);
        return;
    }
    static constexpr std::array<std::uint32_t, 58> Functs = {
        0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0e, 0x0f, 0x10,
        0x10, 0x12, 0x12, 0x14, 0x14, 0x17, 0x17, 0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x1f,
        0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x29, 0x2b, 0x2d, 0x2f, 0x30, 0x31, 0x32,
        0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x3a, 0x3b, 0x3c, 0x3d, 0x3e, 0x3f, 0x14};
    const std::uint32_t funct6 = chance(98) ? pick(Functs) : below(64);
    const std::uint32_t category = chance(60) ? 2 : 6;
    if (category == 2 && funct6 == 0x10)
        code = chance(95) ? pick(std::array<std::uint32_t, 3>{0, 16, 17}) : below(32);
    if (category == 2 && funct6 == 0x12) code = chance(95) ? 4 + below(4) : below(32);
    if (category == 2 && funct6 == 0x14)
        code = chance(95) ? pick(std::array<std::uint32_t, 5>{1, 2, 3, 16, 17}) : below(32);
    arithmetic(category, funct6, code);
}

void Writer::vector_float() {
    if (sew_ != 2 && chance(60)) set_type(2, below(4));
    static constexpr std::array<std::uint32_t, 43> Functs = {
        0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0e, 0x0f, 0x10, 0x12,
        0x12, 0x12, 0x12, 0x13, 0x13, 0x13, 0x17, 0x18, 0x19, 0x1b, 0x1c, 0x1d, 0x1f, 0x20, 0x21,
        0x24, 0x27, 0x28, 0x29, 0x2a, 0x2b, 0x2c, 0x2d, 0x2e, 0x2f, 0x24, 0x00, 0x02};
    const std::uint32_t funct6 = chance(98) ? pick(Functs) : below(64);
    const std::uint32_t category = chance(60) ? 1 : 5;
    std::uint32_t code = 32;
    if (category == 1 && funct6 == 0x12) code = below(24);
    if (category == 1 && funct6 == 0x13) code = pick(std::array<std::uint32_t, 4>{0, 4, 5, 16});
    if (category == 1 && funct6 == 0x10) code = chance(95) ? 0 : below(32);
    if (category == 1 && funct6 == 0x12 && ((code >> 3) == 1 || (code >> 3) == 2) && chance(70))
        set_type(1, below(3));
    arithmetic(category, funct6, code);
}

void Writer::vector_memory() {
    const bool tcm = chance(50);
    const std::uint32_t pointer = tcm ? TcmPointer : SlicePointer;
    const std::uint32_t width = chance(60) ? sew_ : below(3);
    const std::uint32_t funct3 = width == 0 ? 0 : 4 + width;
    const std::uint32_t mop = pick(std::array<std::uint32_t, 6>{0, 0, 0, 1, 2, 3});
    const bool store = chance(45);
    std::uint32_t offset = below(0x800);
    if (chance(90)) offset &= ~3U;
    if (chance(40)) offset &= ~63U;
    std::uint32_t vm = below(2), fields = chance(60) ? 0 : below(8), vs2 = 0;
    // Segments fill eight registers at most.
    if (fields != 0 && chance(80)) set_type(sew_, fields < 2 ? below(3) : fields < 4 ? below(2) : 0);
    if (chance(25)) {  // where memory ends
        const std::uint32_t before = below(600) & (chance(90) ? ~3U : ~0U);
        load_immediate(Address, (tcm ? TcmBase + TcmBytes : SliceBase + SliceBytes) - before);
    } else {
        i_type(0x13, 0, Address, pointer, (chance(15) ? offset : 0 - offset) & 0xfff);
    }
    std::uint32_t vd =
        vector_register(group(mop == 0 || mop == 2 ? static_cast<int>(width) - static_cast<int>(sew_) : 0));
    if (vd == 0 && chance(80)) vd = 8;
    if (mop == 0) {
        vs2 = pick(std::array<std::uint32_t, 6>{0, 0, 0, 8, 11, 16});
        if (vs2 == 8 || vs2 == 11) vm = 1;
        if (vs2 == 8) fields = (1U << below(4)) - 1;
        if (vs2 == 8) vd = vector_register(fields + 1);
        if (vs2 == 11) fields = 0;
        if (chance(3)) vs2 = below(32);
        const std::uint32_t use = vs2 == 11 || (vs2 == 8 && store) ? 0 : funct3;
        emit(fields << 29 | vm << 25 | vs2 << 20 | Address << 15 | use << 12 | vd << 7 |
             (store ? 0x27 : 0x07));
    } else if (mop == 2) {
        std::uint32_t stride = (below(40) - 20) << (chance(90) ? width : 0);
        if (chance(10)) stride = 0;
        load_immediate(Stride, stride);
        emit(fields << 29 | 2U << 26 | vm << 25 | Stride << 20 | Address << 15 | funct3 << 12 | vd << 7 |
             (store ? 0x27 : 0x07));
    } else {
        // Indices that stay near, but for some of 8 and 16 bits, which reach beyond the end.
        vs2 = vector_register(group(static_cast<int>(width) - static_cast<int>(sew_)));
        if (vs2 / 8 == vd / 8 && chance(80)) vs2 = (vs2 + 8) % 32;
        if (width == 2 || chance(80)) {
            const std::uint32_t sew = sew_, lmul = lmul_;
            load_immediate(Stride, width == 0 ? 0x3c3c3c3c : width == 1 ? 0x03fc03fc : 0x3fc);
            load_immediate(1, 128);
            i_type(0x57, 7, 0, 1, 0x10 | 3);
            emit(encode::vector_op(0x09, 4, vs2 & 24, vs2 & 24, Stride, 1));  // vand.vx
            load_immediate(1, below(140));
            i_type(0x57, 7, 0, 1, sew << 3 | lmul);
        }
        emit(fields << 29 | mop << 26 | vm << 25 | vs2 << 20 | Address << 15 | funct3 << 12 | vd << 7 |
             (store ? 0x27 : 0x07));
    }
}

void Writer::instruction() {
    const std::array<unsigned, 8> weights = {mix_.integer,      mix_.memory,       mix_.control,
                                             mix_.floating,     mix_.configure,    mix_.vector_integer,
                                             mix_.vector_float, mix_.vector_memory};
    unsigned total = 0;
    for (const unsigned weight : weights) total += weight;
    unsigned choice = below(total), kind = 0;
    while (choice >= weights[kind]) choice -= weights[kind++];
    switch (kind) {
        case 0:
            integer();
            break;
        case 1:
            memory();
            break;
        case 2:
            control();
            break;
        case 3:
            floating();
            break;
        case 4:
            configure();
            break;
        case 5:
            vector_integer();
            break;
        case 6:
            vector_float();
            break;
        default:
            vector_memory();
    }
    // Flags, so that each is the work of few instructions.
    if (kind == 3 || kind == 6) {
        if (chance(25)) csr(5, destination(), 0x001, 0);
    } else if (kind == 5 && chance(15)) {
        csr(5, destination(), 0x009, 0);
    }
    if (mix_.vector_memory && chance(2)) {  // whole groups show in the log what a trap left behind
        const std::uint32_t first = below(4) * 8;
        emit(encode::vector_op(0x27, 3, first, first, 7, 1));  // vmv8r.v
    }
}

Program Writer::write(std::size_t instructions) {
    start();
    while (code_.size() < instructions && code_.size() * 4 < CodeBytes - 0x200) instruction();
    finish();
    Program program;
    program.words = code_;
    program.words.resize(CodeBytes / 4, 0);
    while (program.words.size() * 4 < TcmBytes) program.words.push_back(value());
    program.to_host = ToHost;
    return program;
}

}  // namespace

Program random_program(std::mt19937_64& generator, const Mix& mix, std::size_t instructions) {
    return Writer(generator, mix).write(instructions);
}

}  // namespace trnsim::test
