// What became of a case.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trnsim::regress {

enum class Status : std::uint8_t {
    Pass,
    Mismatch,  // outputs differ from the interpreter's
    Error,     // the kernel cannot be built, or the simulation or the interpreter found an error
    NoError,   // an error was expected and did not come
    Timeout,   // the time limit passed
    Crash,     // the process ended
    Cycles,    // right, but not in the number of cycles of the baseline
};

constexpr int StatusCount = 7;

// "pass", "mismatch", "error", "no error", "timeout", "crash", "cycles"
std::string_view name_of(Status status);

struct Rerun {
    bool same = false;  // it failed in the same way
    std::string said;   // what it said when it did not
    std::string log;    // files in the folder of results; empty: none
    std::string wave, trace;
    std::uint64_t first_cycle = 0, last_cycle = 0;  // of the waveform
    std::string reproduce, show;                    // commands
};

struct CaseResult {
    Status status = Status::Error;
    std::string message;  // one line; empty when passed
    std::string detail;   // further lines: where it was noticed
    std::uint64_t cycles = 0;
    std::optional<std::uint64_t> baseline;  // cycles
    std::uint64_t place = 0;                // core cycle to look at, from the beginning of simulated time
    std::string view = "core";              // of waveforms, to look at it
    std::optional<std::uint32_t> lane;      // that went wrong first
    std::string rtl_hash, verilator;
    std::vector<std::uint64_t> coverage;  // hits by bin
    double wall_seconds = 0, cpu_seconds = 0;
    std::optional<Rerun> rerun;

    bool failed() const { return status != Status::Pass; }
};

// What a child process tells its parent: everything but baseline, seconds and rerun.
std::string to_text(const CaseResult& result);
CaseResult from_text(const std::string& text);  // throws std::exception for another text

}  // namespace trnsim::regress
