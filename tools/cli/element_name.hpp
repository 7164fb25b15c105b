// An element of a tensor by name: "y[5,700]".
#pragma once

#include <cstddef>
#include <string>

#include "compiler/neff/package.hpp"

namespace trnsim::cli {

struct NamedElement {
    std::size_t tensor = 0;   // index in the package
    std::size_t element = 0;  // index in C order
};

// A tensor without axes, and one of one element, needs no indices. Throws std::runtime_error that begins with
// `what` for a name that the package does not have and for other indices than its shape has.
NamedElement parse_element(const std::string& what, const std::string& text, const neff::Package& package);

// Returns the text that is parsed so.
std::string name_of(const NamedElement& element, const neff::Package& package);

}  // namespace trnsim::cli
