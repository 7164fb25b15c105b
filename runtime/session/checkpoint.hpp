// Checkpoints of an execution of one chip or of a server: the time at which it is made quiescent, the actions
// then, and the identity of a saved execution (docs/checkpoints.md).
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "arch/checkpoint/system_state.hpp"
#include "arch/config/server.hpp"
#include "compiler/neff/package.hpp"
#include "model/contents/random_contents.hpp"
#include "runtime/loader/image.hpp"

namespace trnsim::runtime {

using loader::Image;

// A checkpoint at the first quiescent moment from `at` on. `save` gets the state, on a server in several
// processes in the first of them; with `switch_model` the cores then continue with their other model.
struct CheckpointRequest {
    std::uint64_t at = 0;  // fs of simulated time
    bool switch_model = false;
    std::function<void(checkpoint::SystemState& state)> save{};
};

struct Checkpoints {
    std::optional<CheckpointRequest> request{};
    const checkpoint::SystemState* resume = nullptr;  // the execution continues from it
};

// The times of a run that has reached its checkpoint, fs of simulated time.
struct CheckpointTimes {
    std::uint64_t begun = 0, quiescent = 0;
    std::uint64_t drain() const { return quiescent - begun; }
};

// A package with its image on a core.
struct LoadedPackage {
    const neff::Package* package = nullptr;
    const Image* image = nullptr;
};

checkpoint::Identity identity_of(const config::Config& config, const LoadedPackage& loaded,
                                 tlm::contents::Seed random_memory);
// `ranks` is in the order of their numbers; `collectives` is Collectives::bytes().
checkpoint::Identity identity_of(const config::Server& server, std::span<const LoadedPackage> ranks,
                                 std::span<const std::uint8_t> collectives,
                                 tlm::contents::Seed random_memory);

// Returns the request with the identity added to the saved state.
CheckpointRequest with_identity(CheckpointRequest request, const checkpoint::Identity& identity);

// Throw Error for the saved state of another execution, and for something that no checkpoint can hold.
void check_identity(const checkpoint::Identity& saved, const checkpoint::Identity& expected);
void check_possible(const neff::Package& package, const Image& image, bool perturbed);

}  // namespace trnsim::runtime
