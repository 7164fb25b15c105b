#include "base/npy/header.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "base/npy/npy.hpp"

namespace trnsim::npy {
namespace {

class Scanner {
  public:
    explicit Scanner(std::string_view text) : text_(text) {}

    [[noreturn]] void fail(std::string_view expected) const {
        throw Error(fmt::format("header, byte {}: expected {}", place_, expected));
    }

    bool accept(char wanted) {
        skip_space();
        if (place_ == text_.size() || text_[place_] != wanted) return false;
        ++place_;
        return true;
    }

    void expect(char wanted) {
        if (!accept(wanted)) fail(fmt::format("'{}'", wanted));
    }

    std::string_view string() {
        skip_space();
        if (place_ == text_.size() || (text_[place_] != '\'' && text_[place_] != '"')) fail("a string");
        const char quote = text_[place_++];
        const std::size_t end = text_.find(quote, place_);
        if (end == std::string_view::npos) fail("the end of a string");
        const std::string_view value = text_.substr(place_, end - place_);
        place_ = end + 1;
        return value;
    }

    bool boolean() {
        skip_space();
        for (const auto& [word, value] : {std::pair{std::string_view("True"), true}, {"False", false}}) {
            if (text_.substr(place_).starts_with(word)) {
                place_ += word.size();
                return value;
            }
        }
        fail("True or False");
    }

    std::uint64_t number() {
        skip_space();
        std::uint64_t value = 0;
        const char* begin = text_.data() + place_;
        const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
        if (error != std::errc{}) fail("a dimension");
        place_ += static_cast<std::size_t>(end - begin);
        return value;
    }

    std::vector<std::uint64_t> tuple() {
        std::vector<std::uint64_t> values;
        expect('(');
        while (!accept(')')) {
            values.push_back(number());
            if (!accept(',')) {
                expect(')');
                break;
            }
        }
        return values;
    }

    void expect_end() {
        skip_space();
        if (place_ != text_.size()) fail("the end of the header");
    }

  private:
    void skip_space() {
        while (place_ < text_.size() && (text_[place_] == ' ' || text_[place_] == '\n')) ++place_;
    }

    std::string_view text_;
    std::size_t place_ = 0;
};

}  // namespace

Header parse_header(std::string_view text) {
    Header header;
    bool has_descr = false, has_order = false, has_shape = false;
    Scanner scanner(text);
    scanner.expect('{');
    while (!scanner.accept('}')) {
        const std::string_view key = scanner.string();
        scanner.expect(':');
        if (key == "descr") {
            header.descr = scanner.string();
            has_descr = true;
        } else if (key == "fortran_order") {
            header.fortran_order = scanner.boolean();
            has_order = true;
        } else if (key == "shape") {
            header.shape = scanner.tuple();
            has_shape = true;
        } else {
            throw Error(fmt::format("header: unknown key '{}'", key));
        }
        if (!scanner.accept(',')) {
            scanner.expect('}');
            break;
        }
    }
    scanner.expect_end();
    if (!has_descr || !has_order || !has_shape) {
        throw Error(fmt::format("header: no key '{}'", !has_descr   ? "descr"
                                                       : !has_order ? "fortran_order"
                                                                    : "shape"));
    }
    return header;
}

std::string format_header(const Header& header) {
    return fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}{}), }}", header.descr,
                       header.fortran_order ? "True" : "False", fmt::join(header.shape, ", "),
                       header.shape.size() == 1 ? "," : "");
}

}  // namespace trnsim::npy
