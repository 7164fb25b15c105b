#include "tools/nccom/command.hpp"

#include <fmt/format.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/files/files.hpp"
#include "model/processes/agreement.hpp"
#include "model/processes/mpi.hpp"
#include "model/processes/run.hpp"
#include "model/processes/run_here.hpp"
#include "runtime/communicator/error.hpp"
#include "tools/nccom/facts.hpp"
#include "tools/nccom/read_arguments.hpp"
#include "tools/nccom/report.hpp"
#include "tools/nccom/servers_test.hpp"
#include "tools/nccom/test.hpp"

namespace trnsim::nccom {
namespace {

using Json = nlohmann::ordered_json;

// The processes that simulate: forked here for each size, or all that mpirun has started.
class Processes {
  public:
    Processes(std::uint32_t count, std::function<bool()> goes_on)
        : count_(count), goes_on_(std::move(goes_on)) {
        const unsigned started = tlm::processes::mpi_processes();
        if (started == 1) return;
        if (count != 1 && count != started)
            throw std::runtime_error(fmt::format(
                "--processes {}: expected {}, which mpirun has started, or no --processes", count, started));
        count_ = started;
    }

    unsigned count() const { return count_; }
    // Call when all other checks have passed: from then on the other processes wait for this one. Throws when
    // they have been given another test.
    void begin(const Test& test) {
        if (tlm::processes::mpi_processes() == 1) return;
        mpi_.emplace();
        tlm::processes::expect_same(mpi_->exchange(), facts_of(test));
    }
    // Returns whether this process reports the results of all.
    static bool reports() { return tlm::processes::mpi_rank() == 0; }

    std::string run(const std::function<std::string(tlm::processes::Exchange&)>& work) {
        return mpi_ ? tlm::processes::run_here(mpi_->exchange(), work)
                    : tlm::processes::run(count_, work, goes_on_);
    }

  private:
    unsigned count_;
    std::function<bool()> goes_on_;
    std::optional<tlm::processes::Mpi> mpi_{};
};

// Throws tlm::processes::Failure for a collective that has not completed.
Row measured(const Test& test, std::uint64_t bytes, tlm::processes::Exchange& exchange) {
    try {
        return test.servers > 1 ? measure_servers(test, bytes, &exchange) : measure(test, bytes, &exchange);
    } catch (const communicator::Failure& failure) {
        throw tlm::processes::Failure(
            fmt::format("status {}: {}", static_cast<int>(failure.status), failure.what()));
    } catch (const tlm::SimulationError& error) {
        throw tlm::processes::Failure(error.what());
    }
}

// Measures in new processes, at least one: SystemC cannot be restarted.
Row measure_apart(const Test& test, std::uint64_t bytes, Processes& processes) {
    const std::string text = processes.run([&](tlm::processes::Exchange& exchange) {
        const Row row = measured(test, bytes, exchange);
        const NetworkPart& network = row.network;
        return Json{
            {"bytes", row.bytes},         {"elements", row.elements},   {"input", row.input_bytes},
            {"output", row.output_bytes}, {"algorithm", row.algorithm}, {"seconds", row.seconds},
            {"errors", row.errors},       {"between", network.seconds}, {"slowdown", network.slowdown},
            {"busiest", network.busiest}, {"busy", network.busy},       {"statistics", row.statistics}}
            .dump();
    });
    const Json json = Json::parse(text);
    return {
        json.at("bytes"),     json.at("elements"),
        json.at("input"),     json.at("output"),
        json.at("algorithm"), json.at("seconds"),
        json.at("errors"),    {json.at("between"), json.at("slowdown"), json.at("busiest"), json.at("busy")},
        json.at("statistics")};
}

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
            rows.push_back(measure_apart(test, bytes, processes));
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
