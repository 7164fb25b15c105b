#include "lib/builder/dtype.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lib/builder/error.hpp"

namespace trnsim::builder {
namespace {

struct Row {
    isa::Dtype dtype;
    std::uint8_t bytes;
    bool floating;
};

constexpr std::array Rows{
    Row{isa::Dtype::I8, 1, false},     Row{isa::Dtype::U8, 1, false},     Row{isa::Dtype::I16, 2, false},
    Row{isa::Dtype::U16, 2, false},    Row{isa::Dtype::I32, 4, false},    Row{isa::Dtype::U32, 4, false},
    Row{isa::Dtype::Bf16, 2, true},    Row{isa::Dtype::Fp16, 2, true},    Row{isa::Dtype::Fp32, 4, true},
    Row{isa::Dtype::Tf32, 4, true},    Row{isa::Dtype::Fp8E3m4, 1, true}, Row{isa::Dtype::Fp8E4m3, 1, true},
    Row{isa::Dtype::Fp8E5m2, 1, true},
};

using enum isa::Dtype;
constexpr std::array BiasTypes{Fp32, Bf16, Fp16, Fp8E3m4, Fp8E4m3, Fp8E5m2, I8, U8, I16, U16, I32, U32};
constexpr std::array FloatTypes{Fp32, Tf32, Bf16, Fp16, Fp8E3m4, Fp8E4m3, Fp8E5m2};

const Row& row(isa::Dtype dtype) {
    const auto* found = std::ranges::find(Rows, dtype, &Row::dtype);
    if (found == Rows.end()) throw Error(fmt::format("undefined element type {}", static_cast<int>(dtype)));
    return *found;
}

}  // namespace

std::uint32_t bytes_of(isa::Dtype dtype) {
    return row(dtype).bytes;
}

bool is_float(isa::Dtype dtype) {
    return row(dtype).floating;
}

std::span<const isa::Dtype> bias_types() {
    return BiasTypes;
}

std::span<const isa::Dtype> probability_types(isa::Dtype data) {
    return std::span(FloatTypes).first(is_float(data) ? FloatTypes.size() : 1);
}

bool multiplies(isa::Dtype stationary, isa::Dtype moving) {
    const auto wide = [](isa::Dtype dtype) { return bytes_of(dtype) == 4; };
    return is_float(stationary) && is_float(moving) && wide(stationary) == wide(moving);
}

isa::Dtype parse_dtype(std::string_view name) {
    if (const isa::EnumValue* value = isa::find_value(isa::dtype_values(), name)) {
        return static_cast<isa::Dtype>(value->value);
    }
    std::string names;
    for (const isa::EnumValue& value : isa::dtype_values()) {
        names += fmt::format("{}{}", names.empty() ? "" : ", ", value.name);
    }
    throw Error(fmt::format("unknown element type '{}'; there are {}", name, names));
}

}  // namespace trnsim::builder
