// Energy of a stack with banks, by command: an estimate from currents that a simulator publishes for HBM2
// (docs/hbm.md), not a measurement.
#pragma once

#include "model/hbm/statistics.hpp"

namespace trnsim::tlm::hbm {

// Currents of a channel of 128 bits.
struct Currents {
    double volts;         // VDD
    double idd0;          // mA, one bank activated and precharged every tRC
    double idd2n, idd3n;  // mA, standby: all banks closed, a row open
    double idd4r, idd4w;  // mA, reading, writing without a gap
    double idd5ab;        // mA, refreshing all banks
    // ns, the times for which the currents hold
    double ras, rc, rfc, burst;
};

// DRAMsim3, configs/HBM2_8Gb_x128.ini, 2 Gbps.
constexpr Currents Hbm2Currents{1.2, 65, 40, 55, 390, 500, 250, 34, 48, 260, 2};

struct DramEnergy {  // J
    double activate = 0, read = 0, write = 0, refresh = 0, background = 0;
    double total() const { return activate + read + write + refresh + background; }
};

// Returns the energy of the counts of a stack within `seconds`, with `tck` fs a cycle.
DramEnergy energy(const DramStatistics& statistics, double seconds, double tck,
                  const Currents& currents = Hbm2Currents);

}  // namespace trnsim::tlm::hbm
