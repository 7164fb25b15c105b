// The waveform of a fast core: an FST file with the RTL's names, for the signals in probe.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/core/fast/probe.hpp"

namespace trnsim::tlm::core_fast {

// Throws std::runtime_error, which lists the names, if a fast core has nothing to record for one of `scopes`.
void check_fast_scopes(std::span<const std::string> scopes);

class Wave {
  public:
    // Throws std::runtime_error if there is no such scope (check_fast_scopes()) or the file cannot be made.
    Wave(const std::string& path, std::span<const std::string> scopes);

    // Writes the signals from this time (ps) on.
    void dump(std::uint64_t time, const Probes& probes);
    // Completes the file. Returns why it is not complete; empty: it is.
    std::string close();

  private:
    struct Variable {
        std::uint32_t handle;
        unsigned bits;
        std::uint32_t value;
    };

    void declare(const char* name, unsigned bits);
    void emit(std::size_t index, std::uint32_t value);

    std::unique_ptr<void, void (*)(void*)> writer_;
    bool has_core_ = false;
    std::vector<unsigned> engines_;     // engines with recorded sequencers
    std::vector<Variable> variables_;   // in the order of the probes' signals
    std::optional<std::uint64_t> now_;  // time of the last dump
    std::uint32_t dumps_ = 0;
};

}  // namespace trnsim::tlm::core_fast
