// Attributes of instructions in text.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/hlo/cursor.hpp"
#include "compiler/hlo/module.hpp"

namespace trnsim::hlo {

// The names that an attribute refers to.
struct Names {
    std::function<Position(const std::string&)> instruction, computation;  // throw Error
};

// Reads the value of an attribute after its "=". Throws Error.
void parse_attribute(std::string_view key, Cursor& cursor, Instruction& instruction, const Names& names);

FrontendAttributes parse_frontend(Cursor& cursor);

}  // namespace trnsim::hlo
