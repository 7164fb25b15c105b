#include "tools/nccom/recording.hpp"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>
#include <utility>

#include "lib/runtime/server_timeline.hpp"
#include "lib/runtime/trace_writer.hpp"
#include "lib/waves/add_signals.hpp"

namespace trnsim::nccom {
namespace {

void report_dram(tlm::LinkedServer& server, bool on) {
    for (unsigned chip = 0; chip < server.description().chips(); ++chip) {
        if (server.here(chip)) server.server().chip(chip).report_dram(on);
    }
}

// What all processes have kept, in the first of them.
template <typename Log>
std::vector<Log> gathered(tlm::LinkedServer& server, Log& own) {
    std::vector<Log> all;
    const std::string bytes = std::exchange(own, {}).bytes();
    for (const std::string& part : server.gather(bytes)) {
        if (all.empty()) all.emplace_back();
        all.front().add(part);
    }
    return all;
}

}  // namespace

Recording::Recording(RecordingFiles files) : files_(std::move(files)) {
    relay_.attach(traces() ? &log_ : nullptr, records() ? &waves_ : nullptr);
}

tlm::trace::Sink* Recording::sink() {
    return traces() || records() ? &relay_ : nullptr;
}

void Recording::begin(tlm::LinkedServer& server) {
    if (sink() != nullptr) report_dram(server, true);
}

void Recording::execution(std::string_view name, tlm::Time start, tlm::Time time) {
    executions_.push_back({std::string(name), start, start + time});
}

void Recording::write(tlm::LinkedServer& server) {
    if (sink() != nullptr) report_dram(server, false);
    if (traces()) write_trace(server);
    if (records()) write_waves(server);
}

void Recording::write_trace(tlm::LinkedServer& server) {
    for (const runtime::ServerLog& log : gathered(server, log_)) {
        std::ofstream stream(files_.trace);
        runtime::TraceWriter writer(stream);
        const auto track = writer.add_track(server.description().name, "collective");
        for (const Execution& one : executions_) writer.slice(track, one.name, one.start, one.end, {});
        runtime::lay_out(log, server.network().topology(), writer);
        writer.finish();
        stream.close();
        if (!stream) throw std::runtime_error("--trace: the file cannot be written, expected room for it");
    }
}

void Recording::write_waves(tlm::LinkedServer& server) {
    for (const waves::ServerWaves& all : gathered(server, waves_)) {
        const std::vector<waves::Scope> scopes = all.scopes(server.network().topology());
        const std::string why = waves::write_signals(files_.wave, scopes);
        if (!why.empty()) throw std::runtime_error("--wave: the file cannot be written: " + why);
    }
}

}  // namespace trnsim::nccom
