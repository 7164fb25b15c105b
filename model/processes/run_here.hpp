// Runs one process of a simulation; its other processes were started separately and do the same.
#pragma once

#include "model/processes/run.hpp"

namespace trnsim::tlm::processes {

// Forks a process that does `work` with an exchange among all forked processes, and returns the result of
// that of process 0, in every process. When one has thrown or died, all throw the same Error, as run() does,
// and their forked processes are ended. `others` stays usable: several such calls may follow each other,
// failed ones too. The calling process must have a single thread. Throws Ended if one of the others has
// ended.
std::string run_here(Exchange& others, const std::function<std::string(Exchange&)>& work);

}  // namespace trnsim::tlm::processes
