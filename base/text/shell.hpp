// Words of command lines that trnsim prints for people to type, or hands to a shell.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace trnsim::text {

// Returns a word of a shell's command line that stands for `text`: the text itself if no character of it means
// anything to a shell, else in single quotes.
inline std::string shell_word(std::string_view text) {
    constexpr std::string_view Plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=@%+";
    const auto is_plain = [&](char c) { return Plain.find(c) != std::string_view::npos; };
    if (!text.empty() && std::ranges::all_of(text, is_plain)) return std::string(text);
    std::string word = "'";
    for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + "'";
}

// Returns such a word for a path, which no command takes for an option.
inline std::string shell_path(std::string_view path) {
    return shell_word(path.starts_with('-') ? "./" + std::string(path) : std::string(path));
}

}  // namespace trnsim::text
