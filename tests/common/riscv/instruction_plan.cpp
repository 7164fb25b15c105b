#include "tests/common/riscv/instruction_plan.hpp"

#include <algorithm>
#include <cstring>

namespace trnsim::test {

namespace {

struct ScalarRow {
    const char* name;
    std::uint32_t mask;
    std::uint32_t match;
};

constexpr std::uint32_t Opcode = 0x7f, Funct3 = 0x707f, Funct7 = 0xfe00707f, Rounded = 0xfe00007f,
                        Unary = 0xfff0007f, UnaryFunct3 = 0xfff0707f, All = 0xffffffff;

constexpr ScalarRow Scalars[] = {
    {"lui", Opcode, 0x37},
    {"auipc", Opcode, 0x17},
    {"jal", Opcode, 0x6f},
    {"jalr", Funct3, 0x67},
    {"beq", Funct3, 0x63},
    {"bne", Funct3, 0x1063},
    {"blt", Funct3, 0x4063},
    {"bge", Funct3, 0x5063},
    {"bltu", Funct3, 0x6063},
    {"bgeu", Funct3, 0x7063},
    {"lb", Funct3, 0x03},
    {"lh", Funct3, 0x1003},
    {"lw", Funct3, 0x2003},
    {"lbu", Funct3, 0x4003},
    {"lhu", Funct3, 0x5003},
    {"sb", Funct3, 0x23},
    {"sh", Funct3, 0x1023},
    {"sw", Funct3, 0x2023},
    {"addi", Funct3, 0x13},
    {"slti", Funct3, 0x2013},
    {"sltiu", Funct3, 0x3013},
    {"xori", Funct3, 0x4013},
    {"ori", Funct3, 0x6013},
    {"andi", Funct3, 0x7013},
    {"slli", Funct7, 0x1013},
    {"srli", Funct7, 0x5013},
    {"srai", Funct7, 0x40005013},
    {"add", Funct7, 0x33},
    {"sub", Funct7, 0x40000033},
    {"sll", Funct7, 0x1033},
    {"slt", Funct7, 0x2033},
    {"sltu", Funct7, 0x3033},
    {"xor", Funct7, 0x4033},
    {"srl", Funct7, 0x5033},
    {"sra", Funct7, 0x40005033},
    {"or", Funct7, 0x6033},
    {"and", Funct7, 0x7033},
    {"mul", Funct7, 0x02000033},
    {"mulh", Funct7, 0x02001033},
    {"mulhsu", Funct7, 0x02002033},
    {"mulhu", Funct7, 0x02003033},
    {"div", Funct7, 0x02004033},
    {"divu", Funct7, 0x02005033},
    {"rem", Funct7, 0x02006033},
    {"remu", Funct7, 0x02007033},
    {"fence", Funct3, 0x0f},
    {"fence.i", Funct3, 0x100f},
    {"mret", All, 0x30200073},
    {"csrrw", Funct3, 0x1073},
    {"csrrs", Funct3, 0x2073},
    {"csrrc", Funct3, 0x3073},
    {"csrrwi", Funct3, 0x5073},
    {"csrrsi", Funct3, 0x6073},
    {"csrrci", Funct3, 0x7073},
    {"flw", Funct3, 0x2007},
    {"fsw", Funct3, 0x2027},
    {"fmadd.s", 0x0600007f, 0x43},
    {"fmsub.s", 0x0600007f, 0x47},
    {"fnmsub.s", 0x0600007f, 0x4b},
    {"fnmadd.s", 0x0600007f, 0x4f},
    {"fadd.s", Rounded, 0x53},
    {"fsub.s", Rounded, 0x08000053},
    {"fmul.s", Rounded, 0x10000053},
    {"fdiv.s", Rounded, 0x18000053},
    {"fsqrt.s", Unary, 0x58000053},
    {"fsgnj.s", Funct7, 0x20000053},
    {"fsgnjn.s", Funct7, 0x20001053},
    {"fsgnjx.s", Funct7, 0x20002053},
    {"fmin.s", Funct7, 0x28000053},
    {"fmax.s", Funct7, 0x28001053},
    {"fle.s", Funct7, 0xa0000053},
    {"flt.s", Funct7, 0xa0001053},
    {"feq.s", Funct7, 0xa0002053},
    {"fcvt.w.s", Unary, 0xc0000053},
    {"fcvt.wu.s", Unary, 0xc0100053},
    {"fcvt.s.w", Unary, 0xd0000053},
    {"fcvt.s.wu", Unary, 0xd0100053},
    {"fmv.x.w", UnaryFunct3, 0xe0000053},
    {"fclass.s", UnaryFunct3, 0xe0001053},
    {"fmv.w.x", UnaryFunct3, 0xf0000053},
    {"vsetvli", 0x8000707f, 0x7057},
    {"vsetivli", 0xc000707f, 0xc0007057},
    {"vsetvl", Funct7, 0x80007057},
};

// Vector arithmetic. Forms are categories (funct3): v x i of OPI, V X of OPM, f F of OPF. `widths` is as in
// PlannedInstruction; `mask` is m for an instruction with and without a mask, and 1 or 0 if that is its only
// vm. `vs1` and `vs2` are a code in that field, or -1.
struct VectorRow {
    const char* name;
    unsigned funct6;
    const char* forms;
    unsigned widths;
    char mask;
    int vs1 = -1;
    int vs2 = -1;
};

constexpr unsigned Any = 7, Narrow = 3, Wide = 6, Float = 4, Half = 2;

constexpr VectorRow Vectors[] = {
    {"vadd", 0x00, "vxi", Any, 'm'},
    {"vsub", 0x02, "vx", Any, 'm'},
    {"vrsub", 0x03, "xi", Any, 'm'},
    {"vminu", 0x04, "vx", Any, 'm'},
    {"vmin", 0x05, "vx", Any, 'm'},
    {"vmaxu", 0x06, "vx", Any, 'm'},
    {"vmax", 0x07, "vx", Any, 'm'},
    {"vand", 0x09, "vxi", Any, 'm'},
    {"vor", 0x0a, "vxi", Any, 'm'},
    {"vxor", 0x0b, "vxi", Any, 'm'},
    {"vrgather", 0x0c, "vxi", Any, 'm'},
    {"vslideup", 0x0e, "xi", Any, 'm'},
    {"vrgatherei16", 0x0e, "v", Any, 'm'},
    {"vslidedown", 0x0f, "xi", Any, 'm'},
    {"vadc", 0x10, "vxi", Any, '0'},
    {"vmadc", 0x11, "vxi", Any, 'm'},
    {"vsbc", 0x12, "vx", Any, '0'},
    {"vmsbc", 0x13, "vx", Any, 'm'},
    {"vmerge", 0x17, "vxi", Any, '0'},
    {"vmv", 0x17, "vxi", Any, '1', -1, 0},
    {"vmseq", 0x18, "vxi", Any, 'm'},
    {"vmsne", 0x19, "vxi", Any, 'm'},
    {"vmsltu", 0x1a, "vx", Any, 'm'},
    {"vmslt", 0x1b, "vx", Any, 'm'},
    {"vmsleu", 0x1c, "vxi", Any, 'm'},
    {"vmsle", 0x1d, "vxi", Any, 'm'},
    {"vmsgtu", 0x1e, "xi", Any, 'm'},
    {"vmsgt", 0x1f, "xi", Any, 'm'},
    {"vsaddu", 0x20, "vxi", Any, 'm'},
    {"vsadd", 0x21, "vxi", Any, 'm'},
    {"vssubu", 0x22, "vx", Any, 'm'},
    {"vssub", 0x23, "vx", Any, 'm'},
    {"vsll", 0x25, "vxi", Any, 'm'},
    {"vsmul", 0x27, "vx", Any, 'm'},
    {"vmv1r", 0x27, "i", Any, '1', 0},
    {"vmv2r", 0x27, "i", Any, '1', 1},
    {"vmv4r", 0x27, "i", Any, '1', 3},
    {"vmv8r", 0x27, "i", Any, '1', 7},
    {"vsrl", 0x28, "vxi", Any, 'm'},
    {"vsra", 0x29, "vxi", Any, 'm'},
    {"vssrl", 0x2a, "vxi", Any, 'm'},
    {"vssra", 0x2b, "vxi", Any, 'm'},
    {"vnsrl", 0x2c, "vxi", Narrow, 'm'},
    {"vnsra", 0x2d, "vxi", Narrow, 'm'},
    {"vnclipu", 0x2e, "vxi", Narrow, 'm'},
    {"vnclip", 0x2f, "vxi", Narrow, 'm'},
    {"vwredsumu", 0x30, "v", Narrow, 'm'},
    {"vwredsum", 0x31, "v", Narrow, 'm'},
    {"vredsum", 0x00, "V", Any, 'm'},
    {"vredand", 0x01, "V", Any, 'm'},
    {"vredor", 0x02, "V", Any, 'm'},
    {"vredxor", 0x03, "V", Any, 'm'},
    {"vredminu", 0x04, "V", Any, 'm'},
    {"vredmin", 0x05, "V", Any, 'm'},
    {"vredmaxu", 0x06, "V", Any, 'm'},
    {"vredmax", 0x07, "V", Any, 'm'},
    {"vaaddu", 0x08, "VX", Any, 'm'},
    {"vaadd", 0x09, "VX", Any, 'm'},
    {"vasubu", 0x0a, "VX", Any, 'm'},
    {"vasub", 0x0b, "VX", Any, 'm'},
    {"vslide1up", 0x0e, "X", Any, 'm'},
    {"vslide1down", 0x0f, "X", Any, 'm'},
    {"vmv.x.s", 0x10, "V", Any, '1', 0},
    {"vcpop", 0x10, "V", Any, 'm', 16},
    {"vfirst", 0x10, "V", Any, 'm', 17},
    {"vmv.s.x", 0x10, "X", Any, '1', -1, 0},
    {"vzext.vf4", 0x12, "V", Float, 'm', 4},
    {"vsext.vf4", 0x12, "V", Float, 'm', 5},
    {"vzext.vf2", 0x12, "V", Wide, 'm', 6},
    {"vsext.vf2", 0x12, "V", Wide, 'm', 7},
    {"vmsbf", 0x14, "V", Any, 'm', 1},
    {"vmsof", 0x14, "V", Any, 'm', 2},
    {"vmsif", 0x14, "V", Any, 'm', 3},
    {"viota", 0x14, "V", Any, 'm', 16},
    {"vid", 0x14, "V", Any, 'm', 17, 0},
    {"vcompress", 0x17, "V", Any, '1'},
    {"vmandn", 0x18, "V", Any, '1'},
    {"vmand", 0x19, "V", Any, '1'},
    {"vmor", 0x1a, "V", Any, '1'},
    {"vmxor", 0x1b, "V", Any, '1'},
    {"vmorn", 0x1c, "V", Any, '1'},
    {"vmnand", 0x1d, "V", Any, '1'},
    {"vmnor", 0x1e, "V", Any, '1'},
    {"vmxnor", 0x1f, "V", Any, '1'},
    {"vdivu", 0x20, "VX", Any, 'm'},
    {"vdiv", 0x21, "VX", Any, 'm'},
    {"vremu", 0x22, "VX", Any, 'm'},
    {"vrem", 0x23, "VX", Any, 'm'},
    {"vmulhu", 0x24, "VX", Any, 'm'},
    {"vmul", 0x25, "VX", Any, 'm'},
    {"vmulhsu", 0x26, "VX", Any, 'm'},
    {"vmulh", 0x27, "VX", Any, 'm'},
    {"vmadd", 0x29, "VX", Any, 'm'},
    {"vnmsub", 0x2b, "VX", Any, 'm'},
    {"vmacc", 0x2d, "VX", Any, 'm'},
    {"vnmsac", 0x2f, "VX", Any, 'm'},
    {"vwaddu", 0x30, "VX", Narrow, 'm'},
    {"vwadd", 0x31, "VX", Narrow, 'm'},
    {"vwsubu", 0x32, "VX", Narrow, 'm'},
    {"vwsub", 0x33, "VX", Narrow, 'm'},
    {"vwaddu.w", 0x34, "VX", Narrow, 'm'},
    {"vwadd.w", 0x35, "VX", Narrow, 'm'},
    {"vwsubu.w", 0x36, "VX", Narrow, 'm'},
    {"vwsub.w", 0x37, "VX", Narrow, 'm'},
    {"vwmulu", 0x38, "VX", Narrow, 'm'},
    {"vwmulsu", 0x3a, "VX", Narrow, 'm'},
    {"vwmul", 0x3b, "VX", Narrow, 'm'},
    {"vwmaccu", 0x3c, "VX", Narrow, 'm'},
    {"vwmacc", 0x3d, "VX", Narrow, 'm'},
    {"vwmaccus", 0x3e, "X", Narrow, 'm'},
    {"vwmaccsu", 0x3f, "VX", Narrow, 'm'},
    {"vfadd", 0x00, "fF", Float, 'm'},
    {"vfredusum", 0x01, "f", Float, 'm'},
    {"vfsub", 0x02, "fF", Float, 'm'},
    {"vfredosum", 0x03, "f", Float, 'm'},
    {"vfmin", 0x04, "fF", Float, 'm'},
    {"vfredmin", 0x05, "f", Float, 'm'},
    {"vfmax", 0x06, "fF", Float, 'm'},
    {"vfredmax", 0x07, "f", Float, 'm'},
    {"vfsgnj", 0x08, "fF", Float, 'm'},
    {"vfsgnjn", 0x09, "fF", Float, 'm'},
    {"vfsgnjx", 0x0a, "fF", Float, 'm'},
    {"vfslide1up", 0x0e, "F", Float, 'm'},
    {"vfslide1down", 0x0f, "F", Float, 'm'},
    {"vfmv.f.s", 0x10, "f", Float, '1', 0},
    {"vfmv.s.f", 0x10, "F", Float, '1', -1, 0},
    {"vfcvt.xu.f", 0x12, "f", Float, 'm', 0},
    {"vfcvt.x.f", 0x12, "f", Float, 'm', 1},
    {"vfcvt.f.xu", 0x12, "f", Float, 'm', 2},
    {"vfcvt.f.x", 0x12, "f", Float, 'm', 3},
    {"vfcvt.rtz.xu.f", 0x12, "f", Float, 'm', 6},
    {"vfcvt.rtz.x.f", 0x12, "f", Float, 'm', 7},
    {"vfwcvt.f.xu", 0x12, "f", Half, 'm', 10},
    {"vfwcvt.f.x", 0x12, "f", Half, 'm', 11},
    {"vfncvt.xu.f", 0x12, "f", Half, 'm', 16},
    {"vfncvt.x.f", 0x12, "f", Half, 'm', 17},
    {"vfncvt.rtz.xu.f", 0x12, "f", Half, 'm', 22},
    {"vfncvt.rtz.x.f", 0x12, "f", Half, 'm', 23},
    {"vfsqrt", 0x13, "f", Float, 'm', 0},
    {"vfrsqrt7", 0x13, "f", Float, 'm', 4},
    {"vfrec7", 0x13, "f", Float, 'm', 5},
    {"vfclass", 0x13, "f", Float, 'm', 16},
    {"vfmerge", 0x17, "F", Float, '0'},
    {"vfmv.v.f", 0x17, "F", Float, '1', -1, 0},
    {"vmfeq", 0x18, "fF", Float, 'm'},
    {"vmfle", 0x19, "fF", Float, 'm'},
    {"vmflt", 0x1b, "fF", Float, 'm'},
    {"vmfne", 0x1c, "fF", Float, 'm'},
    {"vmfgt", 0x1d, "F", Float, 'm'},
    {"vmfge", 0x1f, "F", Float, 'm'},
    {"vfdiv", 0x20, "fF", Float, 'm'},
    {"vfrdiv", 0x21, "F", Float, 'm'},
    {"vfmul", 0x24, "fF", Float, 'm'},
    {"vfrsub", 0x27, "F", Float, 'm'},
    {"vfmadd", 0x28, "fF", Float, 'm'},
    {"vfnmadd", 0x29, "fF", Float, 'm'},
    {"vfmsub", 0x2a, "fF", Float, 'm'},
    {"vfnmsub", 0x2b, "fF", Float, 'm'},
    {"vfmacc", 0x2c, "fF", Float, 'm'},
    {"vfnmacc", 0x2d, "fF", Float, 'm'},
    {"vfmsac", 0x2e, "fF", Float, 'm'},
    {"vfnmsac", 0x2f, "fF", Float, 'm'},
};

struct Form {
    char letter;
    std::uint32_t category;
    const char* suffix;
};
constexpr Form Forms[] = {{'v', 0, ".vv"}, {'x', 4, ".vx"}, {'i', 3, ".vi"}, {'V', 2, ".vv"},
                          {'X', 6, ".vx"}, {'f', 1, ".vv"}, {'F', 5, ".vf"}};

void add_vector(std::vector<PlannedInstruction>& plan, const VectorRow& row, const Form& form) {
    PlannedInstruction entry;
    entry.name = row.name + std::string(form.suffix);
    entry.mask = 0xfc00707f;
    entry.match = row.funct6 << 26 | form.category << 12 | 0x57;
    if (row.vs1 >= 0) {
        entry.mask |= 31U << 15;
        entry.match |= static_cast<std::uint32_t>(row.vs1) << 15;
    }
    if (row.vs2 >= 0) {
        entry.mask |= 31U << 20;
        entry.match |= static_cast<std::uint32_t>(row.vs2) << 20;
    }
    if (row.mask != 'm') {
        entry.mask |= 1U << 25;
        entry.match |= static_cast<std::uint32_t>(row.mask - '0') << 25;
    }
    entry.widths = row.widths;
    entry.masked = row.mask != '1';
    entry.unmasked = row.mask != '0';
    plan.push_back(entry);
}

// Adds loads and stores: each mode with every width in memory and number of fields.
void add_memory(std::vector<PlannedInstruction>& plan) {
    struct Mode {
        const char* name;
        std::uint32_t mop;
        int code;  // the code in vs2, or -1
        bool store, masked, fields;
    };
    static constexpr Mode Modes[] = {
        {"vle", 0, 0, false, true, true},     {"vse", 0, 0, true, true, true},
        {"vle.ff", 0, 16, false, true, true}, {"vlse", 2, -1, false, true, true},
        {"vsse", 2, -1, true, true, true},    {"vluxei", 1, -1, false, true, true},
        {"vsuxei", 1, -1, true, true, true},  {"vloxei", 3, -1, false, true, true},
        {"vsoxei", 3, -1, true, true, true},
    };
    const auto add = [&plan](const std::string& name, std::uint32_t mask, std::uint32_t match, bool masked,
                             bool rare) {
        PlannedInstruction entry;
        entry.name = name;
        entry.mask = mask;
        entry.match = match;
        entry.masked = masked;
        entry.widths = 7;
        entry.rare = rare;
        plan.push_back(entry);
    };
    for (const Mode& mode : Modes) {
        for (std::uint32_t width = 0; width < 3; ++width) {
            for (std::uint32_t fields = 0; fields < 8; ++fields) {
                const std::uint32_t funct3 = width == 0 ? 0 : 4 + width;
                std::uint32_t mask = 0xfc00707f;
                std::uint32_t match =
                    fields << 29 | mode.mop << 26 | funct3 << 12 | (mode.store ? 0x27U : 0x07U);
                if (mode.code >= 0) {
                    mask |= 31U << 20;
                    match |= static_cast<std::uint32_t>(mode.code) << 20;
                }
                add(mode.name + std::to_string(8U << width) + "x" + std::to_string(fields + 1), mask, match,
                    true, fields != 0);
            }
        }
    }
    for (const std::uint32_t fields : {0U, 1U, 3U, 7U}) {
        const std::uint32_t match = fields << 29 | 1U << 25 | 8U << 20;
        for (std::uint32_t width = 0; width < 3; ++width)
            add("vl" + std::to_string(fields + 1) + "re" + std::to_string(8U << width), 0xfff0707f,
                match | (width == 0 ? 0 : 4 + width) << 12 | 0x07, false, false);
        add("vs" + std::to_string(fields + 1) + "r", 0xfff0707f, match | 0x27, false, false);
    }
    add("vlm", 0xfff0707f, 1U << 25 | 11U << 20 | 0x07, false, false);
    add("vsm", 0xfff0707f, 1U << 25 | 11U << 20 | 0x27, false, false);
}

}  // namespace

InstructionPlan::InstructionPlan() {
    for (const ScalarRow& row : Scalars) {
        PlannedInstruction entry;
        entry.name = row.name;
        entry.mask = row.mask;
        entry.match = row.match;
        instructions_.push_back(entry);
    }
    for (const VectorRow& row : Vectors)
        for (const Form& form : Forms)
            if (std::strchr(row.forms, form.letter)) add_vector(instructions_, row, form);
    add_memory(instructions_);
}

void InstructionPlan::executed(std::uint32_t insn, unsigned sew, const std::string& lmul) {
    ++total_;
    const auto found =
        std::find_if(instructions_.begin(), instructions_.end(),
                     [insn](const PlannedInstruction& entry) { return (insn & entry.mask) == entry.match; });
    if (found == instructions_.end()) {
        ++unknown_;
        return;
    }
    ++found->count;
    static constexpr std::array<const char*, 7> Lmuls = {"mf8", "mf4", "mf2", "m1", "m2", "m4", "m8"};
    const auto at = std::find(Lmuls.begin(), Lmuls.end(), lmul);
    if (found->widths != 0 && sew >= 8 && sew <= 32 && at != Lmuls.end())
        ++found->counts[sew == 8    ? 0
                        : sew == 16 ? 1
                                    : 2][static_cast<std::size_t>(at - Lmuls.begin())][insn >> 25 & 1];
}

std::vector<std::string> InstructionPlan::missing(bool thorough) const {
    std::vector<std::string> names;
    for (const PlannedInstruction& entry : instructions_) {
        if (entry.rare && !thorough) continue;
        if (entry.count == 0) {
            names.push_back(entry.name);
            continue;
        }
        for (unsigned width = 0; thorough && width < 3; ++width) {
            if (!(entry.widths >> width & 1)) continue;
            for (unsigned vm = 0; vm < 2; ++vm) {
                std::uint64_t count = 0;
                for (const auto& lmul : entry.counts[width]) count += lmul[vm];
                if (count == 0 && (vm ? entry.unmasked : entry.masked))
                    names.push_back(entry.name + " e" + std::to_string(8U << width) + (vm ? "" : " masked"));
            }
        }
    }
    return names;
}

std::string InstructionPlan::summary() const {
    std::uint64_t combinations = 0;
    std::size_t executed = 0;
    for (const PlannedInstruction& entry : instructions_) {
        executed += entry.count != 0;
        for (const auto& width : entry.counts)
            for (const auto& lmul : width) combinations += (lmul[0] != 0) + (lmul[1] != 0);
    }
    return std::to_string(executed) + " of " + std::to_string(instructions_.size()) +
           " instructions, vector instructions in " + std::to_string(combinations) +
           " combinations with SEW, LMUL and mask";
}

}  // namespace trnsim::test
