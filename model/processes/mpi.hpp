// Processes that Open MPI's mpirun has started, on one host or on several.
#pragma once

#include <memory>

#include "base/jobs/process.hpp"
#include "model/processes/exchange.hpp"

namespace trnsim::tlm::processes {

// How many mpirun has started with this one; 1 where it was not started so. Throws std::runtime_error when it was by another
// MPI, or by srun.
unsigned mpi_processes();

// Which of them this one is, from 0; known before MPI has begun.
unsigned mpi_rank();

// The exchange among them. MPI is at work in a process of its own, so this one keeps a single thread and may fork; the program is not
// linked with it.
class Mpi {
  public:
    // Throws std::runtime_error where MPI cannot be had.
    Mpi();
    Mpi(const Mpi&) = delete;
    Mpi& operator=(const Mpi&) = delete;
    // Waits until MPI has ended.
    ~Mpi();

    Exchange& exchange() { return *exchange_; }

  private:
    std::unique_ptr<jobs::Process> process_;
    std::unique_ptr<Exchange> link_, exchange_;
};

}  // namespace trnsim::tlm::processes
