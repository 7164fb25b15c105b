#include "tools/nccom/command.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "base/files/files.hpp"
#include "model/processes/run.hpp"
#include "tools/nccom/processes.hpp"
#include "tools/nccom/read_arguments.hpp"
#include "tools/nccom/report.hpp"
#include "tools/nccom/test.hpp"

namespace trnsim::nccom {
namespace {

using Json = nlohmann::ordered_json;

// Returns e.g. {"sizes": [{"bytes": 8, ...}]}.
std::string statistics_json(const std::vector<Row>& rows) {
    Json sizes = Json::array();
    for (const Row& row : rows) {
        Json size{{"bytes", row.bytes}, {"algorithm", row.algorithm}};
        size.update(Json::parse(row.statistics));
        sizes.push_back(std::move(size));
    }
    return Json{{"sizes", std::move(sizes)}}.dump(2) + "\n";
}

}  // namespace

Summary run(const Arguments& arguments, std::ostream& reported, const Watch& watch) {
    Processes processes(arguments.processes, watch.goes_on);
    Test test = test_of(arguments, processes.count());
    const Columns columns{arguments.type,
                          test.operation,
                          members(test),
                          arguments.show_sizes,
                          arguments.show_algorithm,
                          arguments.show_network,
                          parse_statistics(arguments.statistics)};
    const std::vector<std::uint64_t> sizes = sizes_of(arguments);
    check_sizes(test, sizes);
    check_files(arguments, sizes.size());
    std::ostream nowhere(nullptr);
    std::ostream& out = Processes::reports() ? reported : nowhere;
    const auto progress = Processes::reports() ? watch.progress : nullptr;
    const bool writes = Processes::reports() && !arguments.report.empty();
    if (writes) files::check_writable(arguments.report);
    const bool counts = Processes::reports() && test.statistics;
    if (counts) files::check_writable(arguments.server_statistics);
    std::optional<waves::ServerRecordingOutputs> recorded;
    if (Processes::reports()) test.recording = recorded.emplace(arguments.trace, arguments.wave).files();
    processes.begin(test);
    out << header_line(columns) << '\n' << std::flush;
    std::vector<Row> rows;
    rows.reserve(sizes.size());
    Summary summary{.sizes = sizes.size()};
    try {
        for (const std::uint64_t bytes : sizes) {
            if (progress)
                progress(fmt::format("size {} of {}: {} bytes", rows.size() + 1, sizes.size(), bytes));
            rows.push_back(processes.measure(test, bytes));
            summary.errors += rows.back().errors;
            summary.there = rows.size();
            if (progress) progress("");
            out << line(rows.back(), columns) << '\n' << std::flush;
        }
    } catch (const tlm::processes::Stopped&) {
        if (progress) progress("");
    }
    if (rows.empty()) return summary;
    out << last_line(rows, columns) << "\n";
    if (writes) files::write(arguments.report, json(rows, columns));
    if (counts) files::write(arguments.server_statistics, statistics_json(rows));
    if (recorded) recorded->commit();
    return summary;
}

}  // namespace trnsim::nccom
