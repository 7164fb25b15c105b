// The configuration of a simulated system: one YAML file, checked and with its units normalised.
//
// Units of the fields: sizes in bytes, frequencies in hertz, rates in bytes a second, times in femtoseconds,
// all exact integers (a text that is no whole number of these is refused). docs/configuration.md gives the
// sources of the figures of configs/trn1.yaml; the table in schema.cpp and the rules in rules.cpp define the
// allowed values.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "arch/config/dram_timing.hpp"
#include "base/text/printable.hpp"

namespace trnsim::config {

// A fraction of the core clock, 0 < numerator / denominator <= 1.
struct Ratio {
    std::uint64_t numerator = 0;
    std::uint64_t denominator = 1;
    bool operator==(const Ratio&) const = default;
};

struct Array {
    std::uint64_t rows = 0;     // partitions the systolic array reads
    std::uint64_t columns = 0;  // partitions it writes
    bool operator==(const Array&) const = default;
};

struct ClockRatio {
    Ratio tensor, vector, scalar, gpsimd, sync, bus;
    bool operator==(const ClockRatio&) const = default;
};

struct Bus {
    std::uint64_t ports = 0;      // AXI subordinate ports of a core
    std::uint64_t data_bits = 0;  // data width of each port
    bool operator==(const Bus&) const = default;
};

struct Fetch {
    std::uint64_t prefetch = 0;  // instructions that a sequencer holds
    std::uint64_t burst = 0;     // instructions of one fetch
    bool operator==(const Fetch&) const = default;
};

struct TensorEngine {
    std::uint64_t issue_latency = 0;  // cycles of the engine's own clock from issue to the first element
    std::uint64_t utilisation = 0;  // moving elements that enter a tile of the array in 1000 cycles, at most
    bool operator==(const TensorEngine&) const = default;
};

// The Vector or Scalar engine.
struct ElementwiseEngine {
    std::uint64_t issue_latency = 0;      // the same latency
    std::uint64_t dependent_latency = 0;  // cycles of that clock after the instruction on which it depends
    bool operator==(const ElementwiseEngine&) const = default;
};

struct VectorEngine : ElementwiseEngine {
    Ratio reciprocal_rate;  // elements of the instruction `reciprocal` in a cycle, at most
    bool operator==(const VectorEngine&) const = default;
};

struct GpsimdEngine {
    std::uint64_t issue_latency =
        0;                   // cycles of the engine's own clock from a command to its cores' interrupt
    std::uint64_t vlen = 0;  // bits of a vector register of a core
    bool operator==(const GpsimdEngine&) const = default;
};

struct Core {
    Array array;
    std::uint64_t partitions = 0;
    std::uint64_t sbuf_partition = 0;  // bytes
    std::uint64_t psum_partition = 0;  // bytes
    std::uint64_t psum_banks = 0;
    std::uint64_t psum_strict = 0;  // 1: adding to a word no matmul has written is an error, 0: it is counted
    std::uint64_t ecc = 0;          // 1: error correction of SBUF and PSUM
    std::uint64_t clock = 0;        // Hz, clock of the Tensor engine
    ClockRatio clock_ratio;
    Bus bus;
    Fetch fetch;
    std::uint64_t semaphore_latency = 0;  // bus cycles from issue to completion of an event_semaphore
    TensorEngine tensor;
    VectorEngine vector;
    ElementwiseEngine scalar;
    GpsimdEngine gpsimd;
    bool operator==(const Core&) const = default;
};

// The model with channels, banks and commands (docs/hbm.md).
struct BankedHbm {
    std::string preset;                    // preset of the timing: "A" or "B"
    std::uint64_t tck = 0;                 // fs, a cycle of CK; two transfers of data
    std::string mapping;                   // model/hbm/mapping.cpp
    std::string page_policy;               // model/hbm/page_policy.hpp
    std::string scheduler;                 // model/hbm/scheduler.hpp
    std::uint64_t max_wait = 0;            // CK after which the burst that has waited longest goes first
    std::uint64_t read_queue = 0;          // bursts of a pseudo channel from which the scheduler chooses
    std::uint64_t write_queue = 0;         // the same
    std::uint64_t write_high = 0;          // bursts at which writes begin to go before reads ...
    std::uint64_t write_low = 0;           // ... until no more than these are left
    std::string refresh;                   // model/hbm/refresh.hpp
    std::uint64_t postpone = 0;            // refreshes that may be put off
    std::uint64_t read_latency = 0;        // fs of controller and interface that a read takes beyond the DRAM
    std::uint64_t write_latency = 0;       // fs, from a place in the write queue to the response
    std::uint64_t ecc = 0;                 // 1: error correction
    std::uint64_t single_upset_every = 0;  // reads after which one finds a wrong bit; 0: never
    std::uint64_t double_upset_every = 0;  // the same with two wrong bits of a word
    DramTiming timing;                     // 0: the value of the preset
    bool operator==(const BankedHbm&) const = default;
};

struct Hbm {
    std::string model = "simple";  // "simple": latency and bandwidth; "banked"
    std::uint64_t stacks = 0;
    std::uint64_t capacity = 0;       // bytes a stack
    std::uint64_t bandwidth = 0;      // bytes a second, all stacks together, of "simple"
    std::uint64_t read_latency = 0;   // fs, unloaded: from the request to the first data
    std::uint64_t write_latency = 0;  // fs, unloaded: from the last data to the response
    BankedHbm banked;
    bool operator==(const Hbm&) const = default;
};

struct Dma {
    std::uint64_t engines = 0;
    std::string split = "even";       // of a transfer among the engines: "even"; "partitions"
    std::uint64_t rings = 0;          // rings of each engine
    std::uint64_t start_latency = 0;  // fs from doorbell to the first write
    std::uint64_t bandwidth = 0;      // bytes a second, peak of one engine
    std::uint64_t burst = 0;          // bytes
    std::uint64_t burst_gap = 0;      // fs between two bursts of one engine
    std::uint64_t prefetch = 0;       // descriptors held by an engine for each direction of a ring
    bool operator==(const Dma&) const = default;
};

struct Fabric {
    std::uint64_t latency = 0;  // fs, one way
    bool operator==(const Fabric&) const = default;
};

struct Runtime {
    std::uint64_t timeout = 0;  // fs of simulated time without progress after which a run counts as hung
    std::uint64_t idle_instructions = 0;  // instructions in a row without effect until a run counts as hung
    bool operator==(const Runtime&) const = default;
};

struct Config {
    std::string name;
    Core core;
    Hbm hbm;
    Dma dma;
    Fabric fabric;
    Runtime runtime;
    bool operator==(const Config&) const = default;
};

// Figures of the chosen model: the peak of all stacks together, bytes a second; the time of a read that meets
// a closed bank and nothing else, fs.
std::uint64_t peak_bandwidth(const Hbm& hbm);
std::uint64_t unloaded_read_latency(const Hbm& hbm);

// Bad input. what() is one line: `file:line:column: key: found '...', expected ...`.
struct Error : std::runtime_error {
    explicit Error(const std::string& what, std::string_view broken = {})
        : std::runtime_error(text::message(what)), rule(broken) {}
    std::string rule;  // the rule that was broken, one of all_rules(); empty for a file that is not there
};

// Every rule that the text of a configuration can break.
std::vector<std::string> all_rules();

// Returns the file that a `--config` argument names. An argument with a slash or ending in .yaml or .yml is a
// path. Anything else is the name of a shipped configuration: NAME.yaml in the directories of
// TRNSIM_CONFIG_PATH (colon-separated), else in `configs` or `share/trnsim/configs` beside the executable or
// in a directory above it. Throws Error that lists the available names.
std::filesystem::path resolve(const std::string& name_or_path);

// The names of the shipped configurations, in order.
std::vector<std::string> shipped();

// Returns a file shipped with the configurations ("estimates/area.yaml"), found in the same folders. Throws
// Error.
std::filesystem::path find_shipped(const std::string& file);

// Reads and checks a configuration. `extends: FILE` (relative to the file that says it) takes every key the
// file leaves out from FILE. Throws Error.
Config load(const std::string& name_or_path);

// The effective configuration as YAML; load() reads back an equal Config.
std::string show(const Config& config);

// Returns the parameters that shape the RTL, one `Name=value` a line in a fixed order; equal texts mean the
// same core.
std::string rtl_parameters(const Config& config);

// Returns the same as the SystemVerilog package `cfg_pkg`.
std::string rtl_package(const Config& config);
// Returns the same parameters as C++ constants and, in rtl_parameters() form, as the string by which a built
// core identifies itself.
std::string rtl_header(const Config& config);

}  // namespace trnsim::config
