// Runs the verilated core and the fast core side by side: both get the same inputs in every cycle, and every
// pin that concerns time must be equal.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "arch/config/config.hpp"
#include "model/core/core_model.hpp"
#include "model/core/fast/fast_model.hpp"
#include "tests/common/random.hpp"
#include "tests/rtl/control/fake_memory.hpp"
#include "tests/rtl/control/programs.hpp"

namespace trnsim::test {

// The part of the fast core apart from timing: only memories, which suffices if no value decides anything, or
// everything that instructions compute and are refused for.
enum class Values { Memories, Computed };

class Lockstep {
  public:
    // `round` is added to the seed of the test.
    explicit Lockstep(std::uint64_t round = 0, const std::string& configuration = "small16",
                      Values values = Values::Memories);

    config::Config config;
    std::mt19937_64 random;
    FakeMemory memory;

    // Steps to the next edge of the bus clock, and over it.
    void bus_edge();
    void write32(std::uint32_t address, std::uint32_t value);
    std::uint32_t read32(std::uint32_t address);
    void load_and_start(unsigned engine, std::uint64_t address, const Program& program);
    void reset(unsigned cycles);
    // Stops comparing pins, except for the data of read32(): for actions that the fast core does later than
    // the RTL.
    void forget_time() { compares_pins_ = false; }
    // Runs until the started engines have halted or the core has stopped; then until the clock may rest.
    // Returns whether that happened within `edges`.
    bool finish(std::uint64_t edges = 2'000'000);

    // Puts the bytes of a set's tables at an address of system memory; all other addresses hold zeros.
    void put_tables(std::uint64_t address, std::vector<std::uint8_t> bytes) {
        tables_.emplace_back(address, std::move(bytes));
    }
    // Fill SBUF and PSUM with one word, or with random words that include special values of every type.
    void fill(std::uint32_t word);
    void fill_at_random();
    // Writes bytes of the core window, in no time.
    void put(std::uint32_t address, std::span<const std::uint8_t> bytes) {
        rtl_->debug_write(address, bytes);
        fast_->debug_write(address, bytes);
    }
    // Returns the differences between the memories: those of the GpSimd cores, SBUF and PSUM.
    std::string memories() const;

    // Returns the first difference, with its cycle; empty if there is none.
    const std::string& difference() const { return difference_; }
    // Starts recordings of both cores in files of this folder; `scopes` are those of CoreModel::open_wave().
    void record(const std::filesystem::path& folder, const std::vector<std::string>& scopes = {});
    // Ends the recordings. Returns the first difference of the fast core's from the RTL's; empty if there is
    // none.
    std::string recorded();
    std::size_t recorded_changes() const { return recorded_changes_; }
    // Returns the counters that differ; those of reads of unwritten words are not among them.
    std::string counted() const;
    const tlm::CoreModel& rtl() const { return *rtl_; }
    const tlm::CoreModel& fast() const { return *fast_; }
    std::uint64_t cycle() const { return cycle_; }
    const tlm::CoreOut& out() const { return rtl_->out; }
    // Returns the core cycles of an engine's completions.
    const std::vector<std::uint64_t>& completions(unsigned engine) const { return completions_[engine]; }

  private:
    void fill(const std::function<std::uint32_t()>& next);
    void step();
    void compare();
    void drive_memory();
    void drive_tables(const tlm::AxiTableOut& seen);
    std::span<const std::uint8_t> table_beat(std::uint64_t address) const;

    std::unique_ptr<tlm::CoreModel> rtl_;
    Values values_;
    std::unique_ptr<tlm::CoreModel> fast_;
    std::filesystem::path recordings_;  // the folder of the recordings; empty if there are none
    std::size_t recorded_changes_ = 0;
    std::uint64_t cycle_ = 0;
    std::string difference_;
    bool compares_pins_ = true;
    std::uint32_t started_ = 0;
    std::array<std::vector<std::uint64_t>, tlm::Engines> completions_;
    std::vector<std::pair<std::uint64_t, std::vector<std::uint8_t>>> tables_;
    std::deque<std::uint64_t> table_beats_;  // addresses of the beats that were asked for
};

}  // namespace trnsim::test
