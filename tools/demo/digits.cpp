#include "tools/demo/digits.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <charconv>
#include <memory>
#include <string>

#include "base/places/places.hpp"

namespace trnsim::demo {
namespace {

constexpr unsigned MaxPixel = 16;

std::string read_gzip(const std::filesystem::path& path) {
    const auto close = [](gzFile file) { gzclose(file); };
    const std::unique_ptr<gzFile_s, decltype(close)> file(gzopen(path.c_str(), "rb"), close);
    if (!file) throw Error(fmt::format("{}: cannot be opened", path.string()));
    std::string text;
    char buffer[1 << 16];
    int count = 0;
    while ((count = gzread(file.get(), buffer, sizeof buffer)) > 0)
        text.append(buffer, static_cast<std::size_t>(count));
    if (count < 0) throw Error(fmt::format("{}: is damaged", path.string()));
    return text;
}

}  // namespace

std::filesystem::path find_digits() {
    std::error_code ignored;
    for (const std::filesystem::path& folder : places::shipped_folders())
        if (std::filesystem::exists(folder / "data/digits.csv.gz", ignored))
            return folder / "data/digits.csv.gz";
    throw Error("data/digits.csv.gz: not found beside the program or above");
}

Digits read_digits(const std::filesystem::path& path) {
    const std::string text = read_gzip(path);
    Digits digits;
    const char* at = text.data();
    const char* const end = at + text.size();
    for (std::size_t field = 0; at != end; ++field) {
        const bool label = field % (Digits::Pixels + 1) == Digits::Pixels;
        unsigned value = 0;
        const auto [next, error] = std::from_chars(at, end, value);
        const char separator = label ? '\n' : ',';
        if (error != std::errc{} || value > (label ? Digits::Classes - 1 : MaxPixel) || next == end ||
            *next != separator) {
            throw Error(fmt::format("{}: line {}: field {} is not as expected", path.string(),
                                    field / (Digits::Pixels + 1) + 1, field % (Digits::Pixels + 1) + 1));
        }
        (label ? digits.labels : digits.pixels).push_back(static_cast<std::uint8_t>(value));
        at = next + 1;
    }
    if (digits.pixels.size() != digits.size() * Digits::Pixels) {
        throw Error(fmt::format("{}: the last line is cut off", path.string()));
    }
    return digits;
}

}  // namespace trnsim::demo
