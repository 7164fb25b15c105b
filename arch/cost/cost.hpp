// Cycles of every instruction and transfer in closed form: docs/timing.md as code. The compiler, the
// scheduler, the profile and the tests use it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "arch/config/config.hpp"
#include "arch/cost/cycles.hpp"
#include "arch/cost/transfer.hpp"
#include "isa/instruction.hpp"

namespace trnsim::cost {

// The state outside an instruction that its time depends on.
struct Context {
    unsigned stationary_parts = 1;  // parts of the operand that a multiply_moving uses: isa::MatmulPasses
    bool stochastic = false;        // register sr_control
    // The first words of the mailbox at a gpsimd_command: those of the gpsimd_arguments before it.
    std::span<const std::uint32_t> arguments{};
    bool taken = false;  // a branch with a condition jumps; one without always does
    // Bus cycles until system memory answers; by default the estimate from the configuration.
    std::optional<std::uint64_t> memory_latency{};
};

class Costs {
  public:
    explicit Costs(const config::Config& config) : config_(config) {}

    // Returns cycles of the core's clock. `completes` is from issue to completion as the sequencer sees them,
    // `occupies` is no less than hand_over(). The edges of a slower clock come some core cycles earlier or
    // later, depending on the cycle of the issue; the figures are the longest. Throws std::invalid_argument
    // for an opcode that the engine does not have.
    Cycles of(isa::Engine engine, const isa::Instruction& instruction, const Context& context = {}) const;

    // Returns cycles of the engine's own clock, for control instructions of the bus clock. `completes` is
    // from the edge at which the engine takes the instruction to the edge at which it reports the end. Throws
    // as of().
    Cycles in_own_clock(isa::Engine engine, const isa::Instruction& instruction,
                        const Context& context = {}) const;

    // Returns the exact core cycle of the completion of an instruction of the data path that was issued in
    // core cycle `issue`, both counted from the reset. `cycles` of the engine's own clock are `completes` of
    // in_own_clock().
    std::uint64_t completion(isa::Engine engine, std::uint64_t issue, std::uint64_t cycles) const;

    // Returns the core cycles between the issues of two instructions of the data path if the engine takes
    // each at once.
    std::uint64_t hand_over() const;
    // Returns the core cycles from the completion of an instruction of Vector or Scalar to the begin of the
    // next one if that reads its result; 0 for other engines.
    std::uint64_t dependent(isa::Engine engine) const;

    // Returns times in fs.
    TransferTime of(const Transfer& transfer) const { return transfer_time(transfer, config_); }

    // Returns the clock of an engine, or of its sequencer's bus if it has no data path.
    const config::Ratio& clock(isa::Engine engine) const;

  private:
    config::Config config_;
};

}  // namespace trnsim::cost
