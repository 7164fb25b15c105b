#include "compiler/neff/neff.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/files/files.hpp"
#include "base/text/printable.hpp"
#include "compiler/neff/check.hpp"
#include "compiler/neff/header.hpp"
#include "compiler/neff/members.hpp"

namespace trnsim::neff {

std::vector<std::uint8_t> serialise(const Package& package) {
    check(package);
    const std::vector<std::uint8_t> tar = make_tar(to_members(package));
    const auto header = make_header(package.name, tar);
    std::vector<std::uint8_t> bytes(HeaderBytes + tar.size());
    std::ranges::copy(header, bytes.begin());
    std::ranges::copy(tar, bytes.begin() + HeaderBytes);
    return bytes;
}

Package parse(std::span<const std::uint8_t> bytes, std::string_view name) {
    try {
        const std::string header_name = check_header(bytes);
        Package package = from_members(read_tar(bytes.subspan(HeaderBytes)));
        if (package.name != header_name) {
            throw Error(
                fmt::format("header field name '{}': info.json says '{}'", header_name, package.name));
        }
        check(package);
        return package;
    } catch (const Error& error) {
        throw Error(text::message(fmt::format("{}: {}", name, error.what())));
    }
}

void write(const std::filesystem::path& path, const Package& package) {
    files::write(path, serialise(package));
}

Package read(const std::filesystem::path& path) {
    return parse(files::read(path), path.string());
}

}  // namespace trnsim::neff
