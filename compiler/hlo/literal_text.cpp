#include "compiler/hlo/literal_text.hpp"

#include <charconv>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "compiler/hlo/real.hpp"

namespace trnsim::hlo {
namespace {

std::uint64_t load(const std::string& data, std::size_t at, std::size_t bytes) {
    std::uint64_t value = 0;
    std::memcpy(&value, data.data() + at * bytes, bytes);
    return value;
}

std::string format_real(ElementType type, std::uint64_t code) {
    const double value = decode_real(type, code);
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    char text[64];
    // The shortest text that gives the number back.
    const auto end = type == ElementType::F64
                         ? std::to_chars(text, text + sizeof(text), value)
                         : std::to_chars(text, text + sizeof(text), static_cast<float>(value));
    return {text, end.ptr};
}

bool parse_real(std::string_view word, double& value) {
    const bool negative = word.starts_with('-');
    std::string_view magnitude = word;
    if (negative || word.starts_with('+')) magnitude.remove_prefix(1);
    if (magnitude.empty() || magnitude.front() == '-') return false;
    if (magnitude.starts_with("nan")) {
        value = std::nan("");
    } else {
        const auto end = std::from_chars(magnitude.data(), magnitude.data() + magnitude.size(), value);
        if (end.ptr != magnitude.data() + magnitude.size()) return false;
        if (end.ec == std::errc::result_out_of_range) {
            // from_chars leaves the value: too large a number has a positive exponent.
            value = magnitude.find("e-") == std::string_view::npos ? HUGE_VAL : 0.0;
        } else if (end.ec != std::errc()) {
            return false;
        }
    }
    if (negative) value = -value;
    return true;
}

template <typename T>
bool parse_integer(std::string_view word, unsigned bits, std::uint64_t& code) {
    T value = 0;
    const auto end = std::from_chars(word.data(), word.data() + word.size(), value);
    if (end.ec != std::errc() || end.ptr != word.data() + word.size()) return false;
    code = static_cast<std::uint64_t>(value);
    if (bits == 64) return true;
    const std::int64_t limit = std::int64_t{1} << (std::is_signed_v<T> ? bits - 1 : bits);
    if constexpr (std::is_signed_v<T>) {
        if (value < -limit || value >= limit) return false;
    } else if (value >= static_cast<std::uint64_t>(limit)) {
        return false;
    }
    code &= (std::uint64_t{1} << bits) - 1;
    return true;
}

void append_nested(const Literal& literal, std::size_t dimension, std::size_t& at, std::string& text) {
    if (dimension == literal.shape.rank()) {
        text += format_element(literal, at++);
        return;
    }
    const bool innermost = dimension + 1 == literal.shape.rank();
    text += innermost ? "{" : "{ ";
    for (std::int64_t i = 0; i < literal.shape.dimensions[dimension]; ++i) {
        if (i != 0) text += ", ";
        append_nested(literal, dimension + 1, at, text);
    }
    text += innermost ? "}" : " }";
}

}  // namespace

std::string format_element(const Literal& literal, std::size_t at) {
    const TypeInfo& type = info(literal.shape.type);
    const std::size_t bytes = element_bytes(type.type);
    switch (type.kind) {
        case Kind::Pred:
            return load(literal.data, at, 1) != 0 ? "true" : "false";
        case Kind::Unsigned:
            return std::to_string(load(literal.data, at, bytes));
        case Kind::Signed: {
            const unsigned unused = 64u - type.bits;
            const auto shifted = static_cast<std::int64_t>(load(literal.data, at, bytes) << unused);
            return std::to_string(shifted >> unused);
        }
        case Kind::Real:
            return format_real(type.type, load(literal.data, at, bytes));
        case Kind::Complex: {
            const ElementType part = type.type == ElementType::C64 ? ElementType::F32 : ElementType::F64;
            return fmt::format("({}, {})", format_real(part, load(literal.data, 2 * at, bytes / 2)),
                               format_real(part, load(literal.data, 2 * at + 1, bytes / 2)));
        }
        default:
            return "";
    }
}

std::string format(const Literal& literal) {
    std::string text;
    if (literal.shape.is_tuple()) {
        text = "(";
        for (const Literal& part : literal.tuple) text += (text.size() > 1 ? ", " : "") + format(part);
        return text + ")";
    }
    if (elements(literal.shape) == 0 && literal.shape.rank() > 0) return "{}";
    std::size_t at = 0;
    append_nested(literal, 0, at, text);
    return text;
}

bool append_element(Literal& literal, std::string_view word) {
    const TypeInfo& type = info(literal.shape.type);
    std::uint64_t code = 0;
    switch (type.kind) {
        case Kind::Pred:
            if (word != "true" && word != "false" && word != "1" && word != "0") return false;
            code = word == "true" || word == "1" ? 1 : 0;
            break;
        case Kind::Unsigned:
            if (!parse_integer<std::uint64_t>(word, type.bits, code)) return false;
            break;
        case Kind::Signed:
            if (!parse_integer<std::int64_t>(word, type.bits, code)) return false;
            break;
        default: {
            double value = 0;
            if (!parse_real(word, value)) return false;
            const ElementType part = type.type == ElementType::C64    ? ElementType::F32
                                     : type.type == ElementType::C128 ? ElementType::F64
                                                                      : type.type;
            code = encode_real(part, value);
            literal.data.append(reinterpret_cast<const char*>(&code), element_bytes(part));
            return true;
        }
    }
    literal.data.append(reinterpret_cast<const char*>(&code), element_bytes(type.type));
    return true;
}

}  // namespace trnsim::hlo
