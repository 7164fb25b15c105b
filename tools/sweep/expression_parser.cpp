#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <initializer_list>
#include <string_view>

#include "arch/config/units.hpp"
#include "tools/sweep/expression_node.hpp"

namespace trnsim::sweep {
namespace {

using Node = Expression::Node;

struct Token {
    enum class Kind { End, Symbol, Word, Number, Text } kind = Kind::End;
    std::string text;  // text of a Number with its unit
    std::size_t offset = 0;
};

constexpr std::array Keywords{std::string_view("and"), std::string_view("or"), std::string_view("not")};

bool is_letter(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Returns the number of a text such as "24 MiB" or "1.5"; nothing when it is no number.
std::optional<double> number_of(const std::string& text) {
    using enum config::Quantity;
    for (const config::Quantity quantity : {Size, Frequency, Rate, Time})
        if (const auto value = config::parse_quantity(text, quantity)) return static_cast<double>(*value);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

class Lexer {
  public:
    explicit Lexer(const std::string& text) : text_(text) { next(); }

    const Token& token() const { return token_; }
    bool is(std::string_view word) const {
        return (token_.kind == Token::Kind::Symbol || token_.kind == Token::Kind::Word) &&
               token_.text == word;
    }
    void next() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
        token_ = {Token::Kind::End, "", at_};
        if (at_ == text_.size()) return;
        const char c = text_[at_];
        if (is_digit(c)) {
            number();
        } else if (is_letter(c)) {
            take(Token::Kind::Word,
                 span(at_, [](char d) { return is_letter(d) || is_digit(d) || d == '.'; }));
        } else if (c == '\'') {
            quoted();
        } else {
            const std::string_view two = std::string_view(text_).substr(at_, 2);
            const bool pair = two == "==" || two == "!=" || two == "<=" || two == ">=";
            take(Token::Kind::Symbol, at_ + (pair ? 2 : 1));
        }
    }

  private:
    template <typename Belongs>
    std::size_t span(std::size_t from, Belongs belongs) const {
        while (from < text_.size() && belongs(text_[from])) ++from;
        return from;
    }
    void take(Token::Kind kind, std::size_t end) {
        token_.kind = kind;
        token_.text = text_.substr(at_, end - at_);
        at_ = end;
    }
    // Reads a number and the unit after it, if there is one.
    void number() {
        const std::size_t end = span(at_, [](char d) { return is_digit(d) || d == '.'; });
        const std::size_t unit = span(end, [](char d) { return d == ' '; });
        std::size_t last = span(unit, is_letter);
        if (std::string_view(text_).substr(last, 2) == "/s" &&
            number_of(text_.substr(at_, last + 2 - at_)).has_value())
            last += 2;
        const bool has_unit = last > unit && number_of(text_.substr(at_, last - at_)).has_value();
        take(Token::Kind::Number, has_unit ? last : end);
    }
    void quoted() {
        const std::size_t end = text_.find('\'', at_ + 1);
        if (end == std::string::npos)
            throw ExpressionError(at_, "found a text without an end, expected another '");
        token_.kind = Token::Kind::Text;
        token_.text = text_.substr(at_ + 1, end - at_ - 1);
        at_ = end + 1;
    }

    const std::string& text_;
    std::size_t at_ = 0;
    Token token_;
};

class Parser {
  public:
    explicit Parser(const std::string& text) : lexer_(text) {}

    Node whole() {
        Node node = disjunction();
        if (lexer_.token().kind != Token::Kind::End) refuse("an operator or the end");
        return node;
    }

  private:
    [[noreturn]] void refuse(std::string_view expected) const {
        const Token& token = lexer_.token();
        const std::string found =
            token.kind == Token::Kind::End ? "the end" : fmt::format("'{}'", token.text);
        throw ExpressionError(token.offset, fmt::format("found {}, expected {}", found, expected));
    }

    // Parses LEVEL {operation LEVEL}, at most `most` operations.
    template <typename Level>
    Node chain(std::initializer_list<std::string_view> operations, Level level, int most = MaxOperations) {
        Node left = level();
        for (int count = 0; count < most; ++count) {
            const auto* operation =
                std::ranges::find_if(operations, [&](std::string_view word) { return lexer_.is(word); });
            if (operation == operations.end()) break;
            if (++operations_ > MaxOperations) refuse("fewer operations");
            const std::size_t offset = lexer_.token().offset;
            lexer_.next();
            Node right = level();
            Node node{std::string(*operation), offset};
            node.operands.push_back(std::move(left));
            node.operands.push_back(std::move(right));
            left = std::move(node);
        }
        return left;
    }

    Node disjunction() {
        return chain({"or"}, [this] { return chain({"and"}, [this] { return negation(); }); });
    }
    Node negation() {
        if (!lexer_.is("not")) return comparison();
        return unary("not", [this] { return negation(); });
    }
    Node comparison() {
        return chain(
            {"==", "!=", "<", "<=", ">", ">="}, [this] { return sum(); }, 1);
    }
    Node sum() {
        return chain({"+", "-"}, [this] { return chain({"*", "/", "%"}, [this] { return sign(); }); });
    }
    Node sign() {
        if (!lexer_.is("-")) return primary();
        return unary("negate", [this] { return sign(); });
    }
    template <typename Operand>
    Node unary(const char* operation, Operand operand) {
        Node node{operation, lexer_.token().offset};
        if (++depth_ > MaxDepth) refuse("fewer nested operations");
        lexer_.next();
        node.operands.push_back(operand());
        --depth_;
        return node;
    }

    Node primary() {
        const Token token = lexer_.token();
        Node node{"", token.offset};
        if (lexer_.is("(")) {
            if (++depth_ > MaxDepth) refuse("fewer nested operations");
            lexer_.next();
            node = disjunction();
            --depth_;
            if (!lexer_.is(")")) refuse("')'");
        } else if (token.kind == Token::Kind::Number) {
            const auto number = number_of(token.text);
            if (!number) refuse("a number");
            node.literal = *number;
        } else if (token.kind == Token::Kind::Text) {
            node.literal = token.text;
        } else if (token.kind == Token::Kind::Word &&
                   std::ranges::find(Keywords, token.text) == Keywords.end()) {
            node.operation = "name";
            node.literal = token.text;
        } else {
            refuse("a number, a 'text', a name or '('");
        }
        lexer_.next();
        return node;
    }

    // Trees are walked and destroyed recursively, so their depth is limited.
    static constexpr int MaxDepth = 200, MaxOperations = 1'000;
    Lexer lexer_;
    int depth_ = 0, operations_ = 0;
};

}  // namespace

Node parse_expression(const std::string& text) {
    return Parser(text).whole();
}

}  // namespace trnsim::sweep
