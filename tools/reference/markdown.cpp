#include "tools/reference/markdown.hpp"

#include <fmt/format.h>

#include <sstream>

namespace trnsim::reference {
namespace {

std::string line(const Row& row) {
    std::string text = "|";
    for (const std::string& cell : row) {
        text += cell.empty() ? " -" : " ";
        for (const char c : cell) text += c == '|' ? std::string("\\|") : std::string(1, c);
        text += " |";
    }
    return text + "\n";
}

}  // namespace

std::string code(std::string_view text) {
    return text.empty() ? "" : fmt::format("`{}`", text);
}

std::string table(const Row& heading, const std::vector<Row>& rows) {
    std::string text = line(heading) + "|";
    for (std::size_t i = 0; i < heading.size(); ++i) text += "---|";
    text += '\n';
    for (const Row& row : rows) text += line(row);
    return text + "\n";
}

std::string block(std::string_view text) {
    std::istringstream stream{std::string(text)};
    std::string result;
    for (std::string line; std::getline(stream, line);) result += line.empty() ? "\n" : "    " + line + "\n";
    return result + "\n";
}

}  // namespace trnsim::reference
