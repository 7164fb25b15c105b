// Checkpoints of an execution of one chip or of a server: where it is made quiescent, what happens there, and what a saved one belongs to (docs/checkpoints.md).
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

// At the first moment from `at` on at which everything under way has ended: the state is given to `save`, of a server in several
// processes in the first of them; then the cores go on with the other model that they have.
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

// A package with the image that it has on a core.
struct LoadedPackage {
    const neff::Package* package = nullptr;
    const Image* image = nullptr;
};

checkpoint::Identity identity_of(const config::Config& config, const LoadedPackage& loaded,
                                 tlm::contents::Seed random_memory);
// `ranks`: by number; `collectives`: what theirs are (Collectives::bytes()).
checkpoint::Identity identity_of(const config::Server& server, std::span<const LoadedPackage> ranks,
                                 std::span<const std::uint8_t> collectives,
                                 tlm::contents::Seed random_memory);

// The request with the identity in what is saved.
CheckpointRequest with_identity(CheckpointRequest request, const checkpoint::Identity& identity);

// Throw Error: of a saved execution that is another's, and where there is something that no checkpoint has.
void check_identity(const checkpoint::Identity& saved, const checkpoint::Identity& expected);
void check_possible(const neff::Package& package, const Image& image, bool perturbed);

}  // namespace trnsim::runtime
