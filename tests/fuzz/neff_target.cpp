// The hash in the header and the check sums of the tar would stop a fuzzer at once. So the first byte selects
// the input: 'F' a file, 'T' a tar that is given a valid header for the name "sample", or anything else:
// members that are packed and given such a header. Each member begins with a line "=== path".
#include <algorithm>
#include <string>

#include "compiler/neff/header.hpp"
#include "compiler/neff/members.hpp"
#include "compiler/neff/neff.hpp"
#include "fuzz/targets.hpp"

namespace trnsim::fuzz {
namespace {

constexpr std::string_view Separator = "=== ";
constexpr std::size_t MaxPath = 90;  // bytes that a ustar header holds without its prefix

std::vector<std::uint8_t> with_header(Bytes tar) {
    const auto header = neff::make_header("sample", tar);
    std::vector<std::uint8_t> file(header.size() + tar.size());
    std::ranges::copy(header, file.begin());
    std::ranges::copy(tar, file.begin() + header.size());
    return file;
}

// Returns a path that an archive accepts: not empty, without line end or NUL.
std::string path_of(std::string_view line) {
    std::string path(line.substr(0, MaxPath));
    std::erase(path, '\0');
    return path.empty() || path.back() == '/' ? path + "_" : path;
}

neff::Members members_of(std::string_view text) {
    neff::Members members;
    for (std::size_t at = text.find(Separator); at != std::string_view::npos;) {
        const std::size_t name = at + Separator.size();
        const std::size_t line_end = std::min(text.find('\n', name), text.size());
        const std::size_t begin = std::min(line_end + 1, text.size());
        const std::size_t next = text.find("\n=== ", begin);
        const std::string_view contents =
            text.substr(begin, next == std::string_view::npos ? next : next - begin);
        members[path_of(text.substr(name, line_end - name))].assign(contents.begin(), contents.end());
        at = next == std::string_view::npos ? next : next + 1;
    }
    return members;
}

}  // namespace

void neff(Bytes input) {
    std::vector<std::uint8_t> file;
    if (!input.empty() && input[0] == 'F') {
        file.assign(input.begin() + 1, input.end());
    } else if (!input.empty() && input[0] == 'T') {
        file = with_header(input.subspan(1));
    } else {
        file = with_header(
            neff::make_tar(members_of({reinterpret_cast<const char*>(input.data()), input.size()})));
    }
    neff::Package package;
    try {
        package = neff::parse(file, "input.neff");
    } catch (const neff::Error& error) {
        expect_line(error.what());
        return;
    }
    const auto written = neff::serialise(package);
    expect(neff::serialise(neff::parse(written, "again.neff")) == written,
           "what is written is read back as something else");
}

}  // namespace trnsim::fuzz
