// The activity of a simulated server, kept for files that show it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/files.hpp"
#include "model/system/linked_server.hpp"
#include "runtime/session/relay.hpp"
#include "runtime/session/server_log.hpp"
#include "runtime/session/server_timeline.hpp"
#include "runtime/session/session.hpp"
#include "runtime/waves/server_waves.hpp"

namespace trnsim::waves {

// Files to write; empty: none.
struct ServerRecordingFiles {
    std::string trace{}, wave{};
};

class ServerRecording {
  public:
    explicit ServerRecording(ServerRecordingFiles files);

    // Returns the sink for the server; nullptr: nothing is kept.
    tlm::trace::Sink* sink();
    // Call it before anything runs.
    void begin(tlm::LinkedServer& server);
    // Adds a collective that begins at `start`, fs.
    void execution(std::string_view name, tlm::Time start, tlm::Time time);
    // Sets the kernels of the cores. The packages must outlive the recording.
    void kernels(std::vector<runtime::CoreKernel> kernels) { kernels_ = std::move(kernels); }
    // Call it at the end in all processes of the server; the first one writes. Throws std::runtime_error for
    // a file that cannot be written.
    void write(tlm::LinkedServer& server);

  private:
    struct Execution {
        std::string name;
        tlm::Time start, end;
    };

    bool traces() const { return !files_.trace.empty(); }
    bool records() const { return !files_.wave.empty(); }
    void write_trace(tlm::LinkedServer& server);
    void write_waves(tlm::LinkedServer& server);

    ServerRecordingFiles files_;
    runtime::ServerLog log_;
    ServerWaves waves_;
    runtime::Relay relay_;
    std::vector<Execution> executions_;
    std::vector<runtime::CoreKernel> kernels_;
};

// Executes a model of a session with cores of a server and writes the files, also for a failed execution.
runtime::Results execute(runtime::Session& session, runtime::ModelId model,
                         std::span<const runtime::Inputs> inputs, runtime::Run run,
                         const ServerRecordingFiles& files);
runtime::Results execute(runtime::Session& session, runtime::ModelId model,
                         std::span<const runtime::Contents> contents, runtime::Run run,
                         const ServerRecordingFiles& files);

// The files of --trace and --wave, which appear at the end of the run.
class ServerRecordingOutputs {
  public:
    // Empty names mean no file. Throws files::Error for one that cannot be written or has two uses,
    // std::runtime_error for waves whose name does not end in .fst.
    ServerRecordingOutputs(const std::string& trace, const std::string& wave);

    // Returns the names to which a ServerRecording writes.
    ServerRecordingFiles files() const;
    // Gives the files their names. The waves get a view of the links beside them.
    void commit();

  private:
    std::string wave_path_;
    std::optional<files::ForeignFile> trace_, wave_;
};

}  // namespace trnsim::waves
