// Whole files in and out. An output file appears complete under its name or not at all.
//
// The bytes are written to a temporary file beside the output until it is complete (temporary.hpp). A
// symbolic link stays and the file that it leads to is replaced; an existing path that is no regular file is
// refused (target.hpp).
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/error.hpp"
#include "base/files/target.hpp"
#include "base/files/temporary.hpp"

namespace trnsim::files {

// Throws Error when the file is missing, is no regular file or cannot be read.
std::vector<std::uint8_t> read(const std::filesystem::path& path);

// A file that is read piece by piece.
class InputFile {
  public:
    // Throws Error as read().
    explicit InputFile(const std::filesystem::path& path);

    std::uint64_t size() const { return size_; }
    // Fills `bytes` with the next bytes of the file. Throws Error when fewer are left.
    void read(std::span<std::uint8_t> bytes);

  private:
    std::filesystem::path path_;
    std::uint64_t size_ = 0;
    std::ifstream stream_;
};

// Replaces `path` by a file of these bytes. Throws Error and leaves no partial file.
void write(const std::filesystem::path& path, std::span<const std::uint8_t> bytes);
void write(const std::filesystem::path& path, std::string_view text);

// Throws Error when a file could not be made at `path`. Call it before long work whose result goes there.
void check_writable(const std::filesystem::path& path);

// A file written piece by piece; commit() gives it its name, destruction without commit() removes it.
class OutputFile {
  public:
    explicit OutputFile(const std::filesystem::path& path);
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    std::ostream& stream() { return stream_; }
    // Throws Error when anything written so far failed.
    void commit();

  private:
    Target target_;
    Temporary temporary_;
    std::ofstream stream_;
};

// A file that another program or library writes under temporary(), in a folder of its own because the writer
// may make further files beside it. commit() gives it its name, destruction without commit() removes it.
class ForeignFile {
  public:
    explicit ForeignFile(const std::filesystem::path& path);
    ForeignFile(const ForeignFile&) = delete;
    ForeignFile& operator=(const ForeignFile&) = delete;

    std::string temporary() const { return file_.string(); }
    // Throws Error when there is no such file or it cannot be renamed, and when `failed` is not empty: it is
    // the reason that the writer gives for its failure.
    void commit(const std::string& failed = "");

  private:
    Target target_;
    Temporary folder_;
    std::filesystem::path file_;
};

}  // namespace trnsim::files
