#include "tools/nccom/processes.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "model/processes/agreement.hpp"
#include "model/processes/run.hpp"
#include "model/processes/run_here.hpp"
#include "runtime/communicator/error.hpp"
#include "tools/nccom/facts.hpp"
#include "tools/nccom/servers_test.hpp"

namespace trnsim::nccom {
namespace {

using Json = nlohmann::ordered_json;

// Throws tlm::processes::Failure for a collective that has not completed.
Row measured(const Test& test, std::uint64_t bytes, tlm::processes::Exchange& exchange) {
    try {
        return test.servers > 1 ? measure_servers(test, bytes, &exchange)
                                : nccom::measure(test, bytes, &exchange);
    } catch (const communicator::Failure& failure) {
        throw tlm::processes::Failure(
            fmt::format("status {}: {}", static_cast<int>(failure.status), failure.what()));
    } catch (const tlm::SimulationError& error) {
        throw tlm::processes::Failure(error.what());
    }
}

}  // namespace

Processes::Processes(std::uint32_t count, std::function<bool()> goes_on)
    : count_(count), goes_on_(std::move(goes_on)) {
    const unsigned started = tlm::processes::mpi_processes();
    if (started == 1) return;
    if (count != 1 && count != started)
        throw std::runtime_error(fmt::format(
            "--processes {}: expected {}, which mpirun has started, or no --processes", count, started));
    count_ = started;
}

void Processes::begin(const Test& test) {
    if (tlm::processes::mpi_processes() == 1) return;
    mpi_.emplace();
    tlm::processes::expect_same(mpi_->exchange(), facts_of(test));
}

std::string Processes::run(const std::function<std::string(tlm::processes::Exchange&)>& work) {
    return mpi_ ? tlm::processes::run_here(mpi_->exchange(), work)
                : tlm::processes::run(count_, work, goes_on_);
}

Row Processes::measure(const Test& test, std::uint64_t bytes) {
    const std::string text = run([&](tlm::processes::Exchange& exchange) {
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

}  // namespace trnsim::nccom
