#include "tools/nccom/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>

#include "compiler/collectives/choice.hpp"

namespace trnsim::nccom {
namespace {

constexpr double GiB = 1024.0 * 1024.0 * 1024.0, Micro = 1e-6;
constexpr int Width = 16;

double mean(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::string time_title(const std::string& statistic) {
    return fmt::format("time:{}(us)", statistic);
}

std::string cell(const std::string& text) {
    return fmt::format("{:>{}}", text, Width);
}
std::string number(double value, int decimals) {
    return cell(fmt::format("{:.{}f}", value, decimals));
}

}  // namespace

double statistic(const std::string& name, std::vector<double> values) {
    if (name == "avg") return mean(values);
    if (name == "min") return *std::ranges::min_element(values);
    if (name == "max") return *std::ranges::max_element(values);
    unsigned percent = 0;
    const char* const end = name.data() + name.size();
    if (name.starts_with('p') && std::from_chars(name.data() + 1, end, percent).ptr == end && percent >= 1 &&
        percent <= 100) {
        std::ranges::sort(values);
        const double rank = std::ceil(percent / 100.0 * static_cast<double>(values.size()));
        return values[static_cast<std::size_t>(rank) - 1];
    }
    throw std::invalid_argument(fmt::format("statistic '{}', expected avg, min, max or p1 to p100", name));
}

double algorithm_bandwidth(const Row& row) {
    return static_cast<double>(row.bytes) / mean(row.seconds);
}

double bus_bandwidth(const Row& row, const Columns& columns) {
    return algorithm_bandwidth(row) * collectives::bus_factor(columns.operation, columns.members);
}

std::string header_line(const Columns& columns) {
    std::string text = cell("size(B)") + cell("count(elems)") + cell("type");
    if (columns.sizes) text += cell("input(B)") + cell("output(B)");
    if (columns.algorithm) text += fmt::format("{:>{}}", "algorithm", Width + 4);
    if (columns.statistics.empty()) text += cell("time(us)");
    for (const std::string& name : columns.statistics) text += cell(time_title(name));
    text += cell("algbw(GB/s)") + cell("busbw(GB/s)");
    if (columns.network)
        text += cell("within(us)") + cell("network(us)") + cell("slowdown") + cell("busiest");
    return text;
}

std::string line(const Row& row, const Columns& columns) {
    std::string text =
        cell(std::to_string(row.bytes)) + cell(std::to_string(row.elements)) + cell(columns.type);
    if (columns.sizes) text += cell(std::to_string(row.input_bytes)) + cell(std::to_string(row.output_bytes));
    if (columns.algorithm) text += fmt::format("{:>{}}", row.algorithm, Width + 4);
    if (columns.statistics.empty()) text += number(mean(row.seconds) / Micro, 2);
    for (const std::string& name : columns.statistics)
        text += number(statistic(name, row.seconds) / Micro, 2);
    text += number(algorithm_bandwidth(row) / GiB, 4) + number(bus_bandwidth(row, columns) / GiB, 4);
    if (columns.network) {
        text += number((mean(row.seconds) - row.network.seconds) / Micro, 2) +
                number(row.network.seconds / Micro, 2) + number(row.network.slowdown, 3) +
                cell(fmt::format("{} {:.0f}%", row.network.busiest, 100 * row.network.busy));
    }
    return text;
}

std::string last_line(const std::vector<Row>& rows, const Columns& columns) {
    std::vector<double> all;
    all.reserve(rows.size());
    for (const Row& row : rows) all.push_back(bus_bandwidth(row, columns) / GiB);
    return fmt::format("Avg bus bandwidth:   {:.4f} GB/s", mean(all));
}

std::string json(const std::vector<Row>& rows, const Columns& columns) {
    nlohmann::ordered_json results = nlohmann::ordered_json::array();
    const std::vector<std::string> names =
        columns.statistics.empty() ? std::vector<std::string>{"avg"} : columns.statistics;
    for (const Row& row : rows) {
        nlohmann::ordered_json one{
            {"size(B)", row.bytes}, {"count(elems)", row.elements}, {"type", columns.type}};
        if (columns.sizes) {
            one["input(B)"] = row.input_bytes;
            one["output(B)"] = row.output_bytes;
        }
        if (columns.algorithm) one["algorithm"] = row.algorithm;
        one["algbw(GB/s)"] = algorithm_bandwidth(row) / GiB;
        one["busbw(GB/s)"] = bus_bandwidth(row, columns) / GiB;
        for (const std::string& name : names) one[time_title(name)] = statistic(name, row.seconds) / Micro;
        if (columns.network) {
            one["within(us)"] = (mean(row.seconds) - row.network.seconds) / Micro;
            one["network(us)"] = row.network.seconds / Micro;
            one["slowdown"] = row.network.slowdown;
            one["busiest"] = row.network.busiest;
            one["busy(%)"] = 100 * row.network.busy;
        }
        results.push_back(std::move(one));
    }
    return nlohmann::ordered_json{{"results", std::move(results)}}.dump(2) + "\n";
}

}  // namespace trnsim::nccom
