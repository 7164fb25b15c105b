// `trnsim demo`: real digits through a two-layer network on the RTL core, checked against the host.
#pragma once

#include <filesystem>
#include <ostream>
#include <string>

namespace trnsim::demo {

struct Options {
    std::string config = "trn1";
    std::filesystem::path directory = "out";  // made if missing
    std::size_t hidden = 1024;                // units of the hidden layer
    bool wave = true;                         // demo.fst with a window of cycles
};

// Fits the network, runs the mlp kernel for all digits on the machine of `options.config`, writes demo.fst
// and demo-trace.json into the directory and a summary to `out`. Returns 0 when the core's outputs equal the
// host's bit for bit and the accuracy on held-out digits is at least 90 %, else 1. Throws std::runtime_error
// (config, runtime, files or demo Error) if it cannot start.
int run_demo(const Options& options, std::ostream& out);

}  // namespace trnsim::demo
