// Kernels of all ranks of a server, with their collectives, for the interpreter.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lib/base/addresses/addresses.hpp"
#include "lib/config/server.hpp"
#include "testbench/functional/ranks.hpp"
#include "testbench/trial/trial.hpp"

namespace trnsim::trial {

// Carries collectives out on the host, in the order of reduction that these cores of the server have.
// `rounding_seed`: of DMA engines.
functional::CarryOut carry_out_on(const config::Server& server, std::vector<addresses::CoreId> ranks,
                                  std::uint32_t rounding_seed = 0);

// What the interpreter gives for the outputs, by rank. Throws functional::Error.
std::vector<Contents> interpret_ranks(std::span<const Trial> trials, const functional::CarryOut& carry_out,
                                      const functional::Options& options = {});

}  // namespace trnsim::trial
