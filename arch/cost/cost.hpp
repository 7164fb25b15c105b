// Cycles of every instruction and transfer in closed form: docs/timing.md as code. Compiler, scheduler, profile and tests ask here.
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
    unsigned stationary_parts = 1;  // of the operand that a multiply_moving meets: isa::MatmulPasses
    bool stochastic = false;        // register sr_control
    // The first words of the mailbox, which a gpsimd_command finds: those of the gpsimd_arguments before it.
    std::span<const std::uint32_t> arguments{};
    bool taken = false;  // of a branch with a condition; one without always is
    // Bus cycles that system memory takes to answer; that of the configuration where nothing is said.
    std::optional<std::uint64_t> memory_latency{};
};

class Costs {
  public:
    explicit Costs(const config::Config& config) : config_(config) {}

    // Cycles of the core's clock. `completes` is from issue to completion as the sequencer sees them, `occupies` no less than
    // hand_over(). The edges of a slower clock are some core cycles later or earlier, by the cycle in which an instruction comes; the
    // figures are those of the longest way. Throws std::invalid_argument for an opcode that the engine does not have.
    Cycles of(isa::Engine engine, const isa::Instruction& instruction, const Context& context = {}) const;

    // Cycles of the engine's own clock, of control instructions of the bus clock. `completes` is from the edge at which the engine takes
    // the instruction to that at which it says that it is done. Throws as of().
    Cycles in_own_clock(isa::Engine engine, const isa::Instruction& instruction,
                        const Context& context = {}) const;

    // To the cycle, both counted from the reset on: the core cycle of the completion of an instruction of the data path that was issued in
    // core cycle `issue`. `cycles` of the engine's own clock: `completes` of in_own_clock().
    std::uint64_t completion(isa::Engine engine, std::uint64_t issue, std::uint64_t cycles) const;

    // Core cycles between the issues of two instructions of the data path that the engine takes at once.
    std::uint64_t hand_over() const;
    // Core cycles by which an instruction of Vector or Scalar that reads what the one before it has written begins behind its completion;
    // 0 of other engines.
    std::uint64_t dependent(isa::Engine engine) const;

    // fs.
    TransferTime of(const Transfer& transfer) const { return transfer_time(transfer, config_); }

    // The clock of an engine, of its sequencer's bus where it has no data path.
    const config::Ratio& clock(isa::Engine engine) const;

  private:
    config::Config config_;
};

}  // namespace trnsim::cost
