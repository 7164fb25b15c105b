// The GpSimd cores in a profile: tables to read and tables of rows.
#pragma once

#include <string>
#include <vector>

#include "tools/profile/gpsimd.hpp"
#include "tools/profile/tables.hpp"

namespace trnsim::profile {

// Returns the cores by class of cycles, and the functions and lines with the most cycles; empty if no core
// worked.
std::string gpsimd_text(const tlm::GpsimdCounters& cores, const GpsimdSpots& spots);

// GpsimdCores has the cores that worked; GpsimdFunction and GpsimdLine have all that were executed.
std::vector<Table> gpsimd_tables(const tlm::GpsimdCounters& cores, const GpsimdSpots& spots);

}  // namespace trnsim::profile
