// Collects the transfers of a schedule in an order in which they could run one after the other, and finds the
// steps that each has to wait for.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "compiler/collectives/schedule.hpp"

namespace trnsim::collectives {

class Builder {
  public:
    explicit Builder(Rank ranks);

    // Reserves bytes in the scratch buffer of a rank, at a multiple of 64 bytes.
    BufferAddress scratch(Rank rank, std::uint64_t bytes);
    // Declare bytes of the input or output of a rank; the buffer becomes large enough for them.
    void input(BufferAddress place, std::uint64_t bytes);
    void output(BufferAddress place, std::uint64_t bytes);

    // Appends a step of a rank. It waits for the last earlier steps that wrote the bytes it reads, or that
    // read or wrote the bytes it writes. Nothing is appended for a transfer of no elements or from a place to
    // itself.
    void add(Rank rank, Transfer transfer);
    // Adds a copy by the rank of the source.
    void copy(BufferAddress source, BufferAddress destination, std::uint64_t elements, isa::Dtype dtype);

    Schedule finish() &&;

  private:
    // The last uses of the bytes from a key of the map to the next one.
    struct Uses {
        std::optional<StepId> writer;
        std::vector<StepId> readers;  // since that write
    };
    using Map = std::map<std::uint64_t, Uses>;

    Map& split(const ElementRun& operand, std::uint64_t elements);
    void read(StepId step, const ElementRun& source, std::uint64_t elements);
    void write(StepId step, const ElementRun& destination, std::uint64_t elements);
    void wait_for_others(StepId step, std::vector<StepId> others);
    void grow(const BufferAddress& place, std::uint64_t bytes);

    Schedule schedule_;
    std::vector<Map> maps_;        // for each buffer of each rank
    std::vector<StepId> pending_;  // steps that the step being added waits for
};

}  // namespace trnsim::collectives
