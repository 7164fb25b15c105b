// What the library with MPI has (mpi_exchange.cpp), which is loaded where it is needed.
#pragma once

#include "model/processes/exchange.hpp"

namespace trnsim::tlm::processes {

constexpr const char* MpiLibrary = "libtrnsim_mpi.so";
constexpr const char* MpiFunction = "trnsim_mpi_exchange";

// Begins MPI. Called once; what it returns ends MPI when it is destroyed. Null when MPI cannot begin.
using MakeMpiExchange = Exchange* (*)();

}  // namespace trnsim::tlm::processes
