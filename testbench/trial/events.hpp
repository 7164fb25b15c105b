// The instructions of a run on a machine, with their cycles.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "isa/isa_tables.hpp"
#include "model/trace/sink.hpp"

namespace trnsim::trial {

class Events : public tlm::trace::Sink {
  public:
    void instruction(const tlm::trace::Instruction& instruction) override { all_.push_back(instruction); }
    void packet(const tlm::trace::Packet&) override {}

    // Returns all that have completed, in this order.
    const std::vector<tlm::trace::Instruction>& all() const { return all_; }

    // Returns an engine's instruction number `number`, from 0.
    std::optional<tlm::trace::Instruction> find(isa::Engine engine, std::size_t number) const {
        for (const tlm::trace::Instruction& event : all_) {
            if (event.engine == static_cast<std::uint32_t>(engine) && number-- == 0) return event;
        }
        return std::nullopt;
    }

    // Returns the first execution of an instruction of an engine's program.
    std::optional<tlm::trace::Instruction> first(std::uint32_t engine, std::uint32_t pc) const {
        const auto found = std::ranges::find_if(all_, [&](const tlm::trace::Instruction& event) {
            return event.engine == engine && event.pc == pc;
        });
        return found == all_.end() ? std::nullopt : std::optional(*found);
    }

  private:
    std::vector<tlm::trace::Instruction> all_;
};

}  // namespace trnsim::trial
