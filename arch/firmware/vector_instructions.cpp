#include "arch/firmware/vector_instructions.hpp"

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>

namespace trnsim::firmware {
namespace {

// Vector arithmetic by category (funct3) and funct6; `vs1`, `vs2`: the fixed code in the field, or -1; `vm`:
// the only legal value, or -1.
enum Category : std::uint32_t { Ivv = 0, Fvv = 1, Mvv = 2, Ivi = 3, Ivx = 4, Fvf = 5, Mvx = 6 };
struct Vector {
    Category category;
    std::uint32_t funct6;
    const char *name, *operands;
    int vs1 = -1, vs2 = -1, vm = -1;
};
constexpr std::array Vectors{
    Vector{Mvv, 0x10, "vmv.x.s", "dW", 0, -1, 1},
    Vector{Mvv, 0x10, "vcpop.m", "dWm", 16},
    Vector{Mvv, 0x10, "vfirst.m", "dWm", 17},
    Vector{Mvx, 0x10, "vmv.s.x", "Vs", -1, 0, 1},
    Vector{Mvv, 0x12, "vzext.vf4", "VWm", 4},
    Vector{Mvv, 0x12, "vsext.vf4", "VWm", 5},
    Vector{Mvv, 0x12, "vzext.vf2", "VWm", 6},
    Vector{Mvv, 0x12, "vsext.vf2", "VWm", 7},
    Vector{Mvv, 0x14, "vmsbf.m", "VWm", 1},
    Vector{Mvv, 0x14, "vmsof.m", "VWm", 2},
    Vector{Mvv, 0x14, "vmsif.m", "VWm", 3},
    Vector{Mvv, 0x14, "viota.m", "VWm", 16},
    Vector{Mvv, 0x14, "vid.v", "Vm", 17, 0},
    Vector{Mvv, 0x17, "vcompress.vm", "VWX", -1, -1, 1},
    Vector{Ivv, 0x17, "vmerge.vvm", "VWX0", -1, -1, 0},
    Vector{Ivx, 0x17, "vmerge.vxm", "VWs0", -1, -1, 0},
    Vector{Ivi, 0x17, "vmerge.vim", "VWn0", -1, -1, 0},
    Vector{Ivv, 0x17, "vmv.v.v", "VX", -1, 0, 1},
    Vector{Ivx, 0x17, "vmv.v.x", "Vs", -1, 0, 1},
    Vector{Ivi, 0x17, "vmv.v.i", "Vn", -1, 0, 1},
    Vector{Ivv, 0x0e, "vrgatherei16.vv", "VWXm"},
    Vector{Ivv, 0x30, "vwredsumu.vs", "VWXm"},
    Vector{Ivv, 0x31, "vwredsum.vs", "VWXm"},
    Vector{Fvv, 0x10, "vfmv.f.s", "DW", 0, -1, 1},
    Vector{Fvf, 0x10, "vfmv.s.f", "VS", -1, 0, 1},
    Vector{Fvf, 0x17, "vfmerge.vfm", "VWS0", -1, -1, 0},
    Vector{Fvf, 0x17, "vfmv.v.f", "VS", -1, 0, 1},
    Vector{Fvv, 0x12, "vfcvt.xu.f.v", "VWm", 0},
    Vector{Fvv, 0x12, "vfcvt.x.f.v", "VWm", 1},
    Vector{Fvv, 0x12, "vfcvt.f.xu.v", "VWm", 2},
    Vector{Fvv, 0x12, "vfcvt.f.x.v", "VWm", 3},
    Vector{Fvv, 0x12, "vfcvt.rtz.xu.f.v", "VWm", 6},
    Vector{Fvv, 0x12, "vfcvt.rtz.x.f.v", "VWm", 7},
    Vector{Fvv, 0x12, "vfwcvt.f.xu.v", "VWm", 10},
    Vector{Fvv, 0x12, "vfwcvt.f.x.v", "VWm", 11},
    Vector{Fvv, 0x12, "vfncvt.xu.f.w", "VWm", 16},
    Vector{Fvv, 0x12, "vfncvt.x.f.w", "VWm", 17},
    Vector{Fvv, 0x12, "vfncvt.rtz.xu.f.w", "VWm", 22},
    Vector{Fvv, 0x12, "vfncvt.rtz.x.f.w", "VWm", 23},
    Vector{Fvv, 0x13, "vfsqrt.v", "VWm", 0},
    Vector{Fvv, 0x13, "vfrsqrt7.v", "VWm", 4},
    Vector{Fvv, 0x13, "vfrec7.v", "VWm", 5},
    Vector{Fvv, 0x13, "vfclass.v", "VWm", 16},
    Vector{Fvv, 0x01, "vfredusum.vs", "VWXm"},
    Vector{Fvv, 0x03, "vfredosum.vs", "VWXm"},
    Vector{Fvv, 0x05, "vfredmin.vs", "VWXm"},
    Vector{Fvv, 0x07, "vfredmax.vs", "VWXm"},
};

// Instructions that come in several forms. OPI has the forms v x i (vs1, rs1, a signed number) and u (an
// unsigned number), OPM has V X, OPF has f F.
struct Family {
    const char* name;
    std::uint32_t funct6;
    const char* forms;
    enum Kind : std::uint8_t { Plain, Accumulate, Narrow, Wide, Carry, CarryOut, Reduce, Mask } kind = Plain;
};
constexpr std::array Families{
    Family{"vadd", 0x00, "vxi"},
    Family{"vsub", 0x02, "vx"},
    Family{"vrsub", 0x03, "xi"},
    Family{"vminu", 0x04, "vx"},
    Family{"vmin", 0x05, "vx"},
    Family{"vmaxu", 0x06, "vx"},
    Family{"vmax", 0x07, "vx"},
    Family{"vand", 0x09, "vxi"},
    Family{"vor", 0x0a, "vxi"},
    Family{"vxor", 0x0b, "vxi"},
    Family{"vrgather", 0x0c, "vxu"},
    Family{"vslideup", 0x0e, "xu"},
    Family{"vslidedown", 0x0f, "xu"},
    Family{"vmseq", 0x18, "vxi"},
    Family{"vmsne", 0x19, "vxi"},
    Family{"vmsltu", 0x1a, "vx"},
    Family{"vmslt", 0x1b, "vx"},
    Family{"vmsleu", 0x1c, "vxi"},
    Family{"vmsle", 0x1d, "vxi"},
    Family{"vmsgtu", 0x1e, "xi"},
    Family{"vmsgt", 0x1f, "xi"},
    Family{"vsaddu", 0x20, "vxi"},
    Family{"vsadd", 0x21, "vxi"},
    Family{"vssubu", 0x22, "vx"},
    Family{"vssub", 0x23, "vx"},
    Family{"vsll", 0x25, "vxu"},
    Family{"vsmul", 0x27, "vx"},
    Family{"vsrl", 0x28, "vxu"},
    Family{"vsra", 0x29, "vxu"},
    Family{"vssrl", 0x2a, "vxu"},
    Family{"vssra", 0x2b, "vxu"},
    Family{"vaaddu", 0x08, "VX"},
    Family{"vaadd", 0x09, "VX"},
    Family{"vasubu", 0x0a, "VX"},
    Family{"vasub", 0x0b, "VX"},
    Family{"vslide1up", 0x0e, "X"},
    Family{"vslide1down", 0x0f, "X"},
    Family{"vdivu", 0x20, "VX"},
    Family{"vdiv", 0x21, "VX"},
    Family{"vremu", 0x22, "VX"},
    Family{"vrem", 0x23, "VX"},
    Family{"vmulhu", 0x24, "VX"},
    Family{"vmul", 0x25, "VX"},
    Family{"vmulhsu", 0x26, "VX"},
    Family{"vmulh", 0x27, "VX"},
    Family{"vwaddu", 0x30, "VX"},
    Family{"vwadd", 0x31, "VX"},
    Family{"vwsubu", 0x32, "VX"},
    Family{"vwsub", 0x33, "VX"},
    Family{"vwmulu", 0x38, "VX"},
    Family{"vwmulsu", 0x3a, "VX"},
    Family{"vwmul", 0x3b, "VX"},
    Family{"vfadd", 0x00, "fF"},
    Family{"vfsub", 0x02, "fF"},
    Family{"vfmin", 0x04, "fF"},
    Family{"vfmax", 0x06, "fF"},
    Family{"vfsgnj", 0x08, "fF"},
    Family{"vfsgnjn", 0x09, "fF"},
    Family{"vfsgnjx", 0x0a, "fF"},
    Family{"vfslide1up", 0x0e, "F"},
    Family{"vfslide1down", 0x0f, "F"},
    Family{"vmfeq", 0x18, "fF"},
    Family{"vmfle", 0x19, "fF"},
    Family{"vmflt", 0x1b, "fF"},
    Family{"vmfne", 0x1c, "fF"},
    Family{"vmfgt", 0x1d, "F"},
    Family{"vmfge", 0x1f, "F"},
    Family{"vfdiv", 0x20, "fF"},
    Family{"vfrdiv", 0x21, "F"},
    Family{"vfmul", 0x24, "fF"},
    Family{"vfrsub", 0x27, "F"},
    Family{"vmadd", 0x29, "VX", Family::Accumulate},
    Family{"vnmsub", 0x2b, "VX", Family::Accumulate},
    Family{"vmacc", 0x2d, "VX", Family::Accumulate},
    Family{"vnmsac", 0x2f, "VX", Family::Accumulate},
    Family{"vwmaccu", 0x3c, "VX", Family::Accumulate},
    Family{"vwmacc", 0x3d, "VX", Family::Accumulate},
    Family{"vwmaccus", 0x3e, "X", Family::Accumulate},
    Family{"vwmaccsu", 0x3f, "VX", Family::Accumulate},
    Family{"vfmadd", 0x28, "fF", Family::Accumulate},
    Family{"vfnmadd", 0x29, "fF", Family::Accumulate},
    Family{"vfmsub", 0x2a, "fF", Family::Accumulate},
    Family{"vfnmsub", 0x2b, "fF", Family::Accumulate},
    Family{"vfmacc", 0x2c, "fF", Family::Accumulate},
    Family{"vfnmacc", 0x2d, "fF", Family::Accumulate},
    Family{"vfmsac", 0x2e, "fF", Family::Accumulate},
    Family{"vfnmsac", 0x2f, "fF", Family::Accumulate},
    Family{"vnsrl", 0x2c, "vxu", Family::Narrow},
    Family{"vnsra", 0x2d, "vxu", Family::Narrow},
    Family{"vnclipu", 0x2e, "vxu", Family::Narrow},
    Family{"vnclip", 0x2f, "vxu", Family::Narrow},
    Family{"vwaddu", 0x34, "VX", Family::Wide},
    Family{"vwadd", 0x35, "VX", Family::Wide},
    Family{"vwsubu", 0x36, "VX", Family::Wide},
    Family{"vwsub", 0x37, "VX", Family::Wide},
    Family{"vadc", 0x10, "vxi", Family::Carry},
    Family{"vsbc", 0x12, "vx", Family::Carry},
    Family{"vmadc", 0x11, "vxi", Family::Carry},
    Family{"vmsbc", 0x13, "vx", Family::Carry},
    Family{"vmadc", 0x11, "vxi", Family::CarryOut},
    Family{"vmsbc", 0x13, "vx", Family::CarryOut},
    Family{"vredsum", 0x00, "V", Family::Reduce},
    Family{"vredand", 0x01, "V", Family::Reduce},
    Family{"vredor", 0x02, "V", Family::Reduce},
    Family{"vredxor", 0x03, "V", Family::Reduce},
    Family{"vredminu", 0x04, "V", Family::Reduce},
    Family{"vredmin", 0x05, "V", Family::Reduce},
    Family{"vredmaxu", 0x06, "V", Family::Reduce},
    Family{"vredmax", 0x07, "V", Family::Reduce},
    Family{"vmandn", 0x18, "V", Family::Mask},
    Family{"vmand", 0x19, "V", Family::Mask},
    Family{"vmor", 0x1a, "V", Family::Mask},
    Family{"vmxor", 0x1b, "V", Family::Mask},
    Family{"vmorn", 0x1c, "V", Family::Mask},
    Family{"vmnand", 0x1d, "V", Family::Mask},
    Family{"vmnor", 0x1e, "V", Family::Mask},
    Family{"vmxnor", 0x1f, "V", Family::Mask},
};

struct Form {
    char letter;
    Category category;
    char source;  // letter of the operand
    char of;      // letter in the name
};
constexpr std::array Forms{Form{'v', Ivv, 'X', 'v'}, Form{'x', Ivx, 's', 'x'}, Form{'i', Ivi, 'n', 'i'},
                           Form{'u', Ivi, 'z', 'i'}, Form{'V', Mvv, 'X', 'v'}, Form{'X', Mvx, 's', 'x'},
                           Form{'f', Fvv, 'X', 'v'}, Form{'F', Fvf, 'S', 'f'}};

using Rows = std::vector<InstructionRow>;

void add(Rows& rows, const Vector& vector) {
    InstructionRow row{0xfc00707f, vector.funct6 << 26 | vector.category << 12 | 0x57, vector.name,
                       vector.operands};
    const auto fix = [&row](int code, unsigned place, std::uint32_t mask) {
        if (code < 0) return;
        row.mask |= mask << place;
        row.match |= static_cast<std::uint32_t>(code) << place;
    };
    fix(vector.vs1, 15, 31);
    fix(vector.vs2, 20, 31);
    fix(vector.vm, 25, 1);
    rows.push_back(std::move(row));
}

void add(Rows& rows, const Family& family, const Form& form) {
    const bool accumulates = family.kind == Family::Accumulate;
    std::string operands =
        accumulates ? std::string{'V', form.source, 'W', 'm'} : std::string{'V', 'W', form.source, 'm'};
    std::string suffix{'.', 'v', form.of};
    int vm = -1;
    switch (family.kind) {
        case Family::Narrow:
        case Family::Wide:
            suffix[1] = 'w';
            break;
        case Family::Carry:
            suffix += 'm';
            operands.back() = '0';
            vm = 0;
            break;
        case Family::CarryOut:
            operands.pop_back();
            vm = 1;
            break;
        case Family::Reduce:
            suffix = ".vs";
            break;
        case Family::Mask:
            suffix = ".mm";
            operands.pop_back();
            vm = 1;
            break;
        default:
            break;
    }
    const std::string name = family.name + suffix;
    add(rows, Vector{form.category, family.funct6, name.c_str(), operands.c_str(), -1, -1, vm});
}

// Adds the moves of whole registers, whose groups are aligned.
void add_moves(Rows& rows) {
    for (const std::uint32_t more : {0u, 1u, 3u, 7u})
        rows.push_back({0xfe0ff07f | more << 7 | more << 20,
                        0x27u << 26 | 1u << 25 | more << 15 | Ivi << 12 | 0x57,
                        "vmv" + std::to_string(more + 1) + "r.v", "VW"});
}

// Adds the loads and stores of vectors.
void add_accesses(Rows& rows) {
    constexpr std::uint32_t Load = 0x07, Store = 0x27;
    constexpr std::uint32_t WholeMask = 0xfff0707f,
                            Whole = 1u << 25 | 8u << 20;  // whole registers, in aligned groups
    for (std::uint32_t width = 0; width < 3; ++width) {
        const std::uint32_t funct3 = (width == 0 ? 0 : 4 + width) << 12;
        const std::uint32_t bits = 8u << width;
        for (std::uint32_t fields = 0; fields < 8; ++fields) {
            const std::string segment = fields == 0 ? "" : fmt::format("seg{}", fields + 1);
            const std::uint32_t match = fields << 29 | funct3;
            for (const std::uint32_t opcode : {Load, Store}) {
                const std::string verb = opcode == Load ? "vl" : "vs";
                rows.push_back(
                    {0xfdf0707f, match | opcode, fmt::format("{}{}e{}.v", verb, segment, bits), "Vam"});
                rows.push_back({0xfc00707f, match | 2u << 26 | opcode,
                                fmt::format("{}s{}e{}.v", verb, segment, bits), "Vatm"});
                rows.push_back({0xfc00707f, match | 1u << 26 | opcode,
                                fmt::format("{}ux{}ei{}.v", verb, segment, bits), "VaWm"});
                rows.push_back({0xfc00707f, match | 3u << 26 | opcode,
                                fmt::format("{}ox{}ei{}.v", verb, segment, bits), "VaWm"});
            }
            rows.push_back(
                {0xfdf0707f, match | 16u << 20 | Load, fmt::format("vl{}e{}ff.v", segment, bits), "Vam"});
        }
        for (const std::uint32_t more : {0u, 1u, 3u, 7u})
            rows.push_back({WholeMask | more << 7, more << 29 | Whole | funct3 | Load,
                            fmt::format("vl{}re{}.v", more + 1, bits), "Va"});
    }
    for (const std::uint32_t more : {0u, 1u, 3u, 7u})
        rows.push_back(
            {WholeMask | more << 7, more << 29 | Whole | Store, fmt::format("vs{}r.v", more + 1), "Va"});
    rows.push_back({0xfff0707f, 1u << 25 | 11u << 20 | Load, "vlm.v", "Va"});
    rows.push_back({0xfff0707f, 1u << 25 | 11u << 20 | Store, "vsm.v", "Va"});
}

}  // namespace

void add_vector_instructions(std::vector<InstructionRow>& rows) {
    for (const Vector& vector : Vectors) add(rows, vector);
    for (const Family& family : Families) {
        for (const Form& form : Forms)
            if (std::string_view(family.forms).find(form.letter) != std::string_view::npos)
                add(rows, family, form);
    }
    add_moves(rows);
    add_accesses(rows);
}

}  // namespace trnsim::firmware
