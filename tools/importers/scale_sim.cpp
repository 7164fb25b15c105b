#include "tools/importers/scale_sim.hpp"

#include <fmt/format.h>

#include <array>

#include "base/text/printable.hpp"
#include "tools/importers/error.hpp"
#include "tools/importers/table.hpp"

namespace trnsim::importers {
namespace {

constexpr std::array GemmColumns{"M", "N", "K"};
constexpr std::array ConvolutionColumns{"IFMAP height", "IFMAP width", "filter height", "filter width",
                                        "channels",     "filters",     "stride"};

// Refuses "2:4": no kernel skips zeros.
void expect_dense(const std::string& ratio, const std::string& place) {
    const std::size_t sign = ratio.find(':');
    if (trimmed(std::string_view(ratio).substr(0, sign)) != trimmed(std::string_view(ratio).substr(sign + 1)))
        throw Error(fmt::format("{}: found a sparse layer, {}, expected a dense one: no kernel skips zeros",
                                place, text::printable(ratio)));
}

template <std::size_t Size>
std::array<std::uint64_t, Size> numbers_of(const Row& row, const std::array<const char*, Size>& names) {
    if (row.cells.size() < Size + 1)
        throw Error(
            fmt::format("{}: found {} columns, expected at least {}", row.place, row.cells.size(), Size + 1));
    std::array<std::uint64_t, Size> numbers{};
    for (std::size_t i = 0; i < Size; ++i) numbers[i] = count_of(row.cells[i + 1], row.place, names[i]);
    return numbers;
}

// Columns after K: a sparsity such as 1:1, or a number of products; either may be empty.
Matmul gemm_of(const Row& row) {
    const auto [m, n, k] = numbers_of(row, GemmColumns);
    Matmul matmul{.label = row.cells[0], .m = m, .n = n, .k = k, .place = row.place};
    for (std::size_t i = GemmColumns.size() + 1; i < row.cells.size(); ++i) {
        if (row.cells[i].empty()) continue;
        if (row.cells[i].find(':') != std::string::npos)
            expect_dense(row.cells[i], row.place);
        else
            matmul.times = count_of(row.cells[i], row.place, "batch");
    }
    return matmul;
}

// Returns the positions of a filter in one direction; SCALE-Sim counts a last one that is not whole.
std::uint64_t positions(std::uint64_t size, std::uint64_t filter, std::uint64_t stride, const Row& row) {
    if (filter > size)
        throw Error(fmt::format("{}: found a filter of {} for an input of {}, expected one that fits",
                                row.place, filter, size));
    return (size - filter + stride + stride - 1) / stride;
}

// Columns after the stride: that of the other direction, or a sparsity.
Matmul convolution_of(const Row& row) {
    const auto [height, width, rows, columns, channels, filters, stride] =
        numbers_of(row, ConvolutionColumns);
    std::uint64_t stride_across = stride;
    for (std::size_t i = ConvolutionColumns.size() + 1; i < row.cells.size(); ++i) {
        if (row.cells[i].empty()) continue;
        if (row.cells[i].find(':') != std::string::npos)
            expect_dense(row.cells[i], row.place);
        else
            stride_across = count_of(row.cells[i], row.place, "stride");
    }
    const bool by_depth = row.cells[0].find("DP") != std::string::npos;
    return {
        .label = row.cells[0],
        .m = product({positions(height, rows, stride, row), positions(width, columns, stride_across, row)}),
        .n = filters,
        .k = product({rows, columns, by_depth ? 1 : channels}),
        .times = by_depth ? channels : 1,
        .place = row.place};
}

}  // namespace

std::vector<Matmul> read_scale_sim(const std::filesystem::path& file) {
    const std::vector<Row> rows = read_table(file);
    if (rows.size() < 2)
        throw Error(fmt::format("{}: found no layer, expected a heading and layers", file.string()));
    const std::vector<std::string>& heading = rows.front().cells;
    const bool gemm = heading.size() > 3 && lower(heading[1]) == "m" && lower(heading[2]) == "n" &&
                      lower(heading[3]) == "k";
    const bool convolution = heading.size() > 1 && lower(heading[1]).find("ifmap") == 0;
    if (!gemm && !convolution)
        throw Error(
            fmt::format("{}: found no heading of SCALE-Sim, expected 'Layer, M, N, K' or 'Layer name, "
                        "IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, "
                        "Strides'",
                        rows.front().place));
    std::vector<Matmul> matmuls;
    for (std::size_t i = 1; i < rows.size(); ++i)
        matmuls.push_back(gemm ? gemm_of(rows[i]) : convolution_of(rows[i]));
    return matmuls;
}

}  // namespace trnsim::importers
