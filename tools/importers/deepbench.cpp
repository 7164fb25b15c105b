#include "tools/importers/deepbench.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/files/files.hpp"
#include "base/text/printable.hpp"
#include "tools/importers/error.hpp"
#include "tools/importers/table.hpp"

namespace trnsim::importers {
namespace {

constexpr std::array<std::string_view, 5> GemmNames{"m", "n", "k", "a_t", "b_t"};
constexpr std::size_t ConvolutionNumbers = 11;
constexpr std::string_view Call = "make_tuple(", ListEnd = "=";

bool truth_of(const std::string& cell, const std::string& place, std::string_view what) {
    const std::string word = lower(cell);
    for (const auto& [text, value] :
         {std::pair("true", true), std::pair("1", true), std::pair("t", true), std::pair("false", false),
          std::pair("0", false), std::pair("n", false)})
        if (word == text) return value;
    throw Error(
        fmt::format("{}: {}: found '{}', expected true or false", place, what, text::printable(cell)));
}

Matmul gemm_of(const std::vector<std::string>& cells, const std::string& place) {
    Matmul one{.m = count_of(cells[0], place, "m"),
               .n = count_of(cells[1], place, "n"),
               .k = count_of(cells[2], place, "k"),
               .ta = truth_of(cells[3], place, "a_t"),
               .tb = truth_of(cells[4], place, "b_t"),
               .place = place};
    one.label = fmt::format("{}x{}x{} {}{}", one.m, one.n, one.k, *one.ta ? 'T' : 'N', *one.tb ? 'T' : 'N');
    return one;
}

// Returns a number that may be 0.
std::uint64_t number_of(const std::string& cell, const std::string& place, const std::string& what) {
    return cell == "0" ? 0 : count_of(cell, place, what);
}

Matmul convolution_of(const std::vector<std::string>& cells, const std::string& place) {
    constexpr std::array<const char*, ConvolutionNumbers> Names{
        "w", "h", "c", "n", "k", "filter_w", "filter_h", "pad_w", "pad_h", "wstride", "hstride"};
    std::array<std::uint64_t, ConvolutionNumbers> v{};
    for (std::size_t i = 0; i < v.size(); ++i)
        v[i] = i == 7 || i == 8 ? number_of(cells[i], place, Names[i]) : count_of(cells[i], place, Names[i]);
    const auto [w, h, c, n, k, filter_w, filter_h, pad_w, pad_h, stride_w, stride_h] = v;
    if (filter_w > w + 2 * pad_w || filter_h > h + 2 * pad_h)
        throw Error(fmt::format("{}: found a filter of {}x{} for an input of {}x{}, expected one that fits",
                                place, filter_w, filter_h, w + 2 * pad_w, h + 2 * pad_h));
    const std::uint64_t across = (w + 2 * pad_w - filter_w) / stride_w + 1,
                        down = (h + 2 * pad_h - filter_h) / stride_h + 1;
    return {.label = fmt::format("conv {}x{}x{} n{} k{} f{}x{} p{}x{} s{}x{}", w, h, c, n, k, filter_w,
                                 filter_h, pad_w, pad_h, stride_w, stride_h),
            .m = product({n, across, down}),
            .n = k,
            .k = product({c, filter_w, filter_h}),
            .place = place};
}

std::vector<Matmul> from_table(const std::filesystem::path& file) {
    const std::vector<Row> rows = read_table(file);
    std::vector<std::optional<std::size_t>> columns;
    for (const std::string_view name : GemmNames) {
        std::optional<std::size_t> column;
        for (std::size_t i = 0; !rows.empty() && i < rows.front().cells.size(); ++i)
            if (lower(rows.front().cells[i]) == name) column = i;
        columns.push_back(column);
    }
    if (!std::ranges::all_of(columns, [](const auto& column) { return column.has_value(); }))
        throw Error(
            fmt::format("{}: found neither make_tuple(...) nor a heading with {}, expected one of them",
                        file.string(), fmt::join(GemmNames, ", ")));
    std::vector<Matmul> matmuls;
    for (std::size_t i = 1; i < rows.size(); ++i) {
        std::vector<std::string> cells;
        for (const auto& column : columns) {
            if (*column >= rows[i].cells.size())
                throw Error(fmt::format("{}: found {} columns, expected at least {}", rows[i].place,
                                        rows[i].cells.size(), *column + 1));
            cells.push_back(rows[i].cells[*column]);
        }
        matmuls.push_back(gemm_of(cells, rows[i].place));
    }
    return matmuls;
}

// Returns the text with blanks in place of comments of C++; lines stay.
std::string without_comments(std::string_view text) {
    std::string result(text);
    for (std::size_t at = 0; at + 1 < text.size(); ++at) {
        const std::string_view begin = text.substr(at, 2);
        if (begin != "//" && begin != "/*") continue;
        const std::string_view end = begin == "//" ? "\n" : "*/";
        const std::size_t next = std::min(text.find(end, at + 2), text.size() - end.size());
        for (; at < next + end.size(); ++at)
            if (result[at] != '\n') result[at] = ' ';
        --at;
    }
    return result;
}

// Returns the name before "=" of a line such as "...>> training_set = {"; empty: there is none.
std::string list_named_in(std::string_view line) {
    const std::string_view before = trimmed(line.substr(0, line.find(ListEnd)));
    return line.find(ListEnd) == std::string_view::npos
               ? ""
               : std::string(before.substr(before.find_last_of(" \t>*&") + 1));
}

std::vector<Matmul> from_header(std::string_view text, const std::filesystem::path& file,
                                const std::string& set) {
    std::vector<Matmul> matmuls;
    std::vector<std::string> lists;
    for (int number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(text.size(), end + 1));
        if (const std::string name = list_named_in(line); !name.empty()) lists.push_back(name);
        const std::size_t call = line.find(Call);
        if (call == std::string_view::npos || (!set.empty() && (lists.empty() || lists.back() != set)))
            continue;
        const std::string place = fmt::format("{}:{}", file.string(), number);
        line.remove_prefix(call + Call.size());
        const std::size_t close = line.find(')');
        if (close == std::string_view::npos)
            throw Error(fmt::format("{}: found no ')', expected a tuple on one line", place));
        const std::vector<std::string> cells = cells_of(line.substr(0, close));
        if (cells.size() == GemmNames.size())
            matmuls.push_back(gemm_of(cells, place));
        else if (cells.size() == ConvolutionNumbers)
            matmuls.push_back(convolution_of(cells, place));
        else
            throw Error(
                fmt::format("{}: found a tuple of {}, expected 5, a matrix product, or {}, a convolution",
                            place, cells.size(), ConvolutionNumbers));
    }
    if (!set.empty() && std::ranges::find(lists, set) == lists.end())
        throw Error(fmt::format("{}: found no list {}, expected one of {}", file.string(), set,
                                fmt::join(lists, ", ")));
    return matmuls;
}

}  // namespace

std::vector<Matmul> read_deepbench(const std::filesystem::path& file, const std::string& set) {
    const std::vector<std::uint8_t> bytes = files::read(file);
    const std::string text = without_comments({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    const bool header = text.find(Call) != std::string_view::npos;
    if (!header && !set.empty())
        throw Error(
            fmt::format("{}: found a table, expected a header of DeepBench for --list", file.string()));
    std::vector<Matmul> matmuls = header ? from_header(text, file, set) : from_table(file);
    if (matmuls.empty()) throw Error(fmt::format("{}: found no shape, expected some", file.string()));
    return matmuls;
}

}  // namespace trnsim::importers
