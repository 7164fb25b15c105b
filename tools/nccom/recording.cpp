#include "tools/nccom/recording.hpp"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>
#include <utility>

#include "lib/runtime/server_timeline.hpp"
#include "lib/runtime/trace_writer.hpp"

namespace trnsim::nccom {
namespace {

void report_dram(tlm::LinkedServer& server, bool on) {
    for (unsigned chip = 0; chip < server.description().chips(); ++chip) {
        if (server.here(chip)) server.server().chip(chip).report_dram(on);
    }
}

}  // namespace

Recording::Recording(std::string trace) : trace_(std::move(trace)) {}

void Recording::begin(tlm::LinkedServer& server) {
    if (sink() != nullptr) report_dram(server, true);
}

void Recording::execution(std::string_view name, tlm::Time start, tlm::Time time) {
    executions_.push_back({std::string(name), start, start + time});
}

void Recording::write(tlm::LinkedServer& server) {
    if (sink() == nullptr) return;
    report_dram(server, false);
    const std::vector<std::string> parts = server.gather(log_.bytes());
    if (parts.empty()) return;
    runtime::ServerLog log;
    for (const std::string& part : parts) log.add(part);
    std::ofstream stream(trace_);
    runtime::TraceWriter writer(stream);
    const auto track = writer.add_track(server.description().name, "collective");
    for (const Execution& one : executions_) writer.slice(track, one.name, one.start, one.end, {});
    runtime::lay_out(log, server.network().topology(), writer);
    writer.finish();
    stream.close();
    if (!stream) throw std::runtime_error("--trace: the file cannot be written, expected room for it");
}

}  // namespace trnsim::nccom
