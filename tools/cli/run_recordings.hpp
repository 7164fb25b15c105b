// The files that a run of one core writes while it goes on: timeline, notifications, instructions of the
// GpSimd cores, waveform.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/files/files.hpp"
#include "runtime/session/commit_log.hpp"
#include "runtime/session/trace_writer.hpp"
#include "runtime/waves/recorder.hpp"
#include "tools/cli/run_request.hpp"

namespace trnsim::cli {

class RunRecordings {
  public:
    // Makes the files that are asked for; the request must outlive this object.
    explicit RunRecordings(const RunRequest& request);

    // A recording that is not asked for is null or empty.
    runtime::Tracks* trace() { return trace_ ? &*trace_ : nullptr; }
    std::vector<runtime::NotificationLog*> notifications();
    tlm::GpsimdObserver* instructions() { return instructions_ ? &instructions_->log : nullptr; }
    tlm::trace::Sink* listener() { return wave_ ? wave_->listener() : nullptr; }
    std::optional<runtime::WaveRequest> wave() const;

    // Called with the kind of a file and its path, once it has its name.
    using Wrote = std::function<void(const std::string& what, const std::string& path)>;
    void commit_trace(const Wrote& wrote);
    // Commits instructions that have not completed as well: the run may have failed.
    void commit_instructions(const Wrote& wrote);
    void commit_notifications(const Wrote& wrote);
    // `failure` is the text of Device::close_wave().
    void commit_wave(const std::string& failure, const waves::Run& run, const Wrote& wrote);

  private:
    struct Instructions {
        Instructions(const std::string& path, std::optional<unsigned> core)
            : file(path), log(file.stream(), core) {}
        files::OutputFile file;
        runtime::CommitLog log;
    };

    const RunOptions& options_;
    std::optional<files::OutputFile> trace_file_, notification_file_;
    std::optional<runtime::TraceWriter> trace_;
    std::optional<runtime::NotificationLog> notifications_;
    std::optional<Instructions> instructions_;
    std::optional<waves::Recorder> wave_;
};

}  // namespace trnsim::cli
