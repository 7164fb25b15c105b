// The collectives of kernels on a simulated server. If the server runs in several processes, each has all of
// them and works on its own chips.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "model/system/linked_server.hpp"
#include "runtime/loader/kernel_collectives.hpp"

namespace trnsim::runtime {

class Collectives : public loader::KernelCollectives {
  public:
    // Constructs and throws as the base class does; the server must outlive it.
    Collectives(tlm::LinkedServer& server, const std::vector<addresses::CoreId>& ranks,
                std::span<const std::shared_ptr<const neff::Package>> packages)
        : KernelCollectives(server.description(), ranks, packages), server_(server) {}

    // Writes the contents of memory before the first execution.
    void write();

    // Call it before every execution, after reset(): sets up the rings, loads and starts the collective
    // cores, which make these writes as well. No simulated time passes.
    void start(std::uint32_t rounding_seed, const Writes& writes);
    // Loads the collective cores alone, for an execution that continues from a checkpoint, which has the
    // rings and the progress of the cores. Returns the cores of this process that have a program.
    std::vector<loader::CollectiveCoreId> load(const Writes& writes);

  private:
    tlm::LinkedServer& server_;
};

}  // namespace trnsim::runtime
