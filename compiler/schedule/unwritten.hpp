// The part of a buffer that nothing has written.
#pragma once

#include <vector>

#include "compiler/builder/footprint.hpp"
#include "compiler/builder/step.hpp"

namespace trnsim::schedule {

class Unwritten {
  public:
    Unwritten() = default;
    explicit Unwritten(const builder::Buffer& buffer) : boxes_{{{0, buffer.bytes}, {0, buffer.partitions}}} {}

    bool empty() const { return boxes_.empty(); }
    // Notes that all of the tile is written.
    void write(const builder::Tile& tile);

  private:
    std::vector<builder::Box> boxes_;  // they do not overlap
};

}  // namespace trnsim::schedule
