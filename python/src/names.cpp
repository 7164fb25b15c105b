#include "python/src/names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <span>
#include <vector>

#include "compiler/builder/error.hpp"

namespace trnsim::python {
namespace {

using isa::EnumValue;

Values values_of(isa::Engine) {
    return {"engine", isa::engine_values()};
}
Values values_of(isa::Dtype) {
    return {"element type", isa::dtype_values()};
}
Values values_of(isa::AluOp) {
    return {"operation", isa::alu_op_values()};
}
Values values_of(isa::Activation) {
    return {"activation function", isa::activation_values()};
}
Values values_of(isa::ActivationSet) {
    return {"table set", isa::activation_set_values()};
}
Values values_of(isa::ReduceCmd) {
    return {"reduce command", isa::reduce_cmd_values()};
}
Values values_of(isa::Rounding) {
    return {"rounding", isa::rounding_values()};
}

// NumPy's and ml_dtypes' names of the element types.
const std::map<std::string_view, std::string_view> NumpyNames{{"float32", "fp32"},
                                                              {"float16", "fp16"},
                                                              {"bfloat16", "bf16"},
                                                              {"float8_e3m4", "fp8_e3m4"},
                                                              {"float8_e4m3", "fp8_e4m3"},
                                                              {"float8_e5m2", "fp8_e5m2"},
                                                              {"int8", "i8"},
                                                              {"uint8", "u8"},
                                                              {"int16", "i16"},
                                                              {"uint16", "u16"},
                                                              {"int32", "i32"},
                                                              {"uint32", "u32"}};

}  // namespace

std::uint8_t find(std::string_view name, const Values& values) {
    for (const EnumValue& value : values.values) {
        if (value.name == name) return value.value;
    }
    std::vector<std::string_view> names;
    for (const EnumValue& value : values.values) names.push_back(value.name);
    throw builder::Error(
        fmt::format("{} '{}' is not known, expected one of {}", values.what, name, fmt::join(names, ", ")));
}

template <typename E>
Name<E>::operator E() const {
    const auto alias = NumpyNames.find(text);
    return static_cast<E>(find(alias == NumpyNames.end() ? text : alias->second, values_of(E{})));
}
template struct Name<isa::Engine>;
template struct Name<isa::Dtype>;
template struct Name<isa::AluOp>;
template struct Name<isa::Activation>;
template struct Name<isa::ActivationSet>;
template struct Name<isa::ReduceCmd>;
template struct Name<isa::Rounding>;

}  // namespace trnsim::python
