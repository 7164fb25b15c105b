// The processes that simulate a test: forked here for each size, or all that mpirun has started.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "model/processes/mpi.hpp"
#include "tools/nccom/test.hpp"

namespace trnsim::nccom {

class Processes {
  public:
    Processes(std::uint32_t count, std::function<bool()> goes_on);

    unsigned count() const { return count_; }
    // Call when all other checks have passed: from then on the other processes wait for this one. Throws when
    // they have been given another test.
    void begin(const Test& test);
    // Returns whether this process reports the results of all.
    static bool reports() { return tlm::processes::mpi_rank() == 0; }

    // Measures in new processes, at least one: SystemC cannot be restarted. Throws tlm::processes::Stopped
    // when `goes_on` says so.
    Row measure(const Test& test, std::uint64_t bytes);

  private:
    std::string run(const std::function<std::string(tlm::processes::Exchange&)>& work);

    unsigned count_;
    std::function<bool()> goes_on_;
    std::optional<tlm::processes::Mpi> mpi_{};
};

}  // namespace trnsim::nccom
