// Options of `trnsim run`, `trnsim launch` and the commands built on them: converts their texts to values for
// the runtime.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arch/config/config.hpp"
#include "runtime/session/runner.hpp"
#include "testbench/functional/limits.hpp"
#include "tools/cli/checkpoint_options.hpp"
#include "tools/cli/expectation.hpp"

namespace trnsim::cli {

// Further options of `trnsim launch`.
struct ServerOptions {
    std::vector<std::string> kernels;         // one for all ranks, or one for each
    std::vector<std::string> settings, cuts;  // for tlm::load_server()
    std::string chip;
    std::optional<std::uint32_t> ranks, wave_rank;
    std::vector<std::uint32_t> rtl_ranks;
    unsigned processes = 1;
};

struct RunOptions {
    std::string kernel, config, fidelity = "rtl";
    std::optional<ServerOptions> server{};               // kernels on cores of a server, which `config` names
    std::vector<std::string> inputs, outputs, expected;  // name=file; for a server, file may have {rank}
    std::optional<std::string> rtol, atol;               // tolerances of `expected`
    std::string wave, wave_window, wave_element, wave_on_error, trace, stats, notifications, max_time, itrace;
    std::optional<std::string> itrace_core, gdb;
    std::vector<std::pair<std::string, std::string>> further;  // option and file, of a command around it
    CheckpointOptions checkpoints;
    std::vector<std::string> wave_scopes;
    std::optional<std::string> seed, perturb, random_memory;
    std::string threads = "1";
    std::optional<std::uint64_t> random_inputs;  // the seed; without it every input must be given
    bool fail_on_nan = false;                    // or NEURON_FAIL_ON_NAN
    bool fail_on_unwritten = false;
    bool check = false, no_check = false;  // by the interpreter; neither: if it is not built in
    bool looks_on = false;                 // the command shows how a kernel runs and checks none
    bool no_rtl = false;                   // only the interpreter runs the kernel
    std::optional<std::string> max_work;   // of the interpreter
    std::string stochastic_rounding;       // true, false; empty if not given
};

// All functions throw std::runtime_error with the option and what was expected.

// Refuses what this build cannot do and options without the one they belong to.
void check(const RunOptions& options);

// Uses options first, then the environment variables NEURON_RT_STOCHASTIC_ROUNDING_EN and _SEED, which may be
// empty.
runtime::Rounding parse_rounding(const RunOptions& options);

// Returns whether a NaN makes the run fail: --fail-on-nan, or the environment variable NEURON_FAIL_ON_NAN.
bool parse_fail_on_nan(const RunOptions& options);

// Returns the femtoseconds of e.g. "5 ms"; 0 when not given.
std::uint64_t parse_max_time(const RunOptions& options);
// Returns the limits of the interpreter: --max-work, and what a configuration can do within --max-time.
functional::Limits parse_limits(const RunOptions& options, const config::Config& config);
// Returns the fidelity at the beginning of the run.
runtime::Fidelity parse_fidelity(const RunOptions& options);
tlm::perturb::Seed parse_perturb(const RunOptions& options);
tlm::contents::Seed parse_random_memory(const RunOptions& options);

// Parses --gdb; 0 means any free port.
std::optional<std::uint16_t> parse_gdb_port(const RunOptions& options);

// Parses --itrace-core, which must be below the number of cores.
std::optional<unsigned> parse_itrace_core(const RunOptions& options, unsigned cores);

// Parses --rtol and --atol.
Tolerance parse_tolerance(const RunOptions& options);

// Parses texts "name=file"; returns the files by name.
std::map<std::string, std::filesystem::path> parse_bindings(const char* option,
                                                            const std::vector<std::string>& texts);

// The value of --output for a tensor.
struct OutputFile {
    std::filesystem::path path;
    bool as_fp32 = false;  // set by FILE.npy:fp32
};
std::map<std::string, OutputFile> parse_outputs(const std::vector<std::string>& texts);

// Parses "from:to"; the sides are times such as "2 us" or plain nanoseconds, and either may be empty. Returns
// core cycles [first, last).
std::pair<std::uint64_t, std::uint64_t> parse_window(const std::string& text, std::uint64_t clock_hz);

}  // namespace trnsim::cli
