#include "isa/aliases.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace trnsim::isa {
namespace {

struct Alias {
    std::string_view alias, name;
};

constexpr std::array Dtypes{
    Alias{"float32", "fp32"},
    Alias{"bfloat16", "bf16"},
    Alias{"float16", "fp16"},
    Alias{"tfloat32", "tf32"},
    Alias{"float8_e3m4", "fp8_e3m4"},
    Alias{"float8_e4m3", "fp8_e4m3"},
    Alias{"float8_e5m2", "fp8_e5m2"},
    Alias{"int8", "i8"},
    Alias{"uint8", "u8"},
    Alias{"int16", "i16"},
    Alias{"uint16", "u16"},
    Alias{"int32", "i32"},
    Alias{"uint32", "u32"},
};
constexpr std::array Engines{
    Alias{"PE", "tensor"},   Alias{"DVE", "vector"},  Alias{"Act", "scalar"}, Alias{"ACT", "scalar"},
    Alias{"Pool", "gpsimd"}, Alias{"POOL", "gpsimd"}, Alias{"SP", "sync"},
};
constexpr std::array InstructionAliases{Alias{"nc_matmul", "multiply_moving"}};

std::string_view look_up(std::span<const Alias> aliases, std::string_view name) {
    const auto found = std::ranges::find(aliases, name, &Alias::alias);
    return found == aliases.end() ? name : found->name;
}

}  // namespace

std::string_view canonical_dtype(std::string_view name) {
    return look_up(Dtypes, name);
}

std::string_view canonical_engine(std::string_view name) {
    return look_up(Engines, name);
}

std::string_view canonical_instruction(std::string_view name) {
    return look_up(InstructionAliases, name);
}

}  // namespace trnsim::isa
