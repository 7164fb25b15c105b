// Whole numbers from Python, for arguments that have no sign: what does not fit is told by the argument's name, in one line.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trnsim::python {

// The name of an argument.
template <std::size_t Size>
struct ArgumentName {
    char text[Size]{};
    consteval ArgumentName(const char (&name)[Size]) { std::copy_n(name, Size, text); }  // NOLINT
    constexpr std::string_view view() const { return {text, Size - 1}; }
};

// Throws ValueError: "seed: found -1, expected 0 to 4294967295".
[[noreturn]] void refuse_whole(std::string_view name, std::string_view found, std::uint64_t most);

// A number of the argument called so, checked when it is used.
template <ArgumentName Argument, std::unsigned_integral T = std::uint32_t>
struct Whole {
    std::uint64_t value = 0;
    std::string other;  // what was found, where it is no number of 64 bits

    operator T() const {  // NOLINT
        constexpr T Most = std::numeric_limits<T>::max();
        if (!other.empty() || value > Most)
            refuse_whole(Argument.view(), other.empty() ? std::to_string(value) : other, Most);
        return static_cast<T>(value);
    }
};

template <ArgumentName Argument, typename T>
std::vector<T> plain(const std::vector<Whole<Argument, T>>& numbers) {
    return {numbers.begin(), numbers.end()};
}
template <ArgumentName Argument, typename T>
std::vector<std::vector<T>> plain(const std::vector<std::vector<Whole<Argument, T>>>& lists) {
    std::vector<std::vector<T>> result;
    for (const auto& list : lists) result.push_back(plain(list));
    return result;
}
template <ArgumentName Argument, typename T>
std::vector<std::pair<T, T>> plain(
    const std::vector<std::pair<Whole<Argument, T>, Whole<Argument, T>>>& pairs) {
    return {pairs.begin(), pairs.end()};
}

// The number, or as text what is none of 64 bits; false: it is no whole number.
bool take_whole(nanobind::handle source, std::uint64_t& value, std::string& other) noexcept;

}  // namespace trnsim::python

namespace nanobind::detail {

template <trnsim::python::ArgumentName Argument, typename T>
struct type_caster<trnsim::python::Whole<Argument, T>> {
    using Number = trnsim::python::Whole<Argument, T>;
    NB_TYPE_CASTER(Number, const_name("int"))

    bool from_python(handle source, std::uint8_t, cleanup_list*) noexcept {
        return trnsim::python::take_whole(source, value.value, value.other);
    }
};

}  // namespace nanobind::detail
