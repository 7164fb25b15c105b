// The result of a case.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/isa_tables.hpp"
#include "tools/profile/comparison.hpp"

namespace trnsim::regress {

enum class Status : std::uint8_t {
    Pass,
    Mismatch,  // outputs differ from the interpreter's
    Error,     // the kernel cannot be built, or the simulation or the interpreter found an error
    NoError,   // an error was expected and did not come
    Timeout,   // the time limit passed
    Crash,     // the process ended
    Cycles,    // right, but not in the baseline's number of cycles
    NotRun,    // the regression was ended before
};

constexpr int StatusCount = 8;

// Returns "pass", "mismatch", "error", "no error", "timeout", "crash", "cycles" or "not run".
std::string_view name_of(Status status);

struct Rerun {
    bool same = false;  // true if it failed in the same way
    std::string said;   // its result otherwise
    std::string log;    // file in the folder of results; empty if none
    std::string wave, trace;
    std::uint64_t first_cycle = 0, last_cycle = 0;  // range of the waveform
    std::string reproduce, show;                    // commands
};

// The first wrong element of a mismatch, in SBUF or PSUM.
struct WrongElement {
    isa::Engine engine{};  // the engine that writes it, by its step number `number`, from 0
    std::uint64_t number = 0;
    std::uint32_t address = 0;  // in the core window
    std::uint32_t lane = 0;     // its partition
};

struct CaseResult {
    Status status = Status::Error;
    std::string message;  // one line; empty when passed
    std::string detail;   // further lines about the place of the failure
    std::uint64_t cycles = 0;
    profile::EngineCycles engines;          // these cycles by engine and class, of a run that is right
    std::optional<std::uint64_t> baseline;  // cycles
    std::vector<std::string> commands;      // those that say more of a change of cycles, and accept it
    std::uint64_t place = 0;                // core cycle to look at, from time 0
    std::string view = "core";              // view of waveforms for it
    std::optional<WrongElement> element{};  // first wrong element
    std::string rtl_hash, verilator;
    std::vector<std::uint64_t> coverage;  // hits by bin
    double wall_seconds = 0, cpu_seconds = 0;
    std::optional<Rerun> rerun;

    bool failed() const { return status != Status::Pass && status != Status::NotRun; }
};

// Convert the result that a child process reports to its parent, and that of the store: everything but what
// is said of cycles and of a second run.
std::string to_text(const CaseResult& result);
CaseResult from_text(const std::string& text);  // throws std::exception for another text

}  // namespace trnsim::regress
