#include "compiler/hlo/cursor.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "compiler/hlo/error.hpp"
#include "compiler/hlo/limits.hpp"

namespace trnsim::hlo {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_word(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' ||
           c == '-' || c == '+';
}

}  // namespace

void Cursor::fail(const std::string& message) {
    const std::size_t end = std::min(at_, text_.size());
    const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(end), '\n');
    throw Error(fmt::format("line {}: {}", line, message));
}

void Cursor::spend() {
    if (++spent_ > MaxMessages)
        fail(fmt::format("there are more than {} shapes and instructions", MaxMessages));
}

void Cursor::skip_space() {
    while (at_ < text_.size()) {
        const char c = text_[at_];
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            ++at_;
        } else if (text_.substr(at_).starts_with("/*")) {
            const std::size_t end = text_.find("*/", at_ + 2);
            if (end == std::string_view::npos) fail("a comment has no end");
            at_ = end + 2;
        } else if (text_.substr(at_).starts_with("//")) {
            at_ = std::min(text_.find('\n', at_), text_.size());
        } else {
            return;
        }
    }
}

bool Cursor::at_end() {
    skip_space();
    return at_ >= text_.size();
}

bool Cursor::peek(std::string_view token) {
    skip_space();
    if (!text_.substr(at_).starts_with(token)) return false;
    // A keyword ends where a word ends.
    const std::size_t end = at_ + token.size();
    return !is_word(token.back()) || end >= text_.size() || !is_word(text_[end]);
}

bool Cursor::accept(std::string_view token) {
    if (!peek(token)) return false;
    at_ += token.size();
    return true;
}

bool Cursor::take(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
}

void Cursor::expect(std::string_view token) {
    if (accept(token)) return;
    std::string_view found = text_.substr(std::min(at_, text_.size()), 20);
    found = found.substr(0, found.find('\n'));
    fail(found.empty() ? fmt::format("expected '{}'", token)
                       : fmt::format("expected '{}', found '{}'", token, text::printable(found)));
}

std::int64_t Cursor::integer() {
    skip_space();
    const char* const begin = text_.data() + at_;
    std::int64_t value = 0;
    const auto end = std::from_chars(begin, text_.data() + text_.size(), value);
    if (end.ec == std::errc::result_out_of_range) fail("a number exceeds 64 bits");
    if (end.ec != std::errc()) fail("expected an integer");
    at_ += static_cast<std::size_t>(end.ptr - begin);
    return value;
}

std::string_view Cursor::word(std::string_view what) {
    skip_space();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    // An arrow is no part of the name before it.
    if (at_ < text_.size() && text_[at_] == '>' && at_ > begin && text_[at_ - 1] == '-') --at_;
    if (at_ == begin) fail(fmt::format("expected {}", what));
    return text_.substr(begin, at_ - begin);
}

std::string Cursor::name(std::string_view what) {
    accept("%");
    return std::string(word(what));
}

std::string Cursor::quoted() {
    expect("\"");
    std::string text;
    while (true) {
        if (at_ >= text_.size()) fail("a string has no end");
        const char c = text_[at_++];
        if (c == '"') return text;
        if (c != '\\') {
            text += c;
            continue;
        }
        if (at_ >= text_.size()) fail("a string has no end");
        const char escape = text_[at_++];
        constexpr std::string_view Letters = "ntr", Meanings = "\n\t\r";
        if (const std::size_t letter = Letters.find(escape); letter != std::string_view::npos) {
            text += Meanings[letter];
        } else if (escape >= '0' && escape <= '7') {
            unsigned value = static_cast<unsigned>(escape - '0');
            for (int digits = 1; digits < 3 && at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '7';
                 ++digits) {
                value = value * 8 + static_cast<unsigned>(text_[at_++] - '0');
            }
            text += static_cast<char>(value);
        } else {
            text += escape;
        }
    }
}

bool Cursor::boolean() {
    if (accept("true")) return true;
    expect("false");
    return false;
}

std::int64_t Cursor::one_of(std::span<const Word> words, std::string_view what) {
    const std::string_view found = word(what);
    for (const Word& word : words) {
        if (word.text == found) return word.number;
    }
    fail(fmt::format("there is no {} '{}'", what, found));
}

Integers Cursor::list(std::string_view open, std::string_view close) {
    expect(open);
    Integers values;
    while (!accept(close)) {
        if (!values.empty()) expect(",");
        values.push_back(integer());
    }
    return values;
}

void Cursor::skip_value() {
    std::size_t depth = 0;
    while (!at_end()) {
        const char c = text_[at_];
        if (c == '"') {
            (void)quoted();
            continue;
        }
        if (depth == 0 && (c == ',' || c == ')' || c == '}')) return;
        if (c == '{' || c == '(' || c == '[') ++depth;
        if ((c == '}' || c == ')' || c == ']') && depth > 0) --depth;
        ++at_;
        if (depth == 0 && at_ < text_.size() && text_[at_] == '\n') return;
    }
}

ElementType Cursor::element_type() {
    const std::string_view found = word("an element type");
    const auto type = find_type(found);
    if (!type) fail(fmt::format("there is no element type '{}'", found));
    return *type;
}

bool Cursor::peek_shape() {
    skip_space();
    if (at_ < text_.size() && text_[at_] == '(') return true;
    std::size_t end = at_;
    while (end < text_.size() && is_word(text_[end])) ++end;
    return end < text_.size() && text_[end] == '[' && find_type(text_.substr(at_, end - at_)).has_value();
}

Shape Cursor::shape() {
    return shape(0);
}

Shape Cursor::shape(std::size_t depth) {
    if (depth > MaxDepth) fail(fmt::format("tuples lie more than {} deep in each other", MaxDepth));
    spend();
    Shape shape;
    if (accept("(")) {
        shape.type = ElementType::Tuple;
        while (!accept(")")) {
            if (!shape.tuple.empty()) expect(",");
            shape.tuple.push_back(this->shape(depth + 1));
        }
        return shape;
    }
    shape.type = element_type();
    expect("[");
    bool dynamic = false;
    while (!accept("]")) {
        if (!shape.dimensions.empty()) expect(",");
        shape.dynamic.push_back(accept("<=") ? 1 : 0);
        dynamic = dynamic || shape.dynamic.back() != 0;
        shape.dimensions.push_back(integer());
        if (shape.rank() > MaxRank) fail(fmt::format("a shape has more than {} dimensions", MaxRank));
    }
    if (!dynamic) shape.dynamic.clear();
    if (!is_array(shape.type)) return shape;
    Layout& layout = shape.layout.emplace();
    // A layout directly follows its shape; tiles and memory spaces in it are not kept.
    if (at_ < text_.size() && text_[at_] == '{' && at_ + 1 < text_.size() &&
        (is_digit(text_[at_ + 1]) || text_[at_ + 1] == '}' || text_[at_ + 1] == ':')) {
        ++at_;
        while (!peek("}") && !peek(":")) {
            if (!layout.minor_to_major.empty()) expect(",");
            layout.minor_to_major.push_back(integer());
        }
        while (!accept("}")) {
            if (at_end()) fail("a layout has no end");
            ++at_;
        }
    } else {
        layout.minor_to_major = default_layout(shape.rank());
    }
    return shape;
}

}  // namespace trnsim::hlo
