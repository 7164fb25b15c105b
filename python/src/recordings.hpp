// Files that an execution writes: they appear when they are complete, also those of one that went wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/session/session.hpp"

namespace trnsim::python {

struct RecordingOptions {
    std::optional<std::string> trace, wave;
    std::vector<std::string> wave_scopes;
    std::optional<std::pair<std::uint64_t, std::uint64_t>> wave_cycles;
    std::optional<std::uint32_t>
        wave_rank;  // of a server: whose core the wave is of; none: of links, rings and HBM
    std::optional<std::string> notifications;  // {rank} stands for each rank's number
};

// Executes a model with what `run` says and writes the files, unless it was `interrupted`.
runtime::Results record(runtime::Session& session, runtime::ModelId model,
                        const std::vector<runtime::Inputs>& inputs, runtime::Run run,
                        const RecordingOptions& options, bool is_server, const bool& interrupted);

}  // namespace trnsim::python
