// The language of a sweep's filters.
//
//   or         = and {"or" and}
//   and        = not {"and" not}
//   not        = "not" not | comparison
//   comparison = sum [("==" | "!=" | "<" | "<=" | ">" | ">=") sum]
//   sum        = product {("+" | "-") product}
//   product    = sign {("*" | "/" | "%") sign}
//   sign       = "-" sign | primary
//   primary    = number [unit] | 'text' | name | "(" or ")"
//
// A value is a number (double; a unit turns it into its base unit: B, Hz, B/s or fs), a text or a truth
// value. Arithmetic and order take numbers, == and != two values of one kind, `and`, `or`, `not` truth
// values. `and` and `or` leave out their right side when the left decides. Division and remainder by 0 are
// errors.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace trnsim::sweep {

using Value = std::variant<bool, double, std::string>;

// what() says what was found and expected; `offset` is its position in the text.
struct ExpressionError : std::runtime_error {
    ExpressionError(std::size_t where, const std::string& what) : std::runtime_error(what), offset(where) {}
    std::size_t offset;
};

class Expression {
  public:
    // Throws ExpressionError.
    explicit Expression(std::string text);
    Expression(Expression&&) noexcept;
    Expression& operator=(Expression&&) noexcept;
    ~Expression();

    struct Name {
        std::string text;
        std::size_t offset;
    };
    std::vector<Name> names() const;  // in the order of the text
    const std::string& text() const { return text_; }

    // Returns the value with names looked up; nothing when a name that is needed has no value. Throws
    // ExpressionError.
    using Lookup = std::function<std::optional<Value>(const std::string&)>;
    std::optional<Value> evaluate(const Lookup& lookup) const;

    struct Node;

  private:
    std::string text_;
    std::unique_ptr<Node> root_;
};

}  // namespace trnsim::sweep
