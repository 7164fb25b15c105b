// The place where the kernels of several ranks meet at their collectives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "compiler/neff/package.hpp"

namespace trnsim::functional {

using Bytes = std::vector<std::uint8_t>;

// Computes the outputs of a collective from the inputs of all ranks. Returns the output of each rank; nothing
// means that it stays as it was. Inputs and outputs are those of collectives::Request, in storage bytes.
using CarryOut = std::function<std::vector<std::optional<Bytes>>(const neff::Collective& collective,
                                                                 const std::vector<Bytes>& inputs)>;

class Rendezvous {
  public:
    Rendezvous(std::size_t ranks, CarryOut carry_out) : ranks_(ranks), carry_out_(std::move(carry_out)) {}

    // A rank begins its next collective with this input. Throws Error when another rank has begun a different
    // collective at this point.
    void begin(std::size_t rank, const neff::Collective& collective, Bytes input);
    // Return the result of the rank's oldest collective that has not been taken; it is done once all ranks
    // have begun it.
    bool done(std::size_t rank) const;
    std::optional<Bytes> take(std::size_t rank);

  private:
    struct Meeting {
        neff::Collective collective;
        std::size_t first = 0;  // the rank that began it first
        std::vector<Bytes> inputs;
        std::size_t begun = 0;
        std::vector<std::optional<Bytes>> outputs;  // set when all ranks have begun
    };
    struct Rank {
        std::size_t begun = 0, taken = 0;
    };

    std::size_t ranks_;
    CarryOut carry_out_;
    std::vector<Meeting> meetings_;
    std::vector<Rank> states_{ranks_};
};

}  // namespace trnsim::functional
