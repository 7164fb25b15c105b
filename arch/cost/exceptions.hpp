// The cases in which the closed forms are not exact to the cycle. The closed form of the instruction gives a
// bound for each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace trnsim::cost {

enum class Exception : std::uint8_t {
    None,
    WordPairs,
    UnevenRows,
    ValuesFirst,
    StandingStages,
    Memory,
    Window,
    Microcode,
    Count
};

struct ExceptionRow {
    Exception exception;
    std::string_view name;
    std::string_view what;
};

inline constexpr auto Exceptions = std::to_array<ExceptionRow>({
    {Exception::None, "none", "the figure is that of the RTL"},
    {Exception::WordPairs, "word_pairs",
     "two bf16 sources of one memory share its port word by word, and their rows do not both begin and end "
     "with a word"},
    {Exception::UnevenRows, "uneven_rows",
     "rows begin in the word in which the one before ends, or at different places of one, so fewer words are "
     "read"},
    {Exception::ValuesFirst, "values_first",
     "the eight values of the next find_index8 or match_replace8 are read while this one works"},
    {Exception::StandingStages, "standing_stages",
     "all stages of Scalar stand still while a result goes to a far place, with gaps between elements or "
     "not"},
    {Exception::Memory, "memory", "system memory answers when it answers"},
    {Exception::Window, "window", "the access passes through the core window"},
    {Exception::Microcode, "microcode", "a program on the GpSimd cores, whose time depends on values, too"},
});
static_assert(Exceptions.size() == static_cast<std::size_t>(Exception::Count));

constexpr std::string_view name_of(Exception exception) {
    return Exceptions[static_cast<std::size_t>(exception)].name;
}

}  // namespace trnsim::cost
