#include "testbench/files/files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace trnsim::files {
namespace {

std::string system_message() {
    return std::generic_category().message(errno != 0 ? errno : EIO);
}

}  // namespace

std::vector<std::uint8_t> read(const std::filesystem::path& path) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status)) throw Error(fmt::format("{}: no such file", path.string()));
    if (!std::filesystem::is_regular_file(status))
        throw Error(fmt::format("{}: not a regular file", path.string()));
    errno = 0;
    std::ifstream stream(path, std::ios::binary);
    if (!stream) throw Error(fmt::format("{}: cannot read: {}", path.string(), system_message()));
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    if (error) throw Error(fmt::format("{}: cannot read: {}", path.string(), error.message()));
    std::vector<std::uint8_t> bytes(size);
    stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
    if (static_cast<std::uintmax_t>(stream.gcount()) != size) {
        throw Error(fmt::format("{}: cannot read: {}", path.string(), system_message()));
    }
    return bytes;
}

std::filesystem::path temporary_name(const std::filesystem::path& path) {
    std::filesystem::path name = path;
    name += fmt::format(".{}.partial", ::getpid());
    return name;
}

OutputFile::OutputFile(std::filesystem::path path)
    : path_(std::move(path)), temporary_(temporary_name(path_)) {
    if (std::filesystem::is_directory(path_)) {
        throw Error(fmt::format("{}: cannot write: is a directory", path_.string()));
    }
    errno = 0;
    stream_.open(temporary_, std::ios::binary | std::ios::trunc);
    if (!stream_) throw Error(fmt::format("{}: cannot write: {}", path_.string(), system_message()));
}

OutputFile::~OutputFile() {
    if (committed_) return;
    stream_.close();
    std::error_code ignored;
    std::filesystem::remove(temporary_, ignored);
}

void OutputFile::commit() {
    errno = 0;
    stream_.close();
    if (!stream_) throw Error(fmt::format("{}: cannot write: {}", path_.string(), system_message()));
    std::error_code error;
    std::filesystem::rename(temporary_, path_, error);
    if (error) throw Error(fmt::format("{}: cannot write: {}", path_.string(), error.message()));
    committed_ = true;
}

void write(const std::filesystem::path& path, std::span<const std::uint8_t> bytes) {
    OutputFile file(path);
    file.stream().write(reinterpret_cast<const char*>(bytes.data()),
                        static_cast<std::streamsize>(bytes.size()));
    file.commit();
}

void write(const std::filesystem::path& path, std::string_view text) {
    write(path, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

void check_writable(const std::filesystem::path& path) {
    OutputFile probe(path);
}

ForeignFile::ForeignFile(std::filesystem::path path)
    : path_(std::move(path)), temporary_(temporary_name(path_)) {}

ForeignFile::~ForeignFile() {
    std::error_code ignored;
    std::filesystem::remove(temporary_, ignored);
}

void ForeignFile::commit() {
    std::error_code error;
    std::filesystem::rename(temporary_, path_, error);
    if (error) throw Error(fmt::format("{}: cannot write: {}", path_.string(), error.message()));
}

}  // namespace trnsim::files
