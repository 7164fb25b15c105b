#include "testbench/kernels/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "testbench/builder/dtype.hpp"

namespace trnsim::kernels {
namespace {

constexpr std::uint64_t MaxCount = std::uint64_t{1} << 24;  // keeps every size and address within 64 bits

std::uint64_t parse_count(std::string_view kernel, std::string_view name, std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < 1 || value > MaxCount) {
        throw ArgumentError(
            fmt::format("{}: {} = '{}': expected a whole number from 1 to {}", kernel, name, text, MaxCount));
    }
    return value;
}

std::uint64_t parse_dtype(std::string_view kernel, std::string_view name, std::string_view text) {
    const isa::EnumValue* value = isa::find_value(isa::dtype_values(), text);
    if (value == nullptr || !builder::is_float(static_cast<isa::Dtype>(value->value))) {
        throw ArgumentError(
            fmt::format("{}: {} = '{}': expected one of {}", kernel, name, text, matmul_dtype_names()));
    }
    return value->value;
}

using Parse = std::uint64_t (*)(std::string_view, std::string_view, std::string_view);
constexpr Parse Parsers[] = {parse_count, parse_dtype};  // in the order of ArgumentKind

}  // namespace

std::string matmul_dtype_names() {
    std::string names;
    for (const isa::EnumValue& value : isa::dtype_values()) {
        if (!builder::is_float(static_cast<isa::Dtype>(value.value))) continue;
        names += fmt::format("{}{}", names.empty() ? "" : ", ", value.name);
    }
    return names;
}

Arguments::Arguments(std::string_view kernel, std::span<const ArgumentInfo> infos,
                     const std::map<std::string, std::string>& given) {
    for (const auto& [name, text] : given) {
        if (std::ranges::find(infos, name, &ArgumentInfo::name) != infos.end()) continue;
        std::string names;
        for (const ArgumentInfo& info : infos)
            names += fmt::format("{}{}", names.empty() ? "" : ", ", info.name);
        throw ArgumentError(fmt::format("{}: no argument '{}'; there are {}", kernel, name, names));
    }
    for (const ArgumentInfo& info : infos) {
        const auto found = given.find(std::string(info.name));
        if (found == given.end() && info.fallback.empty()) {
            throw ArgumentError(fmt::format("{}: argument {} ({}) is missing", kernel, info.name, info.doc));
        }
        const std::string text = found == given.end() ? std::string(info.fallback) : found->second;
        values_[std::string(info.name)] =
            Parsers[static_cast<std::size_t>(info.kind)](kernel, info.name, text);
        text_ += fmt::format("{}{}={}", text_.empty() ? "" : " ", info.name, text);
    }
}

std::uint64_t Arguments::count(const std::string& name) const {
    return values_.at(name);
}

isa::Dtype Arguments::dtype(const std::string& name) const {
    return static_cast<isa::Dtype>(values_.at(name));
}

}  // namespace trnsim::kernels
