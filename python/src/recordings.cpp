#include "python/src/recordings.hpp"

#include <fmt/format.h>

#include <list>
#include <memory>
#include <tuple>

#include "base/files/files.hpp"
#include "base/files/roles.hpp"
#include "runtime/session/relay.hpp"
#include "runtime/session/trace_writer.hpp"
#include "runtime/waves/outputs.hpp"
#include "runtime/waves/recorder.hpp"
#include "runtime/waves/server_recording.hpp"

namespace trnsim::python {
namespace {

std::string of_rank(std::string path, std::uint32_t rank) {
    constexpr std::string_view Mark = "{rank}";
    for (std::size_t at = 0; (at = path.find(Mark, at)) != std::string::npos;)
        path.replace(at, Mark.size(), std::to_string(rank));
    return path;
}

// No file is written twice.
void check_files(const RecordingOptions& options, bool of_links, std::uint32_t ranks) {
    files::Roles roles;
    if (options.trace) roles.add_output("trace", *options.trace);
    for (std::uint32_t rank = 0; options.notifications && rank < ranks; ++rank)
        roles.add_output("notifications", of_rank(*options.notifications, rank));
    if (!options.wave) return;
    waves::check_name("wave", *options.wave);
    roles.add_output("wave", *options.wave);
    if (of_links)
        waves::add_beside_server(roles, "wave", *options.wave);
    else
        waves::add_beside_core(roles, "wave", *options.wave, options.wave_scopes);
}

runtime::WaveRequest request_of(const RecordingOptions& options) {
    runtime::WaveRequest request{*options.wave, options.wave_scopes};
    if (options.wave_cycles) {
        std::tie(request.first_cycle, request.last_cycle) = *options.wave_cycles;
        request.from_start = true;
    }
    request.rank = options.wave_rank.value_or(0);
    return request;
}

// The notification queues' files.
class Notifications {
  public:
    Notifications(const RecordingOptions& options, std::uint32_t ranks) {
        for (std::uint32_t rank = 0; options.notifications && rank < ranks; ++rank) {
            files_.push_back(std::make_unique<files::OutputFile>(of_rank(*options.notifications, rank)));
            logs_.push_back(std::make_unique<runtime::NotificationLog>(files_.back()->stream()));
        }
    }
    std::vector<runtime::NotificationLog*> logs() const {
        std::vector<runtime::NotificationLog*> logs;
        for (const auto& log : logs_) logs.push_back(log.get());
        return logs;
    }
    void commit() {
        for (const auto& file : files_) file->commit();
    }

  private:
    std::vector<std::unique_ptr<files::OutputFile>> files_;
    std::vector<std::unique_ptr<runtime::NotificationLog>> logs_;
};

}  // namespace

runtime::Results record(runtime::Session& session, runtime::ModelId model,
                        const std::vector<runtime::Inputs>& inputs, runtime::Run run,
                        const RecordingOptions& options, bool is_server, const bool& interrupted) {
    const bool of_links = is_server && !options.wave_rank;
    if (options.wave_rank && *options.wave_rank >= session.ranks())
        throw runtime::Error(
            fmt::format("wave_rank {}: expected one below {}", *options.wave_rank, session.ranks()));
    check_files(options, of_links, session.ranks());
    Notifications notifications(options, session.ranks());
    run.notifications = notifications.logs();
    std::optional<waves::Recorder> wave;
    if (options.wave && !of_links) {
        const runtime::WaveRequest request = request_of(options);
        wave.emplace(request, session.package(model, request.rank), session.core(request.rank));
        run.wave = wave->request();
        run.listener = wave->listener();
    }
    const auto commit = [&](const runtime::Results& results) {
        if (interrupted) return;
        notifications.commit();
        if (wave) wave->commit("", waves::run_of(results.of(run.wave->rank), session.config()));
    };
    if (is_server) {
        waves::ServerRecordingOutputs outputs(options.trace.value_or(""),
                                              of_links ? options.wave.value_or("") : "");
        runtime::Results results = waves::execute(session, model, inputs, run, outputs.files());
        if (!interrupted) outputs.commit();
        commit(results);
        return results;
    }
    std::optional<files::OutputFile> trace_file;
    std::optional<runtime::TraceWriter> trace;
    if (options.trace) run.trace = &trace.emplace(trace_file.emplace(*options.trace).stream());
    runtime::Results results = session.execute_ranks(model, inputs, run);
    if (trace && !interrupted) {
        trace->finish();
        trace_file->commit();
    }
    commit(results);
    return results;
}

}  // namespace trnsim::python
