// Images for GpSimd cores: the segments that the runtime loads into their TCM, the operations in them, and
// the source lines of addresses.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace trnsim::firmware {

// what() is one line: where, what was found, what was expected.
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Segment {
    std::uint32_t address = 0;
    bool executable = false;
    std::vector<std::uint8_t> bytes;

    std::uint32_t end() const { return address + static_cast<std::uint32_t>(bytes.size()); }
    bool operator==(const Segment&) const = default;
};

struct Symbol {
    std::uint32_t address = 0;
    std::uint32_t bytes = 0;
    std::string name;  // name as people write it

    bool operator==(const Symbol&) const = default;
};

// Code from `address` to the next entry is of this line; file 0 and line 0 if the line is not known.
struct Line {
    std::uint32_t address = 0;
    std::uint32_t file = 0;  // index in Image::files + 1
    std::uint32_t line = 0;

    bool operator==(const Line&) const = default;
};

struct Image {
    std::uint32_t vlen = 0;  // bits of a vector register of its cores
    std::uint32_t entry = 0;
    std::vector<Segment> segments;        // by address
    std::vector<std::string> operations;  // by the number of their command
    std::vector<Symbol> functions;        // by address
    std::vector<std::string> files;
    std::vector<Line> lines;  // by address

    bool operator==(const Image&) const = default;
};

// The existing sizes of vector registers, bits.
inline constexpr std::array<std::uint32_t, 3> Vlens{128, 256, 512};
inline constexpr const char* VlensText = "128, 256 or 512";
constexpr bool is_vlen(std::uint64_t bits) {
    return std::ranges::find(Vlens, bits) != Vlens.end();
}

// The bytes of an image's file. parse() throws Error when they are not such bytes.
std::vector<std::uint8_t> serialise(const Image& image);
Image parse(std::span<const std::uint8_t> bytes, std::string_view name);

// Returns the place of an address: "relu at relu.cpp:12", "relu" or "0x80003000".
std::string place(const Image& image, std::uint32_t address);

// Returns VLEN, entry, segments, operations and functions, a line each.
std::string list(const Image& image);

// Returns whether the bytes begin as a file of an image does.
bool is_image(std::span<const std::uint8_t> bytes);

// Returns the command of an operation.
std::optional<std::uint32_t> command(const Image& image, std::string_view operation);

// Throws Error unless there are cores with the image's VLEN, its segments lie in the TCM and do not overlap,
// the entry is code and every text is printable. Both readers call it.
void check(const Image& image, std::string_view name);

}  // namespace trnsim::firmware
