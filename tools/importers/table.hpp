// Text files of rows of cells.
#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace trnsim::importers {

struct Row {
    std::string place;  // "file:3"
    std::vector<std::string> cells;
};

// Returns the cells between commas, each without the blanks around it. No cell follows a comma at the end.
std::vector<std::string> cells_of(std::string_view line);

// Returns the rows of a file of comma-separated values that are not empty. Throws files::Error.
std::vector<Row> read_table(const std::filesystem::path& file);

// Returns a whole number from 1 to 2^32 - 1. `what` names it in the message. Throws Error.
std::uint64_t count_of(std::string_view cell, const std::string& place, const std::string& what);

// Returns the product, or the largest number if that is larger.
std::uint64_t product(std::initializer_list<std::uint64_t> factors);

// Returns the file's name without its extension, as a name that sweeps, servers and kernels may have.
std::string name_of(const std::filesystem::path& file);

// Returns the text as a scalar of YAML.
std::string yaml_scalar(std::string_view text);

std::string_view trimmed(std::string_view text);
std::string lower(std::string_view text);

}  // namespace trnsim::importers
