// Runs kernels of all ranks of a server, with their collectives, in the interpreter.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "arch/addresses/addresses.hpp"
#include "arch/config/server.hpp"
#include "runtime/session/session.hpp"
#include "testbench/functional/ranks.hpp"
#include "testbench/trial/trial.hpp"

namespace trnsim::trial {

// Carries collectives out on the host, in the order of reduction that these cores of the server have.
// `rounding_seed` is that of DMA engines.
functional::CarryOut carry_out_on(const config::Server& server, std::vector<addresses::CoreId> ranks,
                                  std::uint32_t rounding_seed = 0);

// Returns the interpreter's outputs, by rank. Throws functional::Error.
std::vector<Contents> interpret_ranks(std::span<const Trial> trials, const functional::CarryOut& carry_out,
                                      const functional::Options& options = {});

// Returns the differences between the outputs of an execution and the interpreter's, a line each with its
// rank; or one line for an error that ends the interpreter first, such as a race. Ranks of other processes
// are left out.
std::vector<std::string> differences(const runtime::Session& session, runtime::ModelId model,
                                     std::span<const runtime::Contents> contents,
                                     const runtime::Results& results, const functional::Limits& limits = {});

}  // namespace trnsim::trial
