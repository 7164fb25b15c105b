#include "runtime/waves/server_recording.hpp"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>
#include <utility>

#include "runtime/session/trace_writer.hpp"
#include "runtime/waves/add_signals.hpp"
#include "runtime/waves/outputs.hpp"
#include "runtime/waves/view.hpp"

namespace trnsim::waves {
namespace {

void report_dram(tlm::LinkedServer& server, bool on) {
    for (unsigned chip = 0; chip < server.description().chips(); ++chip) {
        if (server.here(chip)) server.server().chip(chip).report_dram(on);
    }
}

// Returns the logs of all processes in the first of them.
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

ServerRecording::ServerRecording(ServerRecordingFiles files) : files_(std::move(files)) {
    relay_.attach(traces() ? &log_ : nullptr, records() ? &waves_ : nullptr);
}

tlm::trace::Sink* ServerRecording::sink() {
    return traces() || records() ? &relay_ : nullptr;
}

void ServerRecording::begin(tlm::LinkedServer& server) {
    if (sink() != nullptr) report_dram(server, true);
}

void ServerRecording::execution(std::string_view name, tlm::Time start, tlm::Time time) {
    executions_.push_back({std::string(name), start, start + time});
}

void ServerRecording::write(tlm::LinkedServer& server) {
    if (sink() != nullptr) report_dram(server, false);
    if (traces()) write_trace(server);
    if (records()) write_waves(server);
}

void ServerRecording::write_trace(tlm::LinkedServer& server) {
    for (runtime::ServerLog& log : gathered(server, log_)) {
        std::ofstream stream(files_.trace);
        runtime::TraceWriter writer(stream);
        if (!executions_.empty()) {
            const auto track = writer.add_track(server.description().name, "collective");
            for (const Execution& one : executions_) writer.slice(track, one.name, one.start, one.end, {});
        }
        runtime::lay_out_kernels(log, kernels_, writer);
        runtime::lay_out(log, server.network().topology(), writer);
        writer.finish();
        stream.close();
        if (!stream) throw std::runtime_error("--trace: the file cannot be written, expected room for it");
    }
}

void ServerRecording::write_waves(tlm::LinkedServer& server) {
    for (const ServerWaves& all : gathered(server, waves_)) {
        const std::vector<Scope> scopes = all.scopes(server.network().topology());
        const std::string why = write_signals(files_.wave, scopes);
        if (!why.empty()) throw std::runtime_error("--wave: the file cannot be written: " + why);
    }
}

namespace {

// `work` executes the run it gets.
template <typename Work>
runtime::Results recorded(runtime::Session& session, runtime::ModelId model, runtime::Run run,
                          const ServerRecordingFiles& files, Work work) {
    ServerRecording recording(files);
    runtime::Relay listeners;
    listeners.attach(recording.sink(), run.listener);
    run.listener = &listeners;
    recording.begin(session.linked_server());
    runtime::Results results = work(run);
    std::vector<runtime::CoreKernel> kernels;
    for (std::uint32_t rank = 0; rank < session.ranks(); ++rank)
        kernels.push_back({session.core(rank), &session.package(model, rank)});
    recording.kernels(std::move(kernels));
    recording.write(session.linked_server());
    return results;
}

}  // namespace

runtime::Results execute(runtime::Session& session, runtime::ModelId model,
                         std::span<const runtime::Inputs> inputs, runtime::Run run,
                         const ServerRecordingFiles& files) {
    return recorded(session, model, std::move(run), files, [&](const runtime::Run& with_listener) {
        return session.execute_ranks(model, inputs, with_listener);
    });
}

runtime::Results execute(runtime::Session& session, runtime::ModelId model,
                         std::span<const runtime::Contents> contents, runtime::Run run,
                         const ServerRecordingFiles& files) {
    return recorded(session, model, std::move(run), files, [&](const runtime::Run& with_listener) {
        return session.execute_ranks(model, contents, with_listener);
    });
}

ServerRecordingOutputs::ServerRecordingOutputs(const std::string& trace, const std::string& wave)
    : wave_path_(wave) {
    files::Roles roles;
    if (!trace.empty()) roles.add_output("trace", trace);
    if (!wave.empty()) {
        check_name("wave", wave);
        roles.add_output("wave", wave);
        add_beside_server(roles, "wave", wave);
    }
    if (!trace.empty()) trace_.emplace(trace);
    if (!wave.empty()) wave_.emplace(wave);
}

ServerRecordingFiles ServerRecordingOutputs::files() const {
    return {trace_ ? trace_->temporary() : "", wave_ ? wave_->temporary() : ""};
}

void ServerRecordingOutputs::commit() {
    if (trace_) trace_->commit();
    if (!wave_) return;
    wave_->commit();
    const Recording recording = read_recording(wave_path_);
    write_save_file(find_view(ServerView), recording, window_of_run(recording, {}));
}

}  // namespace trnsim::waves
