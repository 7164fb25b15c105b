#include "compiler/kernels/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "arch/target/dtype.hpp"
#include "isa/aliases.hpp"

namespace trnsim::kernels {
namespace {

constexpr std::uint64_t MaxCount = std::uint64_t{1} << 24;  // keeps every size and address within 64 bits

[[noreturn]] void refuse_value(std::string_view kernel, std::string_view name, std::string_view text,
                               std::string_view expected) {
    throw ArgumentError(fmt::format("{}: {} = '{}': expected {}", kernel, name, text, expected));
}

[[noreturn]] void refuse(std::string_view kernel, const ArgumentInfo& info, std::string_view text,
                         std::string_view expected) {
    refuse_value(kernel, info.name, text, expected);
}

std::uint64_t parse_count(std::string_view kernel, const ArgumentInfo& info, std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < 1 || value > MaxCount) {
        refuse(kernel, info, text, fmt::format("a whole number from 1 to {}", MaxCount));
    }
    return value;
}

std::uint64_t parse_dtype(std::string_view kernel, const ArgumentInfo& info, std::string_view text) {
    const isa::EnumValue* value = isa::find_value(isa::dtype_values(), text);
    if (value == nullptr || !target::is_float(static_cast<isa::Dtype>(value->value))) {
        refuse(kernel, info, text, fmt::format("one of {}", matmul_dtype_names()));
    }
    return value->value;
}

std::uint64_t parse_any_dtype(std::string_view kernel, const ArgumentInfo& info, std::string_view text) {
    const isa::EnumValue* value = isa::find_value(isa::dtype_values(), text);
    if (value != nullptr) return value->value;
    std::string names;
    for (const isa::EnumValue& one : isa::dtype_values())
        names += fmt::format("{}{}", names.empty() ? "" : ", ", one.name);
    refuse(kernel, info, text, fmt::format("one of {}", names));
}

std::uint64_t parse_number(std::string_view kernel, const ArgumentInfo& info, std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    // A value that fp32 rounds to 0 or to infinity would change its meaning.
    using Fp32 = std::numeric_limits<float>;
    const bool held = value == 0 || (value >= Fp32::min() && value <= Fp32::max());
    if (!whole || !held || value >= info.below) {
        const std::string most = std::isinf(info.below) ? fmt::format("up to {:g}", Fp32::max())
                                                        : fmt::format("below {:g}", info.below);
        refuse(kernel, info, text, fmt::format("0 or a number from {:g} {}", Fp32::min(), most));
    }
    return std::bit_cast<std::uint64_t>(value);
}

std::uint64_t parse_choice(std::string_view kernel, const ArgumentInfo& info, std::string_view text) {
    std::string_view rest = info.choices;
    while (!rest.empty()) {
        const std::string_view choice = rest.substr(0, rest.find(' '));
        if (choice == text) return 0;
        rest.remove_prefix(std::min(rest.size(), choice.size() + 1));
    }
    refuse(kernel, info, text, fmt::format("one of {}", info.choices));
}

using Parse = std::uint64_t (*)(std::string_view, const ArgumentInfo&, std::string_view);
constexpr Parse Parsers[] = {parse_count, parse_dtype, parse_any_dtype, parse_number,
                             parse_choice};  // index: ArgumentKind

}  // namespace

std::string matmul_dtype_names() {
    std::string names;
    for (const isa::EnumValue& value : isa::dtype_values()) {
        if (!target::is_float(static_cast<isa::Dtype>(value.value))) continue;
        names += fmt::format("{}{}", names.empty() ? "" : ", ", value.name);
    }
    return names;
}

Arguments::Arguments(std::string_view kernel, std::span<const ArgumentInfo> infos,
                     const std::map<std::string, std::string>& given)
    : kernel_(kernel) {
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
        std::string text = found == given.end() ? std::string(info.fallback) : found->second;
        if (info.kind == ArgumentKind::Dtype || info.kind == ArgumentKind::AnyDtype)
            text = isa::canonical_dtype(text);
        const std::string name(info.name);
        values_[name] = Parsers[static_cast<std::size_t>(info.kind)](kernel, info, text);
        texts_[name] = text;
        if (info.quiet && text == info.fallback) continue;
        text_ += fmt::format("{}{}={}", text_.empty() ? "" : " ", info.name, text);
    }
}

std::uint64_t Arguments::count(const std::string& name) const {
    return values_.at(name);
}

isa::Dtype Arguments::dtype(const std::string& name) const {
    return static_cast<isa::Dtype>(values_.at(name));
}

void Arguments::refuse(const std::string& name, std::string_view expected) const {
    refuse_value(kernel_, name, texts_.at(name), expected);
}

double Arguments::number(const std::string& name) const {
    return std::bit_cast<double>(values_.at(name));
}

}  // namespace trnsim::kernels
