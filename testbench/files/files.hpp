// Whole files in and out. An output file appears complete under its name or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace trnsim::files {

// what() is one line: the file and what the system says is wrong with it.
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Throws Error when the file is missing, is no regular file or cannot be read.
std::vector<std::uint8_t> read(const std::filesystem::path& path);

// Replaces `path` by a file of these bytes. Throws Error and leaves no partial file behind.
void write(const std::filesystem::path& path, std::span<const std::uint8_t> bytes);
void write(const std::filesystem::path& path, std::string_view text);

// Throws Error when a file could not be made at `path`; to be asked before long work whose result goes there.
void check_writable(const std::filesystem::path& path);

// A file written piece by piece under a temporary name beside `path`; commit() gives it its name, destruction
// without commit() removes it.
class OutputFile {
  public:
    explicit OutputFile(std::filesystem::path path);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    std::ostream& stream() { return stream_; }
    // Throws Error when anything written so far failed.
    void commit();

  private:
    std::filesystem::path path_;
    std::filesystem::path temporary_;
    std::ofstream stream_;
    bool committed_ = false;
};

// The temporary name OutputFile uses for `path`, for writers that need a file name rather than a stream.
std::filesystem::path temporary_name(const std::filesystem::path& path);

// A file that someone else writes under temporary(); commit() gives it its name, destruction without commit()
// removes it.
class ForeignFile {
  public:
    explicit ForeignFile(std::filesystem::path path);
    ~ForeignFile();
    ForeignFile(const ForeignFile&) = delete;
    ForeignFile& operator=(const ForeignFile&) = delete;

    std::string temporary() const { return temporary_.string(); }
    // Throws Error when there is no such file or it cannot be renamed.
    void commit();

  private:
    std::filesystem::path path_, temporary_;
};

}  // namespace trnsim::files
