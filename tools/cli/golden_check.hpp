// `run --check`: the outputs of a run beside the interpreter's.
#pragma once

#include <string>

#include "runtime/session/runner.hpp"
#include "testbench/trial/trial.hpp"

namespace trnsim::cli {

class GoldenCheck {
  public:
    // Interprets the kernel with its inputs under several orders, among them a random one by `seed`.
    GoldenCheck(const neff::Package& package, const config::Config& config, const runtime::Prepared& prepared,
                std::uint64_t seed);

    // trial::find_mistakes()
    const std::vector<std::string>& mistakes() const { return mistakes_; }

    // What is wrong with the outputs, a line each; empty when every bit is right.
    std::vector<std::string> problems(const runtime::Arrays& outputs) const;

    // A row of the summary.
    std::string text() const;
    // What is known without a run.
    std::string text_of_kernel() const;

  private:
    const neff::Package& package_;
    std::vector<std::uint64_t> orders_;
    std::vector<std::string> mistakes_;
    trial::Contents expected_;
};

}  // namespace trnsim::cli
