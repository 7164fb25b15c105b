// Text of others in messages of ours.
#pragma once

#include <string>
#include <string_view>

namespace trnsim::text {

// One line whatever `text` holds: control characters become \n, \t, \r or \xNN. Bytes from 0x80 stay, so that
// UTF-8 does.
inline std::string printable(std::string_view text) {
    constexpr std::string_view Digits = "0123456789abcdef";
    std::string line;
    line.reserve(text.size());
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= ' ' && byte != 0x7f) {
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

}  // namespace trnsim::text
