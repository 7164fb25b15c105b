// The interface of a stack of memory to a chip, the same for every model.
#pragma once

#include <optional>

#include "base/time/time.hpp"
#include "model/hbm/command.hpp"
#include "model/hbm/ecc_code.hpp"
#include "model/hbm/statistics.hpp"
#include "model/hbm/storage.hpp"
#include "model/protocol/target_port.hpp"
#include "model/protocol/traffic.hpp"

namespace trnsim::tlm::hbm {

// fs, the unit of the random delays of a perturbed stack.
inline constexpr Time AccessPerturbUnit = 8 * FsPerNs;

class Memory : public sc_core::sc_module {
  public:
    Memory(const sc_core::sc_module_name& name, protocol::TargetModel& model)
        : sc_module(name), port("port", model) {}

    protocol::TargetPort port;

    const Traffic& traffic() const { return traffic_; }
    // Returns the contents.
    virtual Storage& storage() = 0;
    // Returns the counts of the banks until now; nothing from a model without banks.
    virtual std::optional<DramStatistics> dram() { return std::nullopt; }
    // Gives every command to `sink` from now on; null: to none. Returns false for a model without commands.
    virtual bool report_to(CommandSink*) { return false; }
    // Inverts bits of the stored word at `address`, a multiple of WordBytes below the capacity, and of its
    // check bits. Returns false for a model without stored words.
    virtual bool inject(std::uint64_t /*address*/, const CodeWord& /*bits*/) { return false; }

  protected:
    Traffic traffic_;
};

}  // namespace trnsim::tlm::hbm
