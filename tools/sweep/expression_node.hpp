// The tree of an expression.
#pragma once

#include <string>
#include <vector>

#include "tools/sweep/expression.hpp"

namespace trnsim::sweep {

struct Expression::Node {
    std::string operation;  // "" for a literal, "name", "negate", else the operator of the text
    std::size_t offset = 0;
    Value literal{};  // or the name, as text
    std::vector<Node> operands{};
};

// Throws ExpressionError.
Expression::Node parse_expression(const std::string& text);

}  // namespace trnsim::sweep
