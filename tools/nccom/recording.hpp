// What a simulated server did, kept for files that show it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/runtime/relay.hpp"
#include "lib/runtime/server_log.hpp"
#include "lib/waves/server_waves.hpp"
#include "tlm/system/linked_server.hpp"

namespace trnsim::nccom {

// Files to write; empty: none.
struct RecordingFiles {
    std::string trace{}, wave{};
};

class Recording {
  public:
    explicit Recording(RecordingFiles files);

    // For the server; null: nothing is to be kept.
    tlm::trace::Sink* sink();
    // Before anything runs.
    void begin(tlm::LinkedServer& server);
    // A collective from its start on, fs.
    void execution(std::string_view name, tlm::Time start, tlm::Time time);
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

    RecordingFiles files_;
    runtime::ServerLog log_;
    waves::ServerWaves waves_;
    runtime::Relay relay_;
    std::vector<Execution> executions_;
};

}  // namespace trnsim::nccom
