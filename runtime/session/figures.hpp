// The figures of a run, from the counters of the chip, the observer and the wall clock.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/chip/statistics.hpp"
#include "runtime/session/observer.hpp"

namespace trnsim::runtime {

struct Figures {
    std::uint64_t start = 0;             // fs, simulated time when the first engine started
    std::uint64_t time = 0;              // fs of simulated time from then on
    std::uint64_t cycles = 0;            // cycles of the core clock
    std::uint64_t evaluated_cycles = 0;  // cycles that were simulated one by one
    std::array<tlm::EngineStatistics, neff::EngineCount> engine;
    tlm::Traffic window, manager, tables;
    tlm::MemoryCounts memories;
    tlm::NumericError numeric;                                                      // since reset
    std::uint64_t matmul_cycles = 0, fast_load_cycles = 0, normal_load_cycles = 0;  // Tensor cycles
    tlm::GpsimdCounters gpsimd;
    std::vector<tlm::Traffic> hbm;          // by stack
    std::vector<tlm::DramStatistics> dram;  // by stack, for a model with banks; otherwise empty
    std::vector<tlm::DmaStatistics> dma;    // by engine
    MatmulFigures matmul;
    estimates::OperationCounts work;
    double wall_seconds = 0;

    double engine_utilisation(std::size_t engine) const;  // busy cycles / cycles
    // Returns ideal matmul cycles / cycles from the issue of the first matmul to the completion of the last;
    // 0 without matmuls.
    double tensor_utilisation() const;
    double dma_utilisation(std::size_t engine) const;  // time with a packet at work / time
    double simulated_khz() const;                      // core cycles a second of wall time
    double mmacs_per_second() const;                   // million multiply-accumulates a second of wall time
    std::uint64_t dma_bytes() const;                   // bytes written by all engines
};

// Returns the counts between two snapshots of the same chip.
Figures difference(const tlm::Statistics& before, const tlm::Statistics& after);

}  // namespace trnsim::runtime
