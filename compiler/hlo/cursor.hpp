// A place in HLO text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "compiler/hlo/attribute_names.hpp"
#include "compiler/hlo/shape.hpp"

namespace trnsim::hlo {

// Each function skips spaces and comments first. The functions that read throw Error, which names the line.
class Cursor {
  public:
    explicit Cursor(std::string_view text) : text_(text) {}

    bool at_end();
    bool peek(std::string_view token);    // whether the text goes on with these characters
    bool accept(std::string_view token);  // and if so, goes past them
    bool take(char c);                    // as accept(), also where a word goes on
    void expect(std::string_view token);
    std::int64_t integer();
    // A name, a number or a keyword: letters, digits and any of "_.-+:<>" that names and numbers have.
    std::string_view word(std::string_view what);
    std::string name(std::string_view what);  // with or without %
    std::string quoted();
    bool boolean();
    std::int64_t one_of(std::span<const Word> words, std::string_view what);
    Integers list(std::string_view open, std::string_view close);  // "{1,2}"
    Integers braced() { return list("{", "}"); }
    // Goes past a value of an attribute that is not kept: brackets in it match.
    void skip_value();
    ElementType element_type();
    Shape shape();
    // Whether a shape stands here, not a name.
    bool peek_shape();

    [[noreturn]] void fail(const std::string& message);
    // Takes one of what the text may still ask memory for.
    void spend();

  private:
    void skip_space();
    Shape shape(std::size_t depth);

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t spent_ = 0;
};

}  // namespace trnsim::hlo
