// When a run on a machine writes an element: give the sighting to the machine as sink and watch.
#pragma once

#include <cstdint>
#include <optional>

#include "arch/config/config.hpp"
#include "model/core/memory_watch.hpp"
#include "model/trace/sink.hpp"
#include "runtime/session/fidelity.hpp"
#include "testbench/trial/provenance.hpp"

namespace trnsim::trial {

struct WriteTime {
    std::uint64_t issue = 0, completion = 0;  // core cycles of the instruction, of a transfer's trigger
    std::uint64_t cycle = 0;                  // core cycle of the write
    bool seen = false;                    // `cycle` is that of the RTL, not one from the instruction's costs
    std::optional<std::uint64_t> bits{};  // seen storage bits; none if the write changed nothing
};

class Sighting : public tlm::trace::Sink {
  public:
    explicit Sighting(Writer writer);

    void instruction(const tlm::trace::Instruction& instruction) override;
    void packet(const tlm::trace::Packet&) override {}

    // Returns the watch of the element in SBUF or PSUM; null for another one.
    tlm::MemoryWatch* watch() { return watch_ ? &*watch_ : nullptr; }
    bool watches() const { return watch_.has_value(); }

    // Returns nothing if the instruction has not completed. A fast core writes all results of an instruction
    // at its end, so the cycle is then that of the RTL as far as costs tell it. The same holds for an element
    // that keeps its bits and has no neighbour in another partition that changes.
    std::optional<WriteTime> time(const config::Config& config, const neff::Package& package,
                                  runtime::Fidelity fidelity) const;

  private:
    Writer writer_;
    std::size_t completed_ = 0;  // instructions of the engine so far
    std::optional<tlm::trace::Instruction> event_;
    std::optional<tlm::MemoryWatch> watch_;
};

}  // namespace trnsim::trial
