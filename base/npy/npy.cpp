#include "base/npy/npy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/files/files.hpp"
#include "base/npy/header.hpp"
#include "base/text/printable.hpp"

namespace trnsim::npy {
namespace {

constexpr std::string_view Magic = "\x93NUMPY";
constexpr std::size_t Alignment = 64;  // bytes to which NumPy aligns the data

struct TypeRow {
    Type type;
    std::string_view descr;
    std::size_t bytes;
};

// The rows are in the order of Type. The first row of a type has the descr that is written.
constexpr std::array Types{
    TypeRow{Type::F4, "<f4", 4}, TypeRow{Type::F2, "<f2", 2}, TypeRow{Type::I4, "<i4", 4},
    TypeRow{Type::U4, "<u4", 4}, TypeRow{Type::I2, "<i2", 2}, TypeRow{Type::U2, "<u2", 2},
    TypeRow{Type::I1, "|i1", 1}, TypeRow{Type::U1, "|u1", 1}, TypeRow{Type::V2, "<V2", 2},
    TypeRow{Type::V1, "|V1", 1}, TypeRow{Type::F8, "<f8", 8}, TypeRow{Type::I8, "<i8", 8},
    TypeRow{Type::U8, "<u8", 8}, TypeRow{Type::B1, "|b1", 1}, TypeRow{Type::V2, "|V2", 2},
    TypeRow{Type::V1, "<V1", 1},
};

Type parse_type(std::string_view text) {
    const auto row = std::ranges::find(Types, text, &TypeRow::descr);
    if (row != Types.end()) return row->type;
    if (text.starts_with('>'))
        throw Error(fmt::format("descr '{}': big-endian, expected little-endian", text));
    std::vector<std::string_view> names;
    for (const TypeRow& known : Types) {
        if (descr(known.type) == known.descr) names.push_back(known.descr);
    }
    throw Error(fmt::format("descr '{}': expected one of {}", text, fmt::join(names, " ")));
}

std::uint64_t data_bytes(Type type, std::span<const std::uint64_t> shape) {
    std::uint64_t bytes = item_bytes(type);
    for (const std::uint64_t dimension : shape) {
        if (__builtin_mul_overflow(bytes, dimension, &bytes)) {
            throw Error(fmt::format("shape {}: larger than any file", format_shape(shape)));
        }
    }
    return bytes;
}

// Returns the byte at which the header of a file ends. `bytes` are its first FixedBytes, or the whole file if
// it is shorter. A file of version 2.0 may be shorter than its header.
constexpr std::size_t FixedBytes = Magic.size() + 6;
std::size_t data_start(std::span<const std::uint8_t> bytes) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (!text.starts_with(Magic) || text.size() < Magic.size() + 4) {
        throw Error("not a .npy file: expected it to begin with \\x93NUMPY and a version");
    }
    const unsigned version = bytes[6];
    if ((version != 1 && version != 2) || bytes[7] != 0) {
        throw Error(fmt::format("format version {}.{}: expected 1.0 or 2.0", version, bytes[7]));
    }
    const std::size_t length_bytes = version == 1 ? 2 : 4;
    const std::size_t start = Magic.size() + 2 + length_bytes;
    if (bytes.size() < start) throw Error("truncated in the header");
    std::size_t length = 0;
    for (std::size_t i = 0; i < length_bytes; ++i) length |= std::size_t{bytes[8 + i]} << (8 * i);
    return start + length;
}

// Returns the array without its data. `size` is the size of the file: after the header it must have the bytes
// of the data.
Array describe(std::span<const std::uint8_t> begin, std::uint64_t size) {
    const std::size_t start = Magic.size() + 2 + (begin[6] == 1 ? 2 : 4);
    const std::string_view text(reinterpret_cast<const char*>(begin.data()), begin.size());
    Header header = parse_header(text.substr(start));
    if (header.fortran_order) throw Error("fortran_order True: expected C order");
    Array array{parse_type(header.descr), std::move(header.shape), {}};
    const std::uint64_t expected = data_bytes(array.type, array.shape);
    const std::uint64_t found = size - begin.size();
    if (found != expected) {
        throw Error(fmt::format("{} bytes of data: expected {} for shape {} of {}", found, expected,
                                format_shape(array.shape), descr(array.type)));
    }
    return array;
}

Array parse_unnamed(std::span<const std::uint8_t> bytes) {
    const std::size_t start = data_start(bytes);
    if (bytes.size() < start) throw Error("truncated in the header");
    Array array = describe(bytes.first(start), bytes.size());
    array.data.assign(bytes.begin() + static_cast<std::ptrdiff_t>(start), bytes.end());
    return array;
}

// Reads the header of a file. Returns the array without its data.
Array read_header(files::InputFile& file) {
    std::vector<std::uint8_t> begin(std::min<std::uint64_t>(file.size(), FixedBytes));
    file.read(begin);
    const std::size_t start = data_start(begin), there = begin.size();
    if (file.size() < start) throw Error("truncated in the header");
    begin.resize(start);
    if (start > there) file.read(std::span(begin).subspan(there));  // a shorter header has no dictionary
    return describe(begin, file.size());
}

// Returns the beginning of a file: all that precedes the data.
std::vector<std::uint8_t> header_of(Type type, std::span<const std::uint64_t> shape) {
    std::string header =
        format_header({std::string(descr(type)), false, std::vector(shape.begin(), shape.end())});
    const auto padded =
        [&header](std::size_t prefix) {  // header bytes so that the data is aligned; ends with a newline
            return (prefix + header.size() + 1 + Alignment - 1) / Alignment * Alignment - prefix;
        };
    const bool version1 = padded(Magic.size() + 4) <= 0xffff;
    const std::size_t length_bytes = version1 ? 2 : 4;
    const std::size_t length = padded(Magic.size() + 2 + length_bytes);
    header.append(length - header.size() - 1, ' ').push_back('\n');

    std::vector<std::uint8_t> bytes(Magic.begin(), Magic.end());
    bytes.push_back(version1 ? 1 : 2);
    bytes.push_back(0);
    for (std::size_t i = 0; i < length_bytes; ++i)
        bytes.push_back(static_cast<std::uint8_t>(length >> (8 * i)));
    bytes.insert(bytes.end(), header.begin(), header.end());
    return bytes;
}

void expect_bytes(std::uint64_t found, std::uint64_t expected, Type type,
                  std::span<const std::uint64_t> shape) {
    if (found == expected) return;
    throw Error(fmt::format("array of {} bytes: expected {} for shape {} of {}", found, expected,
                            format_shape(shape), descr(type)));
}

}  // namespace

