// The functional core for the timing model: model/values with the interface of functional.hpp.
#pragma once

#include <array>
#include <deque>

#include "arch/config/config.hpp"
#include "model/core/fast/functional.hpp"
#include "model/values/functional_core.hpp"

namespace trnsim::tlm::core_fast {

class CoreFunction final : public Functional {
  public:
    explicit CoreFunction(const config::Core& core) : core_(core) {}

    Verdict issue(isa::Engine engine, const InstructionBytes& bytes) override;
    Effects execute(isa::Engine engine) override;
    bool load_table_beat(std::span<const std::uint8_t> beat) override { return core_.load_table_beat(beat); }
    bool read(std::uint32_t offset, std::span<std::uint8_t> data) override;
    bool write(std::uint32_t offset, std::span<const std::uint8_t> data) override;
    rv32::Slice slice(unsigned core) override;
    void set_stochastic(bool on) override { core_.set_stochastic(on); }
    void seed_rounding(std::uint32_t seed) override { core_.seed_rounding(seed); }
    void restart() override;
    void save(checkpoint::CoreState& state) const override { core_.save(state); }
    void load(const checkpoint::CoreState& state) override { core_.load(state); }

  private:
    // Returns the place of `size` bytes at `offset` if they are all in one partition.
    std::optional<fast::MemoryAddress> place(std::uint32_t offset, std::size_t size) const;

    static constexpr unsigned Engines = 3;
    fast::FunctionalCore core_;
    std::array<std::deque<fast::OperationPtr>, Engines> issued_;
};

}  // namespace trnsim::tlm::core_fast
