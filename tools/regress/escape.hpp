// Text for XML and HTML.
#pragma once

#include <string>
#include <string_view>

namespace trnsim::regress {

// Turns characters with a meaning into entities and characters that XML does not allow into question marks.
inline std::string escape(std::string_view text) {
    std::string result;
    for (const char c : text) {
        switch (c) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '"':
                result += "&quot;";
                break;
            default: {
                const auto code = static_cast<unsigned char>(c);
                result += code < 0x20 && c != '\n' && c != '\t' ? '?' : c;
            }
        }
    }
    return result;
}

}  // namespace trnsim::regress
