// `run --check`: compares the outputs of a run with the interpreter's.
#pragma once

#include <string>

#include "runtime/session/runner.hpp"
#include "testbench/trial/trial.hpp"

namespace trnsim::cli {

// Returns the kernel with its inputs for the interpreter.
trial::Trial trial_of(const neff::Package& package, const config::Config& config,
                      const runtime::Prepared& prepared);
functional::RoundingControl rounding_of(const runtime::Prepared& prepared);

class GoldenCheck {
  public:
    // Interprets the kernel with its inputs under several orders, one of which is random by `seed`.
    GoldenCheck(const neff::Package& package, const config::Config& config, const runtime::Prepared& prepared,
                std::uint64_t seed, const functional::Limits& limits);

    // The result of trial::find_mistakes().
    const std::vector<std::string>& mistakes() const { return mistakes_; }

    // Returns the outputs with wrong bits.
    std::vector<trial::Difference> differences(const runtime::Arrays& outputs) const;

    // Returns the interpreter's outputs.
    runtime::Arrays outputs() const;

    // Returns a row of the summary.
    std::string text() const;
    // Returns the result that is known without a run.
    std::string text_of_kernel() const;

  private:
    const neff::Package& package_;
    std::vector<std::uint64_t> orders_;
    std::vector<std::string> mistakes_;
    trial::Contents expected_;
};

}  // namespace trnsim::cli
