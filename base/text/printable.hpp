// Foreign text in messages of trnsim.
#pragma once

#include <string>
#include <string_view>

namespace trnsim::text {

// Returns the bytes of the UTF-8 character beyond ASCII with which `text` begins; 0: it begins with none.
inline std::size_t utf8_size(std::string_view text) {
    const auto byte = [&](std::size_t at) {
        return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
    };
    const unsigned first = byte(0), second = byte(1);
    const std::size_t size = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
    for (std::size_t at = 1; at < size; ++at)
        if ((byte(at) & 0xc0) != 0x80) return 0;
    const bool longer_than_needed = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
    const bool no_character = (first == 0xed && second >= 0xa0) || (first == 0xf4 && second >= 0x90);
    return longer_than_needed || no_character ? 0 : size;
}

// Returns one line of UTF-8 for any `text`: control characters become \n, \t, \r or \xNN, and so do bytes that
// are not UTF-8.
inline std::string printable(std::string_view text) {
    constexpr std::string_view Digits = "0123456789abcdef";
    std::string line;
    line.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        const auto byte = static_cast<unsigned char>(c);
        if (const std::size_t size = utf8_size(text.substr(at)); size != 0) {
            line += text.substr(at, size);
            at += size - 1;
        } else if (byte >= ' ' && byte < 0x7f) {
            line += c;
        } else if (c == '\n') {
            line += "\\n";
        } else if (c == '\t') {
            line += "\\t";
        } else if (c == '\r') {
            line += "\\r";
        } else {
            line += {'\\', 'x', Digits[byte >> 4], Digits[byte & 15]};
        }
    }
    return line;
}

// Returns `text` with its beginning and its end alone if it is long: what it quotes may have any length. It does
// not cut characters of UTF-8.
inline std::string shortened(std::string_view text) {
    constexpr std::size_t Most = 2000, Kept = 900;
    if (text.size() <= Most) return std::string(text);
    const auto continues = [&](std::size_t at) {
        return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
    };
    std::size_t end = Kept, begin = text.size() - Kept;
    for (std::size_t moved = 0; moved < 3 && continues(end); ++moved) --end;
    for (std::size_t moved = 0; moved < 3 && continues(begin); ++moved) ++begin;
    return std::string(text.substr(0, end)) + " ... (" + std::to_string(begin - end) +
           " bytes left out) ... " + std::string(text.substr(begin));
}

// Returns the one line of an error whose text quotes a file.
inline std::string message(std::string_view text) {
    return printable(shortened(text));
}

}  // namespace trnsim::text
