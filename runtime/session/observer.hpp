// Listens to what a core and the DMA engines complete: counts multiply-accumulates and lays every event out
// in a trace.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "compiler/neff/package.hpp"
#include "isa/matmul_passes.hpp"
#include "model/estimates/operation_counts.hpp"
#include "model/trace/sink.hpp"
#include "runtime/session/timeline.hpp"

namespace trnsim::runtime {

// An instruction as it stands in the package; dma_trigger with the name of its transfer. Empty outside the
// program.
std::string describe(const neff::Package& package, std::uint32_t engine, std::uint64_t pc);

// What the Tensor engine multiplied.
struct MatmulFigures {
    std::uint64_t instructions = 0;
    std::uint64_t macs = 0;
    std::uint64_t onezero_macs = 0;  // those with a moving operand of zeros and ones: transposes
    std::uint64_t ideal_cycles = 0;  // of every pass, cost::pass_cycles()
    std::uint64_t first_cycle = 0;   // issue of the first one
    std::uint64_t last_cycle = 0;    // completion of the last one
};

class Observer : public tlm::trace::Sink {
  public:
    // Of `core`, which executes `package`; events of other cores and chips pass by. The package must outlive
    // the observer, and so must `trace`, which may be null.
    Observer(const neff::Package& package, Tracks* trace, addresses::CoreId core = {});

    void instruction(const tlm::trace::Instruction& instruction) override;
    void packet(const tlm::trace::Packet& packet) override;

    const MatmulFigures& matmul() const { return matmul_; }
    const estimates::OperationCounts& work() const { return work_; }

    // Completed so far, and as many as were when last one of them wrote, changed a semaphore, triggered a
    // transfer, gave an engine work or halted.
    std::uint64_t instructions() const { return instructions_; }
    std::uint64_t last_effect() const { return last_effect_; }

  private:
    void trace_instruction(const tlm::trace::Instruction& event, const isa::Instruction& instruction,
                           std::uint64_t ideal_cycles);

    const neff::Package& package_;
    addresses::CoreId core_;
    std::optional<Timeline> timeline_;
    MatmulFigures matmul_;
    isa::MatmulPasses passes_;
    estimates::OperationCounts work_;
    std::uint64_t instructions_ = 0, last_effect_ = 0;
};

}  // namespace trnsim::runtime
