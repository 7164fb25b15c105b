#include "arch/target/dtype.hpp"

#include <fmt/format.h>

#include <array>

#include "arch/target/error.hpp"
#include "isa/aliases.hpp"
#include "isa/element_type.hpp"

namespace trnsim::target {
namespace {

using enum isa::Dtype;
constexpr std::array BiasTypes{Fp32, Bf16, Fp16, Fp8E3m4, Fp8E4m3, Fp8E5m2, I8, U8, I16, U16, I32, U32};
constexpr std::array FloatTypes{Fp32, Tf32, Bf16, Fp16, Fp8E3m4, Fp8E4m3, Fp8E5m2};

}  // namespace

bool is_float(isa::Dtype dtype) {
    return isa::element_size(dtype) != 0 && !isa::is_integer_type(dtype);
}

std::span<const isa::Dtype> bias_types() {
    return BiasTypes;
}

std::span<const isa::Dtype> probability_types(isa::Dtype data) {
    return std::span(FloatTypes).first(is_float(data) ? FloatTypes.size() : 1);
}

bool multiplies(isa::Dtype stationary, isa::Dtype moving) {
    const auto wide = [](isa::Dtype dtype) { return isa::element_size(dtype) == 4; };
    return is_float(stationary) && is_float(moving) && wide(stationary) == wide(moving);
}

isa::Dtype parse_dtype(std::string_view name) {
    if (const isa::EnumValue* value = isa::find_value(isa::dtype_values(), isa::canonical_dtype(name))) {
        return static_cast<isa::Dtype>(value->value);
    }
    std::string names;
    for (const isa::EnumValue& value : isa::dtype_values()) {
        names += fmt::format("{}{}", names.empty() ? "" : ", ", value.name);
    }
    throw Error(fmt::format("unknown element type '{}'; there are {}", name, names));
}

}  // namespace trnsim::target
