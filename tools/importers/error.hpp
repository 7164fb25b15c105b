// Errors of importers.
#pragma once

#include <stdexcept>
#include <string_view>

#include "base/text/printable.hpp"

namespace trnsim::importers {

// what() is one line: where in which file, what was found, what was expected. It is cut if what it quotes is long.
struct Error : std::runtime_error {
    explicit Error(std::string_view what) : std::runtime_error(text::message(what)) {}
};

}  // namespace trnsim::importers
