// What a simulated server did, kept for files that show it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/runtime/server_log.hpp"
#include "tlm/system/linked_server.hpp"

namespace trnsim::nccom {

class Recording {
  public:
    // `trace`: the file to write, empty for none.
    explicit Recording(std::string trace);

    // For the server; null: nothing is to be kept.
    tlm::trace::Sink* sink() { return trace_.empty() ? nullptr : &log_; }
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

    std::string trace_;
    runtime::ServerLog log_;
    std::vector<Execution> executions_;
};

}  // namespace trnsim::nccom
