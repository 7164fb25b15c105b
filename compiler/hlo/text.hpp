// HLO text, as XLA prints and reads it.
//
// The text of a module holds all but fields that this tree does not interpret; reading it and printing it again gives
// the same text. NaNs lose their payloads.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "compiler/hlo/module.hpp"

namespace trnsim::hlo {

struct PrintOptions {
    bool metadata = true;
    // A constant with more elements is printed as "{...}", which cannot be read again.
    std::int64_t constant_elements = std::numeric_limits<std::int64_t>::max();
};

std::string print(const Module& module, const PrintOptions& options = {});
std::string print(const Module& module, const Computation& computation, const Instruction& instruction,
                  const PrintOptions& options = {});

// Throws Error: "line 12: ...".
Module parse_text(std::string_view text);

}  // namespace trnsim::hlo
