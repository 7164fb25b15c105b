// Listens to what the engines complete: counts multiply-accumulates and passes every event on to a trace.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "isa/matmul_passes.hpp"
#include "lib/estimates/work.hpp"
#include "lib/neff/package.hpp"
#include "lib/runtime/timeline.hpp"
#include "tlm/trace/sink.hpp"

namespace trnsim::runtime {

// An instruction as it stands in the package; dma_trigger with the name of its transfer. Empty outside the
// program.
std::string describe(const neff::Package& package, std::uint32_t engine, std::uint64_t pc);

// What the Tensor engine multiplied.
struct MatmulFigures {
    std::uint64_t instructions = 0;
    std::uint64_t macs = 0;
    std::uint64_t ideal_cycles = 0;  // of every pass, isa::pass_cycles()
    std::uint64_t first_cycle = 0;   // issue of the first one
    std::uint64_t last_cycle = 0;    // completion of the last one
};

class Observer : public tlm::trace::Sink {
  public:
    // `package` must outlive the observer, and so must `trace`, which may be null.
    Observer(const neff::Package& package, tlm::trace::Sink* trace);

    std::uint32_t add_track(std::string_view group, std::string_view name) override;
    void slice(std::uint32_t track, std::string_view name, std::uint64_t start, std::uint64_t end,
               std::span<const tlm::trace::Argument> arguments) override;
    void instruction(const tlm::trace::Instruction& instruction) override;

    const MatmulFigures& matmul() const { return matmul_; }
    const estimates::Work& work() const { return work_; }

    // Completed so far, and as many as were when last one of them wrote, changed a semaphore, triggered a
    // transfer, gave an engine work or halted.
    std::uint64_t instructions() const { return instructions_; }
    std::uint64_t last_effect() const { return last_effect_; }

  private:
    void trace_instruction(const tlm::trace::Instruction& event, const isa::Instruction& instruction,
                           std::uint64_t ideal_cycles);

    const neff::Package& package_;
    std::optional<Timeline> timeline_;
    MatmulFigures matmul_;
    isa::MatmulPasses passes_;
    estimates::Work work_;
    std::uint64_t instructions_ = 0, last_effect_ = 0;
};

}  // namespace trnsim::runtime
