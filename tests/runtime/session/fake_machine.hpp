// A machine without time: flat memory, DMA that copies when its doorbell rings, and sequencers that execute
// waits, updates, triggers, halt and jumps. Every other instruction completes at once.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "common/trn1_config.hpp"
#include "isa/isa_tables.hpp"
#include "runtime/session/machine_factory.hpp"

namespace trnsim::test {

class FakeMachine : public runtime::Machine {
  public:
    explicit FakeMachine(const runtime::MachineOptions& options = {}) : options_(options) {}

    void write32(std::uint64_t address, std::uint32_t value) override;
    std::uint32_t read32(std::uint64_t address) override;
    void write(std::uint64_t address, std::span<const std::uint8_t> data) override;
    void read(std::uint64_t address, std::span<std::uint8_t> data) override;
    void reset() override;
    tlm::RunResult run(std::uint64_t limit) override;
    tlm::Statistics statistics() const override;
    tlm::perturb::Seed perturbed() const override { return options_.perturb; }
    tlm::contents::Seed random_memory() const override { return options_.random_memory; }

    // Set the error registers as they are after a run; fail_core_at() also makes the run fail.
    void fail_core_at(std::uint32_t engine, std::uint32_t pc, isa::Error code, std::uint32_t address);
    void set_numeric_error(const tlm::NumericError& error) { numeric_ = error; }
    // Sets the words that engines read before anything had written them, which the first run counts.
    void set_unwritten(std::uint32_t words, std::uint32_t address, isa::Engine reader) {
        unwritten_ = {.unwritten = words,
                      .unwritten_address = address,
                      .unwritten_reader = static_cast<std::uint32_t>(reader)};
    }
    // Sets the failure that close_wave() returns.
    void fail_wave(const std::string& why) { wave_failure_ = why; }
    std::string close_wave() override { return wave_failure_; }
    // Sets registers directly; a reset sets them again.
    void poke32(std::uint64_t address, std::uint32_t value) { registers_[address] = poked_[address] = value; }

    // From now on DMA inverts the first bit of every descriptor's bytes that it writes into the core.
    void invert_bits() { inverts_ = true; }

    std::uint64_t dma_bytes() const { return dma_bytes_; }
    std::uint32_t semaphore(unsigned index) const { return semaphores_[index]; }
    // Limits the instructions of each run(): it returns after this many.
    void set_instructions_per_slice(std::uint64_t count) { slice_ = count; }

  private:
    struct Failure {
        std::uint32_t engine, pc, address;
        isa::Error code;
    };
    bool step(std::uint32_t engine);
    void ring_doorbell(std::uint64_t engine, std::uint64_t ring, std::uint32_t value);
    void dma_write(std::uint64_t address, std::span<const std::uint8_t> data);
    std::uint32_t& register_at(std::uint64_t address) { return registers_[address]; }

    runtime::MachineOptions options_;
    tlm::NumericError numeric_;
    tlm::MemoryCounts unwritten_;
    std::map<std::uint64_t, std::vector<std::uint8_t>> pages_;
    std::map<std::uint64_t, std::uint32_t> registers_, poked_;
    std::array<std::uint32_t, 256> semaphores_{};
    std::array<bool, tlm::Engines> running_{};
    std::array<std::uint32_t, tlm::Engines> pc_{};
    tlm::Statistics statistics_;
    std::uint64_t dma_bytes_ = 0, slice_ = ~std::uint64_t{0};
    std::vector<Failure> failures_;
    bool inverts_ = false;
    std::string wave_failure_;
};

}  // namespace trnsim::test
