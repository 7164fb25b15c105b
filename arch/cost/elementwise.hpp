// Vector and Scalar in closed form (docs/elementwise.md, docs/vector-engine.md, docs/scalar-engine.md).
// Cycles of the engine's clock.
#pragma once

#include "arch/config/config.hpp"
#include "arch/cost/cycles.hpp"
#include "arch/cost/element_operation.hpp"

namespace trnsim::cost {

// `quadrant`: partitions of a quadrant.
Cycles vector_cycles(const ElementOperation& operation, const config::VectorEngine& engine,
                     std::uint64_t quadrant);
// The function covers all instructions except act_table_load.
Cycles scalar_cycles(const ElementOperation& operation, const config::ElementwiseEngine& engine);

}  // namespace trnsim::cost
