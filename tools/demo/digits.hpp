// The handwritten digits of data/digits.csv.gz.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <vector>

namespace trnsim::demo {

// what() is one line with the file and the mistake in it.
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Digits {
    static constexpr std::size_t Pixels = 64, Classes = 10;
    std::vector<std::uint8_t> pixels;  // [samples, Pixels], 0 to 16
    std::vector<std::uint8_t> labels;  // [samples], 0 to 9
    std::size_t size() const { return labels.size(); }
};

// Finds data/digits.csv.gz or share/trnsim/data/digits.csv.gz beside the program or in a directory above it.
// Throws Error.
std::filesystem::path find_digits();

// Reads the file: one sample a line, the label last. Throws Error.
Digits read_digits(const std::filesystem::path& path);

}  // namespace trnsim::demo
