// Hashes the inputs of a core.
#pragma once

#include <filesystem>
#include <string>

#include "arch/config/config.hpp"

namespace trnsim::cores {

// Returns SHA-256, 64 hexadecimal digits, of the RTL sources, the inputs of the RTL packages and the
// configuration's RTL parameters: equal hashes mean the same core. `source` is the project's folder. Throws
// std::runtime_error when there is no RTL.
std::string rtl_hash(const std::filesystem::path& source, const config::Config& config);

// Returns SHA-256 of a text.
std::string hash_of(const std::string& text);

// Returns a hash of named files, or of the files below folders that end in one of `endings`, in the order of
// their names. Names are relative to `source`, and part of the hash.
struct Part {
    std::string path;     // a file or a folder
    std::string endings;  // file endings in a folder: ".sv .svh"
};
std::string hash_of(const std::filesystem::path& source, std::initializer_list<Part> parts);

}  // namespace trnsim::cores
