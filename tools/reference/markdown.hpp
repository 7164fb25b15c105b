// Helpers that write the Markdown of the reference pages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trnsim::reference {

// Returns `text` as code; nothing for an empty one.
std::string code(std::string_view text);

using Row = std::vector<std::string>;

// Returns a table; a bar in a cell is escaped, a cell without text becomes "-".
std::string table(const Row& heading, const std::vector<Row>& rows);

// Returns an indented block of code.
std::string block(std::string_view text);

}  // namespace trnsim::reference
