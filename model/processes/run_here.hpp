// Runs one process of a simulation, whose others were started by somebody else and do the same.
#pragma once

#include "model/processes/run.hpp"

namespace trnsim::tlm::processes {

// Forks a process that does `work` with an exchange among those that the others fork, and returns what that of process 0 has
// returned, in every process. When one has thrown or died, all throw the same Error, as run() does, and their forked processes are
// ended. `others` lasts: several such calls may follow each other, failed ones too. The calling process must have a single thread.
// Throws Ended when one of the others is not there any more.
std::string run_here(Exchange& others, const std::function<std::string(Exchange&)>& work);

}  // namespace trnsim::tlm::processes
