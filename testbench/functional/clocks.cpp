#include "testbench/functional/clocks.hpp"

#include <algorithm>

namespace trnsim::functional {

void join(Clock& clock, const Clock& other) {
    for (std::size_t i = 0; i < clock.size(); ++i) clock[i] = std::max(clock[i], other[i]);
}

}  // namespace trnsim::functional
