// Estimated energy of a run, by component.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "model/estimates/area.hpp"
#include "model/estimates/operation_counts.hpp"

namespace trnsim::estimates {

struct Activity {
    OperationCounts work;
    std::uint64_t window_bytes = 0;  // bytes through the bus ports into and out of SBUF and PSUM
    std::uint64_t hbm_bytes = 0;     // bytes read and written
    std::uint64_t moved_bytes = 0;   // bytes over the die: DMA data and descriptors, instructions
    std::uint64_t time = 0;          // fs
};

struct Component {
    std::string_view name, doc;
    double joules = 0;
};

struct Energy {
    std::array<Component, 7> components{
        {{"tensor", "multiply-accumulates"},
         {"vector_scalar", "additions and multiplications of Vector and Scalar engine"},
         {"sbuf", "accesses to SBUF"},
         {"psum", "accesses to PSUM"},
         {"hbm", "reads and writes of HBM"},
         {"wires", "DMA data, descriptors and instructions over the die"},
         {"static", "idle power of the estimated area, all the time"}}};
    double joules = 0;          // sum of all components
    double average_watts = 0;   // 0 for a run that took no time
    double joules_per_mac = 0;  // joules / MACs; 0 without MACs
};

Energy estimate_energy(const Activity& activity, const config::Config& config, const Tables& tables);

}  // namespace trnsim::estimates
