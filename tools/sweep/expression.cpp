#include "tools/sweep/expression.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "tools/sweep/expression_node.hpp"

namespace trnsim::sweep {
namespace {

using Node = Expression::Node;
using Result = std::optional<Value>;

constexpr std::array Kinds{"a truth value", "a number", "a text"};  // by Value::index()

template <typename Type>
const Type& get(const Value& value, const Node& node) {
    const Type* typed = std::get_if<Type>(&value);
    if (typed != nullptr) return *typed;
    throw ExpressionError(node.offset, fmt::format("found {}, expected {}", Kinds[value.index()],
                                                   Kinds[Value(Type{}).index()]));
}

double divisor(const Node& node, double value) {
    if (value == 0) throw ExpressionError(node.offset, "found a division by 0, expected another divisor");
    return value;
}

using Binary = Value (*)(const Node&, double, double);
constexpr std::array<std::pair<std::string_view, Binary>, 9> Operations{{
    {"+", [](const Node&, double a, double b) { return Value(a + b); }},
    {"-", [](const Node&, double a, double b) { return Value(a - b); }},
    {"*", [](const Node&, double a, double b) { return Value(a * b); }},
    {"/", [](const Node& node, double a, double b) { return Value(a / divisor(node, b)); }},
    {"%", [](const Node& node, double a, double b) { return Value(std::fmod(a, divisor(node, b))); }},
    {"<", [](const Node&, double a, double b) { return Value(a < b); }},
    {"<=", [](const Node&, double a, double b) { return Value(a <= b); }},
    {">", [](const Node&, double a, double b) { return Value(a > b); }},
    {">=", [](const Node&, double a, double b) { return Value(a >= b); }},
}};

Result evaluate(const Node& node, const Expression::Lookup& lookup);

Result logical(const Node& node, const Expression::Lookup& lookup) {
    const Result left = evaluate(node.operands[0], lookup);
    if (!left) return left;
    const bool value = get<bool>(*left, node.operands[0]);
    if (node.operation == "not") return Value(!value);
    if (value == (node.operation == "or")) return left;
    const Result right = evaluate(node.operands[1], lookup);
    if (right) get<bool>(*right, node.operands[1]);
    return right;
}

Result equality(const Node& node, const Value& left, const Value& right) {
    if (left.index() != right.index()) {
        throw ExpressionError(node.offset, fmt::format("found {} and {}, expected two of a kind",
                                                       Kinds[left.index()], Kinds[right.index()]));
    }
    return Value((left == right) == (node.operation == "=="));
}

Result evaluate(const Node& node, const Expression::Lookup& lookup) {
    if (node.operation.empty()) return node.literal;
    if (node.operation == "name") return lookup(std::get<std::string>(node.literal));
    if (node.operation == "and" || node.operation == "or" || node.operation == "not")
        return logical(node, lookup);
    const Result left = evaluate(node.operands[0], lookup);
    if (!left) return left;
    if (node.operation == "negate") return Value(-get<double>(*left, node.operands[0]));
    const Result right = evaluate(node.operands[1], lookup);
    if (!right) return right;
    for (const auto& [name, operation] : Operations) {
        if (name == node.operation) {
            return operation(node, get<double>(*left, node.operands[0]),
                             get<double>(*right, node.operands[1]));
        }
    }
    return equality(node, *left, *right);
}

void collect(const Node& node, std::vector<Expression::Name>& names) {
    if (node.operation == "name") names.push_back({std::get<std::string>(node.literal), node.offset});
    for (const Node& operand : node.operands) collect(operand, names);
}

}  // namespace

Expression::Expression(std::string text)
    : text_(std::move(text)), root_(std::make_unique<Node>(parse_expression(text_))) {}
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;
Expression::~Expression() = default;

std::vector<Expression::Name> Expression::names() const {
    std::vector<Name> names;
    collect(*root_, names);
    return names;
}

Result Expression::evaluate(const Lookup& lookup) const {
    return sweep::evaluate(*root_, lookup);
}

}  // namespace trnsim::sweep
