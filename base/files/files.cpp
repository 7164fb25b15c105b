#include "base/files/files.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

namespace trnsim::files {
namespace {

std::string system_message() {
    return std::generic_category().message(errno != 0 ? errno : EIO);
}

}  // namespace

InputFile::InputFile(const std::filesystem::path& path) : path_(path) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status)) throw Error(fmt::format("{}: no such file", path.string()));
    if (!std::filesystem::is_regular_file(status))
        throw Error(fmt::format("{}: not a regular file", path.string()));
    errno = 0;
    stream_.open(path, std::ios::binary);
    if (!stream_) throw Error(fmt::format("{}: cannot read: {}", path.string(), system_message()));
    size_ = std::filesystem::file_size(path, error);
    if (error) throw Error(fmt::format("{}: cannot read: {}", path.string(), error.message()));
}

void InputFile::read(std::span<std::uint8_t> bytes) {
    stream_.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (static_cast<std::size_t>(stream_.gcount()) != bytes.size())
        throw Error(fmt::format("{}: cannot read: {}", path_.string(), system_message()));
}

std::vector<std::uint8_t> read(const std::filesystem::path& path) {
    InputFile file(path);
    std::vector<std::uint8_t> bytes(file.size());
    file.read(bytes);
    return bytes;
}

OutputFile::OutputFile(const std::filesystem::path& path)
    : target_(find_target(path)), temporary_(target_, Temporary::Kind::File) {
    errno = 0;
    stream_.open(temporary_.path(), std::ios::binary | std::ios::trunc);
    if (!stream_) throw target_.error(system_message());
}

void OutputFile::commit() {
    errno = 0;
    if (stream_) {
        stream_.close();
    } else {
        // The error code of the failure is lost by now; another write makes the system report it again.
        stream_.clear();
        stream_.put('\0').flush();
        stream_.setstate(std::ios::failbit);
    }
    if (!stream_) throw target_.error(system_message());
    temporary_.rename(temporary_.path(), target_);
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
    const Temporary probe(find_target(path), Temporary::Kind::File);
}

ForeignFile::ForeignFile(const std::filesystem::path& path)
    : target_(find_target(path)),
      folder_(target_, Temporary::Kind::Folder),
      file_(folder_.path() / target_.path.filename()) {}

void ForeignFile::commit(const std::string& failed) {
    if (!failed.empty()) throw target_.error(failed);
    folder_.rename(file_, target_);
}

}  // namespace trnsim::files
