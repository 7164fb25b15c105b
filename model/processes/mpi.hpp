// Processes that Open MPI's mpirun has started, on one host or on several.
#pragma once

#include <memory>

#include "base/jobs/process.hpp"
#include "model/processes/exchange.hpp"

namespace trnsim::tlm::processes {

// Returns the number of processes that mpirun has started, this one among them; 1 if it did not start this
// one. Throws std::runtime_error if another MPI or srun has started it.
unsigned mpi_processes();

// Returns the rank of this process, from 0; it is known before MPI has begun.
unsigned mpi_rank();

// The exchange among these processes. MPI works in a process of its own, so this one keeps a single thread
// and may fork; the program is not linked with MPI.
class Mpi {
  public:
    // Throws std::runtime_error if MPI is not available.
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
