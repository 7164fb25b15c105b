// The source line of a call of the kernel's author.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trnsim::builder {

// The call of the kernel's author that an instruction comes from.
struct Where {
    // As a default argument it is the place of the call that leaves it out. It is not std::source_location,
    // which cannot be made for a call in Python.
    static constexpr Where current(std::string_view file = __builtin_FILE(),
                                   std::uint32_t line = __builtin_LINE()) {
        return {file, line};
    }

    std::string_view file;
    std::uint32_t line;
};

// Returns "kernel.cpp:31".
std::string place_name(const Where& where);

}  // namespace trnsim::builder
