// `run --check`: the outputs of a run beside the interpreter's.
#pragma once

#include <string>

#include "lib/runtime/runner.hpp"
#include "testbench/trial/trial.hpp"

namespace trnsim::cli {

class GoldenCheck {
  public:
    // Interprets the kernel with its inputs under several orders, among them a random one by `seed`. Throws
    // functional::Error for a race, an unwritten byte read, a deadlock and what the interpreter does not
    // know.
    GoldenCheck(const neff::Package& package, const config::Config& config, const runtime::Prepared& prepared,
                std::uint64_t seed);

    // What is wrong with the outputs, a line each; empty when every bit is right.
    std::vector<std::string> problems(const runtime::Arrays& outputs) const;

    // A row of the summary.
    std::string text() const;

  private:
    const neff::Package& package_;
    std::vector<std::uint64_t> orders_;
    trial::Contents expected_;
};

}  // namespace trnsim::cli
