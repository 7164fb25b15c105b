// Listens to the completions of a core and its DMA engines: counts multiply-accumulates and writes every
// event to a trace.
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

// Returns an instruction of the package as text; a dma_trigger has the name of its transfer. Empty outside
// the program.
std::string describe(const neff::Package& package, std::uint32_t engine, std::uint64_t pc);

// The work of the Tensor engine.
struct MatmulFigures {
    std::uint64_t instructions = 0;
    std::uint64_t macs = 0;
    std::uint64_t onezero_macs = 0;  // those with a moving operand of zeros and ones: transposes
    std::uint64_t ideal_cycles = 0;  // cost::pass_cycles() of every pass
    std::uint64_t first_cycle = 0;   // issue of the first one
    std::uint64_t last_cycle = 0;    // completion of the last one
};

class Observer : public tlm::trace::Sink {
  public:
    // Listens to `core`, which executes `package`; events of other cores and chips are ignored. The package
    // must outlive the observer, and so must `trace`, which may be null.
    Observer(const neff::Package& package, Tracks* trace, addresses::CoreId core = {});

    void instruction(const tlm::trace::Instruction& instruction) override;
    void packet(const tlm::trace::Packet& packet) override;

    const MatmulFigures& matmul() const { return matmul_; }
    const estimates::OperationCounts& work() const { return work_; }

    // Return the completed instructions so far, and their number when one of them last wrote, changed a
    // semaphore, triggered a transfer, gave an engine work or halted.
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
