// Runs the command line in its own directory, on a machine without time.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/temporary_directory.hpp"
#include "runtime/session/chip_machine.hpp"
#include "runtime/session/fake_machine.hpp"

namespace trnsim::test {

struct Session {
    TemporaryDirectory directory;
    bool terminal = false;
    std::function<void(FakeMachine&)> prepare;         // called for every machine
    std::string out, err;                              // output of the last call
    std::optional<runtime::WaveRequest> wave_request;  // the last machine's
    unsigned threads = 0;                              // the last machine's

    std::string obstacle;  // a reason for which the viewer cannot open
    std::filesystem::path viewer_folder;
    std::vector<std::string> viewer, again;  // arguments of the viewer, and of the last re-run

    // Returns the exit code.
    int operator()(const std::vector<std::string>& arguments);
    std::string path(const std::string& name) const { return (directory / name).string(); }

    // Returns the arguments of a valid run: the sample kernel, its input and its expected output are in files
    // of the directory.
    std::vector<std::string> sample_run();
};

}  // namespace trnsim::test

namespace trnsim::cli {

using Arguments = std::vector<std::string>;

inline Arguments operator+(Arguments a, const Arguments& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

class RoundingEnvironment {
  public:
    RoundingEnvironment(const char* enable, const char* seed) {
        ::setenv("NEURON_RT_STOCHASTIC_ROUNDING_EN", enable, 1);
        ::setenv("NEURON_RT_STOCHASTIC_ROUNDING_SEED", seed, 1);
    }
    ~RoundingEnvironment() {
        ::unsetenv("NEURON_RT_STOCHASTIC_ROUNDING_EN");
        ::unsetenv("NEURON_RT_STOCHASTIC_ROUNDING_SEED");
    }
};

}  // namespace trnsim::cli
