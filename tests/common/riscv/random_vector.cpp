// Writes vector configuration, arithmetic, loads and stores.
#include "tests/common/riscv/program_writer.hpp"

namespace trnsim::test {

void ProgramWriter::set_type(std::uint32_t sew, std::uint32_t lmul) {
    sew_ = sew;
    lmul_ = lmul;
    const std::uint32_t type = below(4) << 6 | sew << 3 | lmul;
    switch (below(6)) {
        case 0:  // the largest length
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

void ProgramWriter::configure() {
    if (chance(4)) {  // invalid types, and lengths that do not change
        i_type(0x57, 7, below(2), chance(50) ? 0 : source(), word() & 0x3ff);
        return;
    }
    const std::uint32_t sew = below(3);
    std::uint32_t lmul = below(4);
    if (chance(25)) lmul = sew == 0 ? 6 + below(2) : sew == 1 ? 7 : 0;
    set_type(sew, lmul);
}

void ProgramWriter::arithmetic(std::uint32_t category, std::uint32_t funct6, std::uint32_t vs1_code) {
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
    // Slides and gathers by a scalar mostly have a distance within the group.
    if (category == 4 && (funct6 == 0x0c || funct6 == 0x0e || funct6 == 0x0f) && chance(80)) {
        load_immediate(Address, below(140));
        vs1 = Address;
    }
    // A result must not go to an integer register with a fixed purpose.
    if (category == 2 && funct6 == 0x10 && (vd >= Counter || vd == TcmPointer || vd == SlicePointer)) vd = 1;
    emit(encode::vector_op(funct6, category, vd, vs2, vs1, vm));
}

void ProgramWriter::vector_integer() {
    if (chance(6)) {  // useful indices and masks
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

void ProgramWriter::vector_float() {
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

// Makes the indices in the eight registers around vs2 small, so that accesses stay near.
void ProgramWriter::near_indices(std::uint32_t vs2, std::uint32_t width) {
    load_immediate(Stride, width == 0 ? 0x3c3c3c3c : width == 1 ? 0x03fc03fc : 0x3fc);
    load_immediate(1, vlen_ / 4);
    i_type(0x57, 7, 0, 1, 0x10 | 3);
    emit(encode::vector_op(0x09, 4, vs2 & 24, vs2 & 24, Stride, 1));  // vand.vx
    load_immediate(1, below(140));
    i_type(0x57, 7, 0, 1, sew_ << 3 | lmul_);
}

void ProgramWriter::vector_memory() {
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
    // The registers of a segment are eight at most.
    if (fields != 0 && chance(80)) set_type(sew_, fields < 2 ? below(3) : fields < 4 ? below(2) : 0);
    if (chance(25)) {  // near the end of memory
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
        // Most indices stay near; some of 8 and 16 bits reach past the end.
        vs2 = vector_register(group(static_cast<int>(width) - static_cast<int>(sew_)));
        if (vs2 / 8 == vd / 8 && chance(80)) vs2 = (vs2 + 8) % 32;
        if (width == 2 || chance(80)) near_indices(vs2, width);
        emit(fields << 29 | mop << 26 | vm << 25 | vs2 << 20 | Address << 15 | funct3 << 12 | vd << 7 |
             (store ? 0x27 : 0x07));
    }
}

// Emits a load or store in any mode, of any width in memory and number of fields, in any SEW, and in an LMUL
// in which all of that is legal. vector_memory() makes only few of these. Data is in v8 to v23, indices after
// them.
void ProgramWriter::segments() {
    struct Mode {
        std::uint32_t mop, vs2, opcode;
    };
    static constexpr std::array<Mode, 9> Modes = {{{0, 0, 0x07},
                                                   {0, 0, 0x27},
                                                   {0, 16, 0x07},
                                                   {2, Stride, 0x07},
                                                   {2, Stride, 0x27},
                                                   {1, 0, 0x07},
                                                   {1, 0, 0x27},
                                                   {3, 0, 0x07},
                                                   {3, 0, 0x27}}};
    Mode mode = pick(Modes);
    const bool indexed = (mode.mop & 1) != 0;
    const std::uint32_t width = below(3), sew = below(3), fields = 1 + below(8);
    // A field has 2^data registers, the indices have 2^index; LMUL is at least SEW / 32.
    const int widened = static_cast<int>(width) - static_cast<int>(sew);
    std::vector<int> legal;
    legal.reserve(6);
    for (int lmul = static_cast<int>(sew) - 2; lmul <= 3; ++lmul) {
        const int data = indexed ? lmul : lmul + widened;
        if (lmul + widened <= 3 && fields << std::max(data, 0) <= 8) legal.push_back(lmul);
    }
    const int lmul = legal[below(static_cast<std::uint32_t>(legal.size()))];
    set_type(sew, static_cast<std::uint32_t>(lmul) & 7);
    const std::uint32_t size = group(indexed ? 0 : widened);
    const std::uint32_t vd = 8 + size * below((16 - fields * size) / size + 1);
    if (indexed) {
        const std::uint32_t registers = group(widened);
        mode.vs2 = 24 + registers * below(8 / registers);
        near_indices(mode.vs2, width);
    }
    if (mode.mop == 2) load_immediate(Stride, (below(40) - 20) << width);
    i_type(0x13, 0, Address, chance(50) ? TcmPointer : SlicePointer, 0 - (below(0x800) & ~3U));
    const std::uint32_t funct3 = width == 0 ? 0 : 4 + width;
    emit((fields - 1) << 29 | mode.mop << 26 | below(2) << 25 | mode.vs2 << 20 | Address << 15 |
         funct3 << 12 | vd << 7 | mode.opcode);
}

// Emits unit-stride loads and stores of three places that are near each other, and operations, without other
// instructions between most of them: the registers and bytes of one are often those of another.
void ProgramWriter::streams() {
    constexpr std::uint32_t Third = 7;
    constexpr std::array<std::uint32_t, 3> Pointers{Address, Stride, Third};
    set_type(chance(70) ? 2 : below(3), below(4));
    const bool tcm = chance(50);
    const auto point = [&](std::uint32_t pointer) {
        const std::uint32_t before = 64 * (1 + below(24)) + (chance(25) ? 4 * below(16) : 0);
        i_type(0x13, 0, pointer, chance(85) == tcm ? TcmPointer : SlicePointer, (0 - before) & 0xfff);
    };
    for (const std::uint32_t pointer : Pointers) point(pointer);
    for (std::uint32_t left = 3 + below(10); left != 0; --left) {
        const std::uint32_t pointer = pick(Pointers), choice = below(100);
        if (choice < 60) {
            const bool store = choice < 28, whole = chance(10);
            const std::uint32_t registers = whole ? 1U << below(4) : group(0);
            const std::uint32_t vd = vector_register(registers), vm = chance(store ? 75 : 95) ? 1 : 0;
            const std::uint32_t funct3 = (whole && store) || sew_ == 0 ? 0 : 4 + sew_;
            const std::uint32_t kind = whole ? (registers - 1) << 29 | 1U << 25 | 8U << 20 : vm << 25;
            emit(kind | pointer << 15 | funct3 << 12 | vd << 7 | (store ? 0x27 : 0x07));
        } else if (choice < 80) {
            vector_integer();
        } else if (choice < 88) {
            sew_ == 2 ? vector_float() : vector_integer();
        } else if (choice < 92) {
            i_type(0x03, 2, destination(), pointer, 4 * below(64));
        } else if (choice < 96) {
            s_type(0x23, 2, pointer, source(), 4 * below(64));
        } else if (choice < 98) {
            set_type(sew_, below(4));  // it uses the registers of two pointers
            point(Address);
            point(Stride);
        } else {
            point(pointer);
        }
    }
}

}  // namespace trnsim::test
