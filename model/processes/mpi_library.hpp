// The interface of the library with MPI (mpi_exchange.cpp), which is loaded when it is needed.
#pragma once

#include "model/processes/exchange.hpp"

namespace trnsim::tlm::processes {

constexpr const char* MpiLibrary = "libtrnsim_mpi.so";
constexpr const char* MpiFunction = "trnsim_mpi_exchange";

// Begins MPI; called once. Destroying the object that it returns ends MPI. Returns null if MPI cannot begin.
using MakeMpiExchange = Exchange* (*)();

}  // namespace trnsim::tlm::processes
