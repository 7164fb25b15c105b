// What a simulated server did, kept for files that show it.
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

    // For the server; null: nothing is to be kept.
    tlm::trace::Sink* sink();
    // Before anything runs.
    void begin(tlm::LinkedServer& server);
    // A collective from its start on, fs.
    void execution(std::string_view name, tlm::Time start, tlm::Time time);
    // What cores execute. The packages must outlive the recording.
    void kernels(std::vector<runtime::CoreKernel> kernels) { kernels_ = std::move(kernels); }
    // When all has run. All processes of the server call it, the first one writes. Throws std::runtime_error for a file
    // that cannot be written.
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

// Executes a model of a session with cores of a server and writes the files, of an execution that goes wrong as well.
runtime::Results execute(runtime::Session& session, runtime::ModelId model,
                         std::span<const runtime::Arrays> inputs, runtime::Run run,
                         const ServerRecordingFiles& files);

// The files of --trace and --wave, which appear when all has run.
class ServerRecordingOutputs {
  public:
    // Empty: none. Throws files::Error for one that cannot be written or has two uses, std::runtime_error for waves
    // whose name does not end in .fst.
    ServerRecordingOutputs(const std::string& trace, const std::string& wave);

    // Where a ServerRecording writes them.
    ServerRecordingFiles files() const;
    // The waves get a view of the links beside them.
    void commit();

  private:
    std::string wave_path_;
    std::optional<files::ForeignFile> trace_, wave_;
};

}  // namespace trnsim::waves
