// The collectives of kernels on a simulated server. Of a server in several processes each has all of them and works on the
// chips that are there.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "model/system/linked_server.hpp"
#include "runtime/loader/kernel_collectives.hpp"

namespace trnsim::runtime {

class Collectives : public loader::KernelCollectives {
  public:
    // As those that it is; the server outlives it.
    Collectives(tlm::LinkedServer& server, const std::vector<addresses::CoreId>& ranks,
                std::span<const std::shared_ptr<const neff::Package>> packages)
        : KernelCollectives(server.description(), ranks, packages), server_(server) {}

    // What is in memory before the first execution.
    void write();

    // Before every execution, behind reset(): sets up the rings, loads and starts the collective cores, which make
    // these writes as well. No simulated time passes.
    void start(std::uint32_t rounding_seed, const Writes& writes);
    // Loads the collective cores alone, for an execution that goes on from a checkpoint, which has the rings and what the cores have
    // done. Returns those that are here and have a program.
    std::vector<loader::CollectiveCoreId> load(const Writes& writes);

  private:
    tlm::LinkedServer& server_;
};

}  // namespace trnsim::runtime