std::string_view descr(Type type) {
    return Types[static_cast<std::size_t>(type)].descr;
}

std::size_t item_bytes(Type type) {
    return Types[static_cast<std::size_t>(type)].bytes;
}

std::string format_shape(std::span<const std::uint64_t> shape) {
    return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, "x"));
}

Array parse(std::span<const std::uint8_t> bytes, std::string_view name) {
    try {
        return parse_unnamed(bytes);
    } catch (const Error& error) {
        throw Error(text::message(fmt::format("{}: {}", name, error.what())));
    }
}

std::vector<std::uint8_t> serialise(const Array& array) {
    expect_bytes(array.data.size(), data_bytes(array.type, array.shape), array.type, array.shape);
    std::vector<std::uint8_t> bytes = header_of(array.type, array.shape);
    bytes.insert(bytes.end(), array.data.begin(), array.data.end());
    return bytes;
}

InputFile::InputFile(const std::filesystem::path& path) : file_(path) {
    try {
        array_ = read_header(file_);
    } catch (const Error& error) {
        throw Error(text::message(fmt::format("{}: {}", path.string(), error.what())));
    }
    bytes_ = data_bytes(array_.type, array_.shape);
}

OutputFile::OutputFile(const std::filesystem::path& path, Type type, std::span<const std::uint64_t> shape)
    : file_(path), expected_(data_bytes(type, shape)) {
    write(header_of(type, shape));
    written_ = 0;
}

void OutputFile::write(std::span<const std::uint8_t> data) {
    file_.stream().write(reinterpret_cast<const char*>(data.data()),
                         static_cast<std::streamsize>(data.size()));
    written_ += data.size();
}

void OutputFile::commit() {
    if (written_ != expected_)
        throw Error(fmt::format("{} bytes of data written, expected {}", written_, expected_));
    file_.commit();
}

Array read(const std::filesystem::path& path) {
    InputFile file(path);
    Array array{file.type(), file.shape(), std::vector<std::uint8_t>(file.bytes())};
    file.read(array.data);
    return array;
}

void write(const std::filesystem::path& path, const Array& array) {
    expect_bytes(array.data.size(), data_bytes(array.type, array.shape), array.type, array.shape);
    OutputFile file(path, array.type, array.shape);
    file.write(array.data);
    file.commit();
}

}  // namespace trnsim::npy
