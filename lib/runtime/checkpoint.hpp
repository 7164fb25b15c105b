// Checkpoints of an execution: where it is made quiescent, what happens there, and what a saved one belongs to (docs/checkpoints.md).
#pragma once

#include <functional>
#include <optional>

#include "lib/checkpoint/system_state.hpp"
#include "lib/config/config.hpp"
#include "lib/neff/package.hpp"
#include "lib/runtime/image.hpp"
#include "tlm/contents/random_contents.hpp"

namespace trnsim::runtime {

// At the first moment from `at` on at which everything under way has ended: the state is given to `save`, then the core goes on with
// the other model that the machine has.
struct CheckpointRequest {
    std::uint64_t at = 0;  // fs of simulated time
    bool switch_model = false;
    std::function<void(checkpoint::SystemState& state)> save{};
};

struct Checkpoints {
    std::optional<CheckpointRequest> request{};
    const checkpoint::SystemState* resume =
        nullptr;  // the execution goes on from it instead of its beginning
};

// Of a run that has come to its checkpoint, fs of simulated time.
struct CheckpointTimes {
    std::uint64_t begun = 0, quiescent = 0;
    std::uint64_t drain() const { return quiescent - begun; }
};

checkpoint::Identity identity_of(const config::Config& config, const neff::Package& package,
                                 const Image& image, tlm::contents::Seed random_memory);

// Throw Error: of a saved execution that is another's, and where there is something that no checkpoint has.
void check_identity(const checkpoint::Identity& saved, const checkpoint::Identity& expected);
void check_possible(const neff::Package& package, const Image& image, bool perturbed);

}  // namespace trnsim::runtime
