// The verilated core and the fast one side by side: the same inputs in every cycle, and every pin that has to do with time the same.
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

// What the fast core has beside time: memories, which is enough where values decide nothing, or all that instructions do and what they
// are refused for.
enum class Values { Memories, Computed };

class Lockstep {
  public:
    // `round`: added to the seed of the test, of all that is random.
    explicit Lockstep(std::uint64_t round = 0, const std::string& configuration = "small16",
                      Values values = Values::Memories);

    config::Config config;
    std::mt19937_64 random;
    FakeMemory memory;

    // To the next edge of the bus clock, and over it.
    void bus_edge();
    void write32(std::uint32_t address, std::uint32_t value);
    std::uint32_t read32(std::uint32_t address);
    void load_and_start(unsigned engine, std::uint64_t address, const Program& program);
    void reset(unsigned cycles);
    // Pins are not compared from now on, but for what read32() reads: for what the fast core does later than the RTL.
    void forget_time() { compares_pins_ = false; }
    // Until the started engines have halted or the core has stopped; then until the clock may rest.
    bool finish(std::uint64_t edges = 2'000'000);

    // Bytes of tables of a set, from an address of system memory on; there are zeros elsewhere.
    void put_tables(std::uint64_t address, std::vector<std::uint8_t> bytes) {
        tables_.emplace_back(address, std::move(bytes));
    }
    // SBUF and PSUM: one word, or words of all kinds, special values of every type among them.
    void fill(std::uint32_t word);
    void fill_at_random();
    // Bytes of the core window, without time.
    void put(std::uint32_t address, std::span<const std::uint8_t> bytes) {
        rtl_->debug_write(address, bytes);
        fast_->debug_write(address, bytes);
    }
    // The memories of the GpSimd cores, SBUF and PSUM, where they differ.
    std::string memories() const;

    // The first difference, with its cycle; empty: there is none.
    const std::string& difference() const { return difference_; }
    // Both record from now on, scopes as of CoreModel::open_wave(), into files of this folder.
    void record(const std::filesystem::path& folder, const std::vector<std::string>& scopes = {});
    // Ends the recordings. What the fast core's has otherwise than the RTL's; empty: nothing.
    std::string recorded();
    std::size_t recorded_changes() const { return recorded_changes_; }
    // What both have counted, where it differs.
    std::string counted() const;
    std::uint64_t cycle() const { return cycle_; }
    const tlm::CoreOut& out() const { return rtl_->out; }
    // Completions of an engine, by core cycle.
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
    std::filesystem::path recordings_;  // of the folder that they are in; empty: there are none
    std::size_t recorded_changes_ = 0;
    std::uint64_t cycle_ = 0;
    std::string difference_;
    bool compares_pins_ = true;
    std::uint32_t started_ = 0;
    std::array<std::vector<std::uint64_t>, tlm::Engines> completions_;
    std::vector<std::pair<std::uint64_t, std::vector<std::uint8_t>>> tables_;
    std::deque<std::uint64_t> table_beats_;  // addresses of those asked for
};

}  // namespace trnsim::test
