#include "tools/cli/run_recordings.hpp"

namespace trnsim::cli {

RunRecordings::RunRecordings(const RunRequest& request) : options_(request.options) {
    if (!options_.trace.empty()) trace_.emplace(trace_file_.emplace(options_.trace).stream());
    if (!options_.notifications.empty())
        notifications_.emplace(notification_file_.emplace(options_.notifications).stream());
    if (!options_.itrace.empty()) instructions_.emplace(options_.itrace, request.itrace_core);
    if (request.wave)
        wave_.emplace(*request.wave, request.package(), addresses::CoreId{}, request.config.core.clock);
}

std::vector<runtime::NotificationLog*> RunRecordings::notifications() {
    if (!notifications_) return {};
    return {&*notifications_};
}

std::optional<runtime::WaveRequest> RunRecordings::wave() const {
    return wave_ ? std::optional(wave_->request()) : std::nullopt;
}

void RunRecordings::commit_trace(const Wrote& wrote) {
    if (!trace_) return;
    trace_->finish();
    trace_file_->commit();
    wrote("trace", options_.trace);
}

void RunRecordings::commit_instructions(const Wrote& wrote) {
    if (!instructions_) return;
    instructions_->log.finish();
    instructions_->file.commit();
    wrote("instructions", options_.itrace);
}

void RunRecordings::commit_notifications(const Wrote& wrote) {
    if (!notifications_) return;
    notification_file_->commit();
    wrote("notifications", options_.notifications);
}

void RunRecordings::commit_wave(const std::string& failure, const waves::Run& run, const Wrote& wrote) {
    if (!wave_) return;
    const auto view = wave_->commit(failure, run);
    wrote("wave", options_.wave);
    wrote("view", view.string());
}

}  // namespace trnsim::cli
