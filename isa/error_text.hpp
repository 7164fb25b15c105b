// The reasons why a core stops, for people.
#pragma once

#include <string_view>

#include "isa/isa_tables.hpp"

namespace trnsim::isa {

struct ErrorText {
    Error code;
    std::string_view text;
    bool has_address;  // the core's error_address is that of the operand or word at fault
};

// Returns nullptr for `none` and undefined codes.
const ErrorText* find_error_text(Error code);

}  // namespace trnsim::isa
