// Runs the processes of a simulation on this host.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>

#include "model/processes/exchange.hpp"

namespace trnsim::tlm::processes {

// what() is one line: the process that failed first, and how.
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};
// The simulated work has failed: a process has died, or its work has thrown this.
struct Failure : Error {
    using Error::Error;
};

// The run was ended because the caller did not want to go on.
struct Stopped : Error {
    using Error::Error;
};

// Forks `count` processes, each of which does `work` with its end of the exchange, and returns the result of
// process 0. When one has thrown or died, the others find out at their next exchange; those that are left
// after some seconds are ended. None is left when this returns or throws, nor when the calling process dies,
// which must have a single thread. Throws Error with the text that `work` threw; Failure for a process that
// died, "process 2 of 4: ended by signal 9 (Killed)". `goes_on` is called several times a second; when it
// returns false, all are ended and Stopped is thrown.
std::string run(unsigned count, const std::function<std::string(Exchange&)>& work,
                const std::function<bool()>& goes_on = {});

}  // namespace trnsim::tlm::processes
