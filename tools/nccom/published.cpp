#include "tools/nccom/published.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string_view>

#include "model/processes/mpi.hpp"
#include "model/processes/run.hpp"
#include "tools/nccom/processes.hpp"
#include "tools/nccom/read_arguments.hpp"

namespace trnsim::nccom {
namespace {

using collectives::Platform;
using collectives::PublishedPoint;

constexpr std::array<std::string_view, 9> Options{"operation",  "--published", "--maxbytes",
                                                  "--datatype", "--config",    "--set",
                                                  "--cut",      "--processes", "--non-interactive"};

void check_options(const Arguments& arguments, const std::vector<std::string>& given) {
    if (arguments.operation != "allr")
        throw std::runtime_error(fmt::format("--published {}: expected allr", arguments.operation));
    for (const std::string& option : given) {
        if (std::ranges::find(Options, option) == Options.end())
            throw std::runtime_error(
                fmt::format("--published {}: expected one of {}", option, fmt::join(Options, " ")));
    }
    if (tlm::processes::mpi_processes() != 1)
        throw std::runtime_error("--published: found mpirun, expected --processes");
}

const Platform& platform_of(const PublishedPoint& point) {
    return *std::ranges::find(collectives::Platforms, point.platform, &Platform::name);
}

std::vector<double> errors_of(const std::vector<Compared>& points) {
    std::vector<double> errors;
    for (const Compared& one : points) {
        if (counts(*one.point)) errors.push_back(std::fabs(one.error()));
    }
    std::ranges::sort(errors);
    return errors;
}

std::string size_text(std::uint64_t bytes) {
    constexpr std::array Units{std::pair(collectives::GiB, "GiB"), std::pair(collectives::MiB, "MiB"),
                               std::pair(collectives::KiB, "KiB")};
    const auto* const unit =
        std::ranges::find_if(Units, [bytes](const auto& one) { return bytes % one.first == 0; });
    return unit == Units.end() ? fmt::format("{} B", bytes)
                               : fmt::format("{} {}", bytes / unit->first, unit->second);
}

std::string time_text(double microseconds) {
    const int places = microseconds < 10 ? 2 : microseconds < 1000 ? 1 : 0;
    return fmt::format("{:.{}f}", microseconds, places);
}

}  // namespace

bool counts(const PublishedPoint& point) {
    return point.bytes >= collectives::MiB && !point.contradicted;
}

double Comparison::median() const {
    const std::vector<double> errors = errors_of(points);
    if (errors.empty()) return 0;
    return (errors[errors.size() / 2] + errors[(errors.size() - 1) / 2]) / 2;
}

double Comparison::worst() const {
    const std::vector<double> errors = errors_of(points);
    return errors.empty() ? 0 : errors.back();
}

std::string published_header() {
    return "| platform | ranks | size | algorithm | floor, us | measured, us | simulated, us | error |\n"
           "|---|---|---|---|---|---|---|---|";
}

std::string published_line(const Compared& one) {
    const PublishedPoint& point = *one.point;
    return fmt::format("| {} | {} | {} | {} | {:.0f} | {} | {} | {:+.1f} %{} |", point.platform, point.ranks,
                       size_text(point.bytes), one.algorithm, platform_of(point).floor,
                       time_text(point.microseconds), time_text(one.microseconds), 100 * one.error(),
                       counts(point) ? "" : ", not counted");
}

std::string published_last_line(const Comparison& all) {
    return fmt::format(
        "{} points count: median error {:.1f} % (expected at most {:.0f} %), worst {:.1f} % "
        "(expected at most {:.0f} %)",
        errors_of(all.points).size(), 100 * all.median(), 100 * PublishedMedian, 100 * all.worst(),
        100 * PublishedWorst);
}

Comparison compare_with_published(const Arguments& arguments, const std::vector<std::string>& given,
                                  std::ostream& out, const Watch& watch) {
    check_options(arguments, given);
    Arguments one = arguments;
    const std::uint64_t most = largest_size_of(one);
    Processes processes(arguments.processes, watch.goes_on);
    std::vector<const PublishedPoint*> points;
    for (const PublishedPoint& point : collectives::PublishedPoints) {
        if (platform_of(point).servers == 1 && point.bytes <= most) points.push_back(&point);
    }
    Comparison all;
    for (const PublishedPoint* point : points) {
        one.ranks = point->ranks;
        one.algorithm = point->algorithm ? name(*point->algorithm) : "";
        const Test test = test_of(one, processes.count());
        check_sizes(test, {point->bytes});
        if (all.points.empty()) out << published_header() << '\n' << std::flush;
        if (watch.progress)
            watch.progress(fmt::format("point {} of {}: {} ranks, {}", all.points.size() + 1, points.size(),
                                       point->ranks, size_text(point->bytes)));
        try {
            const Row row = processes.measure(test, point->bytes);
            all.points.push_back({point, row.algorithm, platform_of(*point).floor + 1e6 * row.seconds[0]});
        } catch (const tlm::processes::Stopped&) {
            all.complete = false;
        }
        if (watch.progress) watch.progress("");
        if (!all.complete) break;
        out << published_line(all.points.back()) << '\n' << std::flush;
    }
    out << published_last_line(all) << '\n';
    return all;
}

}  // namespace trnsim::nccom
