// NumPy .npy files, format versions 1.0 and 2.0: C order, little-endian.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/files.hpp"

namespace trnsim::npy {

// what() is one line: where (file, or header key) and what was expected.
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Element types by their NumPy `descr`. No tensor of a kernel has the last four: NumPy makes them of plain numbers, and
// graphs have them. V2 and V1 are the raw bytes that ml_dtypes writes for bf16 and fp8.
enum class Type : std::uint8_t { F4, F2, I4, U4, I2, U2, I1, U1, V2, V1, F8, I8, U8, B1 };

std::string_view descr(Type type);
std::size_t item_bytes(Type type);

struct Array {
    Type type = Type::F4;
    std::vector<std::uint64_t> shape;  // empty for a scalar
    std::vector<std::uint8_t> data;    // item_bytes(type) x product of the shape, C order
};

// Returns "128x64", or "scalar" without dimensions.
std::string format_shape(std::span<const std::uint64_t> shape);

// Throws Error when `bytes` are no .npy file; `name` stands for the file in the message.
Array parse(std::span<const std::uint8_t> bytes, std::string_view name);
std::vector<std::uint8_t> serialise(const Array& array);

// A .npy file whose data is read piece by piece.
class InputFile {
  public:
    // Reads the header. Throws Error or files::Error.
    explicit InputFile(const std::filesystem::path& path);

    Type type() const { return array_.type; }
    const std::vector<std::uint64_t>& shape() const { return array_.shape; }
    std::uint64_t bytes() const { return bytes_; }  // of data
    // Fills `data` with the next bytes of data. Throws files::Error when fewer are left.
    void read(std::span<std::uint8_t> data) { file_.read(data); }

  private:
    files::InputFile file_;
    Array array_;  // without data
    std::uint64_t bytes_ = 0;
};

// A .npy file whose data is written piece by piece; commit() gives it its name.
class OutputFile {
  public:
    // Throws Error or files::Error.
    OutputFile(const std::filesystem::path& path, Type type, std::span<const std::uint64_t> shape);

    void write(std::span<const std::uint8_t> data);
    // Throws Error when the data is not that of the shape, and files::Error.
    void commit();

  private:
    files::OutputFile file_;
    std::uint64_t expected_, written_ = 0;  // bytes
};

// Throw Error or files::Error.
Array read(const std::filesystem::path& path);
void write(const std::filesystem::path& path, const Array& array);

}  // namespace trnsim::npy
